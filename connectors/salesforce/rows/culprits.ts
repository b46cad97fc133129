/**
 * Finds the fields that cause a rejection if the rejection names no field. Each trial writes some of the fields. This
 * file only decides which trial comes next. `trial.ts` carries it out in a way that changes nothing in the CRM.
 */

/** Fields that are written or left out together. Usually this is one field. */
export type Atom = readonly string[];

/** A trial's result. A trial is accepted, rejected by the rule in question, or rejected for a different reason. */
export type TrialOutcome = 'accepted' | 'same' | 'other';

/**
 * A search. It yields the fields of the next trial, gets its outcome, and returns the fields that cause the rejection.
 */
export type CulpritSearch = Generator<readonly Atom[], readonly Atom[] | null, TrialOutcome>;

/**
 * The maximum number of atoms that can cause a rejection. If more atoms would have to be left out, fields are not the
 * cause of the rejection.
 */
const MAX_CULPRITS = 3;

/**
 * The maximum number of trials that may move the boundary. A different rule can reject the fields on one side of it.
 */
const MAX_SHIFTS = 2;

/** Returns a change's fields. */
export function toAtoms(
  fields: readonly string[],
  groups: readonly (readonly string[])[] = [],
): Atom[] {
  const atoms = new Map<string, string[]>();
  for (const field of fields) {
    const group = groups.findIndex((names) => names.includes(field));
    const key = group === -1 ? `field ${field}` : `group ${group}`;
    atoms.set(key, [...(atoms.get(key) ?? []), field]);
  }
  return [...atoms.values()];
}

/**
 * Searches the atoms of a change that a rule has rejected as a whole. Returns null if the rule rejects every change to
 * the contact, so no field is the cause. Returns an empty list if the rule no longer rejects the change. For example, a
 * trigger may have failed only once.
 */
export function* searchCulprits(atoms: readonly Atom[]): CulpritSearch {
  let isMasked = false;
  const culprits: Atom[] = [];
  let rest = atoms;
  while (culprits.length < MAX_CULPRITS) {
    const { at, isProven, sawOther } = yield* findFirst(rest);
    isMasked ||= sawOther;
    // All fields except the last one have been accepted. By now, the rule may also accept the whole change.
    const isGuess = !isProven && culprits.length === 0 && rest.length > 1;
    if (isGuess && (yield rest) === 'accepted') return [];
    culprits.push(...rest.slice(at, at + 1));
    const others = rest.filter((_, index) => index !== at);
    const [last] = others.slice(-1);
    if (last === undefined) break;
    // Every trial so far has included the first field, so the rule may reject any change.
    const isInEachTrial = at === 0 && culprits.length === 1 && others.length > 1;
    if (isInEachTrial && (yield* isRefusedAlone(last)) && (yield* isRefusedAlone(others[0]))) {
      return null;
    }
    const outcome = yield others;
    if (outcome === 'accepted') return culprits;
    if (outcome === 'other') {
      // A second rule rejects the remaining fields. Its rejection may replace the rejection by the first rule. A trial
      // with only this field shows whether the first rule rejects the field.
      if (yield* isRefusedAlone(rest[at])) return culprits;
      return yield* leaveOutEach(atoms);
    }
    rest = others;
  }
  return isMasked ? yield* leaveOutEach(atoms) : null;
}

function* isRefusedAlone(atom: Atom = []): Generator<readonly Atom[], boolean, TrialOutcome> {
  return (yield [atom]) === 'same';
}

interface First {
  /** The index of the first atom with which a trial is rejected. Trials with fewer atoms are accepted. */
  at: number;
  /** False if no trial has been rejected, so only the last atom is left. */
  isProven: boolean;
  /** True if other rules interfered. */
  sawOther: boolean;
}

function* findFirst(atoms: readonly Atom[]): Generator<readonly Atom[], First, TrialOutcome> {
  let [accepted, refused] = [0, atoms.length];
  let sawOther = false;
  while (refused - accepted > 1) {
    let middle = Math.floor((accepted + refused) / 2);
    let outcome = yield atoms.slice(0, middle);
    // The boundary may separate two fields that a second rule requires together. The second rule's rejection can
    // replace the rejection by the first rule.
    for (let shift = 0; shift < MAX_SHIFTS && outcome === 'other'; shift += 1) {
      sawOther = true;
      if (middle + 1 >= refused) break;
      middle += 1;
      outcome = yield atoms.slice(0, middle);
    }
    if (outcome === 'same') refused = middle;
    else accepted = middle;
  }
  return { at: refused - 1, isProven: refused < atoms.length, sawOther };
}

/**
 * Tries all fields except one, until such a trial is accepted. Used if the rejection by one rule replaces the rejection
 * by the other.
 */
function* leaveOutEach(atoms: readonly Atom[]): CulpritSearch {
  for (const atom of atoms) {
    const others = atoms.filter((one) => one !== atom);
    if (others.length > 0 && (yield others) === 'accepted') return [atom];
  }
  return null;
}

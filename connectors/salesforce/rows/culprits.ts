/**
 * Finds the fields that cause a rejection that names no field, by trials that write some of the fields. This file only
 * decides which trial comes next. `trial.ts` carries it out in a way that leaves nothing in the CRM.
 */

/** Fields that are written or left out together. Usually this is one field. */
export type Atom = readonly string[];

/** A trial's result: accepted, rejected by the rule in question, or rejected for another reason. */
export type TrialOutcome = 'accepted' | 'same' | 'other';

/**
 * A search. It yields the fields of the next trial, gets its outcome, and returns the fields that cause the rejection.
 */
export type CulpritSearch = Generator<readonly Atom[], readonly Atom[] | null, TrialOutcome>;

/**
 * How many atoms can cause rejections by one rule. If more would have to be left out, the rejection is not about
 * fields.
 */
const MAX_CULPRITS = 3;

/** How many trials may move the boundary because another rule rejects the fields on one side of it. */
const MAX_SHIFTS = 2;

/** Returns a change's fields. The fields of each group form one atom. */
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
 * Searches the atoms of a change that a rule has rejected as a whole. Returns null if the rule rejects the contact
 * whatever is written, so no field is the cause. Returns no atom if the rule does not reject the change any more, as
 * with a trigger that failed only once.
 */
export function* searchCulprits(atoms: readonly Atom[]): CulpritSearch {
  let isMasked = false;
  const culprits: Atom[] = [];
  let rest = atoms;
  while (culprits.length < MAX_CULPRITS) {
    const { at, isProven, sawOther } = yield* findFirst(rest);
    isMasked ||= sawOther;
    // Without the last field, everything was accepted. The rule may also accept the whole change by now.
    const isGuess = !isProven && culprits.length === 0 && rest.length > 1;
    if (isGuess && (yield rest) === 'accepted') return [];
    culprits.push(...rest.slice(at, at + 1));
    const others = rest.filter((_, index) => index !== at);
    const [last] = others.slice(-1);
    if (last === undefined) break;
    // So far, the first field was written in every trial, so the rule may reject whatever is written.
    const isInEachTrial = at === 0 && culprits.length === 1 && others.length > 1;
    if (isInEachTrial && (yield* isRefusedAlone(last)) && (yield* isRefusedAlone(others[0]))) {
      return null;
    }
    const outcome = yield others;
    if (outcome === 'accepted') return culprits;
    if (outcome === 'other') {
      // A second rule rejects the remaining fields. It may hide the first rule, unless the field alone proves
      // that rule.
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
  /** The index of the first atom up to which the rule rejects everything. */
  at: number;
  /** False if no trial has been rejected, so the last atom only remains. */
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
    // The boundary may separate two fields that a second rule requires together. Its rejection can hide the
    // first rule's.
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

/** Tries all fields except one, until such a trial is accepted. Used if rules hide each other. */
function* leaveOutEach(atoms: readonly Atom[]): CulpritSearch {
  for (const atom of atoms) {
    const others = atoms.filter((one) => one !== atom);
    if (others.length > 0 && (yield others) === 'accepted') return [atom];
  }
  return null;
}

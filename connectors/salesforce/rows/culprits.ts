/**
 * Finds the fields that cause a rejection if Salesforce's error names no field. Each trial writes some of the fields.
 * This file only decides which fields the next trial writes. `trial.ts` runs the trial without changing the CRM.
 */

/** Fields that donor-sync either writes together or omits together. In most cases, the group is a single field. */
export type Atom = readonly string[];

/**
 * The result of a trial. Salesforce accepts the trial, rejects it because of the same rule, or rejects it for a
 * different reason.
 */
export type TrialOutcome = 'accepted' | 'same' | 'other';

/**
 * A search for the fields that cause a rejection. In each step, the search yields the fields for the next trial and
 * receives the trial's result. At the end, the search returns the fields that cause the rejection.
 */
export type CulpritSearch = Generator<readonly Atom[], readonly Atom[] | null, TrialOutcome>;

/**
 * The maximum number of fields or groups of fields that can cause a rejection. If more fields would have to be omitted,
 * the fields are not the cause of the rejection.
 */
const MAX_CULPRITS = 3;

/**
 * The maximum number of trials that may move the boundary between accepted and rejected fields. A second rule can
 * reject the fields on one side of the boundary.
 */
const MAX_SHIFTS = 2;

/** Returns the fields of a change, grouped by the fields that must be written together. */
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
 * Searches for the fields that cause the rejection of a whole change. Returns null if the rule rejects every change to
 * the contact, so no field is the cause. Returns an empty list if Salesforce now accepts the change. For example, a
 * trigger may have failed only once.
 */
export function* searchCulprits(atoms: readonly Atom[]): CulpritSearch {
  let isMasked = false;
  const culprits: Atom[] = [];
  let rest = atoms;
  while (culprits.length < MAX_CULPRITS) {
    const { at, isProven, sawOther } = yield* findFirst(rest);
    isMasked ||= sawOther;
    // Salesforce has accepted all fields except the last one. Salesforce's rule may now accept the whole change too.
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
      // A second rule rejects the remaining fields. The second rule's error may hide the first rule's error. A trial
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
  /**
   * The position of the first field or group of fields that makes a trial fail. Salesforce accepts trials with fewer
   * fields.
   */
  at: number;
  /** False if Salesforce rejected none of the trials, so that only the last field remains. */
  isProven: boolean;
  /** True if other rules rejected some of the trials. */
  sawOther: boolean;
}

function* findFirst(atoms: readonly Atom[]): Generator<readonly Atom[], First, TrialOutcome> {
  let [accepted, refused] = [0, atoms.length];
  let sawOther = false;
  while (refused - accepted > 1) {
    let middle = Math.floor((accepted + refused) / 2);
    let outcome = yield atoms.slice(0, middle);
    // The boundary between accepted and rejected fields may separate two fields that a second rule requires together.
    // The second rule's error can hide the first rule's error.
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
 * Tries all fields except one, until Salesforce accepts a trial. donor-sync uses this search if one rule's error hides
 * another rule's error.
 */
function* leaveOutEach(atoms: readonly Atom[]): CulpritSearch {
  for (const atom of atoms) {
    const others = atoms.filter((one) => one !== atom);
    if (others.length > 0 && (yield others) === 'accepted') return [atom];
  }
  return null;
}

import { describe, expect, it } from 'vitest';
import {
  type Atom,
  searchCulprits,
  type TrialOutcome,
  toAtoms,
} from '../../../connectors/salesforce/rows/culprits.ts';

const FIELDS = Array.from({ length: 14 }, (_, at) => `F${at}`);

/** Decides whether a write with these fields is accepted. */
type Rule = (fields: ReadonlySet<string>) => boolean;

describe('the search for fields to blame', () => {
  it.each(FIELDS)('finds %s in few trials', (culprit) => {
    const { found, trials } = run(FIELDS, (written) => written.has(culprit));
    expect(found).toEqual([culprit]);
    expect(trials).toBeLessThanOrEqual(6);
  });

  it('finds every one of two', () => {
    for (const one of FIELDS) {
      for (const other of FIELDS.slice(FIELDS.indexOf(one) + 1)) {
        const { found } = run(FIELDS, (written) => written.has(one) || written.has(other));
        expect(found?.toSorted()).toEqual([one, other].toSorted());
      }
    }
  });

  it('finds one of two that may not be written together', () => {
    for (const one of FIELDS) {
      for (const other of FIELDS.slice(FIELDS.indexOf(one) + 1)) {
        const { found } = run(FIELDS, (written) => written.has(one) && written.has(other));
        expect([[one], [other]]).toContainEqual(found);
      }
    }
  });

  it('finds the field though a second rule hides the first where a pair is parted', () => {
    for (const culprit of FIELDS) {
      for (const [at, one] of FIELDS.entries()) {
        const other = FIELDS[at + 1];
        if (other === undefined || culprit === one || culprit === other) continue;
        const isParted: Rule = (written) => written.has(one) !== written.has(other);
        const { found, trials } = run(FIELDS, (written) => written.has(culprit), isParted);
        expect(found).toEqual([culprit]);
        expect(trials).toBeLessThanOrEqual(10);
      }
    }
  });

  it('finds the field though a pair is far apart, by leaving out each', () => {
    for (const culprit of FIELDS.slice(1, -1)) {
      const isParted: Rule = (written) => written.has('F0') !== written.has('F13');
      expect(run(FIELDS, (written) => written.has(culprit), isParted).found).toEqual([culprit]);
    }
  });

  it('blames no field, not even the last, if everything is accepted by now', () => {
    expect(run(FIELDS, () => false).found).toEqual([]);
  });

  it('finds nothing, soon, where a rule refuses whatever is written', () => {
    const { found, trials } = run(FIELDS, () => true);
    expect(found).toBeNull();
    expect(trials).toBeLessThanOrEqual(6);
  });

  it.each([
    [['A'], 0],
    [['A', 'B'], 2],
  ])('ends with %j in %i trials', (fields, most) => {
    const { found, trials } = run(fields, () => true);
    expect(found).toBeNull();
    expect(trials).toBeLessThanOrEqual(most);
  });

  it('finds the field if a second rule refuses the rest without it', () => {
    for (const [at, culprit] of FIELDS.entries()) {
      const partner = FIELDS[(at + 5) % FIELDS.length] ?? '';
      const isAlone: Rule = (written) => written.has(partner) && !written.has(culprit);
      const search = searchCulprits(toAtoms(FIELDS));
      let step = search.next();
      while (!step.done) {
        const written = new Set(step.value.flat());
        const other = isAlone(written) ? 'other' : 'accepted';
        step = search.next(written.has(culprit) ? 'same' : other);
      }
      expect(step.value?.flat()).toEqual([culprit]);
    }
  });

  it('takes the fields of a group for one', () => {
    const groups = [['F3', 'F4', 'F5', 'Elsewhere']];
    const atoms = toAtoms(FIELDS, groups);
    expect(atoms).toHaveLength(12);
    const { found } = run(FIELDS, (written) => written.has('F4'), undefined, groups);
    expect(found).toEqual(['F3', 'F4', 'F5']);
  });
});

function run(
  fields: readonly string[],
  isRefused: Rule,
  hides: Rule = () => false,
  groups: readonly (readonly string[])[] = [],
): { found: string[] | null; trials: number } {
  const search = searchCulprits(toAtoms(fields, groups));
  let trials = 0;
  for (let step = search.next(); ; ) {
    if (step.done) return { found: step.value?.flat() ?? null, trials };
    trials += 1;
    step = search.next(outcomeOf(step.value));
  }

  function outcomeOf(atoms: readonly Atom[]): TrialOutcome {
    const written = new Set(atoms.flat());
    if (hides(written)) return 'other';
    return isRefused(written) ? 'same' : 'accepted';
  }
}

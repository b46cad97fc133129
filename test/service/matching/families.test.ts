import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher } from '../../../service/matcher/matcher.ts';
import { aWorldOf } from '../hand-made-world.ts';
import { drawFamilies, KINDS } from './families.ts';

const FAMILIES = 3_000;

describe.each([41, 777_001])('3,000 families at one home, drawn from %i', (seed) => {
  const { donors, cases } = drawFamilies(seed, FAMILIES);
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, aWorldOf(donors)));
  const outcomes = cases.map((one) => ({ ...one, found: matcher.match(one).donorNumber }));
  db.close();

  it.each(KINDS)('are never mistaken for each other: %s', (kind) => {
    const wrong = outcomes.filter(
      (one) => one.kind === kind && one.found !== null && one.found !== one.donor,
    );
    expect(
      wrong.map(({ first, last, found, donor }) => [first, last, donors[found ?? 0]?.name, donor]),
    ).toEqual([]);
  });

  it('are found if they are on file', () => {
    const there = outcomes.filter(({ donor }) => donor !== null);
    const right = there.filter(({ found, donor }) => found === donor);
    expect(right.length / there.length).toBeGreaterThan(0.95);
  });
});

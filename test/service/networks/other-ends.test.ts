import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packOtherEnds, rankOf } from '../../../service/networks/other-ends.ts';

const aDonor = fc.integer({ min: 0, max: 2 ** 30 });

describe('packOtherEnds', () => {
  it('gives every donor back at the rank they were given, and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(aDonor), aDonor, (donors, other) => {
        const ends = packOtherEnds(donors);
        expect(donors.map((donor) => rankOf(ends, donor))).toEqual([...donors.keys()]);
        expect(rankOf(ends, other)).toBe(
          donors.includes(other) ? donors.indexOf(other) : undefined,
        );
      }),
    );
  });
});

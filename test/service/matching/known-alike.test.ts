import { expect, it } from 'vitest';
import { blankDonor, type Donor } from '../../../service/donor.ts';
import { areKnownAlike } from '../../../service/matcher/agreement.ts';
import { candidateOf } from '../../../service/matcher/donor-index.ts';

const ROLE = { organisationId: '', organisationName: 'Acme', title: '', start: '', end: null };

function aDonor(known: Partial<Donor>): Donor {
  const name = { first: 'Robert', middle: null, last: 'Webb' };
  return { ...blankDonor('0'.repeat(32), name), sources: {}, ...known };
}

it.each([
  ['nothing', {}, {}, true],
  ['a birth of one', {}, { birthYear: 1951 }, false],
  ['work of one', {}, { work: [ROLE] }, false],
  ['a school of one', {}, { education: [ROLE] }, false],
  ['schools of both', { education: [ROLE] }, { education: [ROLE] }, true],
] as const satisfies readonly [string, Partial<Donor>, Partial<Donor>, boolean][])(
  'two rows of one name and home of which %s is known: one may be a copy of the other, or not',
  (_, one, other, areAlike) => {
    const [first, second] = [candidateOf(0, aDonor(one)), candidateOf(1, aDonor(other))];
    expect(areKnownAlike(first, second)).toBe(areAlike);
  },
);

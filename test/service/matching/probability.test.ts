import { expect, it } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { blankDonor } from '../../../service/donor.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher } from '../../../service/matcher/matcher.ts';
import { aWorldOf } from '../hand-made-world.ts';

const HOME = { street: '12 Elm Street', city: 'Evanston', state: 'IL', postalCode: '60201' };
const AT_HOME = '12 Elm Street, Evanston, IL 60201';
const DONOR = {
  ...blankDonor('0'.repeat(32), { first: 'Robert', middle: 'J.', last: 'Oldenquist' }),
  ...{ sources: {}, addresses: [HOME], birthday: '1951-09-08' },
};

// For each kind of contact, the measured share of contacts who really are the donor. The share was measured in sets in
// which every kind is equally frequent.
it.each([
  ['a rare name and the city', { addresses: ['Evanston, IL'] }, 0.9],
  ['a rare name alone', { addresses: [] }, 0.9],
  [
    'a rare name, and another house in the city',
    { addresses: ['9 Oak Road, Evanston, IL 60201'] },
    0.5,
  ],
  ['a rare name in another state', { addresses: ['9 Elm Avenue, Reno, NV 89501'] }, 0.2],
  ['a home and another middle initial', { first: 'Robert K.' }, 0.2],
  ['a home and another last name', { last: 'Fairweather' }, 0.2],
  ['a home and another birth', { born: '1979-02-01' }, 0.05],
] as const)('for %s, no donor is returned, but how likely the donor is', (_, said, most) => {
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, aWorldOf([DONOR])));
  const person = {
    first: 'Robert',
    last: 'Oldenquist',
    addresses: [AT_HOME],
    employers: [],
    ...said,
  };
  const { donorNumber, probability, runnerUp } = matcher.match(person);
  db.close();
  expect(donorNumber).toBeNull();
  expect(runnerUp?.donorNumber).toBe(0);
  expect(probability).toBeCloseTo(most, 2);
});

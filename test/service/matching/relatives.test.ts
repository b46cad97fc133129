import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { blankDonor, type Donor } from '../../../service/donor.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher, type SoughtPerson } from '../../../service/matcher/matcher.ts';
import { aWorldOf } from '../hand-made-world.ts';

const HOME = { street: '12 Elm Street', city: 'Evanston', state: 'IL', postalCode: '60201' };
const AT_HOME = '12 Elm Street, Evanston, IL 60201';
const BORN = '1951-09-08';
const WORK = 'Halvorsen Energy';

function aDonor(first: string, more: Partial<Donor> = {}): Donor {
  return {
    ...blankDonor('0'.repeat(32), { first, middle: null, last: 'Oldenquist' }),
    ...{ sources: {}, addresses: [HOME], birthday: BORN },
    ...more,
  };
}

const JOB = {
  ...{ organisationId: WORK, organisationName: WORK, title: 'Clerk' },
  ...{ start: '2001-01-01', end: null },
};

/** Whether the first donor is found. */
function isFound(donors: readonly Donor[], person: Partial<SoughtPerson>): boolean {
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, aWorldOf(donors)));
  const { donorNumber } = matcher.match({
    ...{ first: '', last: 'Oldenquist', addresses: [AT_HOME], employers: [] },
    ...person,
  });
  db.close();
  return donorNumber === 0;
}

describe('a twin of a donor, with the same home and birth', () => {
  it.each([
    ['Carrie', 'Barrie'],
    ['Barrie', 'Carrie'],
    ['Larry', 'Darry'],
    ['Marilyn', 'Carilyn'],
    ['Tina', 'Gina'],
    ['John', 'Joan'],
    ['Erik', 'Erika'],
    ['Dean', 'Deana'],
    ['Mary', 'Marc'],
    ['Helen', 'Ellen'],
    ['Ron', 'Jon'],
    ['Maria', 'Mara'],
    ['Lisa', 'Lia'],
    // No list contains this name, but no one who means Carol types the M by mistake.
    ['Carol', 'Marol'],
  ])('is not the donor: %s is on file, and %s is meant', (onFile, meant) => {
    expect(isFound([aDonor(onFile)], { first: meant, born: BORN })).toBe(false);
  });

  it('is not the donor if other donors have that name, although no list contains it', () => {
    const others = ['Ashford', 'Bellingham', 'Casterline'].flatMap((last) =>
      ['Micoael', 'Michael'].map((first) =>
        aDonor(first, { name: { first, middle: null, last }, addresses: [] }),
      ),
    );
    const micoael = { first: 'Micoael', born: BORN };
    expect(isFound([aDonor('Michael')], micoael)).toBe(true);
    expect(isFound([aDonor('Michael'), ...others], micoael)).toBe(false);
  });
});

describe('a donor whose first name is mistyped', () => {
  it.each([
    ['a letter left out', 'Carrie', 'Carie'],
    ['a letter left out at the start', 'Michael', 'ichael'],
    ['two letters swapped at the start', 'Robert', 'Orbert'],
    ['a neighbouring key', 'Robert', 'Ronert'],
    ['a neighbouring key at the start', 'Michael', 'Nichael'],
    ['a letter that a scan confuses at the start', 'Howard', 'Boward'],
    ['any other letter within the name', 'Marilyn', 'Mapilyn'],
  ])('is found at home despite %s', (_, onFile, written) => {
    expect(isFound([aDonor(onFile)], { first: written })).toBe(true);
  });

  it('is found despite a distant letter at the start if the employer agrees', () => {
    const carol = aDonor('Carol', { work: [JOB] });
    expect(isFound([carol], { first: 'Marol' })).toBe(false);
    expect(isFound([carol], { first: 'Marol', employers: [WORK] })).toBe(true);
  });
});

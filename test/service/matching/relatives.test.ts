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

/** Returns true if the first donor is found. */
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
    // No list contains this name, and nobody would type an M in place of the C in Carol.
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

describe('a brother with the same two given names in the other order, at the same home', () => {
  it.each([
    ['Robert', 'James', 'James Robert'],
    ['Robert', 'James', 'James R'],
    ['Robert', 'J', 'James Robert'],
    ['Daniel', 'Edwin', 'Edwin D'],
    ['David', 'N', 'Nicholas David'],
  ])('is not the donor: %s %s is on file, and %s is meant', (first, middle, meant) => {
    const donor = aDonor(first, { name: { first, middle, last: 'Oldenquist' } });
    expect(isFound([donor], { first: meant })).toBe(false);
  });

  it('is not the donor if the donor with the right order is on file as well, even with an initial only', () => {
    const [donn, kenneth] = [
      ['Donn', 'Kenneth'],
      ['Kenneth', 'D'],
    ].map(([first = '', middle = '']) =>
      aDonor(first, { name: { first, middle, last: 'Oldenquist' } }),
    );
    if (!donn || !kenneth) throw new Error('no donors');
    expect(isFound([kenneth, donn], { first: 'Kenneth Donn' })).toBe(true);
  });

  it('is the donor if the employer is the same as well, because records exchange the two', () => {
    const donor = aDonor('James', {
      name: { first: 'James', middle: 'Robert', last: 'Oldenquist' },
      work: [JOB],
    });
    expect(isFound([donor], { first: 'Robert James', employers: [WORK] })).toBe(true);
  });

  it('is no reason to doubt a donor who is called by the middle name', () => {
    const donor = aDonor('James', {
      name: { first: 'James', middle: 'Robert', last: 'Oldenquist' },
    });
    expect(isFound([donor], { first: 'Robert' })).toBe(true);
    expect(isFound([donor], { first: 'J. Robert' })).toBe(true);
  });
});

describe('a mother or a daughter with the same name and a similar middle name, at the same home', () => {
  const michele = (middle: string) =>
    aDonor('Michele', { name: { first: 'Michele', middle, last: 'Oldenquist' }, work: [JOB] });

  it('is not the donor if the two middle names are known names', () => {
    const nina = { first: 'Michele Nina' };
    expect(isFound([michele('Tina')], nina)).toBe(false);
    expect(isFound([michele('Tina')], { ...nina, employers: [WORK] })).toBe(true);
  });

  it.each([
    ['Catherine', 'Katherine'],
    ['Elizabeth', 'Elisabeth'],
    ['Nina', 'N.'],
    ['Gertrude', 'Gertrdue'],
  ])('is the donor if %s is written as %s', (middle, written) => {
    expect(isFound([michele(middle)], { first: `Michele ${written}` })).toBe(true);
  });
});

describe('a father or a son with the same name, at the same home', () => {
  const born = `${new Date().getUTCFullYear() - 50}-09-08`;
  const junior = aDonor('Robert', { suffix: 'Jr', birthday: born, work: [JOB] });
  const robert = aDonor('Robert', { birthday: born, work: [JOB] });

  it.each([
    ['the file', junior, 'Oldenquist'],
    ['the person', robert, 'Oldenquist, Jr.'],
  ])('is not the donor if only %s has a suffix', (_, donor, last) => {
    expect(isFound([donor], { first: 'Robert', last })).toBe(false);
    expect(isFound([donor], { first: 'Robert', last, employers: [WORK] })).toBe(true);
    expect(isFound([donor], { first: 'Robert', last, born })).toBe(true);
  });

  it('is the donor if the suffix is only in the file, and the son is so old that the father is hardly alive', () => {
    const birthday = `${new Date().getUTCFullYear() - 75}-09-08`;
    const old = aDonor('Robert', { suffix: 'Jr', birthday });
    const senior = aDonor('Robert', { suffix: 'Sr', birthday });
    expect(isFound([old], { first: 'Robert' })).toBe(true);
    expect(isFound([senior], { first: 'Robert' })).toBe(false);
  });

  it('is the donor if both have the same suffix, or neither has one', () => {
    expect(isFound([junior], { first: 'Robert', last: 'Oldenquist II' })).toBe(true);
    expect(isFound([robert], { first: 'Robert' })).toBe(true);
  });
});

describe("a wife who is addressed by her husband's name", () => {
  it.each(['Robert', 'Pavel', 'Leslie'])('is not the donor %s at their home', (first) => {
    const donor = aDonor(first, { work: [JOB] });
    expect(isFound([donor], { first: `Mrs. ${first}` })).toBe(false);
    expect(isFound([donor], { first })).toBe(true);
  });

  it("is the donor if the name is a woman's, or the employer of a name for both is the same as well", () => {
    expect(isFound([aDonor('Margaret')], { first: 'Mrs. Margaret' })).toBe(true);
    const leslie = aDonor('Leslie', { work: [JOB] });
    expect(isFound([leslie], { first: 'Mrs. Leslie', employers: [WORK] })).toBe(true);
  });
});

describe('a relative with a last name of two words', () => {
  it('is not the donor if the middle initial differs, although it is that of a last name that both have', () => {
    const name = { first: 'Gregorio', middle: 'M', last: 'Torres Vega' };
    expect(
      isFound([aDonor('Gregorio', { name })], { first: 'Gregorio T.', last: 'Torres Vega' }),
    ).toBe(false);
  });
});

describe('someone whose last name is a first name', () => {
  const donor = aDonor('Gregory', {
    name: { first: 'Gregory', middle: 'Ronnie', last: 'Gregory' },
  });
  it('is not a donor whose name agrees only with the fields exchanged and a typo', () => {
    expect(isFound([donor], { first: 'Bonnie Kathleen', last: 'Gregory' })).toBe(false);
  });
  it('is the donor if the fields are exchanged without a typo', () => {
    const lewis = aDonor('Lewis', { name: { first: 'Lewis', middle: null, last: 'Oldenquist' } });
    expect(isFound([lewis], { first: 'Oldenquist', last: 'Lewis' })).toBe(true);
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

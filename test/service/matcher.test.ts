import { describe, expect, it, onTestFinished } from 'vitest';
import { type CrmPerson, createWorld } from '../../people/world.ts';
import { openDatabase } from '../../service/database.ts';
import type { Address, Donor, World } from '../../service/donor.ts';
import { blankDonor } from '../../service/donor.ts';
import { openDonorIndex } from '../../service/matcher/donor-index.ts';
import { createMatcher, type Matcher } from '../../service/matcher/matcher.ts';
import { aWorldOf } from './hand-made-world.ts';

const OAK: Address = {
  street: '12 North Oak Street Apartment 4',
  city: 'Saint Paul',
  state: 'MN',
  postalCode: '55102',
};
const ELM: Address = { street: '9 Elm Avenue', city: 'Reno', state: 'NV', postalCode: '89501' };
const ASH: Address = { street: '400 Ash Road', city: 'Mobile', state: 'AL', postalCode: '36602' };

const DONORS = [
  aDonor('Robert', 'Quincy', 'Marlowe', [OAK], ['Acme Foods']),
  aDonor('José', null, "O'Brien", [ELM, ASH], ['Veldt Media']),
  aDonor('Mary', null, 'Smith', [OAK], ['Acme Foods']),
  aDonor('Mary', null, 'Smith', [ELM], ['Veldt Media']),
  aDonor('John', null, 'Stone', [ASH], ['Acme Foods']),
  aDonor('John', null, 'Stone', [ASH], ['Veldt Media']),
  aDonor('Joan', null, 'Stone', [OAK], []),
  aDonor('Helen', null, 'Vandermeer', [ASH], []),
  aDonor('Anna', null, 'Smith', [ELM], []),
  ...Array.from({ length: 40 }, (_, n) => aDonor('Anna', null, `Other${'x'.repeat(n)}`, [], [])),
  ...Array.from({ length: 40 }, (_, n) => aDonor(`Filler${'x'.repeat(n)}`, null, 'Smith', [], [])),
];

const AT_OAK = '12 N. Oak St. #4, St Paul, MN 55102-1234';
const AT_ELM = '9 ELM AVE, RENO NV 89501, United States';
const AT_ASH = '400 Ash Rd\nMobile, AL 36602';

describe('the matcher', () => {
  it.each([
    ['the name as it is', 'Robert', 'Marlowe', AT_OAK, 0],
    ['other case', 'ROBERT', 'marlowe', AT_OAK, 0],
    ['a short form', 'Bob', 'Marlowe', AT_OAK, 0],
    ['an initial', 'R.', 'Marlowe', AT_OAK, 0],
    ['the middle name in the first field', 'Robert Quincy', 'Marlowe', AT_OAK, 0],
    ['a middle initial', 'Robert Q.', 'Marlowe', AT_OAK, 0],
    ['a title and a degree', 'Dr. Robert', 'Marlowe, M.D.', AT_OAK, 0],
    ['a typo in the first name', 'Robrt', 'Marlowe', AT_OAK, 0],
    ['two letters swapped', 'Robert', 'Marlwoe', AT_OAK, 0],
    ['no accents and apostrophes', 'Jose', 'OBrien', AT_ELM, 1],
    ['an earlier address', 'José', 'O’Brien', AT_ASH, 1],
    ['a last name in several words', 'Helen', 'van der Meer', AT_ASH, 7],
    ['a typo in each name', 'Robrt', 'Marlwe', AT_OAK, 0],
    ['first and last name swapped', 'Marlowe', 'Robert', AT_OAK, 0],
    ['the whole name in the first field', 'Robert Marlowe', '', AT_OAK, 0],
    ['the whole name in the last field', '', 'Marlowe, Robert Q.', AT_OAK, 0],
    ['the whole name in both fields', 'Robert Marlowe', 'Robert Marlowe', AT_OAK, 0],
    ['the middle name alone', 'Quincy', 'Marlowe', AT_OAK, 0],
    ['a double last name', 'Robert', 'Marlowe-Winterbourne', AT_OAK, 0],
    ['a last name that has become a middle name', 'Helen Vandermeer', 'Standish', AT_ASH, 7],
    ['a former last name', 'Helen', 'Standish née Vandermeer', AT_ASH, 7],
    ['a nickname in brackets', 'Xaver (Bob)', 'Marlowe', AT_OAK, 0],
    ['a rare nickname', 'Hob', 'Marlowe', AT_OAK, 0],
    ['a state that is spelled out', 'Robert', 'Marlowe', '12 N Oak St, St. Paul, Minnesota', 0],
    ['a misspelt city', 'Robert', 'Marlowe', '12 N Oak St, Saint Pual, MN', 0],
    ['a misspelt street', 'Robert', 'Marlowe', '12 Oakk St, St Paul, MN 55102', 0],
  ])('finds a donor despite %s', (_, first, last, address, donorNumber) => {
    expect(found({ first, last, addresses: [address] })).toBe(donorNumber);
  });

  it('finds a donor despite a title and a suffix if the employer agrees as well', () => {
    const junior = { first: 'Dr. Robert', last: 'Marlowe, Jr.', addresses: [AT_OAK] };
    expect(found({ ...junior, employers: ['Acme Foods'] })).toBe(0);
    expect(found(junior)).toBeNull();
  });

  it('tells people of one name apart by address or employer', () => {
    const mary = { first: 'Mary', last: 'Smith' };
    expect(found({ ...mary, addresses: [AT_OAK] })).toBe(2);
    expect(found({ ...mary, addresses: [AT_ELM] })).toBe(3);
    expect(found({ ...mary, employers: ['ACME FOODS, INC.'] })).toBe(2);
    const john = { first: 'John', last: 'Stone', addresses: [AT_ASH] };
    expect(found({ ...john, employers: ['The Veldt Media Co.'] })).toBe(5);
  });

  it.each([
    ['words added', 'Acme Foods Chicago Office'],
    ['a legal form', 'The ACME Foods Company, LLC'],
    ['a typo', 'Acme Fods'],
    ['short words', 'Acme Fds.'],
  ])('finds a donor by an employer despite %s', (_, employer) => {
    expect(found({ first: 'Robert', last: 'Marlowe', employers: [employer] })).toBe(0);
  });

  it.each([
    ['City of Fairdale', 'Fairdale, City of'],
    ['City of Carson City', 'Carson City, City of'],
    ['University of Fairdale', 'U of Fairdale'],
    ['Fairdale Public Schools', 'Fairdale Public School District'],
    ['Procter & Gamble', 'P&G'],
    ['Hewlett-Packard Company', 'HP'],
    ['Internal Revenue Service', 'IRS'],
    ['United States Postal Service', 'USPS'],
    ['U.S. Air Force', 'USAF'],
  ])('finds a donor who works for %s as %s, although 25 others do', (employer, written) => {
    const staff = Array.from({ length: 25 }, (_, n) =>
      aDonor(`Clerk${'x'.repeat(n)}`, null, 'Other', [], [employer]),
    );
    const matcher = matcherOf(
      aWorldOf([aDonor('Warren', null, 'Oldenquist', [], [employer]), ...staff]),
    );
    const at = (name: string) =>
      matcher.match({ first: 'Warren', last: 'Oldenquist', addresses: [], employers: [name] });
    expect(at(written).donorNumber).toBe(0);
  });

  it.each([
    ['Hewlett-Packard Company', 'PH'],
    ['Hewlett-Packard Company', 'US'],
    ['City of Fairdale', 'Fairdale, County of'],
  ])('takes no one at %s for someone at %s', (employer, written) => {
    const matcher = matcherOf(aWorldOf([aDonor('Warren', null, 'Oldenquist', [], [employer])]));
    const person = { first: 'Warren', last: 'Oldenquist', addresses: [], employers: [written] };
    expect(matcher.match(person).donorNumber).toBeNull();
  });

  it.each([
    ['Ryskamp & Brown Brewing Co.', 'Brown Brewing Co.'],
    ['Brown Brewing Co.', 'Ryskamp & Brown Brewing Co.'],
    ['First National Bank', 'First Omaha National Bank'],
  ])('in another state, takes no one at %s for someone at %s', (employer, written) => {
    const matcher = matcherOf(aWorldOf([aDonor('Warren', null, 'Oldenquist', [OAK], [employer])]));
    const at = (address: string) =>
      matcher.match({
        ...{ first: 'Warren', last: 'Oldenquist' },
        ...{ addresses: [address], employers: [written] },
      });
    expect(at('19 Nowhere Road, Boise, ID 83701').donorNumber).toBeNull();
    expect(at(AT_OAK).donorNumber).toBe(0);
  });

  it.each([
    ['Acme Foods', 'Acme Foods Chicago Office'],
    ['Fairdale Food Bank', 'Greater Fairdale Food Bank'],
  ])('in another state, still takes someone at %s for someone at %s', (employer, written) => {
    const matcher = matcherOf(aWorldOf([aDonor('Warren', null, 'Oldenquist', [OAK], [employer])]));
    const moved = {
      ...{ first: 'Warren', last: 'Oldenquist' },
      ...{ addresses: ['19 Nowhere Road, Boise, ID 83701'], employers: [written] },
    };
    expect(matcher.match(moved).donorNumber).toBe(0);
  });

  it('takes two initials for little: a common name is borne at other firms with them', () => {
    const matcher = matcherOf(aWorldOf([aDonor('John', null, 'Smith', [], ['Hill Park'])]));
    const person = { first: 'John', last: 'Smith', addresses: [], employers: ['HP'] };
    expect(matcher.match(person).donorNumber).toBeNull();
  });

  it('knows public bodies by their other spellings', () => {
    const soldier = aDonor('Warren', null, 'Hollis', [], ['U.S. Army']);
    const matcher = matcherOf(aWorldOf([soldier]));
    for (const employer of ['United States Army', 'US Army', 'U. S. Army', 'The U.S.A. Army']) {
      const person = { first: 'Warren', last: 'Hollis', addresses: [], employers: [employer] };
      expect(matcher.match(person).donorNumber).toBe(0);
    }
  });

  it.each([
    ['Tower', 'Tauer', 0],
    ['Brown', 'Braun', 0],
    ['Cox', 'Kox', 0],
    // If a letter has a different sound, the name is different. In a short name, no letter can be a typing error.
    ['Cox', 'Fox', null],
    ['Stone', 'Staun', null],
  ])(
    'at one home, takes %s, written %s by its sound, for the same last name',
    (donors, written, expected) => {
      const matcher = matcherOf(aWorldOf([aDonor('Warren', null, donors, [OAK], [])]));
      const person = { first: 'Warren', last: written, addresses: [AT_OAK], employers: [] };
      expect(matcher.match(person).donorNumber).toBe(expected);
    },
  );

  it('weighs an employer by its size', () => {
    const staff = Array.from({ length: 3000 }, (_, n) =>
      aDonor(`Clerk${n}`, null, 'Other', [], ['Huge Bank']),
    );
    const world = aWorldOf([
      ...staff,
      aDonor('Anna', null, 'Smith', [], ['Huge Bank']),
      aDonor('Anna', null, 'Jones', [], ['Tiny Bakery']),
    ]);
    const matcher = matcherOf(world);
    const at = (last: string, employer: string) =>
      matcher.match({ first: 'Anna', last, addresses: [], employers: [employer] });
    expect(at('Jones', 'Tiny Bakery').donorNumber).toBe(3001);
    expect(at('Smith', 'Huge Bank')).toMatchObject({
      donorNumber: null,
      runnerUp: { donorNumber: 3000 },
    });
  });

  it('takes a large employer in another state for no evidence: others there bear the name', () => {
    const staff = Array.from({ length: 1000 }, (_, n) =>
      aDonor(`Clerk${n}`, null, 'Other', [], ['Huge Bank']),
    );
    const one = aDonor('Rosanna', null, 'Oldenquist', [OAK], ['Huge Bank']);
    const person = { first: 'Rosanna', last: 'Oldenquist', employers: ['Huge Bank'] };
    const matcher = matcherOf(aWorldOf([one, ...staff]));
    const elsewhere = ['19 Nowhere Road, Boise, ID 83701'];
    expect(matcher.match({ ...person, addresses: [] }).donorNumber).toBe(0);
    expect(matcher.match({ ...person, addresses: elsewhere }).donorNumber).toBeNull();
  });

  it('says how likely a donor is, why, and who else it could be', () => {
    const mary = match({ first: 'Mary', last: 'Smith', addresses: [AT_OAK] });
    expect(mary).toMatchObject({
      donorNumber: 2,
      reasons: [
        'The first name is the same',
        'The last name is the same',
        'The address is that of the same house',
      ],
    });
    expect(mary.probability).toBeGreaterThan(0.97);
    const john = match({ first: 'John', last: 'Stone', addresses: [AT_ASH] });
    expect(john).toMatchObject({
      donorNumber: null,
      reasons: ['Several donors match this person equally well'],
      runnerUp: { donorNumber: 4 },
    });
    expect(john.probability).toBeCloseTo(0.5, 2);
  });

  it('says of a dead donor that the donor has died', () => {
    const world = aWorldOf([{ ...aDonor('Warren', null, 'Hollis', [OAK], []), isDeceased: true }]);
    const person = { first: 'Warren', last: 'Hollis', addresses: [AT_OAK], employers: [] };
    expect(matcherOf(world).match(person).reasons).toContain('This donor has died');
  });

  it.each([
    ['two bearers of the name live there', { first: 'John', last: 'Stone', addresses: [AT_ASH] }],
    ['only a name of two bearers is known', { first: 'Mary', last: 'Smith' }],
    ['only a name of common parts is known', { first: 'Anna', last: 'Smith' }],
    ['the address is another person’s', { first: 'Robert', last: 'Marlowe', addresses: [AT_ELM] }],
    ['the last name is another', { first: 'Robert', last: 'Marston', addresses: [AT_OAK] }],
    ['the first name is another', { first: 'Steven', last: 'Marlowe', addresses: [AT_OAK] }],
    ['the middle name is another', { first: 'Robert James', last: 'Marlowe', addresses: [AT_OAK] }],
    [
      'a name would have to be a typo of itself',
      { first: 'John', last: 'Stone', addresses: [AT_OAK] },
    ],
    ['there is no last name', { first: 'Robert', last: '', addresses: [AT_OAK] }],
    ['there is no first name', { first: '', last: 'Marlowe', addresses: [AT_OAK] }],
  ])('finds no donor when %s', (_, person) => {
    expect(found(person)).toBeNull();
  });

  it('leaves unread what is longer than any name, address or employer', () => {
    const name = { first: 'Robert', last: 'Marlowe' };
    const beyond = (text: string) => `${'x '.repeat(200)}${text}`;
    const elsewhere = [AT_ELM, ...Array(200).fill(AT_ELM)];
    for (const person of [
      { ...name, last: 'Marlowe'.repeat(1_000_000) },
      { ...name, first: '('.repeat(1_000_000) },
      { ...name, addresses: [beyond(AT_OAK)] },
      { ...name, addresses: [...elsewhere, AT_OAK] },
      { ...name, employers: [beyond('Acme Foods')] },
      { ...name, addresses: [AT_ELM], employers: [...elsewhere, 'Acme Foods'] },
    ]) {
      expect(found(person)).toBeNull();
    }
  });

  it('never takes a name alone as enough, however rare it is', () => {
    expect(found({ first: 'Robert Quincy', last: 'Marlowe' })).toBeNull();
    expect(found({ first: 'Robert', last: 'Marlowe', addresses: ['Saint Paul, MN'] })).toBeNull();
  });

  it('finds at least 90 % of a contact list, and at most 0.5 % of what it finds is wrong', () => {
    const world = createWorld({ seed: 11, donors: 3000 });
    const matcher = matcherOf(world);
    const people = Array.from({ length: 2000 }, (_, n) => world.crmPerson(n));
    const found = people.map((person) => matchCrmPerson(matcher, world, person));
    const right = people.filter(
      (person, n) => person.donorId !== null && found[n] === person.donorId,
    );
    const known = people.filter((person) => person.donorId !== null);
    const matched = found.filter((id) => id !== null);

    expect(known.length).toBeGreaterThan(1800);
    expect(right.length / known.length).toBeGreaterThanOrEqual(0.9);
    expect(right.length / matched.length).toBeGreaterThanOrEqual(0.995);
  });
});

interface Sought {
  first: string;
  last: string;
  addresses?: string[];
  employers?: string[];
}

function found(person: Sought): number | null {
  return match(person).donorNumber;
}

function match(person: Sought) {
  return matcherOf(aWorldOf(DONORS)).match({ addresses: [], employers: [], ...person });
}

function matcherOf(world: World): Matcher {
  const db = openDatabase(undefined);
  onTestFinished(() => {
    db.close();
  });
  return createMatcher(openDonorIndex(db, world));
}

function matchCrmPerson(matcher: Matcher, world: World, person: CrmPerson): string | null {
  const { firstName, lastName, address, employer } = person;
  const result = matcher.match({
    first: firstName ?? '',
    last: lastName ?? '',
    addresses:
      address === null
        ? []
        : [`${address.street}, ${address.city}, ${address.state} ${address.postalCode}`],
    employers: employer === null ? [] : [employer],
  });
  return result.donorNumber === null ? null : world.donor(result.donorNumber).id;
}

function aDonor(
  first: string,
  middle: string | null,
  last: string,
  addresses: Address[],
  employers: string[],
): Donor {
  return {
    ...blankDonor('0'.repeat(32), { first, middle, last }),
    addresses,
    work: employers.map((organisationName) => ({
      organisationId: '',
      organisationName,
      title: 'Clerk',
      start: '2001-01-01',
      end: null,
    })),
  };
}

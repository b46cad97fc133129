/**
 * Creates random families who share a home. The database contains one member, two members or all members. Each family
 * has a case: a person to match, with some data that contradicts the relatives. The authors of the matcher also wrote
 * the families.
 */

import { drawAddress, readCities } from '../../../people/address.ts';
import { inventedName } from '../../../people/invented-name.ts';
import { readNames } from '../../../people/names.ts';
import { between, chance, createDraw, type Draw, pick } from '../../../people/random.ts';
import type { Address, Donor } from '../../../service/donor.ts';
import { blankDonor } from '../../../service/donor.ts';

/** The kinds of relatives. */
export const KINDS = [
  'another middle initial',
  'another generation',
  'a given name one edit away',
  'a given name that a list calls a form',
  'another full middle name',
  'a neighbour of the same name in another unit',
] as const;

export type Kind = (typeof KINDS)[number];

/** A person to match. */
export interface FamilyCase {
  kind: Kind;
  first: string;
  last: string;
  addresses: string[];
  employers: string[];
  /** The index of the right donor, or null if the person is not in the database. */
  donor: number | null;
}

/** Pairs of first names that differ by one letter or ending, although each name belongs to a different person. */
const PAIRS =
  `Robert Roberta,Andrew Andrea,Brian Briana,Jason Mason,Jack Zack,Danny Manny,Eric Erica,Paul Paula,Daniel Danielle,
  Joan John,Jean Dean,Carl Karla,Dana Diana,Gary Mary,Larry Harry,Perry Terry,Ron Don,Tim Jim,
  Kyle Kylie,Lori Tori,Dennis Denise,Louis Louise,Sharon Shannon,Darren Warren,
  Barry Harry,Randy Sandy,Nina Tina,Gina Dina,Jayden Hayden,Aiden Caden,Mia Pia`
    .split(',')
    .map((pair) => pair.trim().split(' '));

/**
 * Pairs of first names that name lists connect. Two different members of one family can have the two names of a pair.
 */
const LISTED_PAIRS =
  `William Wilma,Jane Jean,Emily Emma,Joyce Joy,Aaron Erin,Leah Lee,Catherine Kathy,Christine Tina,Susan Suzanne,Nicole Nicky,
  Caroline Chuck,Stephanie Stevie,Ronnie Veronica,Mary Maureen,Jane Virginia,Amelia Emily,Cecilia Sheila,Alice Elsie,Peter Patrick`
    .split(',')
    .map((pair) => pair.trim().split(' '));

const INITIALS = [...'ABCDEFGHJKLMNPRSTW'];
const GENERATIONS = ['Sr', 'Jr', 'III', 'IV'];
const MIDDLES = 'Ann Louise Marie Jean Grace Faye Lynn Rose Kay Elaine Joy Irene'.split(' ');

interface Relative {
  first: string;
  middle: string | null;
  last: string;
  suffix?: string;
  address: Address;
  employer: string;
}

/** Creates random families. Returns the family members in the database, and one case for each family. */
export function drawFamilies(
  seed: number,
  count: number,
): { donors: Donor[]; cases: FamilyCase[] } {
  const donors: Donor[] = [];
  const cases: FamilyCase[] = [];
  for (let family = 0; family < count; family += 1) {
    const draw = createDraw(seed, 'families', family);
    const kind = pick(draw, KINDS);
    const members = drawMembers(draw, kind, family);
    const onFile = between(draw, 1, members.length);
    const start = between(draw, 0, members.length - 1);
    const numbers = new Map<Relative, number>();
    for (let index = 0; index < onFile; index += 1) {
      const member = members[(start + index) % members.length];
      if (member === undefined) continue;
      numbers.set(member, donors.length);
      donors.push(toDonor(member, donors.length));
    }
    const sought = pick(draw, members);
    cases.push({ kind, ...said(draw, sought), donor: numbers.get(sought) ?? null });
  }
  return { donors, cases };
}

function drawMembers(draw: Draw, kind: Kind, family: number): Relative[] {
  const names = readNames();
  const first = names.first[chance(draw, 0.5) ? 'F' : 'M'](draw);
  const last = names.last(draw);
  const address = drawAddress(draw, readCities());
  const base = { first, middle: null, last, address };
  const count = between(draw, 2, 4);
  const member = (index: number, differs: Partial<Relative>): Relative => ({
    ...base,
    employer: `${inventedName(family * 7 + index * 331)} ${inventedName(family * 13 + index * 97)}`,
    ...differs,
  });
  const some = <T>(list: readonly T[]): T[] => {
    const at = between(draw, 0, list.length - 1);
    return Array.from({ length: count }, (_, index) => list[(at + index) % list.length]).filter(
      (one) => one !== undefined,
    );
  };
  switch (kind) {
    case 'another middle initial':
      return some(INITIALS).map((middle, index) => member(index, { middle }));
    case 'another generation': {
      const middle = chance(draw, 0.5) ? pick(draw, INITIALS) : null;
      return some(GENERATIONS).map((suffix, index) => member(index, { middle, suffix }));
    }
    case 'a given name one edit away':
      return pick(draw, PAIRS).map((name, index) => member(index, { first: name }));
    case 'a given name that a list calls a form':
      return pick(draw, LISTED_PAIRS).map((name, index) => member(index, { first: name }));
    case 'another full middle name':
      return some(MIDDLES.filter((middle) => middle !== first)).map((middle, index) =>
        member(index, { middle }),
      );
    case 'a neighbour of the same name in another unit':
      return some([2, 3, 4, 7, 9, 12, 15, 21, 27]).map((unit, index) =>
        member(index, {
          first: pick(createDraw(family, 'first', 0), ['David', 'Maria', 'John', 'Mary']),
          last: pick(createDraw(family, 'last', 0), ['Kim', 'Garcia', 'Smith', 'Lee', 'Jones']),
          address: {
            ...address,
            street: `${address.street.replace(/ Apartment.*/, '')} Apartment ${unit}`,
          },
        }),
      );
  }
}

function toDonor(
  { first, middle, last, suffix, address, employer }: Relative,
  number: number,
): Donor {
  return {
    ...blankDonor(String(number).padStart(32, '0'), { first, middle, last }),
    ...(suffix === undefined ? {} : { suffix }),
    addresses: [address],
    work: [
      {
        organisationId: employer,
        organisationName: employer,
        title: 'Clerk',
        start: '2001-01-01',
        end: null,
      },
    ],
  };
}

function said(draw: Draw, { first, middle, last, suffix, address, employer }: Relative) {
  const { street, city, state, postalCode } = address;
  return {
    first: middle === null ? first : `${first} ${middle}`,
    last: suffix === undefined ? last : `${last}${pick(draw, [', ', ' '])}${suffix}`,
    addresses: [`${street}, ${city}, ${state} ${postalCode}`],
    employers: chance(draw, 0.5) ? [employer] : [],
  };
}

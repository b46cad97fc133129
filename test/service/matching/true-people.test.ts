import { describe, expect, it } from 'vitest';
import { inventedName } from '../../../people/invented-name.ts';
import { createDraw, pick } from '../../../people/random.ts';
import { createWorld } from '../../../people/world.ts';
import { openDatabase } from '../../../service/database.ts';
import type { Donor } from '../../../service/donor.ts';
import { openDonorIndex } from '../../../service/matcher/donor-index.ts';
import { createMatcher, type SoughtPerson } from '../../../service/matcher/matcher.ts';
import { aWorldOf } from '../hand-made-world.ts';

/**
 * The number of people, each with one wrong detail. Each employer belongs to only one person, as for most people in a
 * file.
 */
const PEOPLE = 1_000;
const INITIALS = [...'ABCDEFGHJKLMNPRSTW'];

const source = createWorld({ seed: 77, donors: PEOPLE });
const donors = Array.from({ length: PEOPLE }, (_, number): Donor => {
  const { name, addresses, ...donor } = source.donor(number);
  const draw = createDraw(77, 'details', number);
  const [home] = addresses;
  return {
    ...donor,
    name: { ...name, middle: pick(draw, INITIALS) },
    suffix: 'Jr',
    sources: {},
    birthday: `19${40 + (number % 50)}-0${1 + (number % 9)}-1${number % 3}`,
    addresses:
      home === undefined ? [] : [{ ...home, street: `${withoutUnit(home.street)} Apartment 4` }],
    work: [
      {
        ...{ organisationId: `e${number}`, title: 'Clerk', start: '2001-01-01', end: null },
        organisationName: `${inventedName(number)} ${inventedName(number * 7 + 3)}`,
      },
    ],
  };
});

const WRONG: Record<string, (donor: Donor, number: number) => Partial<SoughtPerson>> = {
  'another middle initial': ({ name }) => ({ first: `${name.first} ${otherInitial(name.middle)}` }),
  'the initial of a maiden name': ({ name }) => ({
    first: `${name.first} ${otherInitial(name.middle)}`,
    last: `${otherInitial(name.middle)}averham-${name.last}`,
  }),
  'no suffix': ({ name }) => ({ first: name.first, last: name.last }),
  'another unit': ({ addresses: [home] }) => ({
    addresses: [
      `${withoutUnit(home?.street ?? '')} Apt 9, ${home?.city}, ${home?.state} ${home?.postalCode}`,
    ],
  }),
};

describe('a person with one wrong detail and the right employer', () => {
  const db = openDatabase(undefined);
  const matcher = createMatcher(openDonorIndex(db, aWorldOf(donors)));
  const outcomes = Object.entries(WRONG).map(([kind, harm]) => ({
    kind,
    found: donors.map((donor, number) => {
      const person = { ...rightly(donor), ...harm(donor, number) };
      return matcher.match(person).donorNumber;
    }),
  }));
  const swapped = donors.map((donor) => {
    const [year, month, day] = (donor.birthday ?? '').split('-');
    return matcher.match({ ...rightly(donor), born: `${year}-${day}-${month}` }).donorNumber;
  });
  db.close();

  it.each([...outcomes, { kind: 'day and month of birth swapped', found: swapped }])(
    'is found despite $kind',
    ({ found }) => {
      const right = found.filter((number, at) => number === at).length;
      const wrong = found.filter((number, at) => number !== null && number !== at).length;
      expect(wrong).toBe(0);
      expect(right / PEOPLE).toBeGreaterThanOrEqual(0.95);
    },
  );
});

function rightly({ name, addresses: [home], work }: Donor): SoughtPerson {
  return {
    first: `${name.first} ${name.middle}`,
    last: `${name.last} Jr`,
    addresses:
      home === undefined ? [] : [`${home.street}, ${home.city}, ${home.state} ${home.postalCode}`],
    employers: work.map(({ organisationName }) => organisationName),
  };
}

function withoutUnit(street: string): string {
  return street.replace(/ Apartment.*/, '');
}

function otherInitial(middle: string | null): string {
  return INITIALS[(INITIALS.indexOf(middle ?? 'A') + 5) % INITIALS.length] ?? 'Z';
}

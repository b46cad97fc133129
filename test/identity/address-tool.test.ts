/**
 * Tests a night in which an address tool rewrites all addresses. The product must not treat the contacts as changed.
 */
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../people/world.ts';
import { canonicalAddress } from '../../src/identity/canonical-address.ts';
import { canonicalEmployer, canonicalName } from '../../src/identity/canonical-name.ts';
import { type AddressFields, verified } from './address-tool.ts';

const world = createWorld({ seed: 1, donors: 3000 });
const people = Array.from({ length: 300 }, (_, number) => world.crmPerson(number));

/** The addresses of the first 300 people in the form that our Salesforce and HubSpot sandboxes store. */
const homes = people.flatMap(({ address }): AddressFields[] =>
  address === null ? [] : [{ ...address, country: 'United States' }],
);

/** The connectors create the same address line. */
function lineOf({ street, city, state, postalCode, country }: AddressFields): string {
  const fields = [street, city, state, postalCode, country];
  return fields.filter((text) => text !== '').join(', ');
}

/** Returns the number of addresses that look changed. */
function changed(before: readonly AddressFields[], after: readonly AddressFields[]): number {
  return after.filter((home, index) => {
    const earlier = before[index];
    return earlier && canonicalAddress(lineOf(home)) !== canonicalAddress(lineOf(earlier));
  }).length;
}

describe('300 people whose addresses a tool verifies', () => {
  it('have addresses to be verified, which all look different to a comparison of texts', () => {
    expect(homes.length).toBeGreaterThan(250);
    const after = homes.map(verified);
    expect(after.filter((home, index) => lineOf(home) === lineOf(homes[index] ?? home))).toEqual(
      [],
    );
  });

  it('have not changed after the night in which it ran', () => {
    expect(changed(homes, homes.map(verified))).toBe(0);
  });

  it('have not changed after any of the steps of a clean-up by hand', () => {
    const steps: ((home: AddressFields) => AddressFields)[] = [
      (home) => ({ ...home, country: 'USA' }),
      (home) => ({ ...home, postalCode: verified(home).postalCode }),
      (home) => ({ ...home, street: longStreet(home.street) }),
      (home) => ({ ...home, state: stateName(home.state) }),
      (home) => ({ ...home, street: home.street.replace(/ (Apartment|Unit) /, '\nUnit #') }),
      (home) => ({ ...home, city: home.city.replace('Saint', 'St.').replace('Fort', 'Ft.') }),
    ];
    let present = homes;
    for (const step of steps) {
      const next = present.map(step);
      expect(next).not.toEqual(present);
      expect(changed(present, next)).toBe(0);
      present = next;
    }
    expect(changed(homes, present)).toBe(0);
  });

  it('have all changed after a move, in the tool’s spelling as well', () => {
    const moves: ((home: AddressFields) => AddressFields)[] = [
      (home) => ({ ...home, street: `1${home.street}` }),
      (home) => ({ ...home, street: `${home.street.replace(/ (Apt\.?|Apartment|#).*/, '')} #99` }),
      (home) => ({ ...home, postalCode: `${home.postalCode.slice(0, 3)}00` }),
      (home) => ({ ...home, city: 'Sandwich' }),
      (home) => ({ ...home, state: home.state === 'NE' ? 'KS' : 'NE' }),
      (home) => ({ ...home, country: 'Austria' }),
    ];
    for (const move of moves) {
      expect(changed(homes, homes.map(move))).toBe(homes.length);
    }
    const elsewhere = homes.map((home) => verified({ ...home, city: 'Sandwich' }));
    expect(changed(homes, elsewhere)).toBe(homes.length);
  });

  it('are different still: only rows of the same person ever agree', () => {
    const rows = Map.groupBy(people, canonicalText);
    expect(rows.size).toBeGreaterThan(290);
    const persons = [...rows.values()].map((same) => new Set(same.map(personOf)).size);
    expect(persons.filter((count) => count !== 1)).toEqual([]);
  });
});

type Person = (typeof people)[number];

function canonicalText({ firstName, lastName, address, employer }: Person): string {
  const line = address === null ? '' : lineOf({ ...address, country: '' });
  return [
    canonicalName(firstName ?? ''),
    canonicalName(lastName ?? ''),
    canonicalAddress(line),
    canonicalEmployer(employer ?? ''),
  ].join('|');
}

function personOf({ donorId, number }: Person): string {
  return donorId ?? `stranger ${number}`;
}

const LONG_WORDS: Readonly<Record<string, string>> = {
  St: 'Street',
  Ave: 'Avenue',
  Rd: 'Road',
  Dr: 'Drive',
  Ln: 'Lane',
  Ct: 'Court',
  Pl: 'Place',
  Blvd: 'Boulevard',
  Ter: 'Terrace',
  Cir: 'Circle',
  N: 'North',
  S: 'South',
  E: 'East',
  W: 'West',
  Apt: 'Apartment',
};

function longStreet(street: string): string {
  return street
    .replace(' #', ' Apartment ')
    .replace(/([A-Z][a-z]*)\.?(?= |$)/g, (_, word: string) => LONG_WORDS[word] ?? word);
}

const STATE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  `AK Alaska|AL Alabama|AR Arkansas|AZ Arizona|CA California|CO Colorado|CT Connecticut|DE Delaware
   |DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|IA Iowa|ID Idaho|IL Illinois|IN Indiana
   |KS Kansas|KY Kentucky|LA Louisiana|MA Massachusetts|MD Maryland|ME Maine|MI Michigan|MN Minnesota
   |MO Missouri|MS Mississippi|MT Montana|NC North Carolina|ND North Dakota|NE Nebraska
   |NH New Hampshire|NJ New Jersey|NM New Mexico|NV Nevada|NY New York|OH Ohio|OK Oklahoma|OR Oregon
   |PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah
   |VA Virginia|VT Vermont|WA Washington|WI Wisconsin|WV West Virginia|WY Wyoming`
    .split('|')
    .map((entry) => [entry.trim().slice(0, 2), entry.trim().slice(3)]),
);

function stateName(code: string): string {
  const name = STATE_NAMES[code];
  if (name === undefined) throw new Error(`No state ${code}`);
  return name;
}

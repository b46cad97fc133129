/** The people that the tests of a connector add to its CRM. */
import type { SeedContact } from './harness.ts';

export const MARIA: SeedContact = {
  firstName: 'Maria',
  lastName: 'Lopez',
  addresses: [],
  employers: [],
};

/** A person with a value in each part of an identity. */
export const FULL: SeedContact = {
  ...MARIA,
  addresses: ['1 Elm Street, Springfield'],
  employers: ['Acme Foundation'],
};

/**
 * Two people with the same two addresses and two employers, in opposite order. The first address and the first employer
 * are the most important.
 */
export const SEVERAL: readonly [SeedContact, SeedContact] = [
  {
    ...MARIA,
    addresses: ['1 Elm Street, Springfield', '2 Oak Avenue, Boston'],
    employers: ['Acme Foundation', 'Birch Hospital'],
  },
  {
    ...MARIA,
    addresses: ['2 Oak Avenue, Boston', '1 Elm Street, Springfield'],
    employers: ['Birch Hospital', 'Acme Foundation'],
  },
];

/** Creates the given number of different people. */
export function people(count: number): SeedContact[] {
  return Array.from({ length: count }, (_, at) => ({
    firstName: `First${at}`,
    lastName: `Last${at}`,
    addresses: [],
    employers: [],
  }));
}

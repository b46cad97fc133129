import type { Donor } from '../donor.ts';
import type { SoughtPerson } from '../matcher/matcher.ts';

/** Returns a donor's details from its sources, without dates that represent an unknown birthday. */
export function soughtOf(
  { name, suffix, addresses, work, boards, birthday, birthYear }: Donor,
  commonBirths: ReadonlySet<string>,
): SoughtPerson {
  const born = birthday ?? String(birthYear ?? '');
  return {
    first: [name.first, name.middle ?? ''].join(' ').trim(),
    last: [name.last, suffix ?? ''].join(' ').trim(),
    addresses: addresses.map(
      ({ street, city, state, postalCode }) => `${street}, ${city}, ${state} ${postalCode}`,
    ),
    employers: [...work, ...boards].map(({ organisationName }) => organisationName),
    born: commonBirths.has(born) ? '' : born,
  };
}

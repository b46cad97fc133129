/**
 * Searches by name, address and employer with a general library for approximate searches. A developer could write this
 * baseline in an hour.
 */

import Fuse from 'fuse.js';
import type { World } from '../../../people/world.ts';
import type { TestPerson } from './persons.ts';

/** The highest score of a result. Two equal texts have the score 0. */
const HIGHEST_SCORE = 0.3;

/** Creates a function that finds donors only with the library. */
export function createBaseline(world: World): (person: TestPerson) => number | null {
  const donors = Array.from({ length: world.donorCount }, (_, number) => {
    const { name, addresses, work } = world.donor(number);
    const [home] = addresses;
    return {
      number,
      name: `${name.first} ${name.last}`,
      address: home === undefined ? '' : `${home.street}, ${home.city}, ${home.state}`,
      employer: work[0]?.organisationName ?? '',
    };
  });
  const fuse = new Fuse(donors, {
    keys: [{ name: 'name', weight: 2 }, 'address', 'employer'],
    includeScore: true,
    threshold: 0.4,
    ignoreLocation: true,
  });
  return ({ first, last, addresses, employers }) => {
    const [address] = addresses;
    const [employer] = employers;
    const wanted = [
      { name: `${first} ${last}`.trim() },
      ...(address === undefined ? [] : [{ address: address.replace(/ \d{5}$/, '') }]),
      ...(employer === undefined ? [] : [{ employer }]),
    ];
    const [best] = fuse.search({ $and: wanted }, { limit: 1 });
    return best !== undefined && (best.score ?? 1) <= HIGHEST_SCORE ? best.item.number : null;
  };
}

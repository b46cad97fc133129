/**
 * Finds the objects that a request names. If one is missing, the response is a 404 (service document, section
 * 7).
 */

import type { World } from '../donor.ts';
import { createSlices, inSlices } from '../slices.ts';
import type { Networks } from './networks.ts';

/** The numbers of the named objects, or the body of the 404 response that names the missing object. */
export type Found = { numbers: number[] } | { detail: string };

/** Networks of other teams are treated as missing. */
export function findNetworks(
  networks: Networks,
  team: string,
  ids: readonly string[],
): Promise<Found> {
  return findAll('Network', ids, (id) => networks.find(team, id));
}

export function findDonors(world: World, ids: readonly string[]): Promise<Found> {
  return findAll('Donor', ids, (id) => world.donorNumber(id) ?? undefined);
}

/**
 * Finds all donors with these IDs. The document does not limit the number of IDs in a filter. The function therefore
 * pauses to let other requests run.
 */
function findAll(
  what: string,
  ids: readonly string[],
  find: (id: string) => number | undefined,
): Promise<Found> {
  function* findEach(): Generator<void, Found> {
    const numbers: number[] = [];
    for (const id of new Set(ids)) {
      const number = find(id);
      if (number === undefined) {
        return { detail: `${what} not found: ${id}` };
      }
      numbers.push(number);
      yield;
    }
    return { numbers };
  }
  return inSlices(findEach(), createSlices());
}

/**
 * Finds the objects that a request refers to. If an object does not exist, the response is a 404 (service document,
 * section 7).
 */

import type { World } from '../donor.ts';
import { createSlices, inSlices } from '../slices.ts';
import type { Networks } from './networks.ts';

/** The numbers of the objects, or the body of a 404 response about an object that does not exist. */
export type Found = { numbers: number[] } | { detail: string };

/** Finds networks. Networks of other teams count as missing. */
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
 * Finds all donors with the given IDs. The function pauses to let other requests run, because the document does not
 * limit the number of IDs in a filter.
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

/** The data from which every row of a world is computed. */

import { type City, readCities } from './address.ts';
import { type Names, readNames } from './names.ts';
import { createSeats, type Seats } from './seats.ts';
import type { PickWeighted } from './weighted.ts';

/** The seed and the tables that all rows share. Their size does not depend on the size of the world. */
export interface WorldPlan {
  seed: number;
  donorCount: number;
  names: Names;
  pickCity: PickWeighted<City>;
  seats: Seats;
}

/** Reads the names and cities (only once) and plans the boards. */
export function createWorldPlan(seed: number, donorCount: number): WorldPlan {
  return {
    seed,
    donorCount,
    names: readNames(),
    pickCity: readCities(),
    seats: createSeats(seed, donorCount),
  };
}

/** Creates a small world whose donors a test defines. */

import { WORLD_DAY } from '../../people/day.ts';
import type { World as InventedWorld } from '../../people/world.ts';
import type { Donor, World } from '../../service/donor.ts';

/** Creates a world that has only the given donors and no contact list. */
export function aWorldOf(donors: readonly Donor[]): World & Pick<InventedWorld, 'crmPerson'> {
  return {
    seed: 0,
    donorCount: donors.length,
    asOf: WORLD_DAY,
    donor(n) {
      const donor = donors[n];
      if (donor === undefined) {
        throw new RangeError(`There is no donor ${n}.`);
      }
      return donor;
    },
    crmPerson() {
      throw new RangeError('This world has no contact list.');
    },
    donorNumber(id) {
      const number = donors.findIndex((donor) => donor.id === id);
      return number === -1 ? null : number;
    },
  };
}

/**
 * Generates the people in the sandboxes, with the service's data about them and with a CRM's data about them. All
 * sandboxes (service, Salesforce, HubSpot) use the same world, so they contain the same people.
 */

import { type CrmPerson, crmPersonAt, crmPersonOf } from './crm-person.ts';
import { WORLD_DAY } from './day.ts';
import { type Donor, donorAt } from './donor.ts';
import { numberOf } from './id.ts';
import { FIRST_STRANGER } from './person.ts';
import type { RealPeople } from './public-record.ts';
import { createWorldPlan } from './world-plan.ts';

export type { Address } from './address.ts';
export type { CrmPerson } from './crm-person.ts';
export type { Donor } from './donor.ts';
export type { Gift } from './gifts.ts';
export type { Role } from './role.ts';

/**
 * A world. Each row is computed only from the seed, the number of donors and the row's number. Real people follow the
 * fictional donors, both in the numbering and in the contact list.
 */
export interface World {
  seed: number;
  /** All donors, including the real people. */
  donorCount: number;
  /** A description of the real people. Omitted if there are none. */
  realPeople?: string;
  /** The ISO date that the data describes. Roles without an end last until this date. */
  asOf: string;
  /**
   * Returns the donor with this number. Numbers range from 0 to `donorCount - 1`. Throws a RangeError for any other
   * number.
   */
  donor(n: number): Donor;
  /**
   * Returns a row of the nonprofit's contact list. The list never ends. In the first `donorCount` rows, each donor
   * occurs at most a few times. After these rows, the list starts again with the first donor.
   */
  crmPerson(n: number): CrmPerson;
  /** Returns the number of the donor with this ID, or null if the world has no such donor. */
  donorNumber(id: string): number | null;
}

export interface WorldOptions {
  /** The seed, which can be any safe integer. */
  seed: number;
  /** The number of fictional people in the service, from 0 to about a billion. */
  donors: number;
  /** Real people who are also in the service. */
  realPeople?: RealPeople;
}

/** Creates a world. A person is computed at each request and never stored. */
export function createWorld({ seed, donors, realPeople }: WorldOptions): World {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`The seed ${seed} is not a safe integer`);
  assertBelow(FIRST_STRANGER, donors, 'number of donors');
  const plan = createWorldPlan(seed, donors);
  const real = realPeople?.donors ?? [];
  const realNumbers = new Map(real.map(({ id }, index) => [id, donors + index]));
  const donorCount = donors + real.length;

  return {
    seed,
    donorCount,
    asOf: WORLD_DAY,
    ...(realPeople === undefined ? {} : { realPeople: realPeople.description }),
    donor(n) {
      assertBelow(donorCount, n, 'donor');
      return real[n - donors] ?? donorAt(plan, n);
    },
    crmPerson(n) {
      assertBelow(FIRST_STRANGER, n, 'row');
      const donor = real[n - donors];
      return donor === undefined ? crmPersonAt(plan, n) : crmPersonOf(donor, n);
    },
    donorNumber(id) {
      const number = numberOf(seed, 'donor', id);
      return number !== null && number < donors ? number : (realNumbers.get(id) ?? null);
    },
  };
}

function assertBelow(limit: number, number: number, what: string): void {
  if (Number.isInteger(number) && number >= 0 && number < limit) return;
  throw new RangeError(
    `There is no ${what} ${number}: it must be an integer from 0 to ${limit - 1}`,
  );
}

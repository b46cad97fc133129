/**
 * The people in the sandboxes, as the service knows them and as a nonprofit's CRM contains them. Every sandbox
 * (service, Salesforce, HubSpot) uses the same world, so the people are the same.
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
 * Row n is computed only from the seed, the number of donors and n. If the world has real people, they follow the
 * invented donors. This is true of the numbering and of the contact list.
 */
export interface World {
  seed: number;
  /** All donors, including the real people. */
  donorCount: number;
  /** Describes the real people in words. Omitted if there are none. */
  realPeople?: string;
  /** The ISO date that the data describes. Everything that has not ended is assumed to last until this date. */
  asOf: string;
  /** Returns the donor with this number, from 0 to `donorCount - 1`. Throws a RangeError for any other number. */
  donor(n: number): Donor;
  /**
   * Returns a row of a nonprofit's contact list. The list is endless. Within the first `donorCount` rows, no donor
   * occurs more than a few times. After these rows, the list starts again with the first donor.
   */
  crmPerson(n: number): CrmPerson;
  /** Returns the number of the donor with this ID, or null if the world has no such donor. */
  donorNumber(id: string): number | null;
}

export interface WorldOptions {
  /** Any safe integer. */
  seed: number;
  /** The number of invented people in the service, from 0 to about a billion. */
  donors: number;
  /** Real people who are also in the service. */
  realPeople?: RealPeople;
}

/** A person is computed when it is requested, and is not stored. */
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

/**
 * Handles the numbers of donors that no longer exist. Donor numbers have no gaps, so such a number is kept but leads to
 * nobody.
 */

import { blankDonor, type Donor } from '../donor.ts';

/** The prefix of the IDs that belong to numbers without a donor. */
export const VACANT = 'vacant-';

/** Returns an empty donor, which replaces a donor that was erased or joined. */
export function vacantDonor(number: number): Donor {
  return blankDonor(`${VACANT}${number}`, { first: '', middle: null, last: '' });
}

/** Returns true if the number has no donor. */
export function isVacant({ id }: Pick<Donor, 'id'>): boolean {
  return id.startsWith(VACANT);
}

/**
 * Returns an SQL table expression with the numbers of joined donors. The table contains the donor in the next parameter
 * and all donors that were joined to it. If a join is undone, the donor gets its number back.
 */
export function joinedTo(name: string): string {
  return `${name} (number) as (
    select ?
    union
    select record_vacancies.number from record_vacancies join ${name} on joined_to = ${name}.number)`;
}

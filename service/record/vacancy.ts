/** The number of a donor that no longer exists. Numbers have no gaps, so the number is kept and leads to nobody. */

import { blankDonor, type Donor } from '../donor.ts';

/** The prefix of the IDs for numbers that have no donor. */
export const VACANT = 'vacant-';

/** Returns the empty donor that replaces a donor who was erased or joined. */
export function vacantDonor(number: number): Donor {
  return blankDonor(`${VACANT}${number}`, { first: '', middle: null, last: '' });
}

/** True if a number has no donor. */
export function isVacant({ id }: Pick<Donor, 'id'>): boolean {
  return id.startsWith(VACANT);
}

/**
 * Returns an SQL table expression. The table contains a donor (the next parameter) and all donors joined to it. An undo
 * restores their numbers.
 */
export function joinedTo(name: string): string {
  return `${name} (number) as (
    select ?
    union
    select record_vacancies.number from record_vacancies join ${name} on joined_to = ${name}.number)`;
}

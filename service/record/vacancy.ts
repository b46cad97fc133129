/** The number of a donor who is there no more: numbers have no gaps, so it stays, and leads to no one. */

import { blankDonor, type Donor } from '../donor.ts';

/** How the ids of numbers that lead to no one begin. */
export const VACANT = 'vacant-';

/** What stands in the place of a donor. */
export function vacantDonor(number: number): Donor {
  return blankDonor(`${VACANT}${number}`, { first: '', middle: null, last: '' });
}

/** Whether a number leads to no one. */
export function isVacant({ id }: Pick<Donor, 'id'>): boolean {
  return id.startsWith(VACANT);
}

/** A table for a statement: a donor, the next parameter, and all who were joined to it, whose numbers an undo gives back. */
export function joinedTo(name: string): string {
  return `${name} (number) as (
    select ?
    union
    select record_vacancies.number from record_vacancies join ${name} on joined_to = ${name}.number)`;
}

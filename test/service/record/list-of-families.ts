/** Creates CSV lists of families who share a home. The authors of the import also wrote the lists. */

import { inventedName } from '../../../people/invented-name.ts';

const COLUMNS = 'id,first_name,middle_name,last_name,suffix,birth,street,city,state,postal_code';

export type Row = readonly [id: string, person: string];

/** Returns a list as CSV. */
export const listOf = (rows: readonly Row[]) =>
  `${COLUMNS}\n${rows.map((row) => row.join(',')).join('\n')}\n`;

/**
 * Returns six people in one home: a father and a son with one shared name, a mother, a daughter with a similar name,
 * and two further children.
 */
export function aFamily(number: number): Row[] {
  const home = `${number + 1} Maple Street,Evanston,IL,60201`;
  const last = `${inventedName(number)}${inventedName(number * 7 + 3).toLowerCase()}`;
  const people = [
    `Robert,A,${last},,1940-01-05`,
    `Robert,B,${last},,1970-06-07`,
    `Mary,Ann,${last},,1942-02-03`,
    `Roberta,,${last},,1972-04-05`,
    `Jack,,${last},,`,
    `Zack,,${last},,`,
  ];
  return people.map((person, at) => [`F${number}-${at}`, `${person},${home}`]);
}

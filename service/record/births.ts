/** Finds dates of birth that represent an unknown birthday. */

import type { Database } from '../database.ts';

/**
 * The maximum share of people with one date of birth. In a list of this length, a larger share cannot occur by chance.
 */
const MOST_SHARE = 0.01;
const LEAST_BEARERS = 10;

/** Finds dates of birth that more than 1 % of the people in a list, or more than 1 % of all donors, have. */
export function findCommonBirths(list: readonly string[], db: Database): Set<string> {
  const inFile = db
    .prepare<[], { born: string; bearers: number }>(
      'select born, count(*) bearers from donor_index where length(born) = 10 group by born',
    )
    .all();
  const donors = inFile.reduce((sum, { bearers }) => sum + bearers, 0);
  const inList = [...Map.groupBy(list, (born) => born)];
  const isCommon = (bearers: number, all: number) =>
    bearers >= LEAST_BEARERS && bearers > all * MOST_SHARE;
  return new Set([
    ...inFile.filter(({ bearers }) => isCommon(bearers, donors)).map(({ born }) => born),
    ...inList
      .filter(([born, rows]) => born.length === 10 && isCommon(rows.length, list.length))
      .map(([born]) => born),
  ]);
}

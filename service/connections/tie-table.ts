/**
 * The ties of all donors as columns of numbers. The columns have one index by donor and one index by organisation. All
 * columns stay in memory, because a million donors need only about 150 megabytes.
 */

import { yearOf, yearsAt } from './calendar.ts';

/**
 * All ties. A circle consists of all people of one kind in an organisation, for example its board. The table stores
 * ties twice. One copy is sorted by donor, and the other copy is sorted by circle and donor. The rows of number n start
 * at index n of the `…Starts` and end at index n + 1. Days are numbers (`calendar.ts`).
 */
export interface TieTable {
  donorStarts: Uint32Array;
  tieCircles: Uint32Array;
  tieFroms: Uint16Array;
  tieTos: Uint16Array;

  circleStarts: Uint32Array;
  memberDonors: Uint32Array;
  memberFroms: Uint16Array;
  memberTos: Uint16Array;

  /** For each circle, the position of its kind in `TIE_KINDS`. */
  circleKinds: Uint8Array;
  circleOrganisations: Uint32Array;
  /**
   * For each circle, the next circle of the same organisation. The last circle of an organisation leads to its first
   * circle.
   */
  nextCircles: Uint32Array;

  /** For each circle and year, the sum of rate × freshness from the circle's first year to the start of that year. */
  curveStarts: Uint32Array;
  curveFirstYears: Uint8Array;
  curves: Float64Array;
}

/**
 * Returns the sum of rate × freshness from a circle's first year to a day. Days before and after the circle's years add
 * nothing to the sum. The difference between two sums is the exposure that two people share.
 */
export function curveAt(table: TieTable, circle: number, day: number): number {
  const { curveStarts, curveFirstYears, curves } = table;
  const year = yearOf(day);
  const start = curveStarts[circle] ?? 0;
  const last = (curveStarts[circle + 1] ?? 0) - 1;
  const position = start + year - (curveFirstYears[circle] ?? 0);
  if (position < start) return 0;
  if (position >= last) return curves[last] ?? 0;
  const before = curves[position] ?? 0;
  return before + (yearsAt(day) - year) * ((curves[position + 1] ?? 0) - before);
}

export function at(
  column: Uint32Array | Uint16Array | Uint8Array | Float64Array,
  position: number,
): number {
  return column[position] ?? 0;
}

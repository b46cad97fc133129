/** Picks random entries from lists in which some entries are more likely than others. */

import { type Draw, entryAt } from './random.ts';

/** Picks random entries. The probability of an entry is proportional to its weight. */
export type PickWeighted<T> = (draw: Draw) => T;

/**
 * Creates a function that picks entries by their weights, which must be greater than 0. Picking an entry then takes
 * logarithmic time.
 */
export function createWeighted<T>(
  weighted: readonly { entry: T; weight: number }[],
): PickWeighted<T> {
  const entries = weighted.map(({ entry }) => entry);
  let total = 0;
  const ends = weighted.map(({ weight }) => {
    total += weight;
    return total;
  });
  return (draw) => entryAt(entries, firstAbove(ends, draw() * total));
}

/**
 * Returns the position of the first number that is greater than the limit. The numbers must be in ascending order, and
 * the last number must be greater than the limit.
 */
export function firstAbove(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? limit) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

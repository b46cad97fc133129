/** Computes people's wealth, and their capacity to give. */

import { type Curve, valueOnCurve } from './curve.ts';
import type { Person } from './person.ts';
import { createDraw, type Draw, entryAt } from './random.ts';
import type { WorldPlan } from './world-plan.ts';

/** A range in whole US dollars. `low` is below `high`. */
export interface NetWorth {
  low: number;
  high: number;
}

/** Estimated giving capacity of a person, in whole US dollars. */
export interface Capacity {
  political: number;
  nonprofit: number;
}

/**
 * The net worth of US households. A position is the distance from the median household in standard deviations. The
 * source is the Federal Reserve's 2022 Survey of Consumer Finances. 50% of households own less than $192,000, 90% less
 * than $1.9 million, and 99% less than $13.7 million. The other values are interpolated.
 */
const NET_WORTH: Curve = [
  [-4, 100],
  [-1.2816, 3_000],
  [-0.6745, 27_000],
  [0, 192_000],
  [0.6745, 659_000],
  [1.2816, 1_900_000],
  [1.6449, 3_800_000],
  [2.3263, 13_700_000],
  [5, 2_000_000_000],
];

/** The limits of the wealth brackets that wealth screening companies use, such as "$1M to $5M". */
const BRACKET_BOUNDS = [
  0, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 25_000_000,
  50_000_000, 100_000_000, 500_000_000, 1_000_000_000, 5_000_000_000,
];

/** Returns the net worth in US dollars for a wealth rank (see `Person`). */
export function dollarsAt(standing: number): number {
  return valueOnCurve(NET_WORTH, standing);
}

export function netWorthOf(person: Person): NetWorth {
  const dollars = dollarsAt(person.standing);
  const above = BRACKET_BOUNDS.findIndex((bound) => bound > dollars);
  return { low: entryAt(BRACKET_BOUNDS, above - 1), high: entryAt(BRACKET_BOUNDS, above) };
}

/**
 * Returns a person's giving capacity. The capacity for gifts to nonprofits is two to six percent of the net worth. The
 * capacity for political gifts is a part of that.
 */
export function capacityOf(plan: WorldPlan, person: Person): Capacity {
  const draw = createDraw(plan.seed, 'capacity', person.number);
  const nonprofit = roundToTwoDigits(dollarsAt(person.standing) * share(draw, 0.02, 0.06));
  return { nonprofit, political: roundToTwoDigits(nonprofit * share(draw, 0.05, 0.4)) };
}

function share(draw: Draw, low: number, high: number): number {
  return low + (high - low) * draw();
}

/** Rounds to two significant digits, for example 1,234 to 1,200. Returns at least 10 dollars. */
function roundToTwoDigits(dollars: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(dollars)) - 1);
  return Math.max(10, Math.round(dollars / step) * step);
}

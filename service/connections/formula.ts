/** The formula for the strength of a connection. The reasons and some examples are in docs/connection-strength.md. */

/** The kinds of relations between a person and an organisation, in the order in which snippets mention them. */
export const TIE_KINDS = ['board', 'service', 'work', 'school', 'gift'] as const;

export type TieKind = (typeof TIE_KINDS)[number];

/** Returns the kind at a position in `TIE_KINDS`. Columns store positions instead of kinds. */
export function tieKindAt(position: number): TieKind {
  const kind = TIE_KINDS[position];
  if (kind === undefined) throw new RangeError(`There is no kind of tie called ${position}`);
  return kind;
}

/** Parameters that determine how quickly people in one kind of relationship get to know each other. */
interface Acquaintance {
  ratePerYear: number;
  /** The number of other people in the group that halves the rate. */
  circle: number;
}

const ACQUAINTANCES = {
  board: { ratePerYear: 1.2, circle: 30 },
  service: { ratePerYear: 0.6, circle: 50 },
  work: { ratePerYear: 0.6, circle: 50 },
  school: { ratePerYear: 0.4, circle: 100 },
  gift: { ratePerYear: 0.1, circle: 30 },
} satisfies Record<TieKind, Acquaintance>;

/**
 * If two people are of different kinds, such as a trustee and a professor, they meet at this fraction of the lower
 * rate.
 */
const ACROSS_KINDS_SHARE = 0.3;

/** The number of years after which an acquaintance has half its value. */
const HALF_LIFE_YEARS = 15;

/** The factor for storing exposures as integers. Sums of integers are exact in any order. */
const UNITS = 1e9;

/** The factor for strengths, which have six decimals. Further decimals are cut off. */
const STRENGTH_STEPS = 1e6;

/**
 * Returns the number of acquaintances per year between two people in a group of this kind and size. The size is at
 * least 0.
 */
export function acquaintanceRate(kind: TieKind, size: number): number {
  const { ratePerYear, circle } = ACQUAINTANCES[kind];
  return ratePerYear / (1 + size / circle);
}

/** Returns the share of an acquaintance's value that remains after this number of years. */
export function freshness(yearsAgo: number): number {
  return 0.5 ** (yearsAgo / HALF_LIFE_YEARS);
}

/** Returns the exposure of two people of the same kind, in integer units, from the sum of rate × freshness × years. */
export function exposureWithin(sum: number): number {
  return Math.floor(sum * UNITS);
}

/**
 * Returns the exposure of two people of different kinds, in integer units. The arguments are the sums for the two
 * kinds.
 */
export function exposureAcross(one: number, other: number): number {
  return Math.floor(ACROSS_KINDS_SHARE * Math.min(one, other) * UNITS);
}

/** Returns the strength (0 to 1) for the total exposure that two people share. The exposure is in integer units. */
export function strengthOf(exposure: number): number {
  return Math.floor(-Math.expm1(-exposure / UNITS) * STRENGTH_STEPS) / STRENGTH_STEPS;
}

/** Returns the minimum exposure (in units) for a strength. A lower exposure always gives a lower strength. */
export function exposureFor(strength: number): number {
  return strength >= 1 ? Number.POSITIVE_INFINITY : Math.floor(-Math.log1p(-strength) * UNITS) - 1;
}

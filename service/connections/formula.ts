/**
 * Computes the strength of a connection: the probability that two people know each other. The reasons, with examples,
 * are in docs/connection-strength.md.
 */

/** The kinds of relations between a person and an organisation. In texts, they are mentioned in this order. */
export const TIE_KINDS = ['board', 'service', 'work', 'school', 'gift'] as const;

export type TieKind = (typeof TIE_KINDS)[number];

/** Returns the kind at a position in `TIE_KINDS`. Columns store these positions. */
export function tieKindAt(position: number): TieKind {
  const kind = TIE_KINDS[position];
  if (kind === undefined) throw new RangeError(`There is no kind of tie called ${position}`);
  return kind;
}

/** How quickly people get to know each other in one kind of relation. */
interface Acquaintance {
  /** The number of acquaintances per year between two people who are alone. */
  ratePerYear: number;
  /** The number of other people that halves the rate. */
  circle: number;
}

const ACQUAINTANCES = {
  board: { ratePerYear: 1.2, circle: 30 },
  service: { ratePerYear: 0.6, circle: 50 },
  work: { ratePerYear: 0.6, circle: 50 },
  school: { ratePerYear: 0.4, circle: 100 },
  gift: { ratePerYear: 0.1, circle: 30 },
} satisfies Record<TieKind, Acquaintance>;

/** People of different kinds (a trustee and a professor) meet at this share of the lower rate. */
const ACROSS_KINDS_SHARE = 0.3;

/** The number of years after which an old acquaintance is worth half. */
const HALF_LIFE_YEARS = 15;

/** Exposures are integers in this fraction of one, so sums are exact in any order. */
const UNITS = 1e9;

/** Strengths have six digits. Further digits are cut off. */
const STRENGTH_STEPS = 1e6;

/** Returns how often per year two people in a group of this kind and size (at least 0) get acquainted. */
export function acquaintanceRate(kind: TieKind, size: number): number {
  const { ratePerYear, circle } = ACQUAINTANCES[kind];
  return ratePerYear / (1 + size / circle);
}

/** Returns how much of an acquaintance from this many years ago remains: 1 at first, then falling towards 0. */
export function freshness(yearsAgo: number): number {
  return 0.5 ** (yearsAgo / HALF_LIFE_YEARS);
}

/** Returns the exposure of two people of the same kind, in integer units, from the sum of rate × freshness × years. */
export function exposureWithin(sum: number): number {
  return Math.floor(sum * UNITS);
}

/** Returns the exposure of two people of different kinds, in integer units, from the sums of both kinds. */
export function exposureAcross(one: number, other: number): number {
  return Math.floor(ACROSS_KINDS_SHARE * Math.min(one, other) * UNITS);
}

/** Returns the strength (0 to 1) for the total exposure that two people share, in units. */
export function strengthOf(exposure: number): number {
  return Math.floor(-Math.expm1(-exposure / UNITS) * STRENGTH_STEPS) / STRENGTH_STEPS;
}

/** Returns the minimum exposure (in units) for a strength. With less exposure, the strength is always lower. */
export function exposureFor(strength: number): number {
  return strength >= 1 ? Number.POSITIVE_INFINITY : Math.floor(-Math.log1p(-strength) * UNITS) - 1;
}

/**
 * The strength of a connection: the likelihood that two people know each other. The reasons, with
 * examples, are in docs/connection-strength.md.
 */

/**
 * The kinds of relations of a person to an organisation. Of two kinds, the first in this list comes first in a text.
 */
export const TIE_KINDS = ['board', 'service', 'work', 'school', 'gift'] as const;

export type TieKind = (typeof TIE_KINDS)[number];

/** Returns the kind at a position in `TIE_KINDS`, which is how columns store it. */
export function tieKindAt(position: number): TieKind {
  const kind = TIE_KINDS[position];
  if (kind === undefined) throw new RangeError(`There is no kind of tie called ${position}`);
  return kind;
}

/** How people of one kind get to know each other. */
interface Acquaintance {
  /** How often per year two people would get acquainted if they were alone. */
  ratePerYear: number;
  /** This many others halve the rate. */
  circle: number;
}

const ACQUAINTANCES = {
  board: { ratePerYear: 1.2, circle: 30 },
  service: { ratePerYear: 0.6, circle: 50 },
  work: { ratePerYear: 0.6, circle: 50 },
  school: { ratePerYear: 0.4, circle: 100 },
  gift: { ratePerYear: 0.1, circle: 30 },
} satisfies Record<TieKind, Acquaintance>;

/** People of different kinds (a trustee and a professor) meet at this fraction of the lower rate. */
const ACROSS_KINDS_SHARE = 0.3;

/** An acquaintance that is not renewed loses half of its value in this many years. */
const HALF_LIFE_YEARS = 15;

/** Exposures are counted in these fractions of one, so sums are exact in any order. */
const UNITS = 1e9;

/** Strengths have six digits. Further digits are cut off. */
const STRENGTH_STEPS = 1e6;

/** Returns how often per year two of this many people (at least 0) of a kind get acquainted. */
export function acquaintanceRate(kind: TieKind, size: number): number {
  const { ratePerYear, circle } = ACQUAINTANCES[kind];
  return ratePerYear / (1 + size / circle);
}

/** Returns the remaining share, from 1 down towards 0, of an acquaintance made this many years ago. */
export function freshness(yearsAgo: number): number {
  return 0.5 ** (yearsAgo / HALF_LIFE_YEARS);
}

/**
 * Returns the exposure of two people of one kind, in whole units, from the sum of rate × freshness × years.
 */
export function exposureWithin(sum: number): number {
  return Math.floor(sum * UNITS);
}

/** Returns the exposure of two people of different kinds, in whole units, from the sums of both kinds. */
export function exposureAcross(one: number, other: number): number {
  return Math.floor(ACROSS_KINDS_SHARE * Math.min(one, other) * UNITS);
}

/** Returns the strength, from 0 to 1, for all exposure (in units) that two people share. */
export function strengthOf(exposure: number): number {
  return Math.floor(-Math.expm1(-exposure / UNITS) * STRENGTH_STEPS) / STRENGTH_STEPS;
}

/** Returns an exposure (in units). Less exposure never results in the given strength. */
export function exposureFor(strength: number): number {
  return strength >= 1 ? Number.POSITIVE_INFINITY : Math.floor(-Math.log1p(-strength) * UNITS) - 1;
}

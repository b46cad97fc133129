/** A piece of evidence for or against a candidate, and how certain two people are if a contradiction is not outweighed. */

import type { DonorIndex } from './donor-index.ts';
import type { Population } from './population.ts';

/** One piece of evidence. */
export interface Evidence {
  bits: number;
  /**
   * How often this is seen for the same person. Absent if a different person certainly shows it too, so `bits` is
   * enough.
   */
  m?: number;
  /** A description in words. Empty if there is nothing to say. */
  reason: string;
  /** The kind of evidence in addition to the name. Absent for names and cities, which are never enough. */
  kind?: EvidenceKind;
  /** True if so many people share it that it does not count as evidence if the addresses disagree. */
  isCommon?: boolean;
  /** True if addresses are known for both, and none names the same house. */
  isElsewhere?: boolean;
  /**
   * True if both live in the same ZIP code, in two houses. People often move within it, but a namesake there is rare, so
   * it counts as an address if the whole name is the same.
   */
  isNearby?: boolean;
  /** True if first name, middle name or initial, last name and suffix agree. */
  isWholeName?: boolean;
  /** True if it is such strong evidence against the same person that an address never outweighs it. */
  isContradiction?: boolean;
  /** True if the first name agrees completely, or in a form or spelling of it. */
  isFull?: boolean;
  /** True if the first name of each is the middle name of the other, so the middle names are compared already. */
  isExchanged?: boolean;
  /** Kinds of evidence without which this piece never leads to a match. */
  needs?: readonly EvidenceKind[];
  /** Kinds of evidence of which at least one is needed for a match. */
  needsOneOf?: readonly EvidenceKind[];
  /** Kinds of evidence without which records of two sources are reviewed instead of joined. A match does not need them. */
  needsForJoin?: readonly EvidenceKind[];
  /**
   * How likely it is that the two are one person if what outweighs this piece is missing: if they may be relatives at one
   * home, for example.
   */
  atMost?: number;
  /** The same if only the name agrees. */
  atMostByName?: number;
  /** True if a middle name or initial agrees, which counts in addition to a day of birth when records are joined. */
  isMiddle?: boolean;
}

/** The kinds of evidence in addition to the name. */
export type EvidenceKind = 'address' | 'employer' | 'birth';

/** The person and the donor who are compared. */
export interface Comparing {
  index: DonorIndex;
  population: Population;
}

/** How often two records are one person if a contradiction is not outweighed. */
export const NEARLY_ALWAYS_TWO = 0.05;
/**
 * Middle initials are sometimes wrong, and last names change, about as often as relatives have the same first name. A
 * mistake is worse than a miss, so less is said.
 */
export const MOSTLY_TWO = 0.2;
/** One person as often as two. */
export const ONE_OR_TWO = 0.5;
/** Usually one person, but less often than a match requires. An operator reviews such a pair of an import. */
export const MOSTLY_ONE = 0.92;

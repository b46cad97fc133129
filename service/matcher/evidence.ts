/**
 * A piece of evidence for or against a candidate, and how certain a match can be if nothing outweighs a contradiction.
 */

import type { DonorIndex } from './donor-index.ts';
import type { Population } from './population.ts';

/** One piece of evidence. */
export interface Evidence {
  bits: number;
  /**
   * How often this occurs for the same person. Absent if another person would certainly show it too, so `bits` is
   * enough.
   */
  m?: number;
  /** The description in words. Empty if there is nothing to report. */
  reason: string;
  /** The kind of evidence in addition to the name. Absent for names and cities, which are never enough. */
  kind?: EvidenceKind;
  /** True if so many people share it that it does not count if the addresses disagree. */
  isCommon?: boolean;
  /** True if both have known addresses, but in different houses. */
  isElsewhere?: boolean;
  /**
   * True if both live in the same ZIP code but in different houses. People often move within a ZIP code, and namesakes
   * in it are rare, so this counts as an address if the whole name is the same.
   */
  isNearby?: boolean;
  /** True if first name, middle name or initial, last name and suffix agree. */
  isWholeName?: boolean;
  /** True if this is such strong evidence against the same person that an address never outweighs it. */
  isContradiction?: boolean;
  /** True if the first name agrees completely, or as a form or spelling of the same name. */
  isFull?: boolean;
  /** True if each one's first name is the other's middle name, so the middle names are already compared. */
  isExchanged?: boolean;
  /** Kinds of evidence that this piece needs for a match. */
  needs?: readonly EvidenceKind[];
  /** Kinds of evidence of which this piece needs at least one for a match. */
  needsOneOf?: readonly EvidenceKind[];
  /**
   * Kinds of evidence that are needed to join records from two sources. Without them, the pair is reviewed. A match
   * does not need them.
   */
  needsForJoin?: readonly EvidenceKind[];
  /**
   * The maximum probability of a match if nothing outweighs this piece, for example if both could be relatives in the
   * same home.
   */
  atMost?: number;
  /** The maximum probability if only the name agrees. */
  atMostByName?: number;
  /** True if a middle name or initial agrees. When records are joined, this counts in addition to the date of birth. */
  isMiddle?: boolean;
}

/** The kinds of evidence in addition to the name. */
export type EvidenceKind = 'address' | 'employer' | 'birth';

/** The person and the donor to compare. */
export interface Comparing {
  index: DonorIndex;
  population: Population;
}

/** The probability that two records are the same person if a contradiction is not outweighed. */
export const NEARLY_ALWAYS_TWO = 0.05;
/**
 * The probability if there are usually two people. Middle initials are sometimes wrong, and last names change, about as
 * often as relatives share a first name. A mistake is worse than a miss, so the probability is low.
 */
export const MOSTLY_TWO = 0.2;
/** The probability if one person is as likely as two. */
export const ONE_OR_TWO = 0.5;
/**
 * The probability if there is usually one person, but too rarely for a match. An operator reviews such pairs in an
 * import.
 */
export const MOSTLY_ONE = 0.92;

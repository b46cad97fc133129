/** Defines evidence for or against a candidate, and limits the certainty of a match after a contradiction. */

import type { DonorIndex } from './donor-index.ts';
import type { Population } from './population.ts';

/** One piece of evidence. */
export interface Evidence {
  bits: number;
  /** How often one person's two records show this. Absent if another person would always show it too. */
  m?: number;
  /** The description in words. Empty if there is nothing to report. */
  reason: string;
  /** The name is not a kind. Names and cities alone never suffice for a match. */
  kind?: EvidenceKind;
  /** True if many people share this detail. It is then ignored when the addresses disagree. */
  isCommon?: boolean;
  /** Both addresses are known and differ. */
  isElsewhere?: boolean;
  /**
   * True if both live in the same ZIP code but in different houses. Namesakes within a ZIP code are rare, so this
   * counts as an address if the whole name agrees.
   */
  isNearby?: boolean;
  /** True if first name, middle name or initial, last name and suffix agree. */
  isWholeName?: boolean;
  /** True if this is strong evidence for two different people. An address never outweighs it. */
  isContradiction?: boolean;
  /** True if the first names are equal, or if they are forms or spellings of the same name. */
  isFull?: boolean;
  /** First and middle names are exchanged. Middle names need no further comparison. */
  isExchanged?: boolean;
  needs?: readonly EvidenceKind[];
  /** This piece needs at least one of these kinds of evidence for a match. */
  needsOneOf?: readonly EvidenceKind[];
  /**
   * Kinds of evidence that are needed to join records from two sources. Otherwise the pair is reviewed. A match does
   * not need them.
   */
  needsForJoin?: readonly EvidenceKind[];
  /** Limits the probability of a match, for example for relatives in one home. */
  atMost?: number;
  /** The maximum probability if only the name agrees. */
  atMostByName?: number;
  /** True if the two records have the same middle name or initial. In a join, it adds to the date of birth. */
  isMiddle?: boolean;
}

/** The name is not a kind. */
export type EvidenceKind = 'address' | 'employer' | 'birth';

/** The person and the donor to compare. */
export interface Comparing {
  index: DonorIndex;
  population: Population;
}

/** The maximum probability that two records describe the same person if a contradiction is not outweighed. */
export const NEARLY_ALWAYS_TWO = 0.05;
/**
 * The probability for contradictions that usually mean two people. Middle initials can be wrong, and last names change.
 * Relatives share first names about as often. A wrong match is worse than a missed one, so the value is low.
 */
export const MOSTLY_TWO = 0.2;
export const ONE_OR_TWO = 0.5;
/** Usually one person, but not often enough for a match. An operator reviews such pairs in an import. */
export const MOSTLY_ONE = 0.92;

/** Defines evidence for and against a candidate. After a contradiction, limits the certainty of a match. */

import type { DonorIndex } from './donor-index.ts';
import type { Population } from './population.ts';

/** One piece of evidence. */
export interface Evidence {
  bits: number;
  /**
   * The probability that two records of one person show this evidence. Absent if two records of different people would
   * always show the evidence too.
   */
  m?: number;
  /** A description of the evidence. Empty if users do not have to see the evidence. */
  reason: string;
  /** The kind of evidence. Evidence from the name has no kind. Names and cities alone are never enough for a match. */
  kind?: EvidenceKind;
  /** True if many people share this detail, so that the matcher ignores the detail if the addresses differ. */
  isCommon?: boolean;
  /** True if the two compared addresses are known and differ. */
  isElsewhere?: boolean;
  /**
   * True if both people live in the same ZIP code area but in different houses. Two people with one name are rare in
   * one area, so the evidence counts as an address if the whole name agrees.
   */
  isNearby?: boolean;
  /** True if first name, middle name or initial, last name and suffix agree. */
  isWholeName?: boolean;
  /** True if this is strong evidence for two different people. The same address does not outweigh this evidence. */
  isContradiction?: boolean;
  /** True if the two first names are equal, or are forms or spellings of one name. */
  isFull?: boolean;
  /** True if first name and middle name are exchanged, so that the middle names need no further comparison. */
  isExchanged?: boolean;
  needs?: readonly EvidenceKind[];
  /** The kinds of evidence of which a match needs at least one. */
  needsOneOf?: readonly EvidenceKind[];
  /**
   * The kinds of evidence that the service needs to join records from two sources. If two records lack such evidence,
   * an operator must review the pair. A match does not need them.
   */
  needsForJoin?: readonly EvidenceKind[];
  /** The maximum probability of a match with this evidence, for example for relatives in one home. */
  atMost?: number;
  /** The maximum probability if only the name agrees. */
  atMostByName?: number;
  /**
   * True if the two records have the same middle name or initial. In a join, the middle name counts in addition to the
   * date of birth.
   */
  isMiddle?: boolean;
}

/** The kinds of evidence. Evidence from the name has no kind. */
export type EvidenceKind = 'address' | 'employer' | 'birth';

/** The person and the donor that the matcher compares. */
export interface Comparing {
  index: DonorIndex;
  population: Population;
}

/** The maximum probability of a match with a contradiction, if no other evidence outweighs the contradiction. */
export const NEARLY_ALWAYS_TWO = 0.05;
/**
 * The maximum probability with a contradiction that usually means two people. Middle initials can be wrong, and last
 * names can change. It is about as common that relatives have the same first name. The value is low, because a wrong
 * match is worse than a missed match.
 */
export const MOSTLY_TWO = 0.2;
export const ONE_OR_TWO = 0.5;
/**
 * The maximum probability with evidence that usually means one person, but not often enough for a match. In an import,
 * an operator reviews a pair with such evidence.
 */
export const MOSTLY_ONE = 0.92;

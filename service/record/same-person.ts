/**
 * Decides whether an import or a join treats two records as the same person. A wrong join stays in the data
 * permanently, so the requirements are higher than for a match.
 */

import { type Match, THRESHOLDS } from '../matcher/matcher.ts';
import { isOfReturn, shareList } from './lists.ts';

/** The minimum number of kinds of evidence for joining records from two sources. The name does not count. */
export const LEAST_KINDS = 2;

/**
 * The decision about two records. The import adds the entry to the donor, or an operator reviews the pair, or the
 * records belong to different people.
 */
export type Verdict = 'same' | 'review' | 'other';

/** Decides whether two records become one donor. Uses the matcher's evidence. */
export function judge(match: Match, mine: readonly string[], theirs: readonly string[]): Verdict {
  // If two relatives are in the same list, some detail distinguishes them. In two different lists, a different detail
  // may be a mistake. The day of birth or the employer may outweigh such a detail. An operator therefore reviews the
  // pair.
  if (match.isContradicted) return shareList(mine, theirs) ? 'other' : 'review';
  // A list contains each person under only one ID.
  if (shareList(mine, theirs)) return 'review';
  if (mine.some(isOfReturn) && theirs.some(isOfReturn)) return 'same';
  return isSureToJoin(match) ? 'same' : 'review';
}

/**
 * Returns true if the evidence is strong enough to join records from two sources. The evidence must rule out relatives.
 */
export function isSureToJoin(match: Pick<Match, 'probability' | 'kinds' | 'isJoinable'>): boolean {
  return match.isJoinable && match.probability >= THRESHOLDS.join && match.kinds >= LEAST_KINDS;
}

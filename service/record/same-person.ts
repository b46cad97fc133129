/**
 * Decides when an import or a join treats two records as one person. A mistake here stays in the data
 * permanently, so this requires more than a match.
 */

import { type Match, THRESHOLDS } from '../matcher/matcher.ts';
import { isOfReturn, shareList } from './lists.ts';

/** The number of kinds of evidence that records of two sources need in addition to the name. */
export const LEAST_KINDS = 2;

/** Whether an import adds an entry to a donor, or an operator has to review the pair. */
export type Verdict = 'same' | 'review' | 'other';

/** Decides whether records become one donor, from the matcher's weights. */
export function judge(match: Match, mine: readonly string[], theirs: readonly string[]): Verdict {
  // Relatives in one list differ in such a part. In two lists it may be a mistake in one of them, which a day of birth
  // or an employer outweighs. An operator sees that.
  if (match.isContradicted) return shareList(mine, theirs) ? 'other' : 'review';
  // A list contains each person under one ID only.
  if (shareList(mine, theirs)) return 'review';
  if (mine.some(isOfReturn) && theirs.some(isOfReturn)) return 'same';
  return isSureToJoin(match) ? 'same' : 'review';
}

/** True if enough speaks for joining records of two sources, and nothing is missing that relatives lack. */
export function isSureToJoin(match: Pick<Match, 'probability' | 'kinds' | 'isJoinable'>): boolean {
  return match.isJoinable && match.probability >= THRESHOLDS.join && match.kinds >= LEAST_KINDS;
}

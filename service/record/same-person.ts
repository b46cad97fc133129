/**
 * Decides whether an import or a join treats two records as one person. A mistake here stays in the data permanently,
 * so this requires more than a match.
 */

import { type Match, THRESHOLDS } from '../matcher/matcher.ts';
import { isOfReturn, shareList } from './lists.ts';

/** The minimum number of kinds of evidence for records of two sources, excluding the name. */
export const LEAST_KINDS = 2;

/** The decision about an entry. Either the import adds it to a donor, or an operator has to review the pair. */
export type Verdict = 'same' | 'review' | 'other';

/** Decides from the matcher's weights whether two records become one donor. */
export function judge(match: Match, mine: readonly string[], theirs: readonly string[]): Verdict {
  // If relatives are in one list, they differ in such a part. In two lists, the difference may be a mistake in one
  // list. A day of birth or an employer outweighs it. An operator sees that.
  if (match.isContradicted) return shareList(mine, theirs) ? 'other' : 'review';
  // A list contains each person under only one ID.
  if (shareList(mine, theirs)) return 'review';
  if (mine.some(isOfReturn) && theirs.some(isOfReturn)) return 'same';
  return isSureToJoin(match) ? 'same' : 'review';
}

/** True if the evidence is strong enough to join records of two sources. The evidence must exclude relatives. */
export function isSureToJoin(match: Pick<Match, 'probability' | 'kinds' | 'isJoinable'>): boolean {
  return match.isJoinable && match.probability >= THRESHOLDS.join && match.kinds >= LEAST_KINDS;
}

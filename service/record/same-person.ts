/**
 * Decides when an import or a join treats two records as one person. A mistake here stays in the
 * file, so it requires more than a match.
 */

import { type Match, THRESHOLDS } from '../matcher/matcher.ts';
import { isOfReturn, shareList } from './lists.ts';

/** Number of kinds of evidence that records of two sources need in addition to the name. */
export const LEAST_KINDS = 2;

/** Whether an import treats an entry as a donor's, or an operator has to review the two. */
export type Verdict = 'same' | 'review' | 'other';

/** Decides whether records, as the matcher weighed them, become one donor. */
export function judge(match: Match, mine: readonly string[], theirs: readonly string[]): Verdict {
  if (match.isContradicted) return 'other';
  // A list has each person under one id only.
  if (shareList(mine, theirs)) return 'review';
  if (mine.some(isOfReturn) && theirs.some(isOfReturn)) return 'same';
  const isSure = match.probability >= THRESHOLDS.join && match.kinds >= LEAST_KINDS;
  return isSure ? 'same' : 'review';
}

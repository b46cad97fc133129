/** When an import or a join takes two records for one person. A mistake here stays in the file, so it asks for more than a match. */

import { type Match, THRESHOLDS } from '../matcher/matcher.ts';
import { isOfReturn, shareList } from './lists.ts';

/** Kinds of evidence beyond the name that records of two sources need. */
export const LEAST_KINDS = 2;

/** Whether an import takes an entry for a donor, or a person has to look at the two. */
export type Verdict = 'same' | 'review' | 'other';

/** Returns whether records of one person, as the matcher weighed them, become one donor. */
export function judge(match: Match, mine: readonly string[], theirs: readonly string[]): Verdict {
  if (match.isContradicted) return 'other';
  // A list has each of its people under one id.
  if (shareList(mine, theirs)) return 'review';
  if (mine.some(isOfReturn) && theirs.some(isOfReturn)) return 'same';
  const isSure = match.probability >= THRESHOLDS.join && match.kinds >= LEAST_KINDS;
  return isSure ? 'same' : 'review';
}

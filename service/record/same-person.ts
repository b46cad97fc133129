/** When an import or a join takes two records for one person. A mistake here stays in the file, so it asks for more than a match. */

import { type Match, THRESHOLDS } from '../matcher/matcher.ts';

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

/** Returns whether two sets of keys have ids of one list. Returns name people without ids. */
export function shareList(keys: readonly string[], others: readonly string[]): boolean {
  const lists = new Set(keys.filter((key) => !isOfReturn(key)).map(listOf));
  return others.some((key) => lists.has(listOf(key)));
}

/** Returns the list of a key: `csv:gala:G1` is of the list `csv:gala`, and `fjc:12` of `fjc`. */
export function listOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

function isOfReturn(key: string): boolean {
  return key.startsWith('990:');
}

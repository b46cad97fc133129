/** A clause: one kind of thing that a question can say, and what the search makes of it. */

import type { Filters } from '../criteria.ts';

/** One kind of thing that a question can say. */
export interface Clause {
  /** With the flags g, i and u. */
  pattern: RegExp;
  /**
   * Adds to the filters what the words say and tells it in other words, or why they are passed
   * over; undefined leaves the words to the clauses behind.
   */
  read(words: Words, filters: Filters): Reading | undefined;
}

/** The named groups of a clause's pattern, and what follows the clause in the question. */
export interface Words {
  group(name: string): string | undefined;
  after: string;
}

/** What became of some words. */
export type Reading = { meaning: string } | { reason: string };

/** Words that lead to a clause and say nothing by themselves. */
export const LEAD = String.raw`(?:\b(?:with|and|who|whose|that|having|have|has|had|is|are|were|was|a|an|their|living)\s+)*`;

/** Builds the pattern of a clause from pieces. */
export function clausePattern(...pieces: string[]): RegExp {
  return new RegExp(pieces.join(''), 'giu');
}

/** Sets a filter that is not set yet; a second value for the same thing cannot hold as well. */
export function setOnce<Key extends Exclude<keyof Filters, 'ties'>>(
  filters: Filters,
  key: Key,
  value: Filters[Key],
  meaning: string,
): Reading {
  if (filters[key] !== undefined) {
    return { reason: 'the question says this twice, and the first one counts' };
  }
  filters[key] = value;
  return { meaning };
}

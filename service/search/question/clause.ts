/** A clause: one kind of statement that a question can contain, and how the search reads it. */

import type { Filters } from '../criteria.ts';

/** One kind of statement that a question can contain. */
export interface Clause {
  /** The pattern, with the flags g, i and u. */
  pattern: RegExp;
  /**
   * Adds the meaning of the words to the filters. Returns the meaning in other words, or the reason why the search
   * ignores the words. If it returns undefined, later clauses can read the words.
   */
  read(words: Words, filters: Filters): Reading | undefined;
}

/** The named groups of a clause's pattern, and the rest of the question after the clause. */
export interface Words {
  group(name: string): string | undefined;
  after: string;
}

export type Reading = { meaning: string } | { reason: string };

/** Words that introduce a clause and have no meaning alone. */
export const LEAD = String.raw`(?:\b(?:with|and|who|whose|that|having|have|has|had|is|are|were|was|a|an|their|living)\s+)*`;

export function clausePattern(...pieces: string[]): RegExp {
  return new RegExp(pieces.join(''), 'giu');
}

/** Sets a filter that is not yet set. A second value for the same filter would contradict the first. */
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

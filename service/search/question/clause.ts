/** Describes one kind of statement that a question can contain, and how the search reads it. */

import type { Filters } from '../criteria.ts';

/** One kind of statement that a question can contain. */
export interface Clause {
  /** The pattern, with the flags g, i and u. */
  pattern: RegExp;
  /**
   * Adds the meaning of the words to the filters. Returns a description of the meaning, or the reason why the search
   * ignores the words. If the function returns undefined, other clauses can read the words.
   */
  read(words: Words, filters: Filters): Reading | undefined;
}

/** The named groups of a clause's pattern, and the text after the clause. */
export interface Words {
  group(name: string): string | undefined;
  after: string;
}

export type Reading = { meaning: string } | { reason: string };

/** A pattern for words that precede a clause and have no separate meaning. */
export const LEAD = String.raw`(?:\b(?:with|and|who|whose|that|having|have|has|had|is|are|were|was|a|an|their|living)\s+)*`;

export function clausePattern(...pieces: string[]): RegExp {
  return new RegExp(pieces.join(''), 'giu');
}

/** Sets a filter if it is not set yet. A second value for the same filter would contradict the first. */
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

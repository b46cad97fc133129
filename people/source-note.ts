/** Where a statement about a real person is from, and how far it may be believed. */

/** The source of one field. */
export interface SourceNote {
  /** The collection, for example `irs-990`. */
  source: string;
  /** The record in it, for example `EIN 12-3456789, tax period ending 2024-12-31`. */
  reference: string;
  /** The day that the statement is of, as an ISO day. */
  date: string;
  /** From 0 to 1: how likely the statement is true of this person. */
  confidence: number;
}

/** The facts about a person, beside roles and gifts, that have a source of their own. */
export const SOURCED_FACTS = [
  'name',
  'birth',
  'death',
  'address',
  'netWorth',
  'capacity',
  'bio',
] as const;

/** One of those facts. */
export type SourcedFact = (typeof SOURCED_FACTS)[number];

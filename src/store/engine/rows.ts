import { type AliasedRawBuilder, sql } from 'kysely';

/**
 * Rows of one statement. A statement of a new length is prepared anew and kept, so there are few
 * lengths: a list is cut into as many of the longest as it gives, then of the next.
 */
const LENGTHS = [100, 25, 5, 1];

/** Contacts that one transaction decides or looks through. */
export const ROWS_PER_TRANSACTION = 500;

/**
 * Rows as a table named `v` whose columns are `column1`, `column2`, … on SQLite and Postgres
 * alike, to update many rows differently in one statement. Postgres takes each column for text:
 * cast the others where they are used.
 */
export function valuesTable<C extends string>(
  rows: readonly (readonly (string | number | null)[])[],
): AliasedRawBuilder<Record<C, string>, 'v'> {
  const tuples = rows.map((row) => sql`(${sql.join(row)})`);
  return sql<Record<C, string>>`(values ${sql.join(tuples)})`.as<'v'>('v');
}

/** The list in portions, each for one statement. */
export function* portions<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const length of LENGTHS) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

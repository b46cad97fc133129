import { type AliasedRawBuilder, sql } from 'kysely';

/** The most rows of one statement: well below 32,766 parameters at any width we use. */
export const ROWS_PER_STATEMENT = 500;

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

/** The list in portions of at most `size`. */
export function* portions<T>(list: readonly T[], size = ROWS_PER_STATEMENT): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

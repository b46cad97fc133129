import { type AliasedRawBuilder, type Expression, type RawBuilder, sql } from 'kysely';
import { splitIntoBatches } from '../core/parallel.ts';

/**
 * The possible numbers of rows in one statement. A statement with a new length has to be prepared and cached,
 * so there are only a few lengths. A list is split into as many parts of the longest length as possible, then
 * of the next.
 */
const LENGTHS = [100, 64, 32, 16, 8, 4, 2, 1];

/** Maximum number of contacts that one transaction decides about or searches. */
export const ROWS_PER_TRANSACTION = 500;

/** Cells as rows of a table with that many columns, for a prepared statement. */
export function toValueRows(
  cells: readonly Expression<unknown>[],
  columns: number,
): RawBuilder<unknown> {
  return sql.join(splitIntoBatches(cells, columns).map((line) => sql`(${sql.join(line)})`));
}

/**
 * Returns the cells as a table named `v` with this many columns (`column1`, `column2`, …), on both SQLite and Postgres,
 * to update many rows differently in one statement. Postgres treats each column as text, so cast other types where they
 * are used.
 */
export function valuesTable<C extends string>(
  cells: readonly Expression<unknown>[],
  columns: number,
): AliasedRawBuilder<Record<C, string>, 'v'> {
  return sql<Record<C, string>>`(values ${toValueRows(cells, columns)})`.as<'v'>('v');
}

/** Yields the list in batches, each for one statement. */
export function* inBatches<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const length of LENGTHS) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

/**
 * Does the same with fewer statements, for statements in which a repeated value changes nothing (`in`, an
 * update by a table of values). If a batch is nearly as long as the next length, it is padded with its last
 * value.
 */
export function* inFilledBatches<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  while (start < list.length) {
    const left = list.length - start;
    const whole = LENGTHS.find((each) => each <= left) ?? 1;
    const filled = LENGTHS.findLast((each) => each >= left) ?? whole;
    const length = left >= filled * FILLED_FROM ? filled : whole;
    const batch = list.slice(start, start + length);
    const last = batch.slice(-1);
    while (batch.length < length) batch.push(...last);
    yield batch;
    start += length;
  }
}

/** If a batch is less full than this, padding costs more than another statement. */
const FILLED_FROM = 3 / 4;

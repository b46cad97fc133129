import { type AliasedRawBuilder, type Expression, type RawBuilder, sql } from 'kysely';
import { splitIntoBatches } from '../core/parallel.ts';

/**
 * The possible numbers of rows in a statement. Each new length has to be prepared and cached, so there are only a few.
 * A list is split into as many parts of the longest length as possible, and then of the next.
 */
const LENGTHS = [100, 64, 32, 16, 8, 4, 2, 1];

/** The maximum number of contacts that one transaction decides about or searches. */
export const ROWS_PER_TRANSACTION = 500;

/** Cells as rows of a table with that many columns, for a prepared statement. */
export function toValueRows(
  cells: readonly Expression<unknown>[],
  columns: number,
): RawBuilder<unknown> {
  return sql.join(splitIntoBatches(cells, columns).map((line) => sql`(${sql.join(line)})`));
}

/**
 * Returns the cells as a table `v` with this many columns (`column1`, `column2`, …), on SQLite and Postgres. With it,
 * one statement can update many rows differently. Postgres treats each column as text, so other types must be cast
 * where they are used.
 */
export function valuesTable<C extends string>(
  cells: readonly Expression<unknown>[],
  columns: number,
): AliasedRawBuilder<Record<C, string>, 'v'> {
  return sql<Record<C, string>>`(values ${toValueRows(cells, columns)})`.as<'v'>('v');
}

/** Yields the list in batches, one for each statement. */
export function* inBatches<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const length of LENGTHS) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

/**
 * Yields the list in fewer batches, for statements in which a repeated value changes nothing (`in`, or an update by a
 * table of values). If a batch is almost as long as the next length, it is padded with its last value.
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

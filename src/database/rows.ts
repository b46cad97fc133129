import { type AliasedRawBuilder, type Expression, type RawBuilder, sql } from 'kysely';
import { splitIntoBatches } from '../core/parallel.ts';

/**
 * The possible numbers of rows in a statement. The list contains only a few numbers, because each statement length must
 * be prepared and cached. A list uses the longest length as often as possible, and shorter lengths for the rest.
 */
const LENGTHS = [100, 64, 32, 16, 8, 4, 2, 1];

/** The maximum number of contacts per transaction. */
export const ROWS_PER_TRANSACTION = 500;

export function toValueRows(
  cells: readonly Expression<unknown>[],
  columns: number,
): RawBuilder<unknown> {
  return sql.join(splitIntoBatches(cells, columns).map((line) => sql`(${sql.join(line)})`));
}

/**
 * Builds a table `v` with `column1`, `column2`, … on SQLite and Postgres. With this table, one statement can update
 * many rows with different values. Postgres treats its columns as text, so other types need a cast.
 */
export function valuesTable<C extends string>(
  cells: readonly Expression<unknown>[],
  columns: number,
): AliasedRawBuilder<Record<C, string>, 'v'> {
  return sql<Record<C, string>>`(values ${toValueRows(cells, columns)})`.as<'v'>('v');
}

/** Splits the list into batches. One statement handles each batch. */
export function* inBatches<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const length of LENGTHS) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

/**
 * Splits the list into batches. A batch that is slightly too short for the next length is filled with its last value,
 * which has no effect.
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

/** The minimum share of a batch that must be filled. Below this share, filling costs more than another statement. */
const FILLED_FROM = 3 / 4;

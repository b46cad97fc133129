import { type AliasedRawBuilder, type Expression, type RawBuilder, sql } from 'kysely';
import { splitIntoBatches } from '../core/parallel.ts';

/**
 * The allowed numbers of rows per statement. Each length must be prepared and cached, so there are few. A list uses the
 * longest length as often as possible. The rest uses the next shorter lengths.
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
 * Builds a table `v` with `column1`, `column2`, … on SQLite and Postgres. One statement can then update many rows with
 * different values. Postgres treats its columns as text, so other types need a cast.
 */
export function valuesTable<C extends string>(
  cells: readonly Expression<unknown>[],
  columns: number,
): AliasedRawBuilder<Record<C, string>, 'v'> {
  return sql<Record<C, string>>`(values ${toValueRows(cells, columns)})`.as<'v'>('v');
}

/** Yields the list in batches. Each batch is used in one statement. */
export function* inBatches<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const length of LENGTHS) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

/** A batch just below the next length is padded with its last value, which changes nothing. */
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

/** Below this, padding costs more than another statement. */
const FILLED_FROM = 3 / 4;

import { type AliasedRawBuilder, type Expression, type RawBuilder, sql } from 'kysely';
import { splitIntoBatches } from '../core/parallel.ts';

/**
 * Rows of one statement. A statement of a new length is prepared anew and kept, so there are few
 * lengths: a list is cut into as many of the longest as it gives, then of the next.
 */
const LENGTHS = [100, 64, 32, 16, 8, 4, 2, 1];

/** Contacts that one transaction decides or looks through. */
export const ROWS_PER_TRANSACTION = 500;

/** Cells as the lines of a table of so many columns, for a statement that is prepared. */
export function toValueRows(
  cells: readonly Expression<unknown>[],
  columns: number,
): RawBuilder<unknown> {
  return sql.join(splitIntoBatches(cells, columns).map((line) => sql`(${sql.join(line)})`));
}

/**
 * Cells as a table named `v` of so many columns, `column1`, `column2`, … on SQLite and Postgres alike, to
 * update many rows differently in one statement. Postgres takes each column for text: cast the others where
 * they are used.
 */
export function valuesTable<C extends string>(
  cells: readonly Expression<unknown>[],
  columns: number,
): AliasedRawBuilder<Record<C, string>, 'v'> {
  return sql<Record<C, string>>`(values ${toValueRows(cells, columns)})`.as<'v'>('v');
}

/** The list in portions, each for one statement. */
export function* inBatches<T>(list: readonly T[]): Generator<T[]> {
  let start = 0;
  for (const length of LENGTHS) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

/**
 * The same in fewer statements, for those that a value which is there twice does not change (`in`, an update by a
 * table of values): what nearly gives a longer portion is filled up to it by its last value.
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

/** A portion that is filled less than this costs more than another statement. */
const FILLED_FROM = 3 / 4;

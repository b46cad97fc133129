/** Columns of numbers, one for each fact about all donors, kept in the database as single values. */

import type { Database } from '../database.ts';

/** A form of numbers, such as `Uint32Array`. */
export interface NumbersOf<T> {
  BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

/** The tables that hold columns. */
type ColumnTable = 'search_columns' | 'tie_columns';

/** Keeps a column of the search. */
export function writeColumn(db: Database, name: string, numbers: ArrayBufferView): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  db.prepare<[string, Uint8Array]>('insert into search_columns values (?, ?)').run(name, bytes);
}

/** Reads a column that was kept; one that is missing is an error. */
export function readColumn<T>(
  db: Database,
  table: ColumnTable,
  name: string,
  Numbers: NumbersOf<T>,
): T {
  const bytes = db
    .prepare<[string], Buffer>(`select bytes from ${table} where name = ?`)
    .pluck()
    .get(name);
  if (bytes === undefined) {
    throw new Error(`The database lacks the column ${name} of ${table}.`);
  }
  const size = Numbers.BYTES_PER_ELEMENT;
  // Numbers may only begin where a multiple of their size lies.
  const aligned = bytes.byteOffset % size === 0 ? bytes : Uint8Array.from(bytes);
  return new Numbers(aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
}

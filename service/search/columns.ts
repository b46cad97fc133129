/**
 * Columns of numbers. Each column contains one kind of fact about all donors. The database stores each column as a
 * single value.
 */

import type { Database } from '../database.ts';

/** A typed array, such as `Uint32Array`. */
export interface NumbersOf<T> {
  BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

type ColumnTable = 'search_columns' | 'tie_columns';

/** Stores a column for the search. */
export function writeColumn(db: Database, name: string, numbers: ArrayBufferView): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  db.prepare<[string, Uint8Array]>('insert into search_columns values (?, ?)').run(name, bytes);
}

/** Reads a column. Throws if the database does not contain the column. */
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
  // The position of a typed array must be a multiple of the size of its elements.
  const aligned = bytes.byteOffset % size === 0 ? bytes : Uint8Array.from(bytes);
  return new Numbers(aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
}

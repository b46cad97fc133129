/** Data that the service reads from the database when it is first needed, or in the background after it has started. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './database.ts';

/** A part of the data that is read only once. If the part is needed before it has been read, it is read immediately. */
export type Piece<T = unknown> = () => T;

/** Returns a function that reads the data when it is first called. */
export function piece<T>(read: () => T): Piece<T> {
  let held: { value: T } | undefined;
  return () => {
    held ??= { value: read() };
    return held.value;
  };
}

/**
 * Reads all parts of the data in the background. The service handles requests between two parts. Reading in the
 * background ends when the database is closed.
 */
export async function readPieces(db: Database, pieces: Iterable<Piece>): Promise<void> {
  for (const read of pieces) {
    await nextTurn();
    if (!db.open) return;
    read();
  }
}

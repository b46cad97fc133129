/** Data that is read from the database when it is first needed, or in pieces once the service responds. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './database.ts';

/** Data that is read once. If it is needed earlier, it is read at once. */
export type Piece<T = unknown> = () => T;

/** Returns a piece of work that is done when its result is first needed. */
export function piece<T>(read: () => T): Piece<T> {
  let held: { value: T } | undefined;
  return () => {
    held ??= { value: read() };
    return held.value;
  };
}

/**
 * Reads the data in the background, piece by piece, so that requests are handled between two pieces. It ends when the
 * database is closed.
 */
export async function readPieces(db: Database, pieces: Iterable<Piece>): Promise<void> {
  for (const read of pieces) {
    await nextTurn();
    if (!db.open) return;
    read();
  }
}

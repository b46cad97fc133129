/**
 * Data that is read from the database when it is first needed, or piece by piece once the service
 * responds.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './database.ts';

/** Something that is read once; an earlier use reads it at once. */
export type Piece<T = unknown> = () => T;

/** A piece of work that is done when its result is first needed. */
export function piece<T>(read: () => T): Piece<T> {
  let held: { value: T } | undefined;
  return () => {
    held ??= { value: read() };
    return held.value;
  };
}

/** Reads pieces in the background, with requests in between; ends with the database. */
export async function readPieces(db: Database, pieces: Iterable<Piece>): Promise<void> {
  for (const read of pieces) {
    await nextTurn();
    if (!db.open) return;
    read();
  }
}

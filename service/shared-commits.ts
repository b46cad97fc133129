/**
 * Commits the work of several requests together. Each commit waits for the disk, so separate commits would
 * wait one after the other.
 */

import type { Database } from './database.ts';

/** Does work in a transaction. The promise resolves after the commit. It rejects if the work was not done. */
export type CommitTogether = <T>(work: () => T) => Promise<T>;

interface Piece {
  /** Throws if the work was rolled back. */
  work(): void;
  done(): void;
  failed(error: unknown): void;
}

/**
 * Collects the work from one turn of the event loop and commits it together. Each piece is done completely or
 * not at all.
 */
export function shareCommits(db: Database): CommitTogether {
  let pieces: Piece[] = [];

  function commit(): void {
    const together = pieces;
    pieces = [];
    try {
      const answers = db.transaction(() => together.map(attempt)).immediate();
      for (const answer of answers) answer();
    } catch (error) {
      for (const { failed } of together) failed(error);
    }
  }

  /** Returns the callback to call after the commit. */
  function attempt({ work, done, failed }: Piece): () => void {
    try {
      db.transaction(work)();
      return done;
    } catch (error) {
      // If the disk is full, SQLite rolls back the whole transaction, so all pieces fail.
      if (!db.inTransaction) throw error;
      return () => failed(error);
    }
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      let result: { value: T };
      pieces.push({
        work: () => {
          result = { value: work() };
        },
        done: () => resolve(result.value),
        failed: reject,
      });
      if (pieces.length === 1) setImmediate(commit);
    });
}

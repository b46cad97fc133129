/**
 * Commits the work of several requests in one transaction. Each commit waits for the disk, so separate commits would
 * have to wait one after another.
 */

import type { Database } from './database.ts';

/**
 * Runs work in a transaction. The promise resolves after the commit. The promise rejects if the work was not committed.
 */
export type CommitTogether = <T>(work: () => T) => Promise<T>;

interface Piece {
  /** Does the work. Throws if the work was rolled back. */
  work(): void;
  done(): void;
  failed(error: unknown): void;
}

/**
 * Collects the work of one turn of the event loop and commits it in one transaction. Each request's work is done either
 * completely or not at all.
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

  /** Does the work, and returns the callback to call after the commit. */
  function attempt({ work, done, failed }: Piece): () => void {
    try {
      db.transaction(work)();
      return done;
    } catch (error) {
      // If the disk is full, SQLite rolls back the whole transaction, so all of the work fails.
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

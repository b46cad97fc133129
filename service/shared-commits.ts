/** Commits that several requests share: each commit waits for the disk, and all of them would wait one after the other. */

import type { Database } from './database.ts';

/** Does work in a transaction; resolves when it is committed, and rejects if none of it was done. */
export type CommitTogether = <T>(work: () => T) => Promise<T>;

interface Piece {
  /** Throws if it was undone. */
  work(): void;
  done(): void;
  failed(error: unknown): void;
}

/** Work that is asked for in one turn of the event loop is committed at its end, each piece wholly or not at all. */
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

  /** Gives what is to be said after the commit. */
  function attempt({ work, done, failed }: Piece): () => void {
    try {
      db.transaction(work)();
      return done;
    } catch (error) {
      // A full disk ends the whole transaction, with the work of the others.
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

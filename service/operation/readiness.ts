/**
 * Checks whether the service can work. The service must be able to write the file and not only to read it, because it
 * must write every charge.
 */

import type { Database } from '../database.ts';

/** The time (ms) for which a result is reused. */
const FRESH_MS = 1_000;

/** Creates the check. The check returns a problem, or null if the file can be written. */
export function createReadiness(db: Database, clock: () => number): () => string | null {
  const write = db.prepare<[number]>(
    'insert into readiness values (1, ?) on conflict (only) do update set at_ms = excluded.at_ms',
  );
  let checkedAt = Number.NEGATIVE_INFINITY;
  let problem: string | null = null;
  return () => {
    if (performance.now() - checkedAt < FRESH_MS) return problem;
    checkedAt = performance.now();
    problem = findProblem(() => write.run(clock()));
    return problem;
  };
}

function findProblem(write: () => void): string | null {
  try {
    write();
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return code === 'SQLITE_FULL'
      ? 'The disk is full: nothing can be charged or stored. Free some space.'
      : `The database cannot be written (${code === '' ? String(error) : code}).`;
  }
}

/** Counts how many of the daily API requests have been used. */

import type { Database } from '../core/database.ts';

const HOUR_MS = 3_600_000;
/** The limit applies to any 24 consecutive hours. */
const HOURS = 24;

export interface ApiUsage {
  /** The maximum number of requests within 24 hours. */
  readonly limit: number;
  used(): number;
  /** Counts a request. If no request is left, returns false and counts nothing. */
  take(): boolean;
  /** Sets the number of requests that count as used. */
  set(used: number): void;
}

/** Opens the counter in a database. */
export function createApiUsage(db: Database, limit: number, clock: () => number): ApiUsage {
  const hour = () => Math.floor(clock() / HOUR_MS);
  const sum = db
    .prepare<[number], number>('select coalesce(sum(calls), 0) from api_calls where hour > ?')
    .pluck();
  const add = db.prepare(
    'insert into api_calls values (?, 1) on conflict (hour) do update set calls = calls + 1',
  );
  const used = () => sum.get(hour() - HOURS) ?? 0;
  return {
    limit,
    used,
    take() {
      if (used() >= limit) return false;
      add.run(hour());
      return true;
    },
    set(calls) {
      db.prepare('delete from api_calls').run();
      db.prepare('insert into api_calls values (?, ?)').run(hour(), calls);
    },
  };
}

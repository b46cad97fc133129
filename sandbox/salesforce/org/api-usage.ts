/** Tracks how many of the day's API requests are used up. */

import type { Database } from '../core/database.ts';

const HOUR_MS = 3_600_000;
/** The limit applies to any 24 consecutive hours. */
const HOURS = 24;

/** Counts requests. */
export interface ApiUsage {
  /** The most requests within 24 hours. */
  readonly limit: number;
  used(): number;
  /** Counts a request. If none is left, returns false and counts nothing. */
  take(): boolean;
  /** Makes it appear that this many requests were used. */
  set(used: number): void;
}

/** Opens the count of a database. */
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

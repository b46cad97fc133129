import { type Expression, PostgresAdapter, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from './tables/tables.ts';

/** An instant (epoch ms) so many milliseconds from now, for use inside a statement. */
export type FromNow = (ms: number) => Expression<number>;

/**
 * The one clock of all who share a database: on Postgres its own, since the clocks of its hosts
 * differ; on SQLite that of the machine, which holds the file and all who use it.
 */
export function databaseTime(db: Database, clock: Pick<Clock, 'now'>): FromNow {
  if (!isPostgres(db)) return (ms) => sql<number>`${clock.now() + ms}`;
  return serverTime;
}

/** The time of the statement, not of the transaction: that may have waited for a lock. */
export const serverTime: FromNow = (ms) =>
  sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${sql.lit(ms)}`;

/** True if the database is a Postgres server. */
export function isPostgres(db: Pick<Database, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

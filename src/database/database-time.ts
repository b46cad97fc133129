import { type Expression, PostgresAdapter, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Reader, TimedReader } from './reader.ts';

/** An instant (epoch ms) so many milliseconds from now, for use inside a statement. */
export type FromNow = (ms: number) => Expression<number>;

/**
 * The one clock of all who share a database: on Postgres its own, since the clocks of its hosts
 * differ; on SQLite that of the machine, which holds the file and all who use it.
 */
export function databaseTime(reader: Reader, clock: Pick<Clock, 'now'>): FromNow {
  if (!isPostgres(reader)) return (ms) => sql<number>`${clock.now() + ms}`;
  return serverTime;
}

/** The time of the statement, not of the transaction: that may have waited for a lock. */
export const serverTime: FromNow = (ms) =>
  sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${sql.lit(ms)}`;

/** The same instant, read: now (epoch ms). */
export async function getDatabaseTime(reader: TimedReader): Promise<number> {
  if (!isPostgres(reader)) return reader.clock.now();
  const { rows } = await sql<{ now: number }>`select ${serverTime(0)} as now`.execute(reader);
  return rows[0]?.now ?? reader.clock.now();
}

/** True if the database is a Postgres server. */
export function isPostgres(reader: Pick<Reader, 'getExecutor'>): boolean {
  return reader.getExecutor().adapter instanceof PostgresAdapter;
}

import { type Expression, PostgresAdapter, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Reader, TimedReader } from './reader.ts';

/** An instant (epoch ms) that many milliseconds from now, for use inside a statement. */
export type FromNow = (ms: number) => Expression<number>;

/**
 * The one clock that all processes of a database share. On Postgres it is the server's clock, because the clocks of its
 * clients differ. On SQLite it is the clock of the machine that has the file and all its users.
 */
export function databaseTime(reader: Reader, clock: Pick<Clock, 'now'>): FromNow {
  if (!isPostgres(reader)) return (ms) => sql<number>`${clock.now() + ms}`;
  return serverTime;
}

/** The time of the statement, not of the transaction, which may have waited for a lock. */
export const serverTime: FromNow = (ms) =>
  sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${sql.lit(ms)}`;

/** The current time (epoch ms) by the same clock. */
export async function getDatabaseTime(reader: TimedReader): Promise<number> {
  if (!isPostgres(reader)) return reader.clock.now();
  const { rows } = await sql<{ now: number }>`select ${serverTime(0)} as now`.execute(reader);
  return rows[0]?.now ?? reader.clock.now();
}

/** True if the database is a Postgres server. */
export function isPostgres(reader: Pick<Reader, 'getExecutor'>): boolean {
  return reader.getExecutor().adapter instanceof PostgresAdapter;
}

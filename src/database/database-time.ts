import { type Expression, PostgresAdapter, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Reader, TimedReader } from './reader.ts';

/** Returns an SQL time (epoch ms) that is this far from now. */
export type FromNow = (ms: number) => Expression<number>;

/**
 * Returns the database's clock, which all its processes share. Postgres uses the server's clock, because the clients'
 * clocks may differ. SQLite uses the machine's clock, because all processes run on one machine.
 */
export function databaseTime(reader: Reader, clock: Pick<Clock, 'now'>): FromNow {
  if (!isPostgres(reader)) return (ms) => sql<number>`${clock.now() + ms}`;
  return serverTime;
}

/** The server's time at the start of the statement. The transaction may have started earlier and waited for a lock. */
export const serverTime: FromNow = (ms) =>
  sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint + ${sql.lit(ms)}`;

/** Returns the current time by the database's clock (epoch ms). */
export async function getDatabaseTime(reader: TimedReader): Promise<number> {
  if (!isPostgres(reader)) return reader.clock.now();
  const { rows } = await sql<{ now: number }>`select ${serverTime(0)} as now`.execute(reader);
  return rows[0]?.now ?? reader.clock.now();
}

/** True if the database is a Postgres server. */
export function isPostgres(reader: Pick<Reader, 'getExecutor'>): boolean {
  return reader.getExecutor().adapter instanceof PostgresAdapter;
}

/** Stores the time of each integration's next run. The first process that finds a due run claims it. */

import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { isPostgres } from '../../database/database-time.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { addScheduledRuns } from '../../sync/statements/run-requests.ts';

export type ScheduleRecord = FromRow<Selectable<Tables['schedules']>>;

/** A scheduled time that has come, and its outcome. */
export interface ClaimedTime {
  row: ScheduleRecord;
  nextRunAt: number | null;
  runId: string | null;
}

/** The number of schedules that are handled in one transaction. */
const PAGE = 500;

export function listScheduleRecords(reader: Reader): Promise<ScheduleRecord[]> {
  return reader
    .selectFrom('schedules')
    .selectAll()
    .orderBy('integration_id')
    .execute()
    .then(fromRows);
}

export function findSchedule(
  reader: Reader,
  integrationId: string,
): Promise<ScheduleRecord | undefined> {
  return reader
    .selectFrom('schedules')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
    .then(maybeFromRow);
}

/** Stores the next times of schedules. Paused schedules remain paused. */
export async function saveSchedules(
  connection: TimedConnection,
  planned: readonly Omit<ScheduleRecord, 'paused'>[],
): Promise<void> {
  for (let from = 0; from < planned.length; from += PAGE) {
    await recordNext(
      connection,
      planned.slice(from, from + PAGE).map((row) => ({ ...row, paused: 0 })),
    );
  }
}

/**
 * Stores the next times and requests the runs in one transaction. `decide` returns the outcome, or null if another
 * process is responsible for the schedule. Each time in a schedule is claimed only once, even if many processes claim
 * times.
 */
export async function claimDueTimes(
  trx: ActorTransaction,
  now: number,
  decide: (row: ScheduleRecord) => ClaimedTime | null,
  after: string | null,
): Promise<string | null> {
  const rows = await trx
    .selectFrom('schedules')
    .selectAll()
    .where('paused', '=', 0)
    .where('next_run_at', '<=', now)
    .$if(after !== null, (query) => query.where('integration_id', '>', after ?? ''))
    .orderBy('integration_id')
    .limit(PAGE)
    // Postgres skips times that another process is claiming. SQLite waits for the other process.
    .$if(isPostgres(trx), (query) => query.forUpdate().skipLocked())
    .execute()
    .then(fromRows);
  const claimed = rows.flatMap((row) => decide(row) ?? []);
  await recordNext(
    trx,
    claimed.map(({ row, nextRunAt }) => ({ ...row, nextRunAt })),
  );
  const runs = claimed.flatMap(({ row: { integrationId }, runId }) =>
    runId === null ? [] : [{ integrationId, runId }],
  );
  await addScheduledRuns(trx, runs, now);
  if (runs.length > 0)
    await trx.asked(
      trx,
      runs.map(({ integrationId }) => ({ integrationId, isUrgent: false })),
    );
  return rows.length < PAGE ? null : (rows.at(-1)?.integrationId ?? null);
}

/** Pauses a schedule until a user resumes it. */
export async function savePause(trx: ActorTransaction, integrationId: string): Promise<void> {
  await trx
    .updateTable('schedules')
    .set({ paused: 1 })
    .where('integration_id', '=', integrationId)
    .execute();
  await recordEntry(trx, { action: 'schedule.paused', integrationId });
}

/** Ends a pause. Times that passed during the pause are skipped. */
export async function endPause(
  trx: ActorTransaction,
  integrationId: string,
  nextRunAt: number | null,
): Promise<void> {
  await trx
    .updateTable('schedules')
    .set({ paused: 0, next_run_at: nextRunAt })
    .where('integration_id', '=', integrationId)
    .where('paused', '=', 1)
    .execute();
  await recordEntry(trx, { action: 'schedule.resumed', integrationId });
}

/** Deletes the schedule of an integration that runs only on request. */
export async function deleteSchedule(
  connection: TimedConnection,
  integrationId: string,
): Promise<void> {
  await connection.deleteFrom('schedules').where('integration_id', '=', integrationId).execute();
}

async function recordNext(connection: Database, rows: readonly ScheduleRecord[]): Promise<void> {
  if (rows.length === 0) return;
  await connection
    .insertInto('schedules')
    .values(
      rows.map(({ integrationId, rule, nextRunAt, paused }) => ({
        integration_id: integrationId,
        rule,
        next_run_at: nextRunAt,
        paused,
      })),
    )
    .onConflict((c) =>
      c.column('integration_id').doUpdateSet((eb) => ({
        rule: eb.ref('excluded.rule'),
        next_run_at: eb.ref('excluded.next_run_at'),
      })),
    )
    .execute();
}

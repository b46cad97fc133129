import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { RecordEntry } from '../audit/record.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import type { SchedulesTable } from '../engine/service-tables.ts';
import type { Database } from '../engine/tables.ts';
import { addRunRequest, type NewRunRequest, runAsked } from './run-requests.ts';

export type ScheduleRecord = FromRow<Selectable<SchedulesTable>>;

/** When each integration runs next; a time is claimed by the process that ticks first. */
export function scheduleQueries(db: Database, clock: Clock, record: RecordEntry) {
  return {
    list(): Promise<ScheduleRecord[]> {
      return db
        .selectFrom('schedules')
        .selectAll()
        .orderBy('integration_id')
        .execute()
        .then(fromRows);
    },

    find(integrationId: string): Promise<ScheduleRecord | undefined> {
      return db
        .selectFrom('schedules')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    /** Notes when a rule comes true next; a pause stays. */
    async plan(integrationId: string, rule: string, nextRunAt: number | null): Promise<void> {
      await db
        .insertInto('schedules')
        .values({ integration_id: integrationId, rule, next_run_at: nextRunAt, paused: 0 })
        .onConflict((c) => c.column('integration_id').doUpdateSet({ rule, next_run_at: nextRunAt }))
        .execute();
    },

    /** Schedules whose time has come and that are not paused. */
    listDue(): Promise<ScheduleRecord[]> {
      return db
        .selectFrom('schedules')
        .selectAll()
        .where('paused', '=', 0)
        .where('next_run_at', '<=', clock.now())
        .orderBy('next_run_at')
        .orderBy('integration_id')
        .execute()
        .then(fromRows);
    },

    /**
     * Takes a time that has come: notes the next one and, in the same transaction, the run that is
     * wanted (null: none). Returns false if another process took it, or if it was paused or planned
     * anew meanwhile.
     */
    claim(
      row: ScheduleRecord,
      nextRunAt: number | null,
      request: NewRunRequest | null,
    ): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('schedules')
          .set({ next_run_at: nextRunAt })
          .where('integration_id', '=', row.integrationId)
          .where('rule', '=', row.rule)
          .where('next_run_at', '=', row.nextRunAt)
          .where('paused', '=', 0)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        if (request === null) return true;
        const runId = await addRunRequest(trx, request, clock.now());
        await record(trx, runAsked({ ...request, runId }, null));
        return true;
      });
    },

    async pause(integrationId: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('schedules')
          .set({ paused: 1 })
          .where('integration_id', '=', integrationId)
          .execute();
        await record(trx, { action: 'schedule.paused', integrationId });
      });
    },

    /** Ends a pause; what came due meanwhile is not made up for. */
    async resume(integrationId: string, nextRunAt: number | null): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('schedules')
          .set({ paused: 0, next_run_at: nextRunAt })
          .where('integration_id', '=', integrationId)
          .where('paused', '=', 1)
          .execute();
        await record(trx, { action: 'schedule.resumed', integrationId });
      });
    },

    /** Drops the schedule of an integration that runs only by hand. */
    async drop(integrationId: string): Promise<void> {
      await db.deleteFrom('schedules').where('integration_id', '=', integrationId).execute();
    },
  };
}

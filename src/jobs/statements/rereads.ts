import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { RunsAsked } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import { prepared } from '../../database/prepared.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';
import { addRunRequest } from '../../sync/statements/run-requests.ts';

export type RereadRecord = FromRow<Selectable<Tables['rereads']>>;

const rereads = prepared((db) => db.selectFrom('rereads').selectAll().compile());

/** What is to be read again, since the CRM finds changes only after a while. */
export function rereadQueries(db: Database, clock: Clock, asked: RunsAsked) {
  return {
    /** Something was called for now: what has changed is read again later. */
    async note(integrationId: string): Promise<void> {
      const fresh = { called_at: clock.now(), times: 0 };
      await db
        .insertInto('rereads')
        .values({ integration_id: integrationId, ...fresh })
        .onConflict((c) => c.column('integration_id').doUpdateSet(fresh))
        .execute();
    },

    list(): Promise<RereadRecord[]> {
      return rereads(db, {}).then(({ rows }) => fromRows(rows));
    },

    /**
     * Asks for a run over what has changed, which is the last one if `isLast`. Another process may
     * have asked for it, or another call have come: then nothing is done.
     */
    async ask(
      { integrationId, calledAt, times }: RereadRecord,
      { runId, isLast }: { runId: string; isLast: boolean },
    ): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('rereads')
          .set({ times: times + 1 })
          .where('integration_id', '=', integrationId)
          .where('called_at', '=', calledAt)
          .where('times', '=', times)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        if (isLast) {
          await trx.deleteFrom('rereads').where('integration_id', '=', integrationId).execute();
        }
        const hook = await trx
          .selectFrom('hooks')
          .select('opens_at as notBefore')
          .where('integration_id', '=', integrationId)
          .executeTakeFirst();
        const request = { integrationId, contact: null, full: false, runId, ...hook };
        await addRunRequest(trx, { ...request, trigger: 'webhook' }, clock.now());
        await asked(trx, [{ integrationId, isUrgent: true }]);
      });
    },

    /** Forgets what is to be read again, for an integration that is gone from the settings. */
    async drop(integrationId: string): Promise<void> {
      await db.deleteFrom('rereads').where('integration_id', '=', integrationId).execute();
    },
  };
}

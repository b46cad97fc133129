import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { AlertsTable } from '../engine/service-tables.ts';
import type { Database } from '../engine/tables.ts';

export type AlertRow = Selectable<AlertsTable>;

/** What people were told of, so that each change of state is told once. */
export function alertQueries(db: Database, clock: Clock) {
  return {
    list(): Promise<AlertRow[]> {
      return db
        .selectFrom('alerts')
        .selectAll()
        .orderBy('integration_id')
        .orderBy('subject')
        .execute();
    },

    /** Something is the matter; it began now unless it lasts already. */
    async raise(integrationId: string, subject: string): Promise<void> {
      const fresh = { since: clock.now(), told_at: null, over_at: null };
      await db
        .insertInto('alerts')
        .values({ integration_id: integrationId, subject, ...fresh })
        .onConflict((c) =>
          c
            .columns(['integration_id', 'subject'])
            .doUpdateSet(fresh)
            .where('alerts.over_at', 'is not', null),
        )
        .execute();
    },

    /** It is well again; people are to be told of that too. */
    async end(integrationId: string, subject: string): Promise<void> {
      await db
        .updateTable('alerts')
        .set({ over_at: clock.now(), told_at: null })
        .where('integration_id', '=', integrationId)
        .where('subject', '=', subject)
        .where('over_at', 'is', null)
        .execute();
    },

    async noteTold({ integration_id, subject }: AlertRow): Promise<void> {
      await db
        .updateTable('alerts')
        .set({ told_at: clock.now() })
        .where('integration_id', '=', integration_id)
        .where('subject', '=', subject)
        .execute();
    },
  };
}

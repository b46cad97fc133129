import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';

/** A problem, and what was sent of it. */
export type AlertRecord = FromRow<Omit<Selectable<Tables['alerts']>, 'told_at'>> & {
  /** When people were notified; null while sending has not succeeded. */
  sentAt: number | null;
};

/** No integration can have this id: the row of the audit's end. */
const AUDIT = '*audit';

/** Problems of one integration that are shown. */
const KEPT_SHOWN = 50;

/** What alerts were sent, so that each change of state is sent once. */
export function alertQueries(db: Database, clock: Clock) {
  return {
    list(): Promise<AlertRecord[]> {
      return db
        .selectFrom('alerts')
        .selectAll()
        .orderBy('integration_id')
        .orderBy('subject')
        .execute()
        .then((rows) => rows.map(({ told_at: sentAt, ...row }) => ({ ...fromRow(row), sentAt })));
    },

    /** What there was about an integration, the newest first; one row of a subject. */
    async listByIntegration(integrationId: string): Promise<AlertRecord[]> {
      const rows = await db
        .selectFrom('alerts')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .orderBy('since', 'desc')
        .limit(KEPT_SHOWN)
        .execute();
      return rows.map(({ told_at: sentAt, ...row }) => ({ ...fromRow(row), sentAt }));
    },

    /** A problem; it began now unless it is on record already. */
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

    /** The problem is over; that is to be sent too. */
    async end(integrationId: string, subject: string): Promise<void> {
      await db
        .updateTable('alerts')
        .set({ over_at: clock.now(), told_at: null })
        .where('integration_id', '=', integrationId)
        .where('subject', '=', subject)
        .where('over_at', 'is', null)
        .execute();
    },

    /** The end of the audit that was sent last; null if none was. */
    async findSentEnd(): Promise<{ at: number; seq: number; hash: string } | null> {
      const row = await db
        .selectFrom('alerts')
        .select(['subject', 'since'])
        .where('integration_id', '=', AUDIT)
        .orderBy('since', 'desc')
        .limit(1)
        .executeTakeFirst();
      const [, seq, hash] = /^(\d+):(.+)$/.exec(row?.subject ?? '') ?? [];
      if (row === undefined || seq === undefined || hash === undefined) return null;
      return { at: row.since, seq: Number(seq), hash };
    },

    /** People have this end of the audit; it takes the place of the one before. */
    async noteSentEnd({ seq, hash }: { seq: number; hash: string }): Promise<void> {
      const now = clock.now();
      const row = { integration_id: AUDIT, subject: `${seq}:${hash}` };
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('alerts').where('integration_id', '=', AUDIT).execute();
        await trx
          .insertInto('alerts')
          .values({ ...row, since: now, told_at: now, over_at: now })
          .execute();
      });
    },

    async noteSent({ integrationId, subject }: AlertRecord): Promise<void> {
      await db
        .updateTable('alerts')
        .set({ told_at: clock.now() })
        .where('integration_id', '=', integrationId)
        .where('subject', '=', subject)
        .execute();
    },
  };
}

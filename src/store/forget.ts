import { SqliteAdapter, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Fingerprint } from './fingerprint.ts';
import { forgetIntroducer } from './forget-introducer.ts';
import type { Database } from './tables.ts';

/** Erasing a person, and knowing afterwards whom never to take up again. */
export function forgetQueries(db: Database, clock: Clock, fingerprint: Fingerprint) {
  return {
    /**
     * Erases a contact from every table and remembers, by a fingerprint alone, never to take it
     * up again. What was paid stays on record without saying for whom. False if nothing was known.
     */
    erase(integrationId: string, crmId: string): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        await forgetIntroducer(trx, integrationId, crmId);
        const known = await trx
          .deleteFrom('contacts')
          .where('integration_id', '=', integrationId)
          .where('crm_id', '=', crmId)
          .executeTakeFirst();
        for (const table of ['writes', 'holds', 'network_wanted', 'warm_paths'] as const) {
          await trx
            .deleteFrom(table)
            .where('integration_id', '=', integrationId)
            .where('crm_id', '=', crmId)
            .execute();
        }
        // Any text of the integration may name the person: a duplicate rule names the other contact.
        await trx.deleteFrom('foreign_texts').where('integration_id', '=', integrationId).execute();
        await trx
          .deleteFrom('run_requests')
          .where('integration_id', '=', integrationId)
          .where('contact', '=', crmId)
          .execute();
        await trx
          .updateTable('runs')
          .set({ contact: null })
          .where('integration_id', '=', integrationId)
          .where('contact', '=', crmId)
          .execute();
        await trx
          .updateTable('jobs')
          .set({ crm_id: '', identity: '', person: null })
          .where('integration_id', '=', integrationId)
          .where('crm_id', '=', crmId)
          .execute();
        await trx
          .insertInto('forgotten')
          .values({
            integration_id: integrationId,
            crm_id_fingerprint: fingerprint('forgotten', crmId),
            forgotten_at: clock.now(),
          })
          .onConflict((c) => c.doNothing())
          .execute();
        return known.numDeletedRows > 0n;
      });
    },

    /**
     * Empties SQLite's write-ahead log, which still holds the pages as they were before an erasure.
     * Does nothing on Postgres; a reader in another process leaves it to the next time.
     */
    async emptyLog(): Promise<void> {
      if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return;
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },

    /** Fingerprints of the contacts of an integration that must not be taken up again. */
    async listForgotten(integrationId: string): Promise<Set<string>> {
      const rows = await db
        .selectFrom('forgotten')
        .select('crm_id_fingerprint')
        .where('integration_id', '=', integrationId)
        .execute();
      return new Set(rows.map((row) => row.crm_id_fingerprint));
    },
  };
}

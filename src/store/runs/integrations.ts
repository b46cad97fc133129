import type { RecordEntry } from '../audit/record.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import type { Database } from '../engine/tables.ts';

/** What is remembered of an integration between runs. */
export interface IntegrationState {
  crmAccount: string | null;
  cursor: string | null;
  cursorScope: string | null;
  /** JSON: the sources of identities that were ever readable; null before the first run. */
  identitySources: string | null;
}

/** What is kept of each integration: its CRM account, how far it has read, its sealed settings. */
export function integrationQueries(db: Database, checkpoint: Checkpoint, record: RecordEntry) {
  return {
    async findState(id: string): Promise<IntegrationState> {
      const row = await db
        .selectFrom('integrations')
        .select(['crm_account', 'cursor', 'cursor_scope', 'identity_sources'])
        .where('id', '=', id)
        .executeTakeFirst();
      return {
        crmAccount: row?.crm_account ?? null,
        cursor: row?.cursor ?? null,
        cursorScope: row?.cursor_scope ?? null,
        identitySources: row?.identity_sources ?? null,
      };
    },

    /** Every integration that was ever pinned to the CRM account of this one, itself included. */
    async listOfSameAccount(id: string): Promise<string[]> {
      const rows = await db
        .selectFrom('integrations')
        .select('id')
        .where('crm_account', '=', (eb) =>
          eb
            .selectFrom('integrations as self')
            .select('self.crm_account')
            .where('self.id', '=', id),
        )
        .orderBy('id')
        .execute();
      return [...new Set([id, ...rows.map((row) => row.id)])];
    },

    /** Puts on record which sources of identities were ever readable. */
    async saveIdentitySources(lease: Lease, identitySources: string): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('integrations')
          .set({ identity_sources: identitySources })
          .where('id', '=', lease.integrationId)
          .execute(),
      );
    },

    /** Pins the CRM account (its fingerprint) that the integration's contacts belong to. */
    async pinAccount(lease: Lease, crmAccount: string): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('integrations')
          .set({ crm_account: crmAccount })
          .where('id', '=', lease.integrationId)
          .execute(),
      );
    },

    /** Starts reading from the beginning, with this scope of reading. */
    async resetCursor(lease: Lease, scope: string): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('integrations')
          .set({ cursor: null, cursor_scope: scope })
          .where('id', '=', lease.integrationId)
          .execute(),
      );
    },

    /** Sealed settings of the integrations that live in the database, by id. */
    async listSealedSettings(): Promise<{ id: string; settings: string }[]> {
      const rows = await db
        .selectFrom('integrations')
        .select(['id', 'settings'])
        .where('settings', 'is not', null)
        .orderBy('id')
        .execute();
      return rows.flatMap(({ id, settings }) => (settings === null ? [] : [{ id, settings }]));
    },

    /** Puts sealed settings of an integration into the database. */
    async saveSealedSettings(id: string, settings: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('integrations')
          .values({ id, settings, run_epoch: 0 })
          .onConflict((c) => c.column('id').doUpdateSet({ settings }))
          .execute();
        await record(trx, { action: 'settings.applied', integrationId: id });
      });
    },
  };
}

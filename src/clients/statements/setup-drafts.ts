import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';
import type { RecordEntry } from '../../privacy/audit/record.ts';

export type SetupDraftRecord = FromRow<Selectable<Tables['setup_drafts']>>;

/** A set-up that is not taken up again for so long is dropped. */
export const SETUP_KEPT_MS = 30 * 86_400_000;

/** More are begun by no person. */
const MOST_DRAFTS = 200;

/** Integrations that are being set up in a browser. */
export function setupDraftQueries(db: Database, clock: Pick<Clock, 'now'>, record: RecordEntry) {
  const oldest = () => clock.now() - SETUP_KEPT_MS;
  return {
    /** Puts down a new one; false if there is one of that id already. */
    begin(integrationId: string, draft: string): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const values = { draft, version: 1, updated_at: clock.now() };
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('setup_drafts')
          .values({ integration_id: integrationId, ...values })
          .onConflict((c) => c.column('integration_id').doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows !== 1n) return false;
        await record(trx, { action: 'setup.begun', integrationId });
        return true;
      });
    },

    /** Replaces the one that was read; false if it was changed or dropped meanwhile. */
    async save({
      integrationId,
      version,
      draft,
    }: Omit<SetupDraftRecord, 'updatedAt'>): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('setup_drafts')
        .set({ draft, version: version + 1, updated_at: clock.now() })
        .where('integration_id', '=', integrationId)
        .where('version', '=', version)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    find(integrationId: string): Promise<SetupDraftRecord | undefined> {
      return db
        .selectFrom('setup_drafts')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .where('updated_at', '>', oldest())
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    /** Those that are under way, the latest first. */
    async list(): Promise<SetupDraftRecord[]> {
      const rows = await db
        .selectFrom('setup_drafts')
        .selectAll()
        .where('updated_at', '>', oldest())
        .orderBy('updated_at', 'desc')
        .limit(MOST_DRAFTS)
        .execute();
      return fromRows(rows);
    },

    /** Those that were left for too long. */
    async listOld(): Promise<SetupDraftRecord[]> {
      const rows = await db
        .selectFrom('setup_drafts')
        .selectAll()
        .where('updated_at', '<=', oldest())
        .execute();
      return fromRows(rows);
    },

    /** Forgets one; what was made of it stays. */
    async remove(integrationId: string, why: 'finished' | 'dropped' | 'old'): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('setup_drafts')
          .where('integration_id', '=', integrationId)
          .executeTakeFirst();
        if (numDeletedRows === 0n || why === 'finished') return;
        await record(trx, { action: 'setup.dropped', integrationId, details: { why } });
      });
    },

    /** True if anything is known of an integration of this id, or one is being set up. */
    async isTaken(integrationId: string): Promise<boolean> {
      const [known, draft] = await Promise.all([
        db
          .selectFrom('integrations')
          .select('id')
          .where('id', '=', integrationId)
          .executeTakeFirst(),
        db
          .selectFrom('setup_drafts')
          .select('integration_id')
          .where('integration_id', '=', integrationId)
          .executeTakeFirst(),
      ]);
      return known !== undefined || draft !== undefined;
    },
  };
}

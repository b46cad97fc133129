import type { Clock } from '../../core/clock.ts';
import type { Checkpoint, Lease } from '../../database/leases.ts';
import type { Database } from '../../database/tables/tables.ts';

/** A field whose values the CRM's own automation changes after a write. */
export interface NormalisedField {
  field: string;
  /** Epoch ms. */
  noticedAt: number;
}

/** Which fields of an integration's CRM are changed by automation after each write. */
export function normalisedFieldQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    async list(integrationId: string): Promise<NormalisedField[]> {
      const rows = await db
        .selectFrom('normalised_fields')
        .select(['field', 'noticed_at'])
        .where('integration_id', '=', integrationId)
        .orderBy('field')
        .execute();
      return rows.map((row) => ({ field: row.field, noticedAt: row.noticed_at }));
    },

    /** When a run last noticed that another tool writes as the same user of the CRM (epoch ms); null for never. */
    async findOtherTool(integrationId: string): Promise<number | null> {
      const row = await db
        .selectFrom('integrations')
        .select('other_tool_at')
        .where('id', '=', integrationId)
        .executeTakeFirst();
      return row?.other_tool_at ?? null;
    },

    /** Another tool writes as the same user of the CRM. */
    async noteOtherTool(lease: Lease): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('integrations')
          .set({ other_tool_at: clock.now() })
          .where('id', '=', lease.integrationId)
          .execute(),
      );
    },

    /** Marks fields; one that is marked already keeps the time of its first mark. */
    async record(lease: Lease, fields: readonly string[]): Promise<void> {
      if (fields.length === 0) return;
      const rows = fields.map((field) => ({
        integration_id: lease.integrationId,
        field,
        noticed_at: clock.now(),
      }));
      await checkpoint(lease, (trx) =>
        trx
          .insertInto('normalised_fields')
          .values(rows)
          .onConflict((c) => c.doNothing())
          .execute(),
      );
    },
  };
}

import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';

/** A field whose values the CRM's own automation changes after a write. */
export interface NormalisedField {
  field: string;
  /** When the change was first noticed (epoch ms). */
  noticedAt: number;
}

/** Returns the fields of an integration's CRM that automation changes after each write. */
export async function listNormalisedFields(
  reader: Reader,
  integrationId: string,
): Promise<NormalisedField[]> {
  const rows = await reader
    .selectFrom('normalised_fields')
    .select(['field', 'noticed_at'])
    .where('integration_id', '=', integrationId)
    .orderBy('field')
    .execute();
  return rows.map((row) => ({ field: row.field, noticedAt: row.noticed_at }));
}

/**
 * Returns when a run last noticed that another tool writes as the same CRM user (epoch ms), or null if this was never
 * noticed.
 */
export async function findOtherTool(reader: Reader, integrationId: string): Promise<number | null> {
  const row = await reader
    .selectFrom('integrations')
    .select('other_tool_at')
    .where('id', '=', integrationId)
    .executeTakeFirst();
  return row?.other_tool_at ?? null;
}

/** Records that another tool writes as the same CRM user. */
export async function noteOtherTool(trx: RunTransaction): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ other_tool_at: trx.clock.now() })
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

/** Marks fields, at least one. If a field is already marked, it keeps the time of its first mark. */
export async function recordNormalisedFields(
  trx: RunTransaction,
  fields: readonly string[],
): Promise<void> {
  const rows = fields.map((field) => ({
    integration_id: trx.lease.integrationId,
    field,
    noticed_at: trx.clock.now(),
  }));
  await trx
    .insertInto('normalised_fields')
    .values(rows)
    .onConflict((c) => c.doNothing())
    .execute();
}

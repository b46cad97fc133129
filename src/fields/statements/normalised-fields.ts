import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';

export interface NormalisedField {
  field: string;
  noticedAt: number;
}

/** Returns the fields whose values the CRM's automation changes after writes. */
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
 * Returns the last time at which another tool used the same CRM user to write (epoch ms). Null if this never happened.
 */
export async function findOtherTool(reader: Reader, integrationId: string): Promise<number | null> {
  const row = await reader
    .selectFrom('integrations')
    .select('other_tool_at')
    .where('id', '=', integrationId)
    .executeTakeFirst();
  return row?.other_tool_at ?? null;
}

/** Records that another tool uses the same CRM user to write. */
export async function noteOtherTool(trx: RunTransaction): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ other_tool_at: trx.clock.now() })
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

/** Marks fields, at least one. A field keeps the time of its first mark. */
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

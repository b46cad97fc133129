import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';

export interface NormalisedField {
  field: string;
  noticedAt: number;
}

/** Returns the fields whose values automation changes after writes. */
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

/** Returns when another tool was last seen writing as our CRM user (epoch ms). Null if never. */
export async function findOtherTool(reader: Reader, integrationId: string): Promise<number | null> {
  const row = await reader
    .selectFrom('integrations')
    .select('other_tool_at')
    .where('id', '=', integrationId)
    .executeTakeFirst();
  return row?.other_tool_at ?? null;
}

/** Another tool writes as our CRM user. */
export async function noteOtherTool(trx: RunTransaction): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ other_tool_at: trx.clock.now() })
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

/** Marks at least one field. Keeps the time of a field's first mark. */
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

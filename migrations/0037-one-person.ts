/**
 * Whose values stand in a contact, and which fields the CRM's automation changes; `src/store/engine/tables.ts`
 * describes the columns.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['values_donor', 'values_identity']) {
    await db.schema.alterTable('contacts').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('writes').addColumn('donor_before', 'text').execute();
  await sql`update contacts set values_donor = donor_id,
      values_identity = case when asked_identity = '' then identity else asked_identity end
    where donor_id is not null and owned_values <> '{}'`.execute(db);
  await db.schema
    .createTable('normalised_fields')
    .addColumn('integration_id', 'text', (column) => column.notNull())
    .addColumn('field', 'text', (column) => column.notNull())
    .addColumn('noticed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('normalised_fields_pk', ['integration_id', 'field'])
    .execute();
}

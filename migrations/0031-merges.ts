/** Which contact another one became a part of; `src/store/engine/tables.ts` says what it is for. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('contacts').addColumn('merged_into', 'text').execute();
  // Few contacts are merged: an index of all would cost each first sync.
  await db.schema
    .createIndex('contacts_by_heir')
    .on('contacts')
    .columns(['integration_id', 'merged_into'])
    .where(sql.ref('merged_into'), 'is not', null)
    .execute();
}

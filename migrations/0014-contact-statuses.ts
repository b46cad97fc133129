/** Where the CRM says that a contact stands; `src/store/engine/status-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('contact_statuses')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('seen', 'text', (c) => c.notNull())
    .addColumn('status', 'text')
    .addPrimaryKeyConstraint('contact_statuses_key', ['integration_id', 'crm_id'])
    .execute();
}

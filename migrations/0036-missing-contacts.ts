/** Since when a contact is missing from its CRM; `src/store/engine/tables.ts` says what each column means. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('contacts').addColumn('missing_since', 'bigint').execute();
  await db.schema
    .createIndex('contacts_missing')
    .on('contacts')
    .columns(['integration_id', 'crm_id'])
    .where(sql.ref('missing_since'), 'is not', null)
    .execute();
  await db.schema.alterTable('integrations').addColumn('list_scope', 'text').execute();
  await db.schema
    .createIndex('missing_contacts_to_wait_for')
    .on('holds')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'contacts_missing' and decision = 'rejected'`)
    .execute();
  // That a contact is missing is a second question: its profile or its details can be in question as well.
  await db.schema.dropIndex('one_open_hold_for_each_contact').execute();
  await db.schema
    .createIndex('one_open_hold_for_each_contact')
    .unique()
    .on('holds')
    .expression(
      sql`integration_id, crm_id, (case when kind = 'contacts_missing' then 1 else 0 end)`,
    )
    .where(sql.ref('decision'), 'is', null)
    .execute();
}

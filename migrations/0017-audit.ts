/** Who did what; `src/store/engine/audit-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entries')
    .addColumn('seq', 'bigint', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('integration_id', 'text')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text')
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('audit_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addUniqueConstraint('audit_keys_by_contact', ['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createTable('audit_head')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('mark', 'text', (c) => c.notNull())
    .addColumn('purged_seq', 'bigint', (c) => c.notNull())
    .addColumn('purged_hash', 'text')
    .addColumn('purged_mark', 'text')
    .execute();
  for (const [name, columns] of [
    ['audit_entries_by_time', ['at']],
    ['audit_entries_by_integration', ['integration_id', 'seq']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('audit_entries')
      .columns([...columns])
      .execute();
  }
}

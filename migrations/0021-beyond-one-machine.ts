/**
 * That a store moves to a server, and which settings have changed last; `src/store/engine/service-tables.ts` and
 * `tables.ts` say what each column means.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('moves')
    .addColumn('role', 'text', (c) => c.primaryKey())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('other', 'text', (c) => c.notNull())
    .addColumn('done_at', 'bigint')
    .execute();
  await db.schema
    .alterTable('integrations')
    .addColumn('settings_version', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('integrations_by_settings')
    .on('integrations')
    .columns(['settings_version', 'id'])
    .execute();
}

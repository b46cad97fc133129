/** Set-ups in a browser that are not finished; `src/store/engine/service-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('setup_drafts')
    .addColumn('integration_id', 'text', (c) => c.primaryKey())
    .addColumn('draft', 'text', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
}

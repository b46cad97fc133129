/** What webhooks name and what is read again; `src/store/engine/service-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('hooks')
    .addColumn('ignored_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('rereads')
    .addColumn('integration_id', 'text', (c) => c.primaryKey())
    .addColumn('called_at', 'bigint', (c) => c.notNull())
    .addColumn('times', 'integer', (c) => c.notNull())
    .execute();
}

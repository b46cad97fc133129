/** Integrations that spend nothing before a person agrees; `src/store/engine/service-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('restore_holds')
    .addColumn('integration_id', 'text', (c) => c.primaryKey())
    .addColumn('made_at', 'bigint')
    .addColumn('why', 'text', (c) => c.notNull())
    .addColumn('held_at', 'bigint', (c) => c.notNull())
    .execute();
}

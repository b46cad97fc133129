/** What waits for a second person; `src/store/engine/service-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('approvals')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text')
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('asked', 'text', (c) => c.notNull())
    .addColumn('asked_at', 'bigint', (c) => c.notNull())
    .addColumn('runs_out_at', 'bigint', (c) => c.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('confirmed_by', 'text')
    .execute();
  await db.schema
    .createIndex('one_approval_of_the_same')
    .unique()
    .on('approvals')
    .columns(['integration_id', 'digest'])
    .execute();
}

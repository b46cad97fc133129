/** The tables of warm paths; `src/store/engine/warm-path-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('warm_paths')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('donor_id', 'text', (c) => c.notNull())
    .addColumn('stale', 'integer', (c) => c.notNull())
    .addColumn('computed_at', 'bigint', (c) => c.notNull())
    .addColumn('strength_millionths', 'integer')
    .addColumn('people', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('introducer_id', 'text')
    .addColumn('network_id', 'text')
    .addColumn('connecting', 'text')
    .addColumn('told', 'text')
    .addPrimaryKeyConstraint('warm_paths_key', ['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('warm_paths_to_compute')
    .on('warm_paths')
    .columns(['integration_id', 'stale', 'computed_at', 'donor_id', 'crm_id'])
    .execute();
  await db.schema
    .createTable('warm_path_scopes')
    .addColumn('integration_id', 'text', (c) => c.primaryKey())
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('members', 'text', (c) => c.notNull())
    .execute();
}

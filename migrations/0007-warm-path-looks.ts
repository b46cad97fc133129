/** When warm paths were compared, and at what cost; `src/store/engine/warm-path-tables.ts` says the rest. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('warm_path_scopes').addColumn('looked_epoch', 'integer').execute();
  await db.schema
    .createTable('warm_path_costs')
    .addColumn('run_id', 'text', (c) => c.primaryKey())
    .addColumn('bucket', 'text', (c) => c.notNull())
    .addColumn('credits', 'bigint', (c) => c.notNull())
    .execute();
}

/** Warm paths, and the credits that were spent on them. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey, zeroAtFirst } from './columns.ts';

export async function createPathTables(db: Kysely<unknown>): Promise<void> {
  await createWarmPaths(db);
  await createWarmPathScopes(db);
  await createWarmPathCosts(db);
  await createQueryIntents(db);
}

async function createWarmPaths(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('warm_paths')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('donor_id', 'text', notNull)
    .addColumn('stale', 'integer', notNull)
    .addColumn('computed_at', 'bigint', notNull)
    .addColumn('found_at', 'bigint')
    .addColumn('strength_millionths', 'integer')
    .addColumn('people', 'integer', zeroAtFirst)
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
    .createIndex('warm_paths_by_age')
    .on('warm_paths')
    .columns(['integration_id', 'found_at'])
    .where(sql<boolean>`found_at is not null`)
    .execute();
  await db.schema
    .createIndex('warm_paths_by_strength')
    .on('warm_paths')
    .columns(['integration_id', 'strength_millionths', 'crm_id'])
    .where(sql<boolean>`introducer_id is not null`)
    .execute();
}

async function createWarmPathScopes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('warm_path_scopes')
    .addColumn('integration_id', 'text', primaryKey)
    .addColumn('settings', 'text', notNull)
    .addColumn('members', 'text', notNull)
    .addColumn('looked_epoch', 'integer')
    .execute();
}

async function createWarmPathCosts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('warm_path_costs')
    .addColumn('run_id', 'text', primaryKey)
    .addColumn('bucket', 'text', notNull)
    .addColumn('credits', 'bigint', notNull)
    .execute();
}

async function createQueryIntents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('query_intents')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('run_id', 'text', notNull)
    .addColumn('bucket', 'text', notNull)
    .addColumn('credits', 'integer', notNull)
    .addColumn('balance_before', 'bigint', notNull)
    .addColumn('intended_at', 'bigint', notNull)
    .execute();
}

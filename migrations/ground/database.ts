/**
 * Secrets by name, and events that concern the whole database. An example is a move to another database or a restore
 * from a backup.
 */
import type { Kysely } from 'kysely';
import { notNull, primaryKey } from './columns.ts';

export async function createDatabaseTables(db: Kysely<unknown>): Promise<void> {
  await createSecrets(db);
  await createMoves(db);
  await createRestoreHolds(db);
}

async function createSecrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('name', 'text', primaryKey)
    .addColumn('value', 'text', notNull)
    .execute();
}

async function createMoves(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('moves')
    .addColumn('role', 'text', primaryKey)
    .addColumn('id', 'text', notNull)
    .addColumn('other', 'text', notNull)
    .addColumn('done_at', 'bigint')
    .execute();
}

async function createRestoreHolds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('restore_holds')
    .addColumn('integration_id', 'text', primaryKey)
    .addColumn('made_at', 'bigint')
    .addColumn('why', 'text', notNull)
    .addColumn('held_at', 'bigint', notNull)
    .addColumn('erasures_unknown_after', 'bigint')
    .addColumn('is_journaled', 'integer', notNull)
    .addColumn('agreed_at', 'bigint')
    .execute();
}

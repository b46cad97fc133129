/** Creates databases that this version recognises and refuses. */
import { type Kysely, sql } from 'kysely';
import { migrateToLatest } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/tables/tables.ts';

/**
 * Changes a database to the form of version 0.1.0. That version had many migrations and stored no hash of the first
 * migration.
 */
export async function version010<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`create table donor_sync_migration (name text primary key, timestamp text)`.execute(db);
  for (const name of ['0001-ground', '0002-shared-profiles', '0003-service']) {
    await sql`insert into donor_sync_migration (name, timestamp) values (${name}, '')`.execute(db);
  }
  await sql`create table contacts (crm_id text primary key)`.execute(db);
}

/** Changes a database to the form of another pre-release of 1.0.0. */
export async function otherGround(db: Database): Promise<void> {
  await migrateToLatest(db);
  await sql`update donor_sync_ground set hash = '0f0f0f'`.execute(db);
}

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import {
  ConfigurationError,
  type DonorSyncError,
  FatalError,
  isDonorSyncError,
  messageOf,
} from '../core/errors.ts';
import { requireGround, storingGround } from './ground.ts';
import { hasTable } from './has-table.ts';
import { MIGRATIONS, type MigrationList } from './migrations.ts';
import { overwriteErased } from './sqlite/erased-bytes.ts';
import { isPartMissing } from './store-error.ts';
import { requireHome } from './store-moves.ts';

/** A separate name, because a Postgres database may be shared with another program that uses Kysely. */
const MIGRATION_TABLE = 'donor_sync_migration';
const LOCK_TABLE = 'donor_sync_migration_lock';

/**
 * Migrates the schema to this program's version. Returns the names of the migrations that were applied, oldest first.
 * All of them run in one transaction, so a kill halfway changes nothing. If two processes start at the same time, one
 * of them waits and then finds nothing to do.
 *
 * Throws a ConfigurationError if the program cannot use the database (`requireUsable`), and a FatalError with the
 * migration's name if one fails.
 */
export async function migrateToLatest<Tables>(
  db: Kysely<Tables>,
  migrations: MigrationList = MIGRATIONS,
): Promise<string[]> {
  if ((await pendingMigrations(db, migrations)).length === 0) return [];
  return migrateWith(db, migrations);
}

/**
 * Migrates a database that a store moves into. Nothing else may use that database until the store has arrived. If the
 * database is new, `mark` records this in the transaction that creates its tables.
 */
export async function migrateTarget<Tables>(
  db: Kysely<Tables>,
  mark: (trx: Kysely<unknown>) => Promise<void>,
  migrations: MigrationList = MIGRATIONS,
): Promise<void> {
  await requireUsable(db, migrations);
  await migrateWith(db, migrations, mark);
}

async function migrateWith<Tables>(
  db: Kysely<Tables>,
  migrations: MigrationList,
  withGround?: (trx: Kysely<unknown>) => Promise<void>,
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...storingGround(migrations, withGround) }) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: LOCK_TABLE,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results.find((result) => result.status === 'Error');
    throw migrationFailed(error, failed?.migrationName);
  }
  // If a step has dropped data, the data must not remain in the file either. In a new database there was
  // nothing to drop.
  if (results.length < Object.keys(migrations).length) await overwriteErased(db);
  return results.map((result) => result.migrationName);
}

/**
 * Returns the names of the migrations that the database lacks, oldest first. Throws a ConfigurationError if the program
 * cannot use the database or if the store is elsewhere.
 */
export async function pendingMigrations<Tables>(
  db: Kysely<Tables>,
  migrations: MigrationList = MIGRATIONS,
): Promise<string[]> {
  const taken = await requireUsable(db, migrations);
  await requireHome(db);
  return Object.keys(migrations)
    .filter((name) => !taken.includes(name))
    .sort();
}

/**
 * Returns the names of the migrations that the database has. Changes nothing. Throws a ConfigurationError if the
 * database is from version 0.1.0, was created from another ground schema, or has a migration that this program does not
 * know. Any code that writes into a database, restores it or moves a store calls this first.
 */
export async function requireUsable<Tables>(
  db: Kysely<Tables>,
  migrations: MigrationList = MIGRATIONS,
): Promise<string[]> {
  const taken = await takenMigrations(db);
  if (taken.length === 0) return taken;
  await requireGround(db, migrations);
  const unknown = taken.find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined) throw databaseIsNewer(unknown);
  return taken;
}

async function takenMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  if (!(await hasTable(db, MIGRATION_TABLE))) return [];
  const taken = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(
    db,
  );
  return taken.rows.map((row) => row.name);
}

function databaseIsNewer(migration: string): ConfigurationError {
  return new ConfigurationError(
    `The database is newer than this program: it has the migration "${migration}". Install the version of donor-sync that created it, or a later version.`,
    { code: 'database_newer', details: { migration } },
  );
}

function migrationFailed(error: unknown, migration: string | undefined): DonorSyncError {
  // If a migration refers to a missing table, the migration itself is wrong.
  if (isDonorSyncError(error) && !isPartMissing(error)) return error;
  const subject = migration === undefined ? 'The migration' : `The migration "${migration}"`;
  return new FatalError(`${subject} failed: ${messageOf(error)}. The database was not changed.`, {
    code: 'migration_failed',
    cause: error,
    details: { migration: migration ?? null },
  });
}

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

/**
 * The table that lists the applied migrations. This table has its own name, because another program that uses Kysely
 * may share the Postgres database.
 */
const MIGRATION_TABLE = 'donor_sync_migration';
const LOCK_TABLE = 'donor_sync_migration_lock';

/**
 * Applies all missing migrations. Returns the applied migrations, oldest first. One transaction contains all of them,
 * so a killed process changes nothing. A second process waits and then finds no missing migration.
 *
 * Throws a ConfigurationError for an unusable database (`requireUsable`), and a FatalError with the name of a failed
 * migration.
 */
export async function migrateToLatest<Tables>(
  db: Kysely<Tables>,
  migrations: MigrationList = MIGRATIONS,
): Promise<string[]> {
  if ((await pendingMigrations(db, migrations)).length === 0) return [];
  return migrateWith(db, migrations);
}

/**
 * Prepares the target database of a move. No other process may use it before the move is complete. For a new database,
 * `mark` runs in the transaction that creates its tables.
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
  // The file must no longer contain deleted data. A new database contains no data to overwrite.
  if (results.length < Object.keys(migrations).length) await overwriteErased(db);
  return results.map((result) => result.migrationName);
}

/** Returns the missing migrations. Throws a ConfigurationError if the database is unusable or has been moved. */
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
 * Checks the database and changes nothing. Throws a ConfigurationError for a database from 0.1.0, with a different
 * first schema, or with an unknown migration. All code that writes, restores or moves calls this first.
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
  // If a table is missing, the migration has a defect.
  if (isDonorSyncError(error) && !isPartMissing(error)) return error;
  const subject = migration === undefined ? 'The migration' : `The migration "${migration}"`;
  return new FatalError(`${subject} failed: ${messageOf(error)}. The database was not changed.`, {
    code: 'migration_failed',
    cause: error,
    details: { migration: migration ?? null },
  });
}

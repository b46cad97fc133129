import { Kysely, sql } from 'kysely';
import type { Log } from '../core/log.ts';
import { silentLog } from '../core/log.ts';
import { parseDatabaseUrl } from './database-url.ts';
import type { openPostgres } from './postgres.ts';
import { neverReplaced, type RequireInPlace } from './sqlite/database-file.ts';
import { openSqlite } from './sqlite/sqlite.ts';

type OpenPostgres = typeof openPostgres;

/** An open database that has responded. */
export interface OpenDatabase<Tables> {
  /**
   * Runs single statements and `db.transaction()`. Inside a transaction, use only the transaction's own object. Using
   * this object there throws an error (see `guarded-driver.ts`).
   */
  db: Kysely<Tables>;
  kind: 'sqlite' | 'postgres';
  /** Rejects if someone has replaced the open SQLite file. */
  requireInPlace: RequireInPlace;
  /** Closes the database. Further calls do nothing. */
  close(): Promise<void>;
}

/**
 * Opens a database. Creates a missing SQLite file with its folder. `migrate.ts` creates the schema. The URL can be
 * `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 *
 * Throws a ConfigurationError with the fix if the database cannot be opened. Throws a RetriableError if the database is
 * busy.
 */
export async function openDatabase<Tables>(
  url: string,
  options: { log?: Log } = {},
): Promise<OpenDatabase<Tables>> {
  const location = parseDatabaseUrl(url);
  const { dialect, requireInPlace } =
    location.kind === 'sqlite'
      ? await openSqlite(location.path)
      : await openServer(location, options.log ?? silentLog);
  const driver = dialect.createDriver();
  const db = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => driver } });
  await sql`select 1`.execute(db);
  // Kysely does not close the connection pool, because it would answer later calls with its own messages.
  return { db, kind: location.kind, requireInPlace, close: () => driver.destroy() };
}

/** Opens a Postgres database. Other processes do not load the driver. */
async function openServer(...args: Parameters<OpenPostgres>) {
  const { openPostgres } = await import('./postgres.ts');
  // A Postgres server manages its own files, so nobody can replace them.
  return { dialect: await openPostgres(...args), requireInPlace: neverReplaced };
}

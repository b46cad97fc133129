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
  /** Rejects once the open SQLite file is no longer the file at its path. */
  requireInPlace: RequireInPlace;
  /** Closes all connections. Further calls do nothing. */
  close(): Promise<void>;
}

/**
 * Opens `sqlite:PATH` (creates a missing folder and file), `sqlite::memory:` or `postgres://…`. Does not create the
 * schema, which `migrate.ts` does.
 *
 * Throws a ConfigurationError with the fix if the URL is wrong, the file or folder cannot be used, or Postgres cannot
 * be reached. Throws a RetriableError if the database is only busy.
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
  // Not closed through Kysely, because Kysely would then reject all later calls with its own messages.
  return { db, kind: location.kind, requireInPlace, close: () => driver.destroy() };
}

/** Loads the driver only if a server is used, so other processes do not have it in memory. */
async function openServer(...args: Parameters<OpenPostgres>) {
  const { openPostgres } = await import('./postgres.ts');
  // A database server manages its files itself.
  return { dialect: await openPostgres(...args), requireInPlace: neverReplaced };
}

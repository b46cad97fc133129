import {
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import {
  ConfigurationError,
  isDonorSyncError,
  isRetriableError,
  messageOf,
} from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { parseExactInteger } from './exact-integer.ts';
import { guardDriver } from './guarded-driver.ts';
import { storeError } from './store-error.ts';

/**
 * What holds unless the URL says otherwise (`?statement_timeout=0`). The timeouts see to it that
 * a process that was stopped, or a query that went wrong, does not lock others out for ever.
 */
const POOL_DEFAULTS = {
  fallback_application_name: 'donor-sync',
  max: 10,
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  statement_timeout: 60_000,
  // One that stands still with a transaction open keeps its run from those that would take it over.
  idle_in_transaction_session_timeout: 15_000,
} satisfies pg.PoolConfig;

/** Type numbers of Postgres (`select oid, typname from pg_type`). */
const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** A dialect over a pool of connections, after one of them has answered. */
export async function openPostgres(
  location: { url: string; name: string },
  log: Log,
): Promise<Dialect> {
  const pool = createPool(location.url, log);
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw cannotOpen(error, location.name);
  }
  return {
    createDriver: () => guardDriver(new PostgresDriver({ pool })),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

function createPool(url: string, log: Log): pg.Pool {
  const pool = new pg.Pool({ ...POOL_DEFAULTS, connectionString: url, types: { getTypeParser } });
  // Without a listener a restart of Postgres would end this process, whether the connection is
  // idle (the pool reports it) or inside a transaction but between two queries (the client does).
  pool.on('error', reportLoss);
  pool.on('connect', (client) => client.on('error', reportLoss));

  function reportLoss(error: Error): void {
    log.warn({ error: error.message }, 'A connection to Postgres was lost; a new one follows.');
  }
  return pool;
}

/** Whole numbers arrive as numbers, the sums of them (which are numeric) included. */
export const getTypeParser: typeof pg.types.getTypeParser = (
  oid: number,
  format?: 'text' | 'binary',
) => {
  if (oid === INT8_OID) return parseExactInteger;
  if (oid === NUMERIC_OID) return parseNumeric;
  return pg.types.getTypeParser(oid, format);
};

function parseNumeric(text: string): number {
  return text.includes('.') ? Number(text) : parseExactInteger(text);
}

function cannotOpen(error: unknown, name: string): unknown {
  const translated = storeError(error);
  const isBusy = isRetriableError(translated) && error instanceof pg.DatabaseError;
  if (isBusy) return translated;
  const fix =
    isDonorSyncError(translated) && translated.code === 'database_access_refused'
      ? 'Check user, password and database name in the database setting.'
      : 'Check that Postgres is running there and that the database setting names the right host, port and TLS mode.';
  return new ConfigurationError(
    `The Postgres database ${name} cannot be opened: ${messageOf(error) || 'no answer'}. ${fix}`,
    { code: 'database_unreachable', cause: error },
  );
}

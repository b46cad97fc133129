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
} from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { guardDriver } from './guarded-driver.ts';
import { parseExactInteger } from './sqlite/exact-integer.ts';
import { storeError } from './store-error.ts';

/**
 * Default options of the connection pool, which the URL can override (`?statement_timeout=0`). A suspended process or a
 * faulty query must not block others forever.
 */
const POOL_DEFAULTS = {
  fallback_application_name: 'donor-sync',
  max: 10,
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  statement_timeout: 60_000,
  // A transaction that hangs would prevent other processes from taking over.
  idle_in_transaction_session_timeout: 15_000,
} satisfies pg.PoolConfig;

/** The numbers of Postgres types (`select oid, typname from pg_type`). */
const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** Opens a Postgres database. Resolves after a first connection has responded. */
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
  // Without this listener, a restart of Postgres would end this process. The client reports connections that are lost
  // within a transaction.
  pool.on('error', reportLoss);
  pool.on('connect', (client) => client.on('error', reportLoss));

  function reportLoss(error: Error): void {
    log.warn({ error: error.message }, 'A connection to Postgres was lost; a new one follows.');
  }
  return pool;
}

/** Converts integers and their sums (numeric) to numbers. */
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
  const isRefused = isDonorSyncError(translated) && translated.code === 'database_access_refused';
  const fix = isRefused
    ? 'Check user, password and database name in the database setting.'
    : (tlsFix(error) ??
      'Check that Postgres is running there and that the database setting names the right host, port and TLS mode.');
  return new ConfigurationError(
    `The Postgres database ${name} cannot be opened: ${messageOf(error) || 'no answer'}. ${fix}`,
    { code: 'database_unreachable', cause: error },
  );
}

/** Node's error codes for a certificate from an unknown authority. */
const UNKNOWN_AUTHORITY: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Returns a text that suggests a change of the setting. Returns null if TLS is not the cause of the error. */
function tlsFix(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message.includes('does not support SSL')) {
    return 'Passwords and contacts would be sent unencrypted. Turn TLS on in Postgres. If the network in between is private, you can add ?sslmode=disable to the database setting.';
  }
  if (!('code' in error)) return null;
  if (UNKNOWN_AUTHORITY.has(error.code)) {
    return 'Its certificate is signed by an authority that this machine does not trust, as is common with hosted databases. Download the certificate of that authority and add ?sslrootcert=/path/to/ca.pem to the database setting.';
  }
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'The certificate is for another host. Write the host that the certificate names into the database setting.';
  }
  return null;
}

import Sqlite from 'better-sqlite3';
import {
  ConfigurationError,
  type DonorSyncError,
  type ErrorFacts,
  FatalError,
  isDonorSyncError,
  messageOf,
  RetriableError,
} from '../core/errors.ts';

type Translation = (cause: unknown) => DonorSyncError;

const busy = translation(
  RetriableError,
  'database_busy',
  'The database is busy; try again in a moment.',
);
const unavailable = translation(
  RetriableError,
  'database_unavailable',
  'The database did not respond; it may be restarting or unreachable.',
);
const full = translation(
  FatalError,
  'database_full',
  'The disk that holds the database is full. Free some space and start again.',
);
/** The error after a failure of the disk. Only the next start shows whether the last commit succeeded. */
const inputOutput = translation(
  FatalError,
  'database_io_failed',
  'The disk that holds the database failed while reading or writing. Check the disk, then start the program again.',
);
const damaged = translation(
  FatalError,
  'database_damaged',
  'The database is damaged. Restore it from a backup.',
);
const commitUnconfirmed = translation(
  FatalError,
  'database_commit_unconfirmed',
  'The connection to the database was lost while it confirmed a change. The next start determines whether the change was kept.',
);
/**
 * The error after the database was closed. Some work, such as a slow response, may still continue after the database
 * was closed.
 */
export const databaseClosed = translation(
  RetriableError,
  'database_closed',
  'The database was closed because the program is ending.',
);
const notADatabase = translation(
  ConfigurationError,
  'database_not_a_database',
  'The file that the database setting names is not an SQLite database. Choose another file.',
);
const refused = translation(
  ConfigurationError,
  'database_access_refused',
  'The database refused access. Check its user, password, name and permissions.',
);

/**
 * The error for a missing table. Another program must have removed the table, because only migrations create and remove
 * tables.
 */
const PART_MISSING = 'database_part_missing';

function partMissing(cause: unknown): DonorSyncError {
  return new FatalError(
    `A table or column that donor-sync needs is gone from the database (${messageOf(cause)}): another program dropped or renamed it. Restore the database from a backup.`,
    { code: PART_MISSING, cause },
  );
}

/**
 * SQLite's message for a missing table or column. All invalid statements have the same code, so the message is needed.
 */
const SQLITE_PART_MISSING = /^no such (?:table|column): /;

/**
 * The errors by SQLite's primary result code. Extended codes start with the primary code
 * (https://sqlite.org/rescode.html).
 */
const BY_SQLITE_CODE: readonly (readonly [code: string, Translation])[] = [
  ['SQLITE_BUSY', busy],
  ['SQLITE_LOCKED', busy],
  ['SQLITE_FULL', full],
  ['SQLITE_IOERR', inputOutput],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_NOTADB', notADatabase],
  ['SQLITE_READONLY', refused],
  ['SQLITE_CANTOPEN', refused],
  ['SQLITE_PERM', refused],
];

/**
 * The errors by the prefix of Postgres's SQLSTATE. Longer prefixes come first
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const BY_SQLSTATE: readonly (readonly [prefix: string, Translation])[] = [
  ['53100', full],
  ['25006', unavailable], // read-only: a standby server that is not promoted
  ['25P03', busy], // idle in a transaction for too long
  ['25P04', busy], // transaction took too long
  ['3D000', refused], // no such database
  ['42703', partMissing], // no such column
  ['42P01', partMissing], // no such table
  ['42501', refused], // lacks a privilege
  ['55P03', busy], // lock not available
  ['57014', busy], // statement took too long
  ['58030', inputOutput],
  ['57P', unavailable], // shutting down or starting
  ['08', unavailable],
  ['28', refused], // user or password
  ['40', busy], // deadlock or serialization failure: rolled back
  ['53', unavailable], // too many connections, out of memory
  ['XX', damaged],
];

/** Node's error codes for failures of the network. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Messages about lost connections. Errors about lost connections have neither a code nor a class. */
const CONNECTION_MESSAGES = new Set([
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
  'timeout expired',
]);

/** The message about a closed connection. This error has neither a code nor a class. */
const CLOSED_MESSAGE = 'The database connection is not open';

/**
 * Converts a database failure into an error of donor-sync. A temporary failure is retriable, a failure that stops the
 * run is fatal, and a failure that a user must fix is a configuration error. Returns any other error unchanged, such as
 * invalid SQL.
 */
export function storeError(error: unknown): unknown {
  return findTranslation(error)?.(error) ?? error;
}

/** True if another attempt may succeed, because the server is unavailable or busy. */
export function isAway(error: unknown): boolean {
  return isDonorSyncError(error) && error.code === 'database_unavailable';
}

/** True if nothing was stored and another attempt may succeed. */
export function isPassing(error: unknown): boolean {
  return isAway(error) || (isDonorSyncError(error) && error.code === 'database_busy');
}

/** True if a table or a column is missing. */
export function isPartMissing(error: unknown): boolean {
  return isDonorSyncError(error) && error.code === PART_MISSING;
}

/** True if it is unknown whether the commit was stored. */
export function isUnconfirmed(error: unknown): boolean {
  return isDonorSyncError(error) && error.code === 'database_commit_unconfirmed';
}

/**
 * Converts the failure of a commit. After a lost connection, the commit may have succeeded, so the work must not simply
 * be repeated.
 */
export function commitError(error: unknown): unknown {
  const translated = storeError(error);
  return isAway(translated) ? commitUnconfirmed(error) : translated;
}

function findTranslation(error: unknown): Translation | undefined {
  if (error instanceof Sqlite.SqliteError) {
    if (SQLITE_PART_MISSING.test(error.message)) return partMissing;
    return byPrefix(BY_SQLITE_CODE, error.code);
  }
  if (!(error instanceof Error) || isDonorSyncError(error)) return undefined;
  if (isPostgresReport(error)) return byPrefix(BY_SQLSTATE, String(error.code));
  if (error.message === CLOSED_MESSAGE) return databaseClosed;
  const isNetwork = 'code' in error && NETWORK_CODES.has(String(error.code));
  return isNetwork || CONNECTION_MESSAGES.has(error.message) ? unavailable : undefined;
}

/**
 * True if the error comes from Postgres. An error from Postgres is recognised by its fields, so that users of a
 * database file do not have to load `pg` (https://www.postgresql.org/docs/current/protocol-error-fields.html).
 */
function isPostgresReport(error: Error): error is Error & { code: unknown } {
  return 'severity' in error && 'code' in error;
}

function translation(
  ErrorOfKind: new (message: string, facts: ErrorFacts) => DonorSyncError,
  code: string,
  message: string,
): Translation {
  return (cause) => new ErrorOfKind(message, { code, cause });
}

function byPrefix(
  table: readonly (readonly [prefix: string, Translation])[],
  code: string,
): Translation | undefined {
  return table.find(([prefix]) => code.startsWith(prefix))?.[1];
}

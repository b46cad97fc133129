import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  type SqliteStatement,
} from 'kysely';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { guardDriver } from '../guarded-driver.ts';
import { storeError } from '../store-error.ts';
import { createConnectionQueue } from './connection-queue.ts';
import { neverReplaced, type RequireInPlace, rememberFile } from './database-file.ts';
import { requireExact } from './exact-integer.ts';
import { SqliteCompiler } from './sqlite-compiler.ts';
import { cacheStatements } from './statement-cache.ts';

/** How long a statement waits for another process. In the meantime, the event loop is blocked. */
const BUSY_TIMEOUT_MS = 5_000;

/** Only the owner can read and write the file. SQLite gives its -wal and -shm files the same permissions. */
const FILE_MODE = 0o600;

/** The settings of every connection. The first two settings are stored in the file, the other settings are not. */
const PRAGMAS = [
  // Only takes effect in a new file. A commit writes a third fewer pages than with SQLite's default of 4,096.
  'page_size = 8192',
  'journal_mode = WAL',
  // A submission's intent must be on disk before its request is sent (design, section 5, promise 2).
  'synchronous = FULL',
  // On macOS, this is needed to reach the disk itself. Other systems ignore it.
  'fullfsync = ON',
  'foreign_keys = ON',
  // Deleted rows are overwritten, so no data of an erased person remains.
  'secure_delete = ON',
  'trusted_schema = OFF',
  // The page cache of this process in kibibytes. The system's file cache contains the rest, and does not
  // count as memory of this process.
  'cache_size = -4000',
];

/** Returns a dialect over a file (created if missing), or over memory if `path` is null. */
export async function openSqlite(
  path: string | null,
): Promise<{ dialect: Dialect; requireInPlace: RequireInPlace }> {
  const requireInPlace = path === null ? neverReplaced : await ensureFile(path);
  const database = connect(path);
  const dialect: Dialect = {
    createDriver: () => guardDriver(createDriver(database)),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SqliteCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  return { dialect, requireInPlace };
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  /** Makes each migration one transaction, so a kill halfway leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** There is only one connection. The driver below queues for it, with a time limit. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

async function ensureFile(path: string): Promise<RequireInPlace> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a', FILE_MODE);
    await file.close();
    return await rememberFile(path);
  } catch (error) {
    throw new ConfigurationError(
      `The database file ${path} cannot be written: ${messageOf(error)}. Choose a file in a folder that this user can write to.`,
      { code: 'database_file_unusable', cause: error },
    );
  }
}

function connect(path: string | null): Sqlite.Database {
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(path ?? ':memory:', { timeout: BUSY_TIMEOUT_MS });
    for (const pragma of PRAGMAS) database.pragma(pragma);
    if (path !== null) requireWriteAheadLog(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw storeError(error);
  }
}

/**
 * Requires the write-ahead log. If the file system has no shared memory, SQLite silently keeps another journal mode.
 */
function requireWriteAheadLog(database: Sqlite.Database, path: string): void {
  if (database.pragma('journal_mode', { simple: true }) === 'wal') return;
  throw new ConfigurationError(
    `The disk of the database file ${path} does not support SQLite's write-ahead log. Use a file on a local disk, not on a network share.`,
    { code: 'database_disk_unsuitable' },
  );
}

function createDriver(database: Sqlite.Database): Driver {
  const driver = new SqliteDriver({ database: cacheStatements(exactIntegers(database)) });
  const queue = createConnectionQueue();
  let connection: DatabaseConnection | undefined;
  return {
    init: (options) => driver.init(options),
    async acquireConnection() {
      await queue.enter();
      connection ??= inSlices(await driver.acquireConnection());
      return connection;
    },
    // A plain `begin` that reads and then writes fails immediately if another process has written in between.
    async beginTransaction(connection) {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    },
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    async releaseConnection() {
      queue.leave();
    },
    destroy: () => driver.destroy(),
  };
}

/** The maximum time for which consecutive statements may block everything else in the process. */
const SLICE_MS = 5;

/**
 * Returns the connection, which now yields to timers and sockets regularly, as a connection to a server does with each
 * statement. SQLite responds synchronously, so a transaction of many statements would block everything else. The
 * transaction stays open in the meantime, and other users of the connection wait. If the process is killed then, the
 * whole transaction is rolled back.
 */
function inSlices(connection: DatabaseConnection): DatabaseConnection {
  let beganAt = performance.now();
  return {
    async executeQuery(query, options) {
      if (performance.now() - beganAt > SLICE_MS) {
        await setImmediate();
        beganAt = performance.now();
      }
      return connection.executeQuery(query, options);
    },
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
  };
}

/** Returns the database, which now throws an error for an integer that JavaScript would round, as on Postgres. */
function exactIntegers(database: Sqlite.Database): SqliteDatabase {
  function prepare(sql: string): SqliteStatement {
    const statement = database.prepare(sql);
    return {
      reader: statement.reader,
      all: (parameters) => requireExact(statement.all(parameters)),
      run: (parameters) => statement.run(parameters),
      iterate: (parameters) => statement.iterate(parameters),
    };
  }
  return { prepare, close: () => database.close() };
}

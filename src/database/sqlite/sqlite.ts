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

/** The time to wait for another process. The wait blocks the event loop. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The permissions of the file: only its owner may read and write it. SQLite uses the same permissions for its -wal and
 * -shm files.
 */
const FILE_MODE = 0o600;

/** The settings of every connection. The file stores the first two settings, but not the other settings. */
const PRAGMAS = [
  // The page size of a new file. With it, commits write a third fewer pages than with the default of 4,096 bytes.
  'page_size = 8192',
  'journal_mode = WAL',
  // An intent must be saved on disk before its request is sent (design, section 5, promise 2).
  'synchronous = FULL',
  // Only with this setting does macOS write data to the disk. Other systems ignore it.
  'fullfsync = ON',
  'foreign_keys = ON',
  // SQLite overwrites deleted rows, so that the file contains no data about an erased person.
  'secure_delete = ON',
  'trusted_schema = OFF',
  // The size of this process's page cache in kibibytes. The operating system caches the rest of the file, which does
  // not count as memory of the process.
  'cache_size = -4000',
];

/** Opens or creates a database file. If `path` is null, opens a database in memory. */
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
  /** Each migration is one transaction, so a killed process leaves no part of it. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The database has only one connection. */
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
 * Throws an error if the write-ahead log does not work. Without shared memory, SQLite silently uses a different journal
 * mode.
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
    // A plain `begin` fails if another process writes between the transaction's read and its write.
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

/** The longest time for which statements may block the process. */
const SLICE_MS = 5;

/**
 * Lets timers and sockets run regularly. A server connection does this with each statement. SQLite responds
 * synchronously, so a long transaction would block everything. The transaction remains open, and other users of the
 * connection wait. If the process is killed during this time, everything is rolled back.
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

/** Makes the given database throw an error for integers that JavaScript would round, as on Postgres. */
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

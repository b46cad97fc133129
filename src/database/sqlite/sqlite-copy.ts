/** Copies, locks and replaces an SQLite database file. */
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FatalError, isDonorSyncError, RetriableError } from '../../core/errors.ts';
import { storeError } from '../store-error.ts';
import { hasCode } from '../system-error.ts';

const FILE_MODE = 0o600;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The number of pages to copy in one step, which means all pages. Several steps would restart after each write of
 * another process. One step never restarts.
 */
const ALL_PAGES = 0x7fff_ffff;

/** The suffixes of SQLite's own files next to an open database. */
const BESIDE = ['-wal', '-shm', '-journal'];

/** Copies a consistent state of the database while others read and write. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await (await open(to, 'wx', FILE_MODE)).close();
  try {
    const source = new Sqlite(from, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      await source.backup(to, { progress: () => ALL_PAGES });
    } finally {
      source.close();
    }
  } catch (error) {
    throw storeError(error);
  }
  settleFile(to);
}

/** Moves all data of a database into its main file. Throws an error if the file is damaged. */
export function settleFile(path: string): void {
  try {
    const database = new Sqlite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma('synchronous = FULL');
      database.pragma('journal_mode = DELETE');
      if (database.pragma('quick_check', { simple: true }) !== 'ok') throw unsound(path);
    } finally {
      database.close();
    }
  } catch (error) {
    throw storeError(error);
  }
}

export interface LockedDatabase {
  /**
   * Replaces the file in one step, so that a power failure cannot damage it. Keeps the previous file under an unused
   * name, because it may be the only copy of a database. Returns this name, or null if there was no previous file.
   */
  replaceBy(path: string, keptAs: string): Promise<string | null>;
  release(): void;
}

/**
 * Locks a database file. Throws a RetriableError if any process has it open. A missing or damaged file counts as
 * unused.
 */
export async function lockDatabase(path: string): Promise<LockedDatabase> {
  const lock = takeLock(path);
  return {
    async replaceBy(other, keptAs) {
      const kept = await keepAs(path, keptAs);
      // After the lock, the main file of an intact database contains all data. SQLite's other files would damage the
      // new database.
      for (const suffix of BESIDE) await rm(`${path}${suffix}`, { force: true });
      await rename(other, path);
      await using folder = await open(dirname(path), 'r');
      await folder.sync();
      return kept;
    },
    release: () => lock?.close(),
  };
}

/** The maximum number of replaced files. Users have to delete these files themselves. */
const MAX_KEPT = 1_000;

/** Gives the file an unused second name. Returns null if the file does not exist. */
async function keepAs(path: string, keptAs: string): Promise<string | null> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? keptAs : `${keptAs}-${number}`;
    try {
      await link(path, name);
      return name;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      if (!hasCode(error, 'EEXIST') || number === MAX_KEPT) throw error;
    }
  }
}

function takeLock(path: string): Sqlite.Database | null {
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(path, { fileMustExist: true, timeout: 0 });
    database.pragma('locking_mode = EXCLUSIVE');
    // Only the last process that uses the file can end write-ahead mode.
    database.pragma('journal_mode = DELETE');
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database?.close();
    const known = storeError(error);
    if (!isDonorSyncError(known)) throw known;
    if (known.code === 'database_busy') throw inUse(path);
    // Replacing an unreadable database is allowed, because backups exist for this case.
    const isReplaceable = UNREADABLE.includes(known.code) || hasCode(error, 'SQLITE_CANTOPEN');
    if (isReplaceable) return null;
    throw known;
  }
}

const UNREADABLE = ['database_damaged', 'database_not_a_database'];

/** Deletes the database file and SQLite's own files next to it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...BESIDE]) await rm(`${path}${suffix}`, { force: true });
}

function inUse(path: string): RetriableError {
  return new RetriableError(
    `The database file ${path} is in use by another process. Nothing was changed. Stop \`donor-sync serve\` and any other program that uses it, then repeat the command.`,
    { code: 'database_in_use' },
  );
}

function unsound(path: string): FatalError {
  return new FatalError(`The copy ${path} of the database is damaged.`, {
    code: 'database_damaged',
  });
}

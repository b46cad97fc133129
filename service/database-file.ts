/** Opens the service's database file, and protects it from other processes. */

import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';

/** An open database, which all modules of the service share. */
export type Database = Sqlite.Database;

/** The time (ms) that a service waits for the lock, which is long enough for the previous service to stop. */
const LOCK_TIMEOUT_MS = 1000;

export interface Opening {
  /** True to prevent other processes from using the database file while it is open. The default is true. */
  isClaimed?: boolean;
  /**
   * True to write each confirmed change to the disk, so that the change survives a power failure. The default is false.
   */
  isDurable?: boolean;
}

/**
 * Opens a database file, or a database in memory if no file is given. A buffer with the content of a database
 * (`serialize`) is opened as a copy in memory. Only one process at a time can open a file. If two processes wrote to
 * one file, some writes would fail, and neither process would know how many credits the other process has spent.
 */
export function openFile(
  file: string | Buffer | undefined,
  { isClaimed = true, isDurable = false }: Opening = {},
): Database {
  const isNew = typeof file === 'string' && !existsSync(file);
  // If the folder does not exist, SQLite's own error explains this.
  if (isNew && existsSync(dirname(file))) createPrivateFile(file);
  const db = new Sqlite(file ?? ':memory:', { timeout: LOCK_TIMEOUT_MS });
  try {
    if (typeof file === 'string' && isClaimed) claim(db, file);
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    return db;
  } catch (error) {
    db.close();
    throw typeof file === 'string' && isBusy(error) ? inUse(file, error) : error;
  }
}

/** Creates an empty file that only the current user can read, because it will contain people and their wealth. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

/**
 * Prevents other services from using the database. Other processes can still read the database. The lock is on a
 * separate file next to the database. The operating system releases the lock when the process ends, even if the process
 * is killed.
 */
function claim(db: Database, file: string): void {
  db.prepare('attach ? as claim').run(`${file}-lock`);
  db.pragma('claim.locking_mode = EXCLUSIVE');
  // Writes to the lock file, which acquires the lock.
  db.pragma('claim.user_version = 1');
}

/**
 * Returns true if a statement failed because of the disk, the memory or another process, so that a repetition of the
 * statement may succeed. Returns false if the statement's data caused the failure.
 */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof Sqlite.SqliteError &&
    /^SQLITE_(FULL|BUSY|LOCKED|IOERR|NOMEM|READONLY|CANTOPEN|PROTOCOL)/.test(error.code)
  );
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function inUse(file: string, cause: unknown): Error {
  return new Error(
    `The database ${file} is in use. Stop the program that uses it, or choose another file.`,
    { cause },
  );
}

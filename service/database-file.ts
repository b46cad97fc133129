/** Opens the service's database file, and protects it from other processes. */

import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';

/** An open database. All modules of the service share it. */
export type Database = Sqlite.Database;

/** This time is long enough for a service to stop before the next one starts. */
const LOCK_TIMEOUT_MS = 1000;

export interface Opening {
  /** True to lock out other processes while the file is open. Defaults to true. */
  isClaimed?: boolean;
  /** True to make sure that acknowledged changes survive a power failure. Defaults to false. */
  isDurable?: boolean;
}

/**
 * Opens a database file, or a database in memory if no file is given. A buffer that contains another database
 * (`serialize`) is opened as a copy in memory. A file belongs to one process at a time. Two processes would make each
 * other's writes fail. Neither would know how much the other has spent.
 */
export function openFile(
  file: string | Buffer | undefined,
  { isClaimed = true, isDurable = false }: Opening = {},
): Database {
  const isNew = typeof file === 'string' && !existsSync(file);
  // If the folder is missing, SQLite's own error explains the problem.
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

/** Creates an empty file that only this user can read, because it will contain people and their wealth. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

/**
 * Locks out other services but not processes that only read. The lock is a separate file next to the database. It ends
 * with the process, even after a kill.
 */
function claim(db: Database, file: string): void {
  db.prepare('attach ? as claim').run(`${file}-lock`);
  db.pragma('claim.locking_mode = EXCLUSIVE');
  // This write takes the lock.
  db.pragma('claim.user_version = 1');
}

/**
 * Returns true if a statement failed because of the disk, the memory or a different process. False if its data is the
 * cause. The same statement may succeed later.
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

/** Opens the single database of each sandbox. */

import Sqlite from 'better-sqlite3';

/** An open database; all modules of a sandbox share one. */
export type Database = Sqlite.Database;

/** Long enough for a sandbox that was just asked to end to do so before the next one starts. */
const LOCK_TIMEOUT_MS = 1000;

/**
 * Opens a file, or a database in memory without one, and creates its schema. A sandbox may lose its
 * last moments if the machine loses power, so it does not wait for the disk. The file belongs to
 * one sandbox until it is closed: two of them would make each other's writes fail, and each would
 * count requests that the other has used. So opening it a second time is an error.
 */
export function openDatabase(file: string | undefined, schema: string): Database {
  const db = new Sqlite(file ?? ':memory:', { timeout: LOCK_TIMEOUT_MS });
  try {
    if (file !== undefined) claim(db, file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.exec(schema);
    return db;
  } catch (error) {
    db.close();
    throw file !== undefined && isBusy(error) ? inUse(file, error) : error;
  }
}

/**
 * Keeps other sandboxes out, but no process that only reads: the lock is on a file next to the
 * database. It ends with the database or the process, however that ends.
 */
function claim(db: Database, file: string): void {
  db.prepare('attach ? as claim').run(`${file}-lock`);
  db.pragma('claim.locking_mode = EXCLUSIVE');
  // A write takes the lock.
  db.pragma('claim.user_version = 1');
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function inUse(file: string, cause: unknown): Error {
  return new Error(
    `The database ${file} is in use. End the program that has it, or choose another file.`,
    { cause },
  );
}

import Sqlite from 'better-sqlite3';

/** An open database. All modules of a sandbox share it. */
export type Database = Sqlite.Database;

/** This time is long enough for the previous sandbox to end before the next one starts. */
const LOCK_TIMEOUT_MS = 1000;

/**
 * If no file is given, the database is in memory. A sandbox does not wait for the disk. If the machine loses power, the
 * latest changes may be lost. The file belongs to one sandbox until it is closed. Two sandboxes would make each other's
 * writes fail. Each would also miss the other's requests in its counts. Opening it a second time is therefore an error.
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
 * Locks out other sandboxes but not processes that only read. The lock is on a file next to the
 * database. The lock ends with the database or the process, even if the process is killed.
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

import Sqlite from 'better-sqlite3';

/** An open database. All modules of a sandbox share one open database. */
export type Database = Sqlite.Database;

/** The time (ms) that a sandbox waits for the lock. It is long enough for the previous sandbox to end. */
const LOCK_TIMEOUT_MS = 1000;

/**
 * Opens a database. If no file is given, the database is in memory. A sandbox does not wait for the disk. If the
 * machine loses power, the latest changes may be lost. Only one sandbox can use the file at the same time. If two
 * sandboxes used the same file, some of their writes would fail. In addition, neither sandbox would count the requests
 * to the other sandbox. Opening it a second time is therefore an error.
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
 * Prevents other sandboxes from using the database. Other processes can still read it. The lock is on a separate file
 * next to the database. The lock ends when the database is closed or the process ends, even if the process is killed.
 */
function claim(db: Database, file: string): void {
  db.prepare('attach ? as claim').run(`${file}-lock`);
  db.pragma('claim.locking_mode = EXCLUSIVE');
  // This write acquires the lock.
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

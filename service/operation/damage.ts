/** Detects damaged and truncated files before they are served or copied. */

import Sqlite from 'better-sqlite3';
import { type Database, openDatabase } from '../database.ts';
import { Refusal } from './refusal.ts';

/**
 * The maximum time (ms) for checking tables when the service starts. Tables with credits and people are checked first.
 * The command `verify` checks all tables of the database.
 */
const QUICK_CHECK_MS = 2_000;

const FIRST_CHECKED = ['balances', 'ledger', 'jobs', 'teams', 'team_keys', 'record_donors'];

/** Opens a file. Throws if the file is damaged. */
export function openUndamaged(file: string): Database {
  const db = refuseDamage(file, () => openDatabase(file, { isDurable: true }));
  try {
    refuseDamage(file, () => {
      const untilMs = performance.now() + QUICK_CHECK_MS;
      for (const table of tablesOf(db)) {
        if (performance.now() > untilMs) return;
        refuseRows(file, db.prepare<[], string>(`pragma quick_check('${table}')`).pluck().all());
      }
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Throws if the file is damaged. The check takes as long as reading the whole file. */
export function refuseDamaged(db: Database): void {
  refuseDamage(db.name, () =>
    refuseRows(db.name, db.prepare<[], string>('pragma quick_check').pluck().all()),
  );
}

/** Runs a function that reads the file. If the file is damaged, throws a Refusal that names the file. */
export function refuseDamage<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw damaged(file, error.message);
  }
}

/** Returns true if the error means that a file is damaged or is not a database. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

function refuseRows(file: string, rows: readonly string[]): void {
  const [first] = rows.filter((row) => row !== 'ok');
  if (first !== undefined) throw damaged(file, first);
}

function damaged(file: string, how: string): Refusal {
  return new Refusal(
    `The database ${file} is damaged: ${how}. Nothing was changed. Delete the files that end with -wal and -shm next to it, and replace it with a copy that \`donor-sync service backup\` made.`,
  );
}

function tablesOf(db: Database): string[] {
  const all = db
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    .pluck()
    .all();
  return [...FIRST_CHECKED, ...all.filter((name) => !FIRST_CHECKED.includes(name))];
}

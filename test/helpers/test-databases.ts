import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, inject } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/database/database.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { createLog } from '../../src/interfaces/cli/terminal/log.ts';
import { installPgBoss } from '../../src/jobs/engine/pg-boss.ts';

/** An open database without tables. Other processes can also use its URL. */
export interface TestDatabase<Db = Tables> extends OpenDatabase<Db> {
  url: string;
}

/** Opens a database. `describeEachDatabase` closes the database after the suite. */
export type OpenFresh = <Db = Tables>() => Promise<TestDatabase<Db>>;

/** Opens a new SQLite file in a separate folder. `close` removes the folder. */
export function openSqliteTemp<Db = Tables>(): Promise<TestDatabase<Db>> {
  return openSqliteFile<Db>(null);
}

let migratedFile: Promise<Buffer> | undefined;

/** Opens a new SQLite file with the product's tables. It is a copy of a file that was created once in this process. */
export async function openSqliteMigrated(): Promise<TestDatabase> {
  migratedFile ??= migrateFile();
  return openSqliteFile<Tables>(await migratedFile);
}

/** Returns the content of a migrated database that contains no further data. */
async function migrateFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-migrated-'));
  try {
    const path = join(folder, 'store.db');
    const { db, close } = await openDatabase<Tables>(`sqlite:${path}`);
    await migrateToLatest(db);
    await close();
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function openSqliteFile<Db>(content: Buffer | null): Promise<TestDatabase<Db>> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-store-'));
  const path = join(folder, 'store.db');
  const url = `sqlite:${path}`;
  if (content !== null) await writeFile(path, content);
  const database = await openDatabase<Db>(url);
  async function close(): Promise<void> {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
  return { ...database, url, close };
}

/** Opens a new database on this test run's Postgres server. The database is deleted together with the server. */
export async function openPostgresFresh<Db = Tables>(): Promise<TestDatabase<Db>> {
  const url = await freshPostgresUrl();
  return { ...(await openDatabase<Db>(url)), url };
}

/** Returns the URL of a new database on this test run's Postgres server. */
export async function freshPostgresUrl(): Promise<string> {
  const response = await fetch(inject('databasesUrl'), { method: 'POST' });
  if (!response.ok) throw new Error(`No Postgres database: ${await response.text()}`);
  return response.text();
}

export type DatabaseKind = 'sqlite' | 'postgres';

/**
 * Runs a suite only if this test run uses this kind of database. `npm test` uses only SQLite. `npm run test:all` runs
 * each file once for each kind of database (vitest.config.ts).
 */
export function describeOn(kind: DatabaseKind, name: string, suite: () => void): void {
  if (inject('databases').includes(kind)) describe(name, suite);
}

/**
 * Returns the URL of a new database with the product's tables and its queue. The kind of database is the kind that this
 * test run uses. Returns undefined for SQLite, because the caller creates its own file.
 */
export async function urlOfThisRun(): Promise<string | undefined> {
  if (inject('databases').includes('sqlite')) return undefined;
  const { db, url, close } = await openPostgresFresh<Tables>();
  await migrateToLatest(db);
  await close();
  await installPgBoss({
    url,
    log: createLog('silent', { write: () => {}, stepAside: () => () => {} }),
  });
  return url;
}

/**
 * Runs a suite on SQLite and on Postgres (`describeOn`), and closes the databases that the suite opens. All other tests
 * in the file must also be inside `describeOn`. Otherwise, they would run twice.
 */
export function describeEachDatabase(
  name: string,
  suite: (open: OpenFresh, kind: DatabaseKind) => void,
): void {
  describeWith('sqlite', openSqliteTemp);
  describeWith('postgres', openPostgresFresh);

  function describeWith(kind: DatabaseKind, openFresh: OpenFresh): void {
    describeOn(kind, `${name} (${kind})`, () => {
      const closers: (() => Promise<void>)[] = [];
      afterAll(async () => {
        for (const close of closers) await close();
      });
      async function open<Db = Tables>(): Promise<TestDatabase<Db>> {
        const database = await openFresh<Db>();
        closers.push(database.close);
        return database;
      }
      suite(open, kind);
    });
  }
}

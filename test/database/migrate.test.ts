import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { generateKey } from '../../src/database/encryption/key-ring.ts';
import { migrateToLatest, pendingMigrations } from '../../src/database/migrate.ts';
import { MIGRATIONS, type MigrationList } from '../../src/database/migrations.ts';
import {
  describeEachDatabase,
  describeOn,
  freshPostgresUrl,
  openPostgresFresh,
  openSqliteTemp,
} from '../helpers/test-databases.ts';
import { runProgram } from './programs/run-program.ts';
import { TWO_TABLES, type TwoTables } from './two-tables.ts';

const startSchema = z.object({ migrations: z.array(z.string()), fingerprint: z.string() });

const LATER: MigrationList = {
  ...TWO_TABLES,
  '0002-authors': {
    async up(db) {
      await db.schema.alterTable('notes').addColumn('author', 'text').execute();
    },
  },
};

const BROKEN: MigrationList = {
  ...TWO_TABLES,
  '0002-broken': {
    async up(db) {
      await sql`insert into nowhere values (1)`.execute(db);
    },
  },
};

describeEachDatabase('migrateToLatest', (open) => {
  it('brings the schema of the product, once', async () => {
    const { db } = await open();
    expect(await pendingMigrations(db)).toEqual(Object.keys(MIGRATIONS));
    expect(await migrateToLatest(db)).toEqual(Object.keys(MIGRATIONS));
    expect(await pendingMigrations(db)).toEqual([]);
    expect(await migrateToLatest(db)).toEqual([]);
    expect(await db.selectFrom('secrets').selectAll().execute()).toEqual([]);
  });

  it('takes only what is new', async () => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await db.insertInto('notes').values({ id: 'kept', size: 1 }).execute();
    expect(await pendingMigrations(db, LATER)).toEqual(['0002-authors']);
    expect(await migrateToLatest(db, LATER)).toEqual(['0002-authors']);
    expect(await db.selectFrom('notes').selectAll().execute()).toEqual([
      { id: 'kept', body: null, size: 1, author: null },
    ]);
  });

  it('refuses a database that is newer than the program', async () => {
    const { db } = await open();
    await migrateToLatest(db, LATER);
    const newer = {
      kind: 'configuration',
      code: 'database_newer',
      message: expect.stringContaining('0002-authors'),
    };
    await expect(migrateToLatest(db, TWO_TABLES)).rejects.toMatchObject(newer);
    await expect(pendingMigrations(db, TWO_TABLES)).rejects.toMatchObject(newer);
  });

  it('leaves nothing of a migration that fails, and says which one it was', async () => {
    const { db } = await open<TwoTables>();
    await expect(migrateToLatest(db, BROKEN)).rejects.toMatchObject({
      kind: 'fatal',
      code: 'migration_failed',
      message: expect.stringContaining('0002-broken'),
    });
    expect(await pendingMigrations(db, BROKEN)).toEqual(Object.keys(BROKEN));
    expect(await migrateToLatest(db, TWO_TABLES)).toEqual(['0001-two-tables']);
  });
});

describeOn('sqlite', 'a process that is killed in a migration', () => {
  it('leaves a database on which the next start succeeds', async () => {
    const { db, url, close } = await openSqliteTemp<TwoTables>();
    expect(await runProgram('killed-migration.ts', [url])).toMatchObject({ signal: 'SIGKILL' });
    expect(await migrateToLatest(db, TWO_TABLES)).toEqual(['0001-two-tables']);
    expect(await db.selectFrom('tags').selectAll().execute()).toEqual([]);
    await close();
  });
});

describeOn('postgres', 'a process that is killed in a migration', () => {
  it('leaves nothing in Postgres either', async () => {
    const { db, url, close } = await openPostgresFresh<TwoTables>();
    expect(await runProgram('killed-migration.ts', [url])).toMatchObject({ signal: 'SIGKILL' });
    expect(await migrateToLatest(db, TWO_TABLES)).toEqual(['0001-two-tables']);
    await close();
  });
});

describeOn('sqlite', 'two processes that start at once', () => {
  it('share one schema and one fingerprint key on SQLite, with a key file made by one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'donor-sync-start-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await expectOneStart(`sqlite:${join(folder, 'new', 'store.db')}`, []);
    expect(await readdir(join(folder, 'new'))).toEqual(['store.db', 'store.db.key']);
  });
});

describeOn('postgres', 'two processes that start at once', () => {
  it('share one schema and one fingerprint key on Postgres', async () => {
    await expectOneStart(await freshPostgresUrl(), [generateKey()]);
  });
});

async function expectOneStart(url: string, more: readonly string[]): Promise<void> {
  const ends = await Promise.all([1, 2].map(() => runProgram('first-start.ts', [url, ...more])));
  expect(ends.map((end) => end.stderr)).toEqual(['', '']);
  const [one, two] = ends.map((end) => startSchema.parse(JSON.parse(end.stdout)));
  expect(one?.fingerprint).toBe(two?.fingerprint);
  const taken = [...(one?.migrations ?? []), ...(two?.migrations ?? [])];
  expect(taken).toEqual(Object.keys(MIGRATIONS));
}

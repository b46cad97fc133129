import { copyFile, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.ts';
import { openDatabase } from '../../src/database/database.ts';
import { parseDatabaseUrl } from '../../src/database/database-url.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import {
  describeEachDatabase,
  describeOn,
  freshPostgresUrl,
  openSqliteTemp,
  type TestDatabase,
} from '../helpers/test-databases.ts';
import { runProgram } from './programs/run-program.ts';
import { TWO_TABLES, type TwoTables } from './two-tables.ts';

describeOn('sqlite', 'openDatabase', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-open-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    '',
    'data/donor-sync.db',
    'sqlite:',
    'sqlite://data/donor-sync.db',
    'mysql://root:hunter2@localhost/crm',
    'postgres://user:hunter2@local host/crm',
  ])('says what to type instead of %j, and does not repeat a password', async (url) => {
    const error = await openDatabase(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      code: 'database_url_invalid',
      message: expect.stringContaining('"sqlite:data/donor-sync.db"'),
    });
    expect(String(error)).not.toContain('hunter2');
  });

  it.each([
    ['postgres://u:p@127.0.0.1:5432/d', 'local', 'postgres://u:p@127.0.0.1:5432/d'],
    ['postgres:///d?host=/var/run/postgresql', 'local', 'postgres:///d?host=/var/run/postgresql'],
    ['postgres://u:p@db/d', 'verified', 'postgres://u:p@db/d?sslmode=verify-full'],
    ['postgres://u:p@db/d?sslmode=require', 'verified', 'postgres://u:p@db/d?sslmode=verify-full'],
    [
      'postgres://u:p@db/d?sslmode=prefer&sslrootcert=/ca.pem',
      'verified',
      'postgres://u:p@db/d?sslrootcert=/ca.pem&sslmode=verify-full',
    ],
    [
      'postgres://u:p@db/d?sslmode=no-verify',
      'unverified',
      'postgres://u:p@db/d?sslmode=no-verify',
    ],
    ['postgres://u:p@db/d?sslmode=disable', 'none', 'postgres://u:p@db/d?sslmode=disable'],
  ])('reads of %s that its connection is %s', (url, tls, used) => {
    expect(parseDatabaseUrl(url)).toMatchObject({ tls, url: used });
  });

  it('creates the folder and a file that only its owner can read', async () => {
    const path = join(folder, 'new', 'folder', 'store.db');
    const { db, close } = await openDatabase(`sqlite:${path}`);
    await sql`create table t (id text)`.execute(db);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      expect((await stat(file)).mode & 0o777, file).toBe(0o600);
    }
    await close();
  });

  it('cuts off what is under way when it is closed, and says so', async () => {
    const { db, close } = await openSqliteTemp<TwoTables>();
    await sql`create table notes (id text)`.execute(db);
    const closed = { kind: 'retriable', code: 'database_closed' };
    const gate = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    const cutOff = db.transaction().execute(async (trx) => {
      await trx.selectFrom('notes').select('id').execute();
      open.resolve();
      await gate.promise;
      await trx.selectFrom('notes').select('id').execute();
    });
    await open.promise;
    const waiting = findNote(db, 'kept');
    await close();
    gate.resolve();
    await expect(cutOff).rejects.toMatchObject(closed);
    await expect(waiting).rejects.toMatchObject(closed);
  });

  it('keeps nothing else waiting for a transaction of many statements', async () => {
    const { db, close } = await openSqliteTemp();
    let others = 0;
    const goesOn = setInterval(() => {
      others += 1;
    }, 1);
    const seen = await db.transaction().execute(async (trx) => {
      const until = performance.now() + 300;
      while (performance.now() < until) await sql`select 1`.execute(trx);
      return others;
    });
    clearInterval(goesOn);
    await close();
    expect(seen).toBeGreaterThan(2);
  });

  it('says so if the file is not a database', async () => {
    const path = join(folder, 'letter.txt');
    await writeFile(path, 'Dear Riverside Food Bank, '.repeat(100));
    await expect(openDatabase(`sqlite:${path}`)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'database_not_a_database',
    });
  });

  it('says so if the file cannot be made', async () => {
    const path = join(folder, 'file-as-folder');
    await writeFile(path, '');
    await expect(openDatabase(`sqlite:${path}/store.db`)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'database_file_unusable',
      message: expect.stringContaining(path),
    });
  });

  it('says so if no server listens at the address of Postgres', async () => {
    const url = 'postgres://user:hunter2@127.0.0.1:1/crm';
    const error = await openDatabase(url).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: 'configuration',
      code: 'database_unreachable',
      message: expect.stringContaining('127.0.0.1:1/crm'),
    });
    expect(String(error)).not.toContain('hunter2');
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['deleted', (path) => rm(path)],
    ['moved away', (path) => rename(path, `${path}.away`)],
    [
      'replaced by a copy',
      async (path) => {
        await copyFile(path, `${path}.copy`);
        await rename(`${path}.copy`, path);
      },
    ],
    ['hidden with its folder', (path) => rename(dirname(path), `${dirname(path)}-away`)],
  ])('notices that its file was %s', async (what, change) => {
    const path = join(folder, what.replaceAll(' ', '-'), 'store.db');
    const { db, requireInPlace, close } = await openDatabase(`sqlite:${path}`);
    await sql`create table t (id text)`.execute(db);
    await requireInPlace();
    await change(path);
    await expect(requireInPlace()).rejects.toMatchObject({
      code: 'store_replaced',
      message: expect.stringContaining(path),
    });
    await close();
  });

  it('keeps a database in memory where asked', async () => {
    const { db, kind, requireInPlace, close } = await openDatabase('sqlite::memory:');
    expect(kind).toBe('sqlite');
    await requireInPlace();
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await close();
    await close();
  });

  it('has the settings in force that keep promises on a SQLite file', async () => {
    const { db, close } = await openSqliteTemp();
    async function pragma(name: string): Promise<unknown> {
      const { rows } = await sql`pragma ${sql.raw(name)}`.execute(db);
      return Object.values(Object(rows[0]))[0];
    }
    expect({
      journalMode: await pragma('journal_mode'),
      synchronous: await pragma('synchronous'),
      foreignKeys: await pragma('foreign_keys'),
      busyTimeoutMs: await pragma('busy_timeout'),
      secureDelete: await pragma('secure_delete'),
    }).toEqual({
      journalMode: 'wal',
      synchronous: 2,
      foreignKeys: 1,
      busyTimeoutMs: 5000,
      secureDelete: 1,
    });
    await close();
  });

  it('makes a new SQLite file of large pages, and leaves those of an older file as they are', async () => {
    const older = join(folder, 'older.db');
    const created = new Sqlite(older);
    created.pragma('journal_mode = WAL');
    created.exec('create table kept (id integer)');
    created.close();
    for (const [path, size] of [
      [join(folder, 'newer.db'), 8_192],
      [older, 4_096],
    ] as const) {
      const { db, close } = await openDatabase(`sqlite:${path}`);
      await sql`create table more (id integer)`.execute(db);
      await sql`vacuum`.execute(db);
      expect((await sql`pragma page_size`.execute(db)).rows).toEqual([{ page_size: size }]);
      await close();
    }
  });
});

describeOn('postgres', 'openDatabase', () => {
  it('says so if the Postgres database or its user does not exist', async () => {
    const url = await freshPostgresUrl();
    for (const wrong of [`${url}_not_there`, url.replace('postgres@', 'stranger@')]) {
      await expect(openDatabase(wrong)).rejects.toMatchObject({
        kind: 'configuration',
        code: 'database_unreachable',
        message: expect.stringContaining('Check user, password and database name'),
      });
    }
  });
});

describeOn('postgres', 'a connection to Postgres that leaves this machine', () => {
  it('is refused without TLS, with the line to add, and made where the setting gives TLS up', async () => {
    // The address 0.0.0.0 also reaches this machine but is not a loopback address.
    const url = (await freshPostgresUrl()).replace(/127\.0\.0\.1|localhost/, '0.0.0.0');
    await expect(openDatabase(url)).rejects.toMatchObject({
      code: 'database_unreachable',
      message: expect.stringContaining('add ?sslmode=disable to the database setting'),
    });
    const { db, close } = await openDatabase(`${url}?sslmode=disable`);
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await close();
  });
});

describeOn('sqlite', 'two processes on one SQLite file', () => {
  it('run transactions that read first and then write one after the other', async () => {
    const { db, url, close } = await openSqliteTemp<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await db.insertInto('notes').values({ id: 'counter', size: 0 }).execute();
    const ends = await Promise.all([1, 2].map(() => runProgram('count-up.ts', [url, '200'])));
    expect(ends.map((end) => end.stderr)).toEqual(['', '']);
    expect(await db.selectFrom('notes').select('size').execute()).toEqual([{ size: 400 }]);
    await close();
  });
});

describeEachDatabase('an open database', (open, kind) => {
  let database: TestDatabase<TwoTables>;
  beforeAll(async () => {
    database = await open<TwoTables>();
    expect(database.kind).toBe(kind);
    await migrateToLatest(database.db, TWO_TABLES);
  });

  it('keeps the rows of a completed transaction, and no row of a failed transaction', async () => {
    const { db } = database;
    await db
      .transaction()
      .execute((trx) => trx.insertInto('notes').values({ id: 'kept', size: 1 }).execute());
    const failure = db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ id: 'lost', size: 1 }).execute();
      throw new Error('changed my mind');
    });
    await expect(failure).rejects.toThrow('changed my mind');
    const notes = await db.selectFrom('notes').select('id').execute();
    expect(notes).toEqual([{ id: 'kept' }]);
  });

  it('shows other connections nothing of a transaction before it is committed', async () => {
    const other = await openDatabase<TwoTables>(database.url);
    await database.db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ id: 'unseen', size: 1 }).execute();
      expect(await findNote(other.db, 'unseen')).toBeUndefined();
    });
    expect(await findNote(other.db, 'unseen')).toEqual({ id: 'unseen' });
    await other.close();
  });

  it('runs concurrent transactions one after the other', async () => {
    const { db } = database;
    await db.insertInto('notes').values({ id: 'counter', size: 0 }).execute();
    const transactions = Array.from({ length: 20 }, () =>
      db.transaction().execute(async (trx) => {
        await trx
          .updateTable('notes')
          .set((eb) => ({ size: eb('size', '+', 1) }))
          .where('id', '=', 'counter')
          .execute();
        await trx.selectFrom('notes').selectAll().execute();
      }),
    );
    await Promise.all(transactions);
    const counter = await db
      .selectFrom('notes')
      .select('size')
      .where('id', '=', 'counter')
      .executeTakeFirst();
    expect(counter).toEqual({ size: 20 });
  });

  it('refuses the use of the database beside the transaction that is open', async () => {
    const { db } = database;
    const misuse = db.transaction().execute(async (trx) => {
      await trx.selectFrom('notes').selectAll().execute();
      await db.selectFrom('notes').selectAll().execute();
    });
    await expect(misuse).rejects.toMatchObject({ code: 'database_used_inside_transaction' });
    const nested = db.transaction().execute(() => db.transaction().execute(async () => 1));
    await expect(nested).rejects.toMatchObject({ code: 'database_used_inside_transaction' });
    expect(await findNote(db, 'nothing')).toBeUndefined();
  });

  it('lets work that a transaction started use the database once it is over', async () => {
    const { db } = database;
    const gate = Promise.withResolvers<void>();
    const later = await db.transaction().execute(async () => ({
      result: gate.promise.then(() => findNote(db, 'nothing')),
    }));
    gate.resolve();
    expect(await later.result).toBeUndefined();
  });

  it('returns timestamps and sums as exact numbers, and throws an error instead of rounding', async () => {
    const { db } = database;
    const exact = await sql`
      select cast(1795219200123 as bigint) as instant, sum(size) as total
      from (select cast(2 as bigint) as size union all select 5) as sizes`.execute(db);
    expect(exact.rows).toEqual([{ instant: 1795219200123, total: 7 }]);
    const unsafe = sql`select cast(9007199254740993 as bigint) as id`.execute(db);
    await expect(unsafe).rejects.toMatchObject({ code: 'database_number_too_large' });
  });

  it('keeps references whole', async () => {
    const orphan = database.db.insertInto('tags').values({ id: 't', note_id: 'none' }).execute();
    await expect(orphan).rejects.toThrow(/foreign key/i);
  });

  it('refuses queries after it is closed', async () => {
    const { db, close } = await openDatabase<TwoTables>(database.url);
    await close();
    const closed = { kind: 'retriable', code: 'database_closed' };
    await expect(findNote(db, 'kept')).rejects.toMatchObject(closed);
    await expect(db.transaction().execute(async () => 1)).rejects.toMatchObject(closed);
  });
});

function findNote(
  db: TestDatabase<TwoTables>['db'],
  id: string,
): Promise<{ id: string } | undefined> {
  return db.selectFrom('notes').select('id').where('id', '=', id).executeTakeFirst();
}

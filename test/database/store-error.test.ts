import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { storeError } from '../../src/database/store-error.ts';
import {
  describeEachDatabase,
  describeOn,
  openPostgresFresh,
  openSqliteTemp,
} from '../helpers/test-databases.ts';
import { TWO_TABLES, type TwoTables } from './two-tables.ts';

describeOn('sqlite', 'storeError', () => {
  it.each([
    ['SQLITE_BUSY_SNAPSHOT', 'retriable', 'database_busy'],
    ['SQLITE_IOERR_FSYNC', 'fatal', 'database_io_failed'],
    ['SQLITE_CORRUPT', 'fatal', 'database_damaged'],
    ['SQLITE_READONLY_DIRECTORY', 'configuration', 'database_access_refused'],
  ])('reads %s as %s', (sqliteCode, kind, code) => {
    const cause = new Sqlite.SqliteError('as SQLite says it', sqliteCode);
    expect(storeError(cause)).toMatchObject({ kind, code, cause });
  });

  it.each([
    ['40P01', 'retriable', 'database_busy'],
    ['57P01', 'retriable', 'database_unavailable'],
    ['53100', 'fatal', 'database_full'],
    ['53300', 'retriable', 'database_unavailable'],
    ['42501', 'configuration', 'database_access_refused'],
  ])('reads SQLSTATE %s as %s', (sqlState, kind, code) => {
    const cause = new pg.DatabaseError('as Postgres says it', 0, 'error');
    Object.assign(cause, { severity: 'ERROR', code: sqlState });
    expect(storeError(cause)).toMatchObject({ kind, code, cause });
  });
});

describeOn('sqlite', 'failures of SQLite', () => {
  it('stop the run when the disk is full, and the transaction leaves nothing', async () => {
    const { db, close } = await openSqliteTemp<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await sql`pragma max_page_count = 20`.execute(db);
    const overfull = db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ id: 'small', size: 1 }).execute();
      await trx
        .insertInto('notes')
        .values({ id: 'big', body: 'x'.repeat(200_000), size: 1 })
        .execute();
    });
    await expect(overfull).rejects.toMatchObject({ kind: 'fatal', code: 'database_full' });
    expect(await db.selectFrom('notes').selectAll().execute()).toEqual([]);
    await close();
  });

  it('are tried again later while another process writes', async () => {
    const { db, url, close } = await openSqliteTemp<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const other = await openDatabase<TwoTables>(url);
    await sql`pragma busy_timeout = 1`.execute(other.db);
    await db.transaction().execute(async () => {
      const write = other.db.insertInto('notes').values({ id: 'a', size: 1 }).execute();
      await expect(write).rejects.toMatchObject({ kind: 'retriable', code: 'database_busy' });
    });
    await other.db.insertInto('notes').values({ id: 'a', size: 1 }).execute();
    await other.close();
    await close();
  });
});

describeOn('postgres', 'failures of Postgres', () => {
  it('do not end the process when it drops idle connections, and the next query goes on', async () => {
    const { db, url, close } = await openPostgresFresh<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await dropConnections(url);
    await expect.poll(() => db.selectFrom('notes').selectAll().execute()).toEqual([]);
    await close();
  });

  it('are retriable when the connection is lost inside a transaction', async () => {
    const { db, url, close } = await openPostgresFresh<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const cut = db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ id: 'cut', size: 1 }).execute();
      await dropConnections(url);
      await trx.insertInto('notes').values({ id: 'off', size: 1 }).execute();
    });
    await expect(cut).rejects.toMatchObject({ kind: 'retriable', code: 'database_unavailable' });
    await expect.poll(() => db.selectFrom('notes').selectAll().execute()).toEqual([]);
    await close();
  });

  it('stop the run when the connection is lost in a commit, whose end is then unknown', async () => {
    const { db, url, close } = await openPostgresFresh<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    const cut = db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ id: 'cut', size: 1 }).execute();
      await dropConnections(url);
    });
    await expect(cut).rejects.toMatchObject({ kind: 'fatal', code: 'database_commit_unconfirmed' });
    await close();
  });
});

describeEachDatabase('a table or column that is gone', (open) => {
  it.each(['select gone from notes', 'select * from gone'])('is named: %s', async (statement) => {
    const { db } = await open<TwoTables>();
    await migrateToLatest(db, TWO_TABLES);
    await expect(sql.raw(statement).execute(db)).rejects.toMatchObject({
      kind: 'fatal',
      code: 'database_part_missing',
      message: expect.stringMatching(/gone.*another program dropped or renamed it/),
    });
  });
});

describeEachDatabase('any other failure', (open) => {
  let db: Awaited<ReturnType<typeof open<TwoTables>>>['db'];
  beforeAll(async () => {
    ({ db } = await open<TwoTables>());
    await migrateToLatest(db, TWO_TABLES);
  });

  it('is left as the database reports it', async () => {
    await db.insertInto('notes').values({ id: 'twice', size: 1 }).execute();
    const again = db.insertInto('notes').values({ id: 'twice', size: 1 }).execute();
    await expect(again).rejects.toThrow(/unique constraint/i);
    await expect(sql`select 1 1`.execute(db)).rejects.not.toHaveProperty('kind');
  });
});

/** Ends every other connection to the database, as a server restart does. */
async function dropConnections(url: string): Promise<void> {
  const { db, close } = await openDatabase(url);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
  await close();
}

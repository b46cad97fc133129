import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../../src/database/database.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { TWO_TABLES, type TwoTables } from '../two-tables.ts';

describe('SqliteCompiler', () => {
  let folder: string;
  let open: OpenDatabase<TwoTables>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-compiler-'));
    open = await openDatabase<TwoTables>(`sqlite:${join(folder, 'store.db')}`);
    await migrateToLatest(open.db, TWO_TABLES);
    for (const [id, size] of [
      ['10', 2],
      ['2', 1],
      ['a', 3],
    ] as const) {
      await open.db.insertInto('notes').values({ id, body: id, size }).execute();
    }
  });

  afterEach(async () => {
    await open.close();
    await rm(folder, { recursive: true });
  });

  it('writes limits and equal parameters so that a statement is prepared once', () => {
    const query = notes().where('body', '=', '10').where('size', '>', 0).limit(5);
    expect(query.compile().sql).toMatch(/"body" = \+\? and "size" > \? order by "size" limit 5$/);
    expect(notes().limit(sql.val(1)).compile().sql).toMatch(/limit \+\?$/);
  });

  it('gives as many rows as a limit that is a parameter says', async () => {
    expect(await notes().limit(sql.val(2)).execute()).toEqual([{ id: '2' }, { id: '10' }]);
  });

  it('finds what is equal as before, whatever its type', async () => {
    expect(await notes().where('id', '=', '10').execute()).toEqual([{ id: '10' }]);
    expect(await notes().where('size', '=', 3).execute()).toEqual([{ id: 'a' }]);
    expect(await notes().where('body', '=', null).execute()).toEqual([]);
  });

  it('uses the index of a column that a parameter is equal to', async () => {
    const query = notes().where('id', '=', '10');
    const plan = CompiledQuery.raw(`explain query plan ${query.compile().sql}`, ['10']);
    const { rows } = await open.db.executeQuery(plan);
    expect(rows).toMatchObject([{ detail: expect.stringContaining('(id=?)') }]);
  });

  function notes() {
    return open.db.selectFrom('notes').select('id').orderBy('size');
  }
});

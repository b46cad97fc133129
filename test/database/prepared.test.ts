import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/database/database.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { prepared, type Slots } from '../../src/database/prepared.ts';
import type { Tables } from '../../src/database/tables/tables.ts';

describe('prepared', () => {
  let open: OpenDatabase<Tables>;

  beforeEach(async () => {
    open = await openDatabase<Tables>('sqlite::memory:');
    await migrateToLatest(open.db);
    await open.db.insertInto('secrets').values({ name: 'one', value: '1' }).execute();
    await open.db.insertInto('secrets').values({ name: 'two', value: '2' }).execute();
  });

  afterEach(() => open.close());

  it('builds a statement once and runs it with the values of each time', async () => {
    const { find, built } = countingFind();
    const found = [];
    for (const name of ['one', 'two', 'three']) {
      found.push(...(await find(open.db, { name, most: 5 })).rows);
    }
    expect(found).toEqual([{ value: '1' }, { value: '2' }]);
    expect(built()).toBe(1);
  });

  it('runs inside a transaction, on a database that was opened later', async () => {
    const { find, built } = countingFind();
    await find(open.db, { name: 'one', most: 5 });
    await open.db.transaction().execute(async (trx) => {
      await trx.updateTable('secrets').set({ value: 'new' }).where('name', '=', 'one').execute();
      expect((await find(trx, { name: 'one', most: 5 })).rows).toEqual([{ value: 'new' }]);
    });
    const later = await openDatabase<Tables>('sqlite::memory:');
    await migrateToLatest(later.db);
    expect((await find(later.db, { name: 'one', most: 5 })).rows).toEqual([]);
    await later.close();
    expect(built()).toBe(1);
  });

  it('builds a statement once for each length of a list', async () => {
    let built = 0;
    const findAll = prepared((db, { names }: Slots<{ names: readonly string[] }>) => {
      built += 1;
      return db.selectFrom('secrets').select('value').where('name', 'in', names).compile();
    });
    const find = async (...names: string[]) => (await findAll(open.db, { names })).rows;
    expect(await find('one', 'two')).toEqual([{ value: '1' }, { value: '2' }]);
    expect(await find('two', 'three')).toEqual([{ value: '2' }]);
    expect(await find('one')).toEqual([{ value: '1' }]);
    expect(built).toBe(2);
  });

  it('gives each parameter its value where lists stand beside others, whole, in part or turned around', async () => {
    const find = prepared(
      (db, { names, value }: Slots<{ names: readonly string[]; value: string }>) =>
        db
          .selectFrom('secrets')
          .select((eb) => [
            ...names.map((name, at) => eb.cast<string>(name, 'text').as(`whole${at}`)),
            ...names
              .toReversed()
              .map((name, at) => eb.cast<string>(name, 'text').as(`turned${at}`)),
            ...names.slice(1).map((name, at) => eb.cast<string>(name, 'text').as(`part${at}`)),
          ])
          .where('value', '=', value)
          .where('name', 'in', names)
          .compile(),
    );
    for (const last of ['two', 'three']) {
      const { rows } = await find(open.db, { names: ['one', 'a', last], value: '1' });
      const whole = { whole0: 'one', whole1: 'a', whole2: last };
      const turned = { turned0: last, turned1: 'a', turned2: 'one' };
      expect(rows).toEqual([{ ...whole, ...turned, part0: 'a', part1: last }]);
    }
  });

  function countingFind() {
    let times = 0;
    const find = prepared((db, { name, most }: Slots<{ name: string; most: number }>) => {
      times += 1;
      return db
        .selectFrom('secrets')
        .select('value')
        .where('name', '=', name)
        .limit(most)
        .compile();
    });
    return { find, built: () => times };
  }
});

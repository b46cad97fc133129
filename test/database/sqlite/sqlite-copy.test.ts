import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { lockDatabase } from '../../../src/database/sqlite/sqlite-copy.ts';

it('keeps every database that it replaces, since an earlier restore may have kept the only copy of one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-copy-'));
  const path = make('live');
  const keptAs = `${path}.before-restore`;
  const names = [];
  for (const backup of ['wrong', 'right']) {
    const lock = await lockDatabase(path);
    names.push(await lock.replaceBy(make(backup), keptAs));
    lock.release();
  }
  expect(names).toEqual([keptAs, `${keptAs}-2`]);
  expect([keptAs, `${keptAs}-2`, path].map(read)).toEqual(['live', 'wrong', 'right']);
  expect(await readdir(folder)).toHaveLength(3);

  function make(name: string): string {
    const file = join(folder, name);
    const database = new Sqlite(file);
    database.exec(`create table names (name text); insert into names values ('${name}')`);
    database.close();
    return file;
  }
});

function read(file: string): unknown {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare('select name from names').pluck().get();
  } finally {
    database.close();
  }
}

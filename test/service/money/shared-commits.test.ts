import { beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../service/database.ts';
import { type CommitTogether, shareCommits } from '../../../service/shared-commits.ts';

let db: Database;
let commitTogether: CommitTogether;

beforeEach(() => {
  db = openDatabase(undefined);
  db.exec('create table lines (text text not null unique)');
  commitTogether = shareCommits(db);
});

function add(text: string): () => number {
  return () => db.prepare('insert into lines (text) values (?)').run(text).changes;
}

function lines(): unknown[] {
  return db.prepare('select text from lines order by text').pluck().all();
}

it('commits what is asked for in one turn once, and gives each its result', async () => {
  let commits = 0;
  const { transaction } = db;
  db.transaction = ((work: () => unknown) => {
    if (!db.inTransaction) commits += 1;
    return transaction.call(db, work);
  }) as typeof transaction;
  const results = [commitTogether(add('a')), commitTogether(add('b')), commitTogether(() => 'c')];
  expect(lines()).toEqual([]);
  expect(await Promise.all(results)).toEqual([1, 1, 'c']);
  expect(commits).toBe(1);
  expect(lines()).toEqual(['a', 'b']);
});

it('undoes a piece that fails wholly, and none of the others', async () => {
  const broken = () => {
    add('b')();
    throw new Error('It broke.');
  };
  const [first, second, third] = await Promise.allSettled([
    commitTogether(add('a')),
    commitTogether(broken),
    commitTogether(add('c')),
  ]);
  expect(first).toEqual({ status: 'fulfilled', value: 1 });
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'It broke.' } });
  expect(third).toEqual({ status: 'fulfilled', value: 1 });
  expect(lines()).toEqual(['a', 'c']);
});

it('tells all of them if the disk is full, and has done the work of none', async () => {
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 1}`);
  const outcomes = await Promise.allSettled([
    commitTogether(add('a')),
    commitTogether(add('b'.repeat(100_000))),
    commitTogether(add('c')),
  ]);
  expect(outcomes).toMatchObject(Array(3).fill({ status: 'rejected', reason: FULL }));
  expect(lines()).toEqual([]);
  expect(await commitTogether(add('d'))).toBe(1);
});

const FULL = { code: 'SQLITE_FULL' };

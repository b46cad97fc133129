/** Tests what an operator does with the file while the service writes to it. */

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import {
  backUp,
  findMissingWork,
  openBeside,
  openTeams,
  verify,
} from '../../../service/operation/index.ts';

const clock = Date.now;

/**
 * The number of filler rows. A copy of this many rows in steps of a hundred pages takes many turns of the event loop.
 */
const FILLER_ROWS = 4_000;

/** A thread that simulates a busy service by charging one credit every millisecond. */
const CHARGING = `
  const { workerData, parentPort } = require('node:worker_threads');
  const Sqlite = require(workerData.sqlite);
  const db = new Sqlite(workerData.file, { timeout: 10_000 });
  const enter = db.prepare(\`insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id, state)
    values (0, 'charge', 'key', ?, 'searches', 1, 'GET /search', 'request', 'settled')\`);
  const change = db.prepare("update balances set remaining = remaining - 1 where team = ? and bucket = 'searches'");
  const charge = db.transaction((team) => { enter.run(team); change.run(team); });
  let count = 0;
  setInterval(() => {
    charge(workerData.teams[count % workerData.teams.length]);
    count += 1;
    if (count === 1) parentPort.postMessage('charging');
  }, 1);
`;

async function aBusyService() {
  const folder = mkdtempSync(join(tmpdir(), 'beside-service-'));
  const file = join(folder, 'service.db');
  const db = openDatabase(file);
  const teams = ['alpha', 'beta', 'gamma'];
  for (const team of teams) openTeams(db, clock).add(team, 1_000_000);
  db.exec('create table filler (bytes blob)');
  db.prepare(
    `with recursive rows (row) as (select 1 union all select row + 1 from rows where row < ?)
     insert into filler select zeroblob(4000) from rows`,
  ).run(FILLER_ROWS);
  const sqlite = new URL('../../../node_modules/better-sqlite3', import.meta.url).pathname;
  const service = new Worker(CHARGING, { eval: true, workerData: { file, teams, sqlite } });
  await new Promise((resolve) => service.once('message', resolve));
  onTestFinished(async () => {
    await service.terminate();
    db.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, file };
}

describe('beside a service that is busy', () => {
  it('verify reports no problem, because it reads one moment', async () => {
    const { file } = await aBusyService();
    const db = openBeside(file);
    onTestFinished(() => void db.close());
    const found: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      found.push(...verify(db, clock));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(found).toEqual([]);
  });

  it('a backup ends, and only its owner can read it, even before it is complete', async () => {
    const { folder, file } = await aBusyService();
    const db = openBeside(file);
    onTestFinished(() => void db.close());
    const target = join(folder, 'copy.db');
    const modes = new Set<number>();
    const watching = setInterval(() => {
      if (existsSync(`${target}.part`)) modes.add(modeOf(`${target}.part`));
    }, 1);
    await backUp(db, target);
    clearInterval(watching);
    expect([...modes, modeOf(target)].filter((mode) => mode !== 0o600)).toEqual([]);
    const copy = openDatabase(target);
    expect(verify(copy, clock)).toEqual([]);
    copy.close();
  });
});

it('only its owner can read a new file', async () => {
  const { file } = await aBusyService();
  expect([file, `${file}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
});

it('charges of a week are checked in a time that grows with their number, not with its square', () => {
  const db = openDatabase(undefined);
  onTestFinished(() => void db.close());
  openTeams(db, clock).add('alpha', 0);
  const many = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)';
  db.exec(`
    ${many} insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id, state)
      select ${clock()}, 'charge', 'key', 'alpha', 'enhancements', 1, '', 'request ' || i, 'settled' from n;
    ${many} insert into jobs (id, team, submitted_at_ms, charge) select i, 'alpha', ${clock()}, i from n;
    delete from jobs where charge = 7;
  `);
  const startedAt = performance.now();
  expect(findMissingWork(db, clock).map(({ line }) => line)).toEqual([7]);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

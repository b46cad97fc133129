import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { everything } from '../database/store-world.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { marksIn } from '../helpers/marks.ts';
import { freshPostgresUrl } from '../helpers/test-databases.ts';
import { CSV, csvOf, PLANTED, QUOTING, writeCsv } from './neighbours.ts';
import { SWEEP_TIMEOUT_MS, sweep } from './sweep.ts';
import { openSweptWorld } from './swept-world.ts';

const openWorld = closedAfterTest(openSweptWorld);

it('finds no mark of a CSV file or a key file anywhere', {
  timeout: SWEEP_TIMEOUT_MS,
}, async () => {
  const world = await openWorld({ crm: CSV, hasKeyFile: true });
  const ids = await writeCsv(world);
  expect(await sweep(world, { ...CSV, ...csvOf(world), ids }, 'all')).toEqual([]);
});

it('finds no mark in any column of Postgres', { timeout: SWEEP_TIMEOUT_MS }, async () => {
  const url = await freshPostgresUrl();
  const world = await openWorld({ crm: CSV, database: url });
  const ids = await writeCsv(world);
  expect(await sweep(world, { ...CSV, ...csvOf(world), ids })).toEqual([]);
  const { db, close } = await openDatabase(url);
  const rows = Buffer.from(JSON.stringify(await everything(db)));
  await close();
  expect(marksIn(rows, [...world.secrets, QUOTING, ...Object.values(PLANTED)])).toEqual([]);
  expect(marksIn(rows, [ids.other])).toEqual([ids.other]);
});

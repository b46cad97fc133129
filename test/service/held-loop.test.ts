/** Tests that requests with many donors do not block other requests. */

import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../../people/world.ts';
import type { PartnerEnv } from '../../service/context.ts';
import { openDatabase } from '../../service/database.ts';
import type { World } from '../../service/donor.ts';
import { createExports } from '../../service/exports/export-store.ts';
import { exportRoutes } from '../../service/exports/exports.ts';
import { createLists } from '../../service/lists/list-store.ts';
import { searchRoutes } from '../../service/networks/search-routes.ts';
import { openNetworkService } from '../../service/networks/service.ts';
import { anEngineOf } from './networks/hand-made-engine.ts';

const TEAM = 'team';
const DONORS = 2_000;
/**
 * The time (ms) that the service needs to read a donor in a large file. A slice takes 8 ms and contains about 32
 * donors.
 */
const MS_OF_A_DONOR = 0.25;
const MOST_AT_ONCE = 200;

const clock = Date.now;
const createId = () => randomBytes(16).toString('hex');

it('an export of a list', async () => {
  const { db, world, app, watch } = aService();
  const lists = createLists(db, clock, createId);
  const list = lists.create(TEAM, 'Gala');
  if (list === undefined) throw new Error('The list was not created.');
  lists.add(
    list,
    Array.from({ length: DONORS }, (_, number) => number),
  );
  app.route('/', exportRoutes({ db, exports: createExports(db), lists, world, clock, createId }));
  const order = { fields: ['id'], list_id: list.id };
  const { status, atOnce } = await watch(() => post(app, '/exports', order));
  expect(status).toBe(201);
  expect(atOnce).toBeLessThan(MOST_AT_ONCE);
});

it('a search among many members', async () => {
  const { db, world, ids, app, watch } = aService();
  const report = () => {};
  const rest = { db, world, engine: anEngineOf([]), clock, createId, jobTimeMs: 0, report };
  app.route('/', searchRoutes(openNetworkService(rest), false));
  const body = { in_network_donor_ids: ids };
  const { status, atOnce } = await watch(() => post(app, '/networks/discover', body));
  expect(status).toBe(200);
  expect(atOnce).toBeLessThan(MOST_AT_ONCE);
});

function aService() {
  const db = openDatabase(undefined);
  onTestFinished(() => void db.close());
  const people = createWorld({ seed: 1, donors: DONORS });
  const ids = Array.from({ length: DONORS }, (_, number) => people.donor(number).id);
  let streak = 0;
  let longest = 0;
  const slowly = <Result>(work: () => Result): Result => {
    streak += 1;
    longest = Math.max(longest, streak);
    const until = performance.now() + MS_OF_A_DONOR;
    while (performance.now() < until);
    return work();
  };
  const world: World = {
    ...people,
    donor: (number) => slowly(() => people.donor(number)),
    donorNumber: (id) => slowly(() => people.donorNumber(id)),
  };
  /** Returns a response's status, and the largest number of donors that the service read without a pause. */
  const watch = async (work: () => Promise<number>) => {
    longest = 0;
    let isOver = false;
    const tick = () => {
      streak = 0;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const status = await work();
    isOver = true;
    return { status, atOnce: longest };
  };
  const app = new Hono<PartnerEnv>();
  app.use(async (c, next) => {
    c.set('key', { apiKey: 'key', team: TEAM, deactivatesOn: null });
    c.set('charged', DONORS);
    c.set('settle', () => {});
    await next();
  });
  return { db, world, ids, app, watch };
}

async function post(app: Hono<PartnerEnv>, path: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

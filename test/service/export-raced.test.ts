import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createWorld } from '../../people/world.ts';
import type { PartnerEnv } from '../../service/context.ts';
import { createCredits } from '../../service/credits.ts';
import { openDatabase } from '../../service/database.ts';
import { createExports } from '../../service/exports/export-store.ts';
import { chargedExports, exportRoutes } from '../../service/exports/exports.ts';
import { createLists } from '../../service/lists/list-store.ts';
import { meterCredits } from '../../service/metering.ts';

const TEAM = 'team';

it('charges an export of a list only for the donors in its file, if some leave the list meanwhile', async () => {
  const db = openDatabase(undefined);
  const clock = () => 0;
  const createId = () => randomBytes(16).toString('hex');
  const world = createWorld({ seed: 1, donors: 50 });
  const [credits, lists] = [createCredits(db, clock), createLists(db, clock, createId)];
  credits.grant(TEAM, { exports: 10 });
  const gala = lists.create(TEAM, 'Gala');
  if (gala === undefined) throw new Error('The list was not created.');
  lists.add(gala, [0, 1, 2, 3, 4]);

  const app = new Hono<PartnerEnv>();
  app.use(async (c, next) => {
    c.set('key', { apiKey: 'key', team: TEAM, deactivatesOn: null });
    c.set('requestId', 'request');
    c.set('body', await c.req.json());
    await next();
  });
  const endpoints = chargedExports(lists);
  // While the charge is written, a second request removes four donors from the list.
  const commitTogether = async <Result>(work: () => Result) => {
    const result = work();
    lists.remove(gala, [1, 2, 3, 4]);
    return result;
  };
  app.use(meterCredits({ credits, commitTogether, clock, basePath: '', endpoints }));
  app.route('/', exportRoutes({ db, exports: createExports(db), lists, world, clock, createId }));
  const response = await app.request('/exports', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fields: ['id'], list_id: gala.id }),
  });

  expect(await response.json()).toMatchObject({
    donor_count: 1,
    unpaid_ids: [],
    meta: { requested: 1, processed: 1 },
  });
  expect(credits.balances(TEAM).exports).toBe(9);
  db.close();
});

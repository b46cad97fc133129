import { expect, it } from 'vitest';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openSalesforce } from './neighbours.ts';
import { SWEEP_TIMEOUT_MS, sweep } from './sweep.ts';
import { openSweptWorld } from './swept-world.ts';

const open = closedAfterTest(openSalesforce);
const openWorld = closedAfterTest(openSweptWorld);

it('finds no mark of an org of Salesforce anywhere', { timeout: SWEEP_TIMEOUT_MS }, async () => {
  const neighbour = await open();
  const world = await openWorld({ crm: neighbour });
  expect(await sweep(world, neighbour)).toEqual([]);
});

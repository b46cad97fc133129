/** Simulates Robin's set-up over a slow connection. Each request takes 300 ms longer. */
import { it } from 'vitest';
import { ROBIN } from './accounts.ts';
import { goal } from './goal.ts';
import { openWalks } from './open-walks.ts';
import * as robinDoes from './robin.ts';
import { AT_A_DESK, comeToVisit, PHONE } from './visitor.ts';

const TIMEOUT_MS = 600_000;
const LATENCY_MS = 300;
const walks = openWalks(TIMEOUT_MS);

it(
  'leads a person who sets up to her goals with a latency of 300 ms',
  async () => {
    const world = await walks.open('salesforce');
    const browser = walks.browser();
    const far = { ...AT_A_DESK, latencyMs: LATENCY_MS };
    const phone = await comeToVisit(browser, world, { ...far, userAgent: PHONE });
    const robin = await comeToVisit(browser, world, far);
    await goal('Robin creates her account', () => robinDoes.createAccount(robin, world.signInUrl));
    await goal('Robin sets the address', () => robinDoes.setAddress(robin, phone));
    await goal('Robin sets up a client', () => robinDoes.setUpClient(robin, world));
    await goal('Robin sends the rest', () => robinDoes.sendTheRest(robin));
    const [name = ''] = await world.listNames();
    await goal('Robin enhances a contact', () => robinDoes.enhanceNow(robin, world, name));
    await goal('Robin undoes a run', () => robinDoes.undoRun(robin));
    await goal('Robin sees the undo', () => robinDoes.seeUndone(robin, ROBIN));
  },
  TIMEOUT_MS,
);

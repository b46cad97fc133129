/** Measures how many bytes each page of a large installation sends to a browser with an empty cache. */
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/tables/tables.ts';
import { join } from '../interfaces/api/people-world.ts';
import { openView } from './browser.ts';
import { openBrowser } from './open-browser.ts';
import { addressesOf, PAGES } from './page-list.ts';
import { withDatabase } from './rooms.ts';
import { openWholeWorld, type WholeWorld } from './whole-world.ts';

const CLIENTS = 40;
const DECISIONS = 5_000;
const ROWS = 100_000;

const MOST_BYTES = 100_000;
const MOST_REQUESTS = 10;

/** The library scripts that draw networks are measured separately from the page. */
const PICTURE_LIBRARY = /\/assets\/(cytoscape|d3-)/;

const MOST_LIBRARY_BYTES = 200_000;

/** The wait for the page's scripts after the page has loaded. */
const SETTLED_MS = 300;

let world: WholeWorld;
let browser: Browser;
let cookie: { name: string; value: string; url: string };

beforeAll(async () => {
  // In addition, one client is set up with a file.
  const others = Array.from({ length: CLIENTS - 3 }, (_, index) => `client-${index}`);
  [world, browser] = await Promise.all([openWholeWorld(others), openBrowser()]);
  const owner = (await join(world, 'Olga', 'owner')).cookie;
  const [name = '', value = ''] = owner.split('=');
  cookie = { name, value, url: world.url };
  await withDatabase(world, (db) => fill(db, world.runId));
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

/** Adds decisions to the clients, and rows to a run. */
async function fill(db: Database, runId: string): Promise<void> {
  const ids = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => from + index);
  for (let from = 0; from < DECISIONS; from += 500) {
    const questions = ids(500, from).map((index) => ({
      ...{ id: `many-${index}`, integration_id: index % 2 === 0 ? 'riverside' : 'harbor' },
      ...{ crm_id: `many-${index}`, tracking_id: `t-${index}`, kind: 'name_mismatch' as const },
      opened_at: Date.now(),
    }));
    await db.insertInto('questions').values(questions).execute();
  }
  for (let from = 0; from < ROWS; from += 2_000) {
    const rows = ids(2_000, from).map((index) => ({
      ...{ run_id: runId, place: 4, crm_id: `many-${index}`, reason: 'fields_written' },
      ...{ detail: null, at: Date.now() },
    }));
    await db.insertInto('run_rows').values(rows).execute();
  }
}

interface Weight {
  path: string;
  bytes: number;
  requests: number;
  libraryBytes: number;
}

/** Returns true if the address shows a page, and false if it downloads a file. */
async function isShown(path: string): Promise<boolean> {
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const answer = await fetch(world.url + path, { headers, redirect: 'manual' });
  expect(answer.status, path).toBeLessThan(500);
  await answer.body?.cancel();
  return (answer.headers.get('content-type') ?? '').includes('text/html');
}

async function weigh(path: string): Promise<Weight> {
  const { page, close } = await openView(browser, world.url, { width: 1440 });
  await page.context().addCookies([cookie]);
  const weight = await weighVisit(page, path);
  await close();
  return weight;
}

async function weighVisit(page: Page, path: string): Promise<Weight> {
  const weight: Weight = { path, bytes: 0, requests: 0, libraryBytes: 0 };
  const measured: Promise<void>[] = [];
  const measure = (request: Request) => {
    const isLibrary = PICTURE_LIBRARY.test(request.url());
    measured.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        const bytes = responseBodySize + responseHeadersSize;
        if (isLibrary) weight.libraryBytes += bytes;
        else weight.bytes += bytes;
        weight.requests += isLibrary ? 0 : 1;
      }),
    );
  };
  page.on('requestfinished', measure);
  await page.goto(world.url + path, { waitUntil: 'load' });
  await page.waitForTimeout(SETTLED_MS);
  page.off('requestfinished', measure);
  await Promise.all(measured);
  return weight;
}

describe(`each page with ${CLIENTS} clients, ${DECISIONS} decisions and ${ROWS} rows of a run`, () => {
  it.each(PAGES)('$name weighs at most 100 kB in 10 requests', async ({ name, ...rule }) => {
    for (const path of addressesOf(world, name, rule)) {
      if (!(await isShown(path))) continue;
      const weight = await weigh(path);
      if (process.env['WEIGHTS'] !== undefined) process.stderr.write(`${JSON.stringify(weight)}\n`);
      expect(weight.bytes, JSON.stringify(weight)).toBeLessThanOrEqual(MOST_BYTES);
      expect(weight.requests, JSON.stringify(weight)).toBeLessThanOrEqual(MOST_REQUESTS);
    }
  });
});

describe('the library that draws the picture of the networks', () => {
  it('weighs at most 200 kB, on the page with the picture alone, and is loaded once', async () => {
    const { page, close } = await openView(browser, world.url, { width: 1440 });
    await page.context().addCookies([cookie]);
    const list = await weighVisit(page, '/networks');
    expect(list.libraryBytes).toBe(0);
    const first = await weighVisit(page, '/networks/riverside');
    await page.locator('[data-drawn-ms]').waitFor();
    if (process.env['WEIGHTS'] !== undefined) process.stderr.write(`${JSON.stringify(first)}\n`);
    expect(first.libraryBytes).toBeGreaterThan(0);
    expect(first.libraryBytes).toBeLessThanOrEqual(MOST_LIBRARY_BYTES);
    const second = await weighVisit(page, '/networks/riverside?weakest=60');
    await page.locator('[data-drawn-ms]').waitFor();
    expect(second.libraryBytes).toBe(0);
    await close();
  });
});

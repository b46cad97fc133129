/**
 * Checks the rules for every page at three widths and in both themes. The test also follows the links to every page.
 * New pages are included automatically, because the list comes from the product's table of routes.
 */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTENTS } from '../../scripts/docs/contents.ts';
import { hrefOf } from '../../scripts/docs/layout.ts';
import { listStrongestPaths } from '../../src/paths/statements/warm-paths.ts';
import { controlService } from '../helpers/service-control.ts';
import { join } from '../interfaces/api/people-world.ts';
import { openView, type View } from './browser.ts';
import { openBrowser } from './open-browser.ts';
import { addressesOf, PAGES } from './page-list.ts';
import { expectSound } from './rooms.ts';
import { openWholeWorld, type WholeWorld } from './whole-world.ts';

/**
 * Pages to which no other page has a link. A user opens these pages from the card in HubSpot, from an email or with a
 * button, or a script opens them.
 */
const NO_LINKS = [
  ...['GET /account/mails/confirm', 'GET /link/:secret', 'GET /setup/:id/leave'],
  'GET /networks/:id/picture',
];

/** Pages that a client has only while it is being set up, or after it was set up with a file. */
const OF_SOME = [
  'GET /setup/:id/leave',
  'GET /setup/:id/results',
  // The address names a contact that only one client has.
  'GET /clients/:id/contacts/:contact',
];

/** The requests for which the service charges no credit (service document, sections 4.1 to 4.4). */
const FREE = ['GET /v1/partners/credits', 'POST /v1/partners/enhancements/results/batch'];

/** The maximum number of addresses that a crawl visits for one page if only their queries differ. */
const MAX_QUERIES = 20;

let world: WholeWorld;
let browser: Browser;
let view: View;
/** The cookie of the signed-in owner. */
let owner: string;
let spent: number;
let asked: number;

beforeAll(async () => {
  [world, browser] = await Promise.all([openWholeWorld(), openBrowser()]);
  // The crawl uses a session, because some pages refuse access tokens.
  owner = (await join(world, 'Olga', 'owner')).cookie;
  view = await openView(browser, world.url);
  const [name = '', value = ''] = owner.split('=');
  await view.page.context().addCookies([{ name, value, url: world.url }]);
  const control = controlService(world.service);
  [spent, asked] = [await control.spentInAll(), (await control.requests()).length];
});
afterAll(async () => {
  await view?.close();
  await browser?.close();
  await world?.close();
});

async function ask(path: string, cookie: string) {
  const answer = await fetch(world.url + path, { headers: { cookie }, redirect: 'manual' });
  const type = answer.headers.get('content-type') ?? '';
  const to = answer.headers.get('location');
  return {
    status: answer.status,
    isPage: type.includes('text/html'),
    to,
    text: await answer.text(),
  };
}

/**
 * Returns the contacts' names that a string contains. It looks for full names, and for last names that are not common
 * words.
 */
function namesIn(text: string): string[] {
  const words = new Set(text.split(/[^\p{L}]+/u));
  return [...world.crm.records.values()].flatMap(({ contact: { firstName, lastName } }) => {
    const isThere = text.includes(`${firstName} ${lastName}`) || words.has(lastName ?? '');
    return isThere ? [`${firstName} ${lastName}`] : [];
  });
}

describe('the world of these tests', () => {
  it('has all that pages show', async () => {
    const { runId, holdId, batchId } = world;
    expect([runId, holdId, batchId]).not.toContain('');
    const paths = await listStrongestPaths(world.application.store.reader, 'riverside', 100);
    expect(paths.length).toBeGreaterThan(5);
  });
});

describe('every page', () => {
  const titles = new Map<string, string>();

  it.each(PAGES)('$name', async ({ name, ...rule }) => {
    let shown = 0;
    for (const path of addressesOf(world, name, rule)) {
      const { status, isPage, text } = await ask(path, owner);
      const fitting = OF_SOME.includes(name) ? [200, 303, 404] : [200, 303];
      expect(fitting, `${path}: ${text}`).toContain(status);
      if (status === 404) continue;
      shown += 1;
      if (status === 303 || !isPage) continue;
      const { page, complaints } = view;
      complaints.length = 0;
      await page.goto(world.url + path);
      expect(await page.locator('h1').count(), `h1 of ${path}`).toBe(1);
      expect(await page.locator('main').count(), path).toBe(1);
      // The pages about the user's own account do not belong to any area.
      if (!/^\/(?:account|link)\b/.test(path)) {
        const areas = page.locator('.rail [aria-current="page"]');
        expect(await areas.count(), `area of ${path}`).toBe(1);
      }
      const title = await page.title();
      expect(titles.get(title) ?? path, `title of ${path}: ${title}`).toBe(path);
      titles.set(title, path);
      await expectSound(view).catch((error: Error) => {
        throw new Error(`${path}: ${error.message}`);
      });
      const kept: string[] = await page.evaluate(
        '[localStorage, sessionStorage].map((storage) => JSON.stringify({ ...storage }))',
      );
      expect(kept.flatMap(namesIn), path).toEqual([]);
    }
    expect(shown).toBeGreaterThan(0);
  });
});

/** The HTTP API, the guide's start page, and the pages of its menu. */
const DOCUMENTS = [
  ...['/docs', '/docs/guide'],
  ...CONTENTS.flatMap(({ pages }) => pages.map(hrefOf)),
];

describe('each document that serve publishes', () => {
  it.each(DOCUMENTS)('%s', async (path) => {
    view.complaints.length = 0;
    const answer = await view.page.goto(world.url + path);
    expect(answer?.status()).toBe(200);
    await expectSound(view);
  });

  it('is in this list, if the menu of the guide leads to it', async () => {
    const { text } = await ask('/docs/guide', owner);
    const paths = linksIn(text, '/docs/guide').map((link) => link.replace(/#.*/, ''));
    const documents = paths.filter((path) => path.startsWith('/docs/guide/'));
    expect(documents.length).toBeGreaterThan(20);
    expect(documents.filter((path) => !DOCUMENTS.includes(path) && !/search$/.test(path))).toEqual(
      [],
    );
  });
});

interface Visited {
  path: string;
  /** The page on which the link was found. */
  from: string;
  status: number;
  text: string;
  isPage: boolean;
}

/** Follows links and read-only forms from the home page. Returns every visited page with its response. */
async function crawl(cookie: string): Promise<Visited[]> {
  const queue = [{ path: '/', from: '' }];
  const seen = new Set(['/']);
  const queries = new Map<string, number>();
  const visited: Visited[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { to, ...answer } = await ask(next.path, cookie);
    visited.push({ ...next, ...answer });
    const links = to === null ? linksIn(answer.isPage ? answer.text : '', next.path) : [to];
    for (const link of links) {
      const { origin, pathname, search } = new URL(link, world.url + next.path);
      const count = queries.get(pathname) ?? 0;
      if (origin !== world.url || seen.has(pathname + search) || count >= MAX_QUERIES) continue;
      seen.add(pathname + search);
      queries.set(pathname, count + 1);
      queue.push({ path: pathname + search, from: next.path });
    }
  }
  return visited;
}

function linksIn(text: string, path: string): string[] {
  const links = [...text.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].map(([, href = '']) => href);
  const forms = [...text.matchAll(/<form\s[^>]*>/g)]
    .filter(([form]) => form.includes('method="get"'))
    .map(([form]) => /action="([^"]*)"/.exec(form)?.[1] ?? path);
  return [...links, ...forms].map((href) => href.replaceAll('&amp;', '&'));
}

/** Returns the links whose anchor does not exist on the target page. */
function deadPlaces(visited: readonly Visited[]): string[] {
  const texts = new Map(visited.map(({ path, text }) => [path, text]));
  return visited.flatMap(({ path, text, isPage }) =>
    linksIn(isPage ? text : '', path).flatMap((link) => {
      const { pathname, search, hash } = new URL(link, world.url + path);
      const there = texts.get(pathname + search);
      const isDead = hash !== '' && there !== undefined && !there.includes(`id="${hash.slice(1)}"`);
      return isDead ? [`${path} → ${link}`] : [];
    }),
  );
}

describe('a way by links', () => {
  it('reaches every page, and ends nowhere', async () => {
    const visited = await crawl(owner);
    const bad = visited.filter(({ status }) => status !== 200 && status !== 303);
    expect(bad.map(({ path, from, status }) => `${status} ${path} from ${from}`)).toEqual([]);
    expect(deadPlaces(visited)).toEqual([]);
    const paths = new Set(visited.map(({ path }) => path.replace(/\?.*/, '')));
    const missed = PAGES.map(({ name }) => name).filter((name) => {
      const pattern = name.replace('GET ', '').replace(/:\w+/g, '[^/]+').replace('.', '\\.');
      return ![...paths].some((path) => new RegExp(`^${pattern}$`).test(path));
    });
    expect(missed).toEqual(NO_LINKS);
  });

  it('leads from a client to all of its pages, and from each of them back', async () => {
    const [id = ''] = world.clients;
    const sides = [
      ...['contacts', 'schedule', 'alerts', 'fields', 'webhooks', 'doctor'].map(
        (side) => `/clients/${id}/${side}`,
      ),
      ...[`/runs?client=${id}`, `/networks/${id}`, `/setup/${id}`, `/integrations/${id}/persons`],
    ];
    const links = async (path: string) => linksIn((await ask(path, owner)).text, path);
    expect(await links(`/clients/${id}`)).toEqual(expect.arrayContaining(sides));
    for (const side of sides) {
      const main = (await ask(side, owner)).text.split('<main')[1] ?? '';
      expect(linksIn(main, side), side).toContain(`/clients/${id}`);
    }
  });

  it('shows a viewer no name, and nothing that is refused', async () => {
    const visited = await crawl(await world.addToken('viewer'));
    const bad = visited.filter(({ status }) => status !== 200 && status !== 303);
    expect(bad.map(({ path, from, status }) => `${status} ${path} from ${from}`)).toEqual([]);
    expect(visited.length).toBeGreaterThan(20);
    // The guide is the same for every client, and some of its words are last names in this test.
    const own = visited.filter(({ path }) => !path.startsWith('/docs/guide'));
    for (const { path, text } of own) expect(namesIn(text), path).toEqual([]);
  });

  it('spends nothing, and asks the service only what is free', async () => {
    const control = controlService(world.service);
    const requests = (await control.requests()).slice(asked);
    const lines = new Set(requests.map(({ method, path }) => `${method} ${path}`));
    expect([...lines].filter((line) => !FREE.includes(line))).toEqual([]);
    expect(await control.spentInAll()).toBe(spent);
  });
});

describe('the guide', () => {
  it.each([375, 1_440])('is searched by keyboard at %d px', async (width) => {
    const stranger = await openView(browser, world.url, { width });
    try {
      const { page } = stranger;
      await page.goto(`${world.url}/docs/guide`);
      await expectSound(stranger);
      await page.keyboard.press('/');
      await page.keyboard.type('undo');
      await page.getByRole('option').first().waitFor();
      // The user does not wait until the list shows the suggestions for the new words.
      await page.keyboard.type(' a run');
      await page.keyboard.press('ArrowDown');
      await page.locator('[role="option"][aria-selected="true"]').waitFor();
      await expectSound(stranger);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/guide/faq#how-do-i-undo-a-run');
      await expectSound(stranger);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('match_rate_low');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/guide/search?q=match_rate_low');
      await page.locator('#results a').first().waitFor();
      expect(await page.locator('#results a').first().textContent()).toBe('match_rate_low');
      await expectSound(stranger);
    } finally {
      await stranger.close();
    }
  });

  it('lists without JavaScript what the search finds', async () => {
    const stranger = await openView(browser, world.url, { javaScriptEnabled: false });
    try {
      await stranger.page.goto(`${world.url}/docs/guide/search?q=undo`);
      expect(await stranger.page.locator('main li a').count()).toBeGreaterThan(500);
    } finally {
      await stranger.close();
    }
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const openWorld = closedAfterTest(openHttpWorld);
async function open({ url }: HttpWorld, options?: ViewOptions): Promise<View> {
  const view = await openView(browser, url, options);
  onTestFinished(view.close);
  return view;
}

/** The time (ms) that the server takes to answer a search in the palette. A user types faster. */
const ANSWER_MS = 300;

const OTHERS = [
  'harbor',
  'lakeside',
  'north',
  'south',
  'a-name-that-is-as-long-as-names-of-clients-may-be',
];
const SCHEDULED = { schedule: { cron: '0 2 * * *', timezone: 'America/Chicago' } };

const clientsSchema = z.object({
  clients: z.array(
    z.object({
      id: z.string(),
      standing: z.string(),
      nights: z.array(z.object({ runs: z.int() })),
    }),
  ),
  found: z.int(),
  next: z.string().nullable(),
});

describe('the home', () => {
  it('has a row for each client, filters, and a page of each; a night leads to its run', async () => {
    const world = await openWorld({ others: OTHERS, integration: SCHEDULED });
    await world.addPeople(2);
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    const { page, complaints } = await open(world);
    await page.goto(world.url);
    expect(await page.locator('.clients tbody tr').count()).toBe(6);
    await page.locator(`.night a[href="/runs/${runId}"]`).waitFor();
    await page.getByLabel('Name or id', { exact: true }).fill('harb');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=harb/);
    expect(await page.locator('.clients tbody tr').count()).toBe(1);
    await page.goto(`${world.url}/?show=needs`);
    await page.getByText('No client matches.').waitFor();
    await page.goto(world.url);
    await page.getByRole('button', { name: 'Actions for Riverside' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause schedule' }).click();
    await page.getByText('The schedule is paused.').waitFor();
    await page.getByRole('link', { name: 'Paused 1' }).click();
    await page.getByRole('button', { name: 'Actions for Riverside' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume schedule' }).click();
    await page.getByText('The schedule was resumed.').waitFor();
    await page.goto(`${world.url}/runs`);
    await page.goto(`${world.url}/#integration_gone`);
    await page.waitForURL(`${world.url}/clients/gone`);
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);
  });

  it('speaks of a single client by name, and says what its credits are', async () => {
    const world = await openWorld({ integration: { ...SCHEDULED, budget: { perMonth: 400 } } });
    await world.addPeople(2);
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    const { page, complaints } = await open(world);
    await page.goto(world.url);
    await page.getByRole('button', { name: 'Client: Riverside Food Bank' }).waitFor();
    await page.getByText(/The contacts of Riverside Food Bank are up to date as of/).waitFor();
    await page
      .getByText(
        '2 of the 400 credits of this month are used for contacts. Networks have their own credits.',
      )
      .waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/client/i);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'whom to call' }).click();
    await page.waitForURL(/introductions/);
    expect(complaints).toEqual([]);
  });

  it('is clean for axe and as wide as the window, in light and dark, with the palette open and shut', async () => {
    const world = await openWorld({ others: OTHERS, integration: SCHEDULED });
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [768, 'dark'],
      [375, 'light'],
    ] as const) {
      const { page, complaints } = await open(world, { width, colorScheme });
      for (const path of ['/', '/clients/riverside', '/runs']) {
        await page.goto(world.url + path);
        expect(await findBarriers(page), `${path} ${width}`).toEqual([]);
        const spill = 'document.documentElement.scrollWidth - innerWidth';
        expect(await page.evaluate(spill), `${path} ${width}`).toBe(0);
      }
      await page.keyboard.press('Control+k');
      await page.keyboard.type('lakes');
      await page.getByRole('option', { name: 'lakeside' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${world.url}/clients/lakeside`);
      expect(complaints).toEqual([]);
    }
  });

  it('opens what the typed words find, also if the user presses Enter before the list shows it', async () => {
    const world = await openWorld({ others: OTHERS });
    const { page, complaints } = await open(world, {});
    await page.goto(world.url);
    await page.route('**/v1/find', async (route) => {
      await delay(ANSWER_MS);
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('lakes');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.url}/clients/lakeside`);
    expect(complaints).toEqual([]);
  });

  it('shows who reaches some clients nothing of the others: rows, chip, switcher, palette and list', async () => {
    const world = await openWorld({ others: OTHERS });
    const token = await world.addToken('viewer', ['harbor']);
    const home = await world.request('/', { token });
    expect(home.text).toContain('/clients/harbor');
    expect(home.text).not.toContain('riverside');
    expect(home.text).not.toContain('Riverside');
    expect((await world.request('/clients/riverside', { token })).status).toBe(404);
    expect((await world.request('/v1/find?q=r', { token })).text).not.toContain('riverside');
    const list = (await world.request('/v1/clients', { token })).read(clientsSchema);
    expect(list).toMatchObject({ found: 1, next: null });
  });

  it('pages the list for programs', async () => {
    const world = await openWorld({ others: OTHERS });
    const first = (await world.request('/v1/clients?limit=4')).read(clientsSchema);
    const second = (await world.request(`/v1/clients?limit=4&cursor=${first.next}`)).read(
      clientsSchema,
    );
    expect([first.found, first.clients.length, second.clients.length, second.next]).toEqual([
      6,
      4,
      2,
      null,
    ]);
    expect(first.clients[0]?.nights).toHaveLength(14);
  });
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { openView } from './browser.ts';
import { openBrowser } from './open-browser.ts';

const DESKTOP_WIDTH = 1_280;
const PHONE_WIDTH = 390;

const NAME = 'Hillside Community Health and Housing';
/** A contact ID with the same length as Salesforce's IDs. */
const CONTACT = '003Ho00001WMWMWQAA';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const openWorld = closedAfterTest(openHttpWorld);
const openCli = closedAfterTest(openCliWorld);

/** Opens a page at this width, in a browser whose clock is ahead. */
async function open({ url }: HttpWorld, width: number, path = '/'): Promise<Page> {
  const view = await openView(browser, url, { width });
  onTestFinished(view.close);
  await view.page.clock.setFixedTime(Date.now() + LATER_MS);
  await view.page.goto(url + path);
  return view.page;
}

/**
 * The time by which the browser's clock is ahead. With this difference, the displayed times have their maximum length.
 */
const LATER_MS = 42 * 60_000;

/** Creates a contact that is held because the response to its submission was lost. */
async function openWorldWithHold(): Promise<HttpWorld> {
  const world = await openWorld({ name: NAME });
  const [first = ''] = await world.addPeople(1);
  const person = world.crm.records.get(first)?.contact;
  world.crm.deleteContact(first);
  world.crm.addContact({ ...person, id: CONTACT });
  await world.putFaults([{ on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } }]);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  return world;
}

/** Returns the number of lines of each element that matches the selector, by the element's text. */
async function linesOf(page: Page, selector: string): Promise<Record<string, number>> {
  const script = `Object.fromEntries(
    [...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const tops = [...range.getClientRects()].map(({ bottom }) => Math.round(bottom));
      return [element.innerText, new Set(tops).size];
    }),
  )`;
  return z.record(z.string(), z.int()).parse(await page.evaluate(script));
}

async function openQueue(world: HttpWorld, width: number): Promise<Page> {
  const page = await open(world, width);
  await page.goto(`${world.url}/decisions`);
  await page.locator('.queue .is-named').first().waitFor();
  return page;
}

describe('the queue of decisions', () => {
  it('break no id of a contact and no time, however long the name beside them is', async () => {
    const page = await openQueue(await openWorldWithHold(), DESKTOP_WIDTH);
    const lines = await linesOf(page, '.queue .contact-id, .queue time');
    expect(lines).toEqual({ [CONTACT]: 1, '42 minutes ago': 1 });
  });

  it('have room for names and times on a phone, on a page as wide as it', async () => {
    const page = await openQueue(await openWorldWithHold(), PHONE_WIDTH);
    const lines = await linesOf(page, '.queue .contact-id, .queue time');
    expect(lines).toEqual({ [CONTACT]: 1, '42 minutes ago': 1 });
    expect(await page.locator('.queue').innerText()).toContain(NAME);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE_WIDTH);
  });
});

describe('the name of an integration', () => {
  it('has the kind of its CRM behind its last word, also if it is longer than a line', async () => {
    const name = `${NAME} Foundation of Greater Minnesota and Western Wisconsin`;
    const page = await open(await openWorld({ name }), DESKTOP_WIDTH, '/clients/riverside');
    const script = `(() => {
      const name = document.createRange();
      name.selectNodeContents(document.querySelector('h1').firstChild);
      const lines = [...name.getClientRects()];
      const kind = document.querySelector('h1 .kind').getBoundingClientRect();
      return { lines: lines.length, below: kind.top >= lines.at(-1).bottom };
    })()`;
    const { lines, below } = z
      .object({ lines: z.int(), below: z.boolean() })
      .parse(await page.evaluate(script));
    expect(lines).toBeGreaterThan(1);
    expect(below).toBe(false);
  });
});

describe('the form to sign in', () => {
  it('shows a command that makes a token, and does not break the name of the program', async () => {
    const world = await openWorld();
    await world.addToken('viewer');
    const page = await open(world, PHONE_WIDTH);
    expect(await linesOf(page, '.sign-in code span:first-child')).toEqual({ 'donor-sync': 1 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE_WIDTH);

    const shown = await page.locator('.sign-in code').innerText();
    const [, ...args] = [...shown.matchAll(/"([^"]*)"|\S+/g)].map(
      ([word, quoted]) => quoted ?? word,
    );
    const { exitCode, stdout, stderr } = await (await openCli()).run(args);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout).toMatch(/^dst_/);
  });
});

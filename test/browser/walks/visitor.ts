import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { PATIENCE_MS } from '../browser.ts';
import type { Account } from './accounts.ts';
import { createKeyboard, createPointer, type Hands } from './hands.ts';
import { ADDRESS } from './https-front.ts';
import type { WalkWorld } from './walk-world.ts';

/** The screen and the input method of a simulated user. */
export interface Ways {
  width: number;
  colorScheme: 'light' | 'dark';
  hands: 'pointer' | 'keyboard';
  /** The time that is added to each request (ms). */
  latencyMs?: number;
  /** The browser's user agent, if the browser runs on a different device. */
  userAgent?: string;
}

export const AT_A_DESK: Ways = { width: 1_440, colorScheme: 'light', hands: 'pointer' };
export const ON_A_PHONE: Ways = { width: 375, colorScheme: 'dark', hands: 'keyboard' };

/** The user agent of the device that confirms the server's address. */
export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1';

/** A simulated user with a browser. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  hands: Hands;
  ways: Ways;
  /** Console messages on the product's pages, violations of the content security policy, and errors in scripts. */
  complaints: string[];
}

/** A script that reports violations of the content security policy to the test. */
const HEAR_REPORTS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('refused by the rules for content:', violatedDirective, blockedURI));`;

/** Opens a browser without cookies. In this browser, the colleagues' address leads to the server. */
export async function comeToVisit(
  browser: Browser,
  world: WalkWorld,
  ways: Ways,
): Promise<Visitor> {
  const { width, colorScheme, latencyMs, userAgent } = ways;
  const context = await browser.newContext({
    ...{ viewport: { width, height: 900 }, colorScheme, locale: 'en-US' },
    ...{ timezoneId: 'America/Chicago', ignoreHTTPSErrors: true },
    ...(userAgent === undefined ? {} : { userAgent }),
    proxy: { server: world.proxy, bypass: '127.0.0.1,localhost' },
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(HEAR_REPORTS);
  const page = await context.newPage();
  if (latencyMs !== undefined) await slowDown(page, latencyMs);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isOurs = page.url().startsWith(world.url) || page.url().startsWith(ADDRESS);
    if (isOurs && ['error', 'warning'].includes(message.type())) {
      complaints.push(`${page.url()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await tellLastPage(page);
    await context.close();
  });
  const hands = ways.hands === 'pointer' ? createPointer(page) : createKeyboard(page);
  return { page, context, hands, ways, complaints };
}

async function slowDown(page: Page, latency: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 },
  });
}

/** Prints the page's content when the test fails, because the error does not show it. */
async function tellLastPage(page: Page): Promise<void> {
  const text = await page.evaluate('document.body.innerText').catch(String);
  process.stderr.write(`The last page of the test was ${page.url()}:\n${text}\n`);
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${Date.now()}.png` });
}

/** On a phone, the areas are in a menu. */
export async function goToArea({ page, hands }: Visitor, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  const areas = page.getByRole('navigation', { name: 'Areas' });
  if (await menu.isVisible()) await hands.press(menu);
  await hands.press(areas.getByRole('link', { name: new RegExp(`^${name}`) }));
}

/** Fails if the page is wider than the screen or if there are console messages. */
export async function expectCalm({ page, complaints }: Visitor): Promise<void> {
  const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(over), `too wide: ${page.url()}`).toBeLessThanOrEqual(0);
  expect(complaints).toEqual([]);
}

export async function signIn({ page, hands }: Visitor, who: Account): Promise<void> {
  await hands.type(page.getByLabel('E-mail'), who.email);
  await hands.type(page.getByLabel('Password', { exact: true }), who.password);
  await hands.press(page.getByRole('button', { name: 'Sign in', exact: true }));
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/**
 * Tests user accounts in a real browser. The tests start with the first visit and end with a user who has access to
 * only one client.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createFirstVisit, type FirstVisit } from '../../src/interfaces/api/request/secret.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { startOidcProvider } from '../interfaces/api/oidc-provider.ts';
import { invite, join, PASSWORD } from '../interfaces/api/people-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const open = closedAfterTest(openHttpWorld);
const openProvider = closedAfterTest(startOidcProvider);

async function look(world: HttpWorld, options?: ViewOptions): Promise<View> {
  const view = await openView(browser, world.url, options);
  onTestFinished(view.close);
  return view;
}

/** Signs the browser in with a user's session cookie. */
async function enter(world: HttpWorld, cookie: string, options?: ViewOptions): Promise<View> {
  const view = await look(world, options);
  const [name = '', value = ''] = cookie.split('=');
  await view.page.context().addCookies([{ name, value, url: world.url }]);
  return view;
}

/** Returns the cookie of a browser that has used the one-time link. */
async function beginVisit({ url }: HttpWorld, { path }: FirstVisit) {
  const followed = await fetch(url + path, { method: 'POST', redirect: 'manual' });
  const [, name = '', value = ''] =
    /^(\w+)=([\w-]+)/.exec(followed.headers.get('set-cookie') ?? '') ?? [];
  return { name, value };
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

/** Returns the number of pixels by which the page is wider than its visible part. */
async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

describe('users', () => {
  it('come from the first visit to one who sees one client only', async () => {
    const firstVisit = createFirstVisit(createFakeClock(Date.now()));
    const world = await open({ isIdle: true, others: ['harbor'], withoutToken: firstVisit });
    const { page, complaints } = await look(world);
    await page.goto(world.url + firstVisit.path);
    await page.getByRole('button', { name: 'Continue' }).click();
    const account = heading(page, 'Create your account');
    await account.waitFor();
    // Before the first account exists, the service shows no other page.
    await page.goto(`${world.url}/users`);
    await account.waitFor();
    await page.getByLabel('Name').fill('Anna Kowalski');
    await page.getByLabel('E-mail').fill('anna@example.org');
    await page.getByLabel('Password').fill('Anna Kowalski');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Others could guess this password').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe('anna@example.org');
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Anna Kowalski (owner)').waitFor();

    await page.getByRole('link', { name: 'Users' }).click();
    const form = page.getByRole('region', { name: 'Invite a user' });
    await form.getByLabel('Name').fill('Ben');
    await form.getByLabel('E-mail').fill('ben@example.org');
    await form.getByLabel('Role').selectOption('decider');
    await form.getByLabel('Only these clients').check();
    await form.getByLabel('harbor').check();
    await page.getByRole('button', { name: 'Invite' }).click();
    const bensLink = await page.getByLabel('Link', { exact: true }).inputValue();
    // The settings contain a different address, so the test replaces the address in the link.
    await page.getByRole('cell', { name: 'ben@example.org' }).waitFor();

    const ben = await look(world);
    await ben.page.goto(world.url + new URL(bensLink).pathname);
    await ben.page.getByLabel('Password').fill(PASSWORD);
    await ben.page.keyboard.press('Enter');
    await ben.page.getByText('Ben (decider)').waitFor();
    const home = await ben.page.content();
    expect(home).toContain('harbor');
    expect(home).not.toContain('Riverside');
    expect(await ben.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await ben.page.goto(`${world.url}/users`);
    await ben.page.getByText('needs the role owner').waitFor();
    // The browsers log the 422 and 403 responses as errors.
    expect(complaints).toEqual([expect.stringContaining('422')]);
    expect(ben.complaints).toEqual([expect.stringContaining('403')]);
  });

  it('sign in and out with only the keyboard, even after a wrong password', async () => {
    const world = await open({ isIdle: true });
    const { email } = await join(world, 'Anna', 'viewer');
    const { page } = await look(world);
    await page.goto(`${world.url}/account`);
    await page.getByLabel('E-mail').focus();
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not that one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('is wrong').waitFor();
    // The field still contains the address, and the focus is on the invalid field.
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, 'Where you are signed in').waitFor();
    await page.getByText('Chrome on Linux').first().waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Sign in').waitFor();
  });

  it('sign in by their identity provider, and come back to the page that they asked for', async () => {
    const provider = await openProvider();
    const { issuer, clientId, clientSecret } = provider;
    provider.user = { sub: 'anna', email: 'anna@example.org', email_verified: true };
    const world = await open({
      ...{ isIdle: true, isPublic: true },
      provider: { issuer, clientId, clientSecret, name: 'Stand-in' },
    });
    await join(world, 'Ben', 'viewer');
    await invite(world, 'Anna', 'viewer');
    const { page } = await look(world);
    await page.goto(`${world.url}/account`);
    await page.getByRole('link', { name: 'Sign in with Stand-in' }).press('Enter');
    await page.getByText('Anna (viewer)').waitFor();
    expect(page.url()).toBe(`${world.url}/account`);
    expect(await heading(page, 'Change the password').count()).toBe(0);
  });

  it('have their rights changed in a dialog, and are taken out after a question', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const { cookie } = await join(world, 'Anna', 'owner');
    await join(world, 'Ben', 'viewer');
    const { page, complaints } = await enter(world, cookie);
    await page.goto(`${world.url}/users`);
    const row = page.getByRole('row').filter({ hasText: 'ben@example.org' });
    await row.getByRole('button', { name: 'Change Ben' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Ben' });
    await dialog.getByLabel('Role').selectOption('admin');
    await dialog.getByLabel('Only these clients').check();
    await dialog.getByLabel('harbor').check();
    await dialog.getByRole('button', { name: 'Save rights' }).press('Enter');
    await page.getByText('The new rights apply from now on.').waitFor();
    expect(await row.innerText()).toMatch(/admin\s+harbor/);
    await row.getByRole('button', { name: 'Change Ben' }).press('Enter');
    await page.getByRole('dialog', { name: 'Ben' }).getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Permanently remove Ben?' });
    await question.getByRole('button', { name: 'Remove user' }).click();
    await page.getByText('The user was removed.').waitFor();
    expect(await row.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('bar no reader: every page in light and dark, on a phone, a tablet and a desk', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const { cookie } = await join(world, 'Anna Wolfeschlegelsteinhausen-Bergerdorff', 'owner');
    const { path } = await invite(world, 'Ben', 'decider', ['riverside', 'harbor']);
    await world.addToken('viewer', ['harbor']);
    const firstVisit = createFirstVisit(createFakeClock(Date.now()));
    const visited = await open({ isIdle: true, withoutToken: firstVisit });
    const visitCookie = await beginVisit(visited, firstVisit);
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await enter(world, cookie, { colorScheme });
      const stranger = await look(world, { colorScheme });
      const first = await look(visited, { colorScheme });
      await first.page.context().addCookies([{ ...visitCookie, url: visited.url }]);
      for (const [seen, address] of [
        [page, '/users'],
        [page, '/account'],
        [stranger.page, '/sign-in'],
        [stranger.page, path],
        [stranger.page, '/join/no-secret'],
        [first.page, visited.url + firstVisit.path],
        [first.page, `${visited.url}/first-visit`],
      ] as const) {
        await seen.goto(new URL(address, world.url).href);
        expect(await findBarriers(seen), address).toEqual([]);
        for (const width of [375, 768, 1440]) {
          await seen.setViewportSize({ width, height: 900 });
          expect(await overflowOf(seen), `${address} at ${width}`).toBe(0);
        }
      }
      await page.goto(`${world.url}/users`);
      await page.getByRole('button', { name: 'Change Ben' }).click();
      expect(await findBarriers(page)).toEqual([]);
    }
    // The time limit is long, because a dozen accessibility checks of whole pages take minutes on a busy machine.
  }, 300_000);
});

/** Tests in a real browser what happens if a session ends while a user fills in a form. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listRunRequests } from '../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { join, PASSWORD } from '../interfaces/api/people-world.ts';
import { findBarriers, openView } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const open = closedAfterTest(openHttpWorld);

async function enter(world: HttpWorld, path: string, cookie: string) {
  const { page, close, complaints } = await openView(browser, world.url);
  onTestFinished(close);
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: world.url }]);
  await page.goto(world.url + path);
  return { page, complaints };
}

describe('a session that ends while a form is filled in', () => {
  it('opens the sign-in above the form, and sends only a plain save by itself', async () => {
    const world = await open({ isIdle: true, isPublic: true });
    const { email, cookie } = await join(world, 'Dana', 'owner');
    const { page } = await enter(world, '/users', cookie);
    await page.getByLabel('Name').first().fill('Fred');
    await page.getByLabel('E-mail').fill('fred@example.org');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const signIn = async (password: string) => {
      await dialog.getByLabel('E-mail').fill(email);
      await dialog.getByLabel('Password').fill(password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn('not that one');
    await dialog.getByText('The e-mail address or the password is wrong.').waitFor();
    await signIn(PASSWORD);
    // The invitation is sent only after the user presses the button again.
    await page.getByText('Nothing was sent yet. To send it, press “Invite”.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe('fred@example.org');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('heading', { name: 'The link for Fred' }).waitFor();

    await page.goto(`${world.url}/setup`);
    await page.getByLabel('Name').first().fill('Lakeside Clinic');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await signIn(PASSWORD);
    await page.waitForURL('**/setup/lakeside-clinic/crm');
  });

  it('keeps the form if the user returns to the page only after the end', async () => {
    const world = await open({ isIdle: true, isPublic: true });
    const { cookie } = await join(world, 'Dana', 'owner');
    const { page } = await enter(world, '/users', cookie);
    // Browsers send this event when the user returns to the page. The page then loads its content again.
    const comeBack = () => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByLabel('Name').first().fill('Fred');
    await page.getByLabel('E-mail').fill('fred@example.org');
    await page.context().clearCookies();
    const fetched = page.waitForResponse(/\/sign-in\?to=/);
    await comeBack();
    await fetched;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(await page.getByLabel('E-mail').first().inputValue()).toBe('fred@example.org');
    await page.getByRole('button', { name: 'Cancel' }).click();
    // If the user has not changed the page, the sign-in page replaces it, because the page may show names.
    await page.getByLabel('Name').first().fill('');
    await page.getByLabel('E-mail').fill('');
    await comeBack();
    await page.waitForURL(/\/sign-in\?to=/);
  });

  it('comes back to the confirmation in which the button was pressed', async () => {
    const world = await open({ isIdle: true, isPublic: true });
    const { email, cookie } = await join(world, 'Dana', 'owner');
    const { page } = await enter(world, '/clients/riverside', cookie);
    await page.getByRole('button', { name: 'Sync now' }).click();
    const question = page.getByRole('dialog', { name: /^Sync / });
    await page.context().clearCookies();
    await question.getByRole('button', { name: 'Sync now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await question.getByText('Nothing was sent yet. To send it, press “Sync now”.').waitFor();
    const answer = question.getByRole('button', { name: 'Sync now' });
    expect(await answer.evaluate((e) => e === e.ownerDocument.activeElement)).toBe(true);
    const requests = () => listRunRequests(world.application.store.reader);
    expect(await requests()).toHaveLength(0);
    await answer.click();
    await expect.poll(requests).toHaveLength(1);
  });

  it('says within a second that a slow server is still working', async () => {
    const world = await open({ isIdle: true, isPublic: true });
    const { cookie } = await join(world, 'Dana', 'owner');
    const { page } = await enter(world, '/setup', cookie);
    // While a browser waits for a page, the test receives no events, so the page itself records the changes.
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('.waiting')) console.info('is waiting');
    }).observe(document.body, { childList: true, subtree: true })`);
    const said: string[] = [];
    page.on('console', (message) => void said.push(message.text()));
    let saidBefore = false;
    await page.route('**/setup', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      saidBefore = said.includes('is waiting');
      return route.continue();
    });
    await page.getByLabel('Name').first().fill('Lakeside Clinic');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/setup/lakeside-clinic/crm');
    expect(saidBefore).toBe(true);
  });
});

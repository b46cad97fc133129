/** The owner sets the address in one browser. A phone confirms the address over HTTPS through a TLS proxy. */
import { request } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createFirstVisit } from '../../src/interfaces/api/request/secret.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';
import { findBarriers, openView, PATIENCE_MS } from './browser.ts';
import { openBrowser } from './open-browser.ts';
import { expectSound } from './rooms.ts';

const ADDRESS = 'https://donors.example.org';
const PASSWORD = 'copper lantern vivid otter';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const open = closedAfterTest(openHttpWorld);

/** Forwards a browser's requests to the address, like a proxy with TLS in front of the service. */
async function passOn(context: BrowserContext, url: string): Promise<void> {
  await context.route(`${ADDRESS}/**`, async (route) => {
    const asked = route.request();
    const { pathname, search, host } = new URL(asked.url());
    const headers = {
      ...(await asked.allHeaders()),
      ...{ host, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' },
    };
    const plain = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
    const options = { method: asked.method(), headers: Object.fromEntries(plain) };
    await new Promise<void>((resolve, reject) => {
      const onward = request(new URL(pathname + search, url), options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const { 'set-cookie': cookies, ...others } = answer.headers;
          const shown = Object.entries(others).map(([name, value]) => [name, String(value)]);
          const all = Object.fromEntries(shown);
          const withCookies =
            cookies === undefined ? all : { ...all, 'set-cookie': cookies.join('\n') };
          const body = Buffer.concat(chunks);
          route
            .fulfill({ status: answer.statusCode ?? 502, headers: withCookies, body })
            .then(resolve, reject);
        });
      });
      onward.on('error', reject);
      onward.end(asked.postDataBuffer());
    });
  });
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder === undefined) return;
  const size = page.viewportSize();
  for (const width of [1_440, 375]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  }
  if (size !== null) await page.setViewportSize(size);
}

it('the first owner sets the address, a phone confirms it, and a colleague gets a link to it', async () => {
  const first = createFirstVisit(createFakeClock(Date.now()));
  const world = await open({ isIdle: true, hasOwnUrl: true, withoutToken: first });
  const owner = await openView(browser, world.url);
  onTestFinished(owner.close);
  const { page } = owner;
  await page.goto(world.url + first.path);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Name').fill('Dana Reyes');
  await page.getByLabel('E-mail').fill('dana@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: /^At which address/ }).waitFor();
  await page.getByText('Works on this computer only').waitFor();
  await expectSound(owner);
  await takePicture(page, '1-asks');

  await page.goto(`${world.url}/users`);
  await page.getByText('A link would not work for your colleagues.').waitFor();
  await takePicture(page, '2-users');
  await expectSound(owner);
  await page.getByRole('link', { name: 'Set the address' }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill('donors.example.org');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Open this on another device' }).waitFor();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  const link = await page.getByRole('link', { name: /confirm-address/ }).innerText();
  await expectSound(owner);
  await takePicture(page, '3-link');
  // The user has the phone in their hand, so the page does not wait for its ordinary refresh after 15 seconds.
  for (let times = 0; times < 2; times += 1) {
    await page.waitForResponse(/\/address$/, { timeout: 10_000 });
  }

  const context = await browser.newContext({
    ...{ viewport: { width: 375, height: 700 }, userAgent: PHONE, locale: 'en-US' },
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  await passOn(context, world.url);
  const phone = await context.newPage();
  await phone.goto(link);
  await phone.getByRole('heading', { name: 'Confirm the address' }).waitFor();
  expect(await findBarriers(phone)).toEqual([]);
  await takePicture(phone, '4-phone');
  // Opening the page changes nothing.
  await page.reload();
  await page.getByText('Works on this computer only').waitFor();
  await phone.getByRole('button', { name: 'Confirm' }).click();
  await phone.getByRole('heading', { name: 'The address is confirmed' }).waitFor();
  expect(await findBarriers(phone)).toEqual([]);
  await takePicture(phone, '5-confirmed');

  await page.reload();
  await page.getByRole('heading', { name: 'Change the address' }).waitFor();
  await expectSound(owner);
  await takePicture(page, '6-final');
  await page.goto(`${world.url}/users`);
  const form = page.getByRole('region', { name: 'Invite a user' });
  await form.getByLabel('Name').fill('Ben');
  await form.getByLabel('E-mail').fill('ben@example.org');
  await page.getByRole('button', { name: 'Invite' }).click();
  const invitation = await page.getByLabel('Link', { exact: true }).inputValue();
  expect(invitation.startsWith(`${ADDRESS}/join/`)).toBe(true);

  await phone.goto(invitation);
  await phone.getByRole('button', { name: 'Use a passkey instead' }).waitFor();
});

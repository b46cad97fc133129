/**
 * Tests passkeys in a real browser with a simulated authenticator. The test creates and uses passkeys with only the
 * keyboard.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';
import { invite, join, PASSWORD } from '../interfaces/api/people-world.ts';
import { findBarriers, openView, type ViewOptions } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const openWorld = closedAfterTest(openHttpWorld);

/** Opens a service at `localhost`, because passkeys need a host name and not an IP address. */
async function open() {
  const world = await openWorld({ isIdle: true, isPublic: true, publicName: 'localhost' });
  return { ...world, origin: world.url.replace('127.0.0.1', 'localhost') };
}

/**
 * Opens a page on a device whose authenticator responds immediately. If a field offers passkeys, the authenticator
 * responds before the user does anything. Therefore, the browser supports this feature only if the test needs it.
 */
async function look(origin: string, options: ViewOptions & { hasAutofill?: boolean } = {}) {
  const { hasAutofill = false, ...others } = options;
  const view = await openView(browser, origin, others);
  onTestFinished(view.close);
  if (!hasAutofill) {
    await view.page.addInitScript(
      'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
    );
  }
  const session = await view.page.context().newCDPSession(view.page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  const unlocks = (isUserVerified: boolean) =>
    session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  return { ...view, unlocks };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Moves the focus to the button with the Tab key and presses it. */
async function pressByKeyboard(page: Page, name: string): Promise<void> {
  await button(page, name).waitFor();
  const focus = () => page.evaluate('document.activeElement.textContent.trim()');
  for (let step = 0; step < 40 && (await focus()) !== name; step += 1) {
    await page.keyboard.press('Tab');
  }
  expect(await focus()).toBe(name);
  await page.keyboard.press('Enter');
}

async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

describe('a passkey', () => {
  it('is what a person joins with, and signs in with again, by the keyboard alone', async () => {
    const world = await open();
    const { path } = await invite(world, 'Anna', 'viewer');
    const { page, complaints } = await look(world.origin);
    await page.goto(world.origin + path);
    await pressByKeyboard(page, 'Use a passkey instead');
    await page.getByText('Anna (viewer)').waitFor();

    await page.goto(`${world.origin}/account`);
    await page
      .getByRole('table', { name: 'Passkeys' })
      .getByRole('rowheader', { name: 'Chrome on Linux' })
      .waitFor();
    // One passkey for each device is enough.
    await pressByKeyboard(page, 'Add a passkey');
    await page.getByText('has a passkey for you already').waitFor();

    await pressByKeyboard(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await button(page, 'Sign in with a passkey').waitFor();
    await pressByKeyboard(page, 'Sign in with a passkey');
    await page.getByText('Anna (viewer)').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is offered in the field of the e-mail address, and leads to the page that was asked for', async () => {
    const world = await open();
    const { path } = await invite(world, 'Anna', 'viewer');
    const { page, complaints } = await look(world.origin, { hasAutofill: true });
    await page.goto(world.origin + path);
    await button(page, 'Use a passkey instead').click();
    await page.getByText('Anna (viewer)').waitFor();
    await page.context().clearCookies();
    // If a field offers passkeys, the authenticator responds when the page loads, before the user presses the button.
    await page.goto(`${world.origin}/account`);
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
    expect(complaints).toEqual([]);
  });

  it('is added to an account with a password, named, and removed after a question', async () => {
    const world = await open();
    await join(world, 'Anna', 'viewer');
    const { page, complaints } = await look(world.origin);
    await page.goto(`${world.origin}/account`);
    await page.getByLabel('E-mail').fill('anna@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the new passkey').fill('My telephone');
    await page.keyboard.press('Enter');
    await page.getByText('The passkey was added').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'My telephone' });
    await row.getByText('never').waitFor();

    await page.context().clearCookies();
    await page.goto(`${world.origin}/account`);
    await pressByKeyboard(page, 'Sign in with a passkey');
    await row.waitFor();
    expect(await row.getByText('never').count()).toBe(0);
    await row.getByRole('button', { name: 'Remove' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Remove the passkey "My telephone"?' });
    await question.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('The passkey was removed').waitFor();
    expect(await row.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('lets no one in that the device does not know, and says so in words', async () => {
    const world = await open();
    const { path } = await invite(world, 'Anna', 'viewer');
    const { page, unlocks } = await look(world.origin);
    await page.goto(world.origin + path);
    await button(page, 'Use a passkey instead').click();
    await page.getByText('Anna (viewer)').waitFor();
    await button(page, 'Sign out').click();
    await button(page, 'Sign in with a passkey').waitFor();
    await unlocks(false);
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('alert').getByText('No passkey was used').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  it('is not to be had by the number of the machine, and the page says by what name', async () => {
    const world = await open();
    const { cookie } = await join(world, 'Anna', 'viewer');
    const { page, complaints } = await look(world.url);
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: world.url }]);
    await page.goto(`${world.url}/account`);
    await page.getByText('Passkeys work at').waitFor();
    const link = page.getByRole('link', { name: world.origin });
    expect(await link.getAttribute('href')).toBe(world.origin);
    expect(await button(page, 'Add a passkey').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('bars no reader: its pages in light and dark, on a phone, a tablet and a desk', async () => {
    const world = await open();
    const anna = await join(world, 'Anna Wolfeschlegelsteinhausen-Bergerdorff', 'owner');
    const ben = await invite(world, 'Ben', 'viewer');
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await look(world.origin, { colorScheme });
      const stranger = await look(world.origin, { colorScheme });
      const [name = '', value = ''] = anna.cookie.split('=');
      await page.context().addCookies([{ name, value, url: world.origin }]);
      await page.goto(`${world.origin}/account`);
      await page
        .getByLabel('Name of the new passkey')
        .fill(`A long name of a device, ${colorScheme}`);
      await button(page, 'Add a passkey').click();
      await page.getByText('The passkey was added').waitFor();
      for (const [seen, address] of [
        [page, '/account'],
        [page, '/users'],
        [stranger.page, '/sign-in'],
        [stranger.page, ben.path],
      ] as const) {
        await seen.goto(world.origin + address);
        expect(await findBarriers(seen), address).toEqual([]);
        for (const width of [375, 768, 1440]) {
          await seen.setViewportSize({ width, height: 900 });
          expect(await overflowOf(seen), `${address} at ${width}`).toBe(0);
        }
      }
    }
    // The time limit is long, because a dozen accessibility checks of whole pages take minutes on a busy machine.
  }, 300_000);
});

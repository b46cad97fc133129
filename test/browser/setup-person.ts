/**
 * Simulates a user who sets up a client in a browser. The user reads each page, types one key after another, and
 * presses the buttons.
 */
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { createOwner, PATIENCE_MS } from './browser.ts';
import type { Kind, SetupWorld } from './setup-world.ts';

/** The time that a user needs to press a key. */
const TYPING_MS = 40;

export interface Person {
  page: Page;
  /** Console messages on the product's pages, violations of the content security policy, and errors in scripts. */
  complaints: string[];
  read(): Promise<void>;
  type(place: Locator, text: string): Promise<void>;
  /** Returns the number of pages that the user has visited. */
  pages(): number;
  press(name: string | RegExp): Promise<void>;
}

/** A script that reports violations of the content security policy to the test. */
const HEAR_REPORTS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('refused by the rules for content:', violatedDirective, blockedURI));`;

/** Opens a separate browser for a user who looks at each page for the given time. */
export async function comeAsAPerson(
  browser: Browser,
  origin: string,
  readingMs = 0,
): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-US',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(HEAR_REPORTS);
  const page = await context.newPage();
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await tellLastPage(page);
    await context.close();
  });
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isOurs = page.url().startsWith(origin);
    if (isOurs && ['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  let pages = 0;
  const read = () => {
    pages += 1;
    return page.waitForTimeout(readingMs);
  };
  return {
    ...{ page, complaints, read },
    pages: () => pages,
    async type(place, text) {
      await place.click();
      await place.fill('');
      await place.pressSequentially(text, { delay: Math.min(TYPING_MS, readingMs) });
    },
    async press(name) {
      await page.getByRole('button', { name }).click();
      // Before it sends a form, the page checks whether the session has ended.
      await page.locator('html:not([data-sending])').waitFor({ state: 'attached' });
      await page.waitForLoadState();
      await read();
    },
  };
}

/** Prints the page's content when the test fails, because the error does not show it. */
async function tellLastPage(page: Page): Promise<void> {
  const text = await page.evaluate('document.body.innerText').catch(String);
  process.stderr.write(`The last page of the test was ${page.url()}:\n${text}\n`);
}

export const NAMES = { salesforce: 'Salesforce', hubspot: 'HubSpot', csv: 'A CSV file' } as const;

/** Completes the first steps, which differ between CRMs. They ask where the contacts are and how to connect. */
export async function connect(
  person: Person,
  world: SetupWorld,
  kind: Kind,
  name: string,
): Promise<void> {
  const { page, read } = person;
  await createOwner(page, world.signInUrl);
  await read();
  expect(new URL(page.url()).pathname).toBe('/setup');
  await begin(person, world, kind, name);
}

/** Completes the first steps like `connect`, but starts on the first page of the set-up. */
export async function begin(
  { page, press, read, type }: Person,
  world: SetupWorld,
  kind: Kind,
  name: string,
): Promise<void> {
  await type(page.getByLabel('Name of the nonprofit'), name);
  await press('Begin');
  if (kind === 'csv') {
    await page.getByLabel('Choose a file').setInputFiles(await world.writeContacts('donors.csv'));
    await page.getByRole('region', { name: 'The first rows of the file' }).waitFor();
    await read();
    await press('Use this file');
    await page.getByRole('heading', { name: 'Service key' }).waitFor();
    await read();
    return;
  }
  const org = world.crms[kind];
  const door = page.locator('form.door', { hasText: `Connect ${NAMES[kind]}` });
  await type(door.getByLabel("The app's client ID"), org?.clientId ?? '');
  await type(door.getByLabel('Client secret'), org?.clientSecret ?? '');
  if (kind === 'hubspot') await door.getByText('or another address').click();
  await type(door.getByLabel('Address'), org?.baseUrl ?? '');
  await door.getByRole('button', { name: `Connect ${NAMES[kind]}` }).click();
  await page.waitForURL(/authorize/);
  await read();
  await page.getByRole('button', { name: kind === 'salesforce' ? 'Allow' : 'Connect app' }).click();
  await page.getByText('Connected to').waitFor();
  await read();
  await page.getByRole('link', { name: 'Continue' }).click();
  await read();
}

/** Answers the remaining steps, up to the button that tries 25 contacts. The group with this name becomes a network. */
export async function answerTheRest(
  { page, press, read, type }: Person,
  world: SetupWorld,
  kind: Kind,
  { apiKey = world.service.apiKey, group = null }: { apiKey?: string; group?: string | null } = {},
): Promise<void> {
  await type(page.getByLabel('Key', { exact: true }), apiKey);
  await press('Test the key');
  await page.getByText('The service knows this key').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'As they would be sent' }).waitFor();
  await read();
  await press('Save and continue');
  if (kind !== 'csv') {
    await press('Create them in the CRM');
    await page.getByText('The fields exist now').waitFor();
  }
  await press('Save and continue');
  if (group === null) await press('Continue');
  else {
    await page.getByRole('checkbox', { name: group }).check();
    await press('Continue');
    if (kind !== 'csv') {
      // Introductions are written to separate fields. After that, the set-up continues with the next step.
      await page.getByText('warm paths are written to separate fields').waitFor();
      await press('Create them in the CRM');
      await page.getByText('The fields exist now').waitFor();
    }
  }
  await type(page.getByLabel('Time zone'), 'America/Chicago');
  await page.getByLabel('Time zone').press('Tab');
  await page.getByText('at 2:00 AM').first().waitFor();
  await press('Save and continue');
  await page.getByText('The first contacts').waitFor();
}

import { readdir, readFile, stat } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOwner, findBarriers } from './browser.ts';
import { openBuiltSetups } from './built-setups.ts';
import { answerTheRest, comeAsAPerson, connect } from './setup-person.ts';
import type { Kind } from './setup-world.ts';

/** The time limit (ms). The test builds the product and then clicks as slowly as a user. */
const TIMEOUT_MS = 300_000;

const setups = openBuiltSetups(TIMEOUT_MS);

const open = (kind: Kind) => setups.open([kind]);
const aPerson = (origin: string) => comeAsAPerson(setups.browser(), origin);

describe('the pages of the set-up', () => {
  it(
    'have no barrier and are never too wide, light and dark, from the phone to the desk',
    async () => {
      const world = await open('csv');
      const person = await aPerson(world.url);
      await connect(person, world, 'csv', 'Riverside Food Bank');
      await answerTheRest(person, world, 'csv');
      const { page } = person;
      const steps = ['crm', 'key', 'people', 'fields', 'networks', 'schedule', 'plan'];
      const paths = ['/setup', ...steps.map((step) => `/setup/riverside-food-bank/${step}`)];
      for (const path of paths) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.goto(world.url + path);
          expect(await findBarriers(page), `${path} ${colorScheme}`).toEqual([]);
        }
        for (const width of [1440, 768, 375]) {
          await page.setViewportSize({ width, height: 900 });
          const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(over, `${path} at ${width}`).toBeLessThanOrEqual(0);
        }
      }
      expect(person.complaints).toEqual([]);
      expect(await world.control.spent()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'show what an answer makes while it is typed, and keep it only when it is saved',
    async () => {
      const world = await open('csv');
      const person = await aPerson(world.url);
      await connect(person, world, 'csv', 'Riverside Food Bank');
      await answerTheRest(person, world, 'csv');
      const { page } = person;
      await page.goto(`${world.url}/setup/riverside-food-bank/fields`);
      const example = page.locator('[id="example-age"]');
      await page.getByLabel('Field for Donor Age').fill('Role');
      await page.getByLabel('When Donor Age is written').selectOption('ifEmpty');
      await example.getByText('stays unchanged').waitFor();
      await page.getByLabel('When Donor Age is written').selectOption('always');
      await example.getByText('57').waitFor();
      await page.goto(`${world.url}/setup/riverside-food-bank/people`);
      await page.getByLabel('First name', { exact: true }).selectOption('Role');
      await page.getByRole('rowheader', { name: 'Donor' }).first().waitFor();
      await page.goto(`${world.url}/setup/riverside-food-bank/fields`);
      expect(await page.getByLabel('Field for Donor Age').inputValue()).toBe('Donor Age');
      expect(person.complaints).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'say that the CRM let no one in, and take the set-up up again there',
    async () => {
      const world = await open('hubspot');
      const { page, type, press } = await aPerson(world.url);
      await createOwner(page, world.signInUrl);
      await type(page.getByLabel('Name of the nonprofit'), 'Riverside');
      await press('Begin');
      const door = page.locator('form.door', { hasText: 'Connect HubSpot' });
      await door.getByLabel("The app's client ID").fill(world.crms.hubspot?.clientId ?? '');
      await door.getByLabel('Client secret').fill(world.crms.hubspot?.clientSecret ?? '');
      await door.getByText('or another address').click();
      await door.getByLabel('Address').fill(world.crms.hubspot?.baseUrl ?? '');
      await door.getByRole('button', { name: 'Connect HubSpot' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('did not grant donor-sync access').waitFor();
      await page.getByRole('link', { name: 'Back to the set-up' }).click();
      await page.waitForURL(/\/setup\/riverside\/crm/);
      expect(await page.getByText('Connected to').count()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'work without a script, from the file to the trial',
    async () => {
      const world = await open('csv');
      const context = await setups.browser().newContext({ javaScriptEnabled: false });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await createOwner(page, world.signInUrl);
      await page.getByLabel('Name of the nonprofit').fill('Riverside');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByLabel('Choose a file').setInputFiles(await world.writeContacts('donors.csv'));
      await page.getByRole('button', { name: 'Use this file' }).click();
      // The user cannot skip the step that asks for the service key.
      await page.getByLabel('Key', { exact: true }).fill(world.service.apiKey);
      await page.getByRole('button', { name: 'Test the key' }).click();
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.getByLabel('First name', { exact: true }).selectOption('Last Name');
      await page.getByLabel('Last name', { exact: true }).selectOption('First Name');
      await page.getByRole('button', { name: 'Show who is sent' }).click();
      await page.getByRole('heading', { name: 'As they would be sent' }).waitFor();
      await page.getByLabel('First name', { exact: true }).selectOption('First Name');
      await page.getByLabel('Last name', { exact: true }).selectOption('Last Name');
      await page.getByRole('button', { name: 'Save and continue' }).click();
      await page.getByRole('button', { name: 'Save and continue' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByLabel('It runs').selectOption('none');
      await page.getByRole('button', { name: 'Save and continue' }).click();
      await page.getByRole('button', { name: /^Try it on/ }).click();
      const knew = page.getByText('The service knew');
      const count = async () => {
        await page.reload();
        return knew.count();
      };
      await expect.poll(count, { interval: 500 }).toBe(1);
    },
    TIMEOUT_MS,
  );
});

describe('the first serve', () => {
  it(
    'writes settings and a key that others cannot read, and never again',
    async () => {
      const world = await open('csv');
      const names = await readdir(world.folder);
      expect(names.sort()).toEqual(['data', 'donor-sync.yaml']);
      const { mode } = await stat(world.path('data/donor-sync.db.key'));
      expect(mode & 0o077).toBe(0);
      expect(await readFile(world.path('donor-sync.yaml'), 'utf8')).toContain('integrations: []');
    },
    TIMEOUT_MS,
  );
});

/** Follows one user in a browser from an empty folder to a verified audit. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { holdJobs } from '../helpers/held-jobs.ts';
import { PASSWORD } from '../interfaces/api/people-world.ts';
import { openBuiltSetups } from './built-setups.ts';
import { answerTheRest, begin, comeAsAPerson, connect, type Person } from './setup-person.ts';
import { KINDS, type SetupWorld } from './setup-world.ts';

/** The test builds the product, and then clicks as slowly as a user. */
const TIMEOUT_MS = 600_000;

/** The time for which a user looks at a page of the setup. */
const READING_MS = 1_000;

/** The maximum time from the open page to the first written contact. */
const MOST_MS = 180_000;
const MOST_PAGES = 20;

/** The number of contacts. If more than a tenth of them move at the same time, a user has to decide. */
const CONTACTS = 80;
const MOVED = 40;

const CLIENTS = {
  salesforce: 'Riverside Food Bank',
  hubspot: 'Harbor Clinic',
  csv: 'Lakeside School',
} as const;

const setups = openBuiltSetups(TIMEOUT_MS);

it(
  'sets three clients up, watches, stops and takes up a run, decides, explores, rotates, invites and verifies',
  async () => {
    const jobs = holdJobs();
    jobs.letEnd();
    const world = await setups.open(KINDS, {
      ...{ contacts: CONTACTS, donors: CONTACTS },
      service: jobs.service,
    });
    await misspell(world);
    const person = await comeAsAPerson(setups.browser(), world.url, READING_MS);
    const { page, press } = person;

    await trial(person, world, 'salesforce');
    // From now on, the test decides when requests are answered.
    jobs.hold();
    await press(/^Send the rest/);
    await page.waitForURL(/\/runs\//);
    await expect.poll(() => count(person, 'submitted')).toBeGreaterThan(0);
    await press('Stop');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click();
    await page.getByText('The run is stopping.').waitFor();
    await page.getByText('Stopped early').first().waitFor();
    const paid = await world.control.spent();

    await page.locator('.crumbs').getByRole('link', { name: CLIENTS.salesforce }).click();
    await syncNow(person);
    await watch(person);
    await page.evaluate('window.isSamePage = true');
    const written = await count(person, 'written');
    jobs.letEnd();
    await expect.poll(() => count(person, 'written')).toBeGreaterThan(written);
    await page.locator('#run').getByText('Done').waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(await world.control.spent()).toBe(paid);

    for (const kind of ['hubspot', 'csv'] as const) {
      await trial(person, world, kind);
      await press(/^Send the rest/);
      await page.waitForURL(/\/runs\//);
      await page.locator('#run').getByText('Done').waitFor();
    }
    expect(person.complaints).toEqual([]);

    await decide(person);
    // A member whose contact waits for a decision is not offered as an introducer.
    await explore(person);
    await decideBatch(person, world);
    await rotate(person, world);
    await invite(person, world);

    await page.getByRole('link', { name: 'Audit' }).click();
    await press('Verify');
    await page.getByText('Nothing was changed').waitFor();
    expect(person.complaints).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Sets up a client and runs a trial with 25 contacts. Ends when the results of the trial are available. */
async function trial(
  person: Person,
  world: SetupWorld,
  kind: (typeof KINDS)[number],
): Promise<void> {
  const { page, press } = person;
  const before = await world.control.spent();
  const pagesBefore = person.pages();
  const startedAt = performance.now();
  if (kind === 'salesforce') await connect(person, world, kind, CLIENTS[kind]);
  else {
    await page.getByRole('link', { name: 'Set-up', exact: true }).first().click();
    await begin(person, world, kind, CLIENTS[kind]);
  }
  // Each client has a separate key, because clients with a common key also share its paid profiles.
  const apiKey = await world.control.issueKey({});
  const group = kind === 'salesforce' ? 'Board of Directors' : null;
  await answerTheRest(person, world, kind, { apiKey, group });
  await press(/^Try it on 25 contacts/);
  await page.getByText('The service knew').waitFor();
  expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
  expect(person.pages() - pagesBefore).toBeLessThanOrEqual(MOST_PAGES);
  await page.getByRole('heading', { name: 'What was written' }).waitFor();
  expect((await world.control.spent()) - before).toBe(25);
}

/** Returns the run's progress as the open page shows it, including contacts from earlier runs. */
async function count({ page }: Person, station: string): Promise<number> {
  const own = await page.locator(`.station-count[data-station="${station}"]`).innerText();
  const carried = (await page.locator('[data-carried]').textContent()) ?? '';
  const others = new RegExp(`(\\d+) ${station}`).exec(carried)?.[1] ?? '0';
  return Number(own) + Number(others);
}

async function syncNow({ page }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sync now' }).click();
}

/** Watches the page while a run waits for its jobs. */
async function watch({ page }: Person): Promise<void> {
  await page.getByRole('link', { name: 'Watch the run' }).click();
  await page.waitForURL(/\/runs\//);
}

/** Decides about a contact whose last name differs slightly from the name in its profile. */
async function decide({ page }: Person): Promise<void> {
  await page.getByRole('link', { name: 'Decisions' }).click();
  await page.getByRole('link', { name: 'Open the first one' }).click();
  await page.getByText('In your CRM').first().waitFor();
  await page.getByText('In the profile').first().waitFor();
  await page.locator('.name-text mark').first().waitFor();
  await page.getByRole('button', { name: 'It is the same person' }).click();
  await page.getByText('Approved: ').waitFor();
}

/**
 * Changes the addresses of many contacts at the same time, so that a user has to decide whether the contacts are
 * enhanced again.
 */
async function decideBatch(person: Person, world: SetupWorld): Promise<void> {
  const { page } = person;
  const contacts = await people(world);
  for (const { Id: id } of contacts.slice(0, MOVED)) {
    await edit(world, { action: 'update', id, values: { MailingStreet: `${id} Quarry Lane` } });
  }
  await page.goto(`${world.url}/clients/riverside-food-bank`);
  const latest = () => page.locator('#client-live tbody a').first().getAttribute('href');
  const earlier = await latest();
  await syncNow(person);
  // The run may end before the page can show that it is running.
  await expect.poll(latest).not.toBe(earlier);
  // The held contacts are complete only at the end of the run. The decisions page does not refresh automatically.
  await page.locator('#client-live tbody a').first().click();
  await page.locator('#run').getByText('Done').waitFor();
  const before = await world.control.spent();
  await page
    .getByRole('navigation', { name: 'Areas' })
    .getByRole('link', { name: /^Decisions/ })
    .click();
  await page
    .getByRole('navigation', { name: 'Queue' })
    .getByRole('link', { name: /contacts/ })
    .click();
  await page
    .getByRole('cell', { name: /Quarry Lane/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Reject all (no credit)' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Reject all/ })
    .click();
  await page.getByText('Rejected: ').waitFor();
  expect(await world.control.spent()).toBe(before);
}

/** Explores the people who can introduce contacts, in the picture and in the sentence about one contact. */
async function explore({ page }: Person): Promise<void> {
  await page.getByRole('link', { name: 'Networks' }).first().click();
  await page.getByRole('link', { name: /^Connections/ }).click();
  await page.locator('[data-drawn-ms]').waitFor();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const crmId = (await page.locator('#paths tbody th .contact-id').first().innerText()).trim();
  await page.getByLabel('Who knows').fill(crmId);
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.locator('.sentences').getByText('can introduce').first().waitFor();
}

const answerSchema = z.object({ status: z.number() });

/** Replaces a webhook's address and secret. The old address and secret are refused from then on. */
async function rotate({ page }: Person, world: SetupWorld): Promise<void> {
  await page.goto(`${world.url}/clients/riverside-food-bank`);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByLabel('Calls are').selectOption('hmac');
  await page.getByRole('button', { name: 'Create an address' }).click();
  const made = async () => {
    await page.getByRole('heading', { name: 'Save this now' }).waitFor();
    const [url = '', secret = ''] = await page.locator('.made dd code').allInnerTexts();
    return { url: world.url + new URL(url).pathname, signed: url, secret };
  };
  const first = await made();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Rotate' }).click();
  const second = await made();
  expect(await call(first)).toBe(404);
  expect(await call(second)).toBe(202);
}

async function call(hook: { url: string; signed: string; secret: string }): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const text = `v2\n${timestamp}\n${hook.signed}\n{}`;
  const signed = createHmac('sha256', hook.secret).update(text).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-donor-sync-timestamp': timestamp,
    'x-donor-sync-signature': `v2=${signed}`,
  };
  const answer = await fetch(hook.url, { method: 'POST', headers, body: '{}' });
  return answerSchema.parse(answer).status;
}

/** Invites an owner, and a user who has access to only one client. */
async function invite(person: Person, world: SetupWorld): Promise<void> {
  await person.page.getByRole('link', { name: 'Users' }).click();
  await person.page.getByText('Works on this computer only').waitFor();
  await join(person, world, await world.invite('Anna', 'owner', null));
  await person.page.getByText('Anna (owner)').waitFor();
  const link = await world.invite('Ben', 'decider', 'harbor-clinic');
  const ben = await comeAsAPerson(setups.browser(), world.url);
  await join(ben, world, link);
  await ben.page.getByText('Ben (decider)').waitFor();
  const home = await ben.page.content();
  expect(home).toContain(CLIENTS.hubspot);
  expect(home).not.toContain(CLIENTS.salesforce);
  expect(home).not.toContain(CLIENTS.csv);
  await ben.page.goto(`${world.url}/clients/riverside-food-bank`);
  expect(await ben.page.content()).not.toContain(CLIENTS.salesforce);
  // The browser itself logs the 404 response.
  expect(ben.complaints).toEqual([expect.stringContaining('404')]);
}

async function join({ page }: Person, world: SetupWorld, link: string): Promise<void> {
  await page.goto(world.url + new URL(link).pathname);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join' }).click();
}

const peopleSchema = z.object({
  records: z.array(z.object({ Id: z.string(), LastName: z.string() })),
});

/** Returns the contacts in the Salesforce org, in a fixed order. */
async function people({ crms: { salesforce } }: SetupWorld) {
  const soql = 'SELECT Id, LastName FROM Contact ORDER BY Id';
  const answer = await fetch(
    `${salesforce?.baseUrl}/services/data/v60.0/query?q=${encodeURIComponent(soql)}`,
    { headers: { authorization: `Bearer ${salesforce?.token}` } },
  );
  return peopleSchema.parse(await answer.json()).records;
}

async function edit({ crms: { salesforce } }: SetupWorld, order: object): Promise<void> {
  const answer = await fetch(`${salesforce?.rootUrl}/_sandbox/edit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/**
 * The length above which a last name counts as misspelt after a change of one letter. A shorter last name counts as a
 * different name.
 */
const SHORT = 4;

async function misspell(world: SetupWorld): Promise<void> {
  const short = (await people(world)).find(({ LastName: { length } }) => length === SHORT);
  if (short === undefined) throw new Error('no contact has a short last name');
  const values = { LastName: `${short.LastName}e` };
  await edit(world, { action: 'update', id: short.Id, values });
}

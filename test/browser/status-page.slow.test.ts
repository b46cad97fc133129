import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { applyAllAnswers } from '../../src/decisions/statements/withdrawable-answers.ts';
import { listRunRequests } from '../../src/sync/statements/run-requests.ts';
import { findRunById } from '../../src/sync/statements/runs.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import {
  type HttpWorld,
  type HttpWorldOptions,
  openHttpWorld,
} from '../interfaces/api/http-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

async function openWorld(options?: HttpWorldOptions): Promise<HttpWorld> {
  const world = await openHttpWorld(options);
  opened.push(world);
  return world;
}

async function open(world: HttpWorld, options?: ViewOptions): Promise<View> {
  const view = await openView(browser, world.url, options);
  opened.push(view);
  return view;
}

async function signIn({ page }: View, world: HttpWorld, token: string): Promise<void> {
  await page.goto(world.url);
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Runs a sync and waits until it ends. */
async function sync(world: HttpWorld): Promise<string> {
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  return runId;
}

/**
 * Adds a contact whose profile will not match the contact. One more letter turns a short last name into a different
 * name. Returns the contact's ID.
 */
async function addMistaken(world: HttpWorld): Promise<string> {
  await world.addPeople(MANY);
  const people = [...world.crm.records.values()].map(({ contact }) => contact);
  const short = people.find(({ lastName, addresses }) => lastName?.length === 4 && addresses[0]);
  for (const { id } of people) if (id !== short?.id) world.crm.deleteContact(id);
  if (!short) throw new Error('no contact has a short last name');
  world.crm.editContact(short.id, { lastName: `${short.lastName}e` });
  return short.id;
}

/** The number of people. At least one of them has a short last name. */
const MANY = 60;

describe('the status page', () => {
  it('asks strangers for a token, refuses a wrong one, and forgets who signs out', async () => {
    const world = await openWorld();
    const token = await world.addToken('viewer');
    const { page, complaints } = await open(world);
    await page.goto(world.url);
    expect(page.url()).toBe(`${world.url}/sign-in`);
    await page.getByLabel('Access token').fill('dst_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('not a valid access token').waitFor();
    // The browser logs the 401 response as an error.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);

    await page.getByLabel('Access token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ready for the first sync' }).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(cookie?.value).not.toContain(token);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await page.goto(world.url);
    expect(page.url()).toBe(`${world.url}/sign-in`);
    expect(complaints).toEqual([]);
  });

  it('shows a run as it goes on, from its start to its end, without a reload', async () => {
    const jobs = holdJobs();
    const world = await openWorld({ service: jobs.service });
    await world.addPeople(12);
    const view = await open(world);
    const { page } = view;
    await signIn(view, world, await world.addToken('admin'));
    await page.goto(`${world.url}/clients/riverside`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('A sync was requested').waitFor();
    await page.evaluate('window.isSamePage = true');

    const bar = page.getByRole('progressbar');
    await expect.poll(() => bar.getAttribute('max')).toBe('12');
    await page.locator('#chip').getByText('1 syncing').waitFor();
    jobs.letEnd();
    await page.locator('#chip').getByText('All is well').waitFor();
    await expect.poll(() => bar.count()).toBe(0);
    const row = page.getByRole('table', { name: 'The last runs of Riverside' }).getByRole('row');
    await expect
      .poll(() => row.nth(1).innerText())
      .toMatch(/Done\s.*\s12\s+12\s+12\s+0\s+0\s+12\s+0$/s);
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(view.complaints).toEqual([]);
  });

  it('shows a run that another user began', async () => {
    const jobs = holdJobs();
    const world = await openWorld({ service: jobs.service });
    await world.addPeople(3);
    const view = await open(world);
    await signIn(view, world, await world.addToken('viewer'));
    const ended = sync(world);
    await view.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await view.page.getByRole('heading', { level: 1, name: /^Syncing/ }).waitFor();
    jobs.letEnd();
    await ended;
    await view.page.getByRole('heading', { level: 1, name: 'All is well' }).waitFor();
  });

  it('shows a held contact by name, and lets an admin decide by keyboard', async () => {
    const world = await openWorld();
    const contact = await addMistaken(world);
    await sync(world);
    const view = await open(world);
    const { page } = view;
    await signIn(view, world, await world.addToken('admin'));
    await page.getByRole('heading', { level: 1, name: 'Riverside Food Bank needs you' }).waitFor();
    await page.getByRole('link', { name: '1 decision is pending' }).focus();
    await page.keyboard.press('Enter');
    const entry = page.getByRole('navigation', { name: 'Queue' }).getByRole('link');
    expect(await entry.innerText()).toContain(contact);
    const { lastName } = world.crm.records.get(contact)?.contact ?? {};
    // A second request loads the name from the CRM.
    await entry.getByText(lastName ?? 'no name').waitFor();
    await entry.focus();
    await page.keyboard.press('Enter');
    await page.getByText('The profile has a different last name.').waitFor();
    await page.getByRole('button', { name: 'It is another person' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`Rejected: ${contact}`).waitFor();
    await page.getByText('No decisions are pending.').waitFor();
    await applyAllAnswers(world.application.store, 'riverside');
    expect(await listOpenQuestions(world.application.store.reader)).toEqual([]);
    expect(view.complaints).toEqual([]);
  });

  it('shows a viewer all of it, and nothing to press', async () => {
    const world = await openWorld();
    await addMistaken(world);
    await sync(world);
    const view = await open(world);
    await signIn(view, world, await world.addToken('viewer'));
    await view.page.getByText('1 decision is pending').last().waitFor();
    const buttons = await view.page.getByRole('button').allInnerTexts();
    expect(buttons).toEqual(['Client:\nRiverside Food Bank\n▾', 'Find Ctrl K', 'Sign out']);
  });

  it('says why a run stopped and what to do, and shows what is left of the credits', async () => {
    const world = await openWorld({ service: { credits: 3 } });
    await world.addPeople(5);
    await sync(world);
    const view = await open(world);
    await signIn(view, world, await world.addToken('viewer'));
    await view.page.goto(`${world.url}/clients/riverside`);
    const card = view.page.getByRole('region', { name: 'Riverside Food Bank' });
    await card.getByText('Buy credits; the next run continues where this one ended.').waitFor();
    await card.getByText('2 contacts').waitFor();
    const credits = view.page.getByRole('region', { name: 'Credits' });
    expect(await credits.innerText()).toMatch(/enhancements\s+0\s+used up\s+networks\s+3\s/);
  });

  it('tells of one run what became of the contacts, and why', async () => {
    const world = await openWorld();
    const contact = await addMistaken(world);
    const runId = await sync(world);
    const view = await open(world);
    await signIn(view, world, await world.addToken('viewer'));
    await view.page.goto(`${world.url}/clients/riverside`);
    await view.page.getByRole('link', { name: 'Done' }).click();
    await view.page.waitForURL(`${world.url}/runs/${runId}`);
    await view.page
      .getByText("the name in the profile differs from the contact's name")
      .first()
      .waitFor();
    // Held contacts come first in the list, and each reason links to its contacts.
    await view.page.getByRole('rowheader', { name: contact }).waitFor();
    const all = view.page.locator('#contacts tbody tr');
    expect(await all.first().innerText()).toContain(contact);
    await view.page.getByRole('link', { name: 'the name in the profile' }).click();
    await view.page.waitForURL(/reason=name_mismatch/);
    expect(await all.count()).toBe(1);
    await view.page.getByRole('link', { name: 'show all reasons' }).click();
    await view.page.getByRole('link', { name: /^Written/ }).click();
    await view.page.waitForURL(/outcome=written/);
    expect(await view.page.locator('#contacts').innerText()).not.toContain(contact);
    await view.page.getByRole('searchbox').fill('no such id');
    await view.page.getByRole('button', { name: 'Find', exact: true }).click();
    await view.page.getByText('No contact in this run matches.').waitFor();
    const csv = view.page.getByRole('link', { name: 'Download as CSV' });
    expect(await csv.getAttribute('href')).toContain('format=csv&outcome=written&contact=');
    expect(view.complaints).toEqual([]);
  });

  it('says when the service does not answer any more, and when it does again', async () => {
    const world = await openWorld();
    const { page } = await open(world);
    await page.goto(world.url);
    const look = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.context().setOffline(true);
    await look();
    await page.getByText('The service is not responding.').waitFor();
    await page.context().setOffline(false);
    await look();
    await page.getByText('The service is not responding.').waitFor({ state: 'hidden' });
  });

  it('works without its script: what happens meanwhile is there after a reload', async () => {
    const world = await openWorld();
    await world.addPeople(2);
    const { page } = await open(world, { javaScriptEnabled: false });
    await page.goto(`${world.url}/clients/riverside`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('A sync was requested').waitFor();
    const [run] = await listRunRequests(world.application.store.reader);
    if (run) await world.untilEnded(run.runId);
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('#chip').innerText();
      })
      .toBe('All is well');
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/ UTC$/);
  });

  it('tells times in the zone of the reader', async () => {
    const world = await openWorld();
    const runId = await sync(world);
    const { page } = await open(world, { timezoneId: 'Pacific/Auckland' });
    await page.goto(`${world.url}/runs/${runId}`);
    const { startedAt = 0 } = (await findRunById(world.application.store.reader, runId)) ?? {};
    const there = new Intl.DateTimeFormat('en-US', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Pacific/Auckland',
    });
    const words = (text: string) => text.replace(/\s+/g, ' ');
    await expect
      .poll(async () => words(await page.locator('time').first().innerText()))
      .toBe(words(there.format(startedAt)));
  });

  it.each([
    ['in the light', {}],
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { width: 360, height: 740 }],
  ] satisfies [string, ViewOptions][])('has no barriers %s', async (_, options) => {
    const jobs = holdJobs();
    const world = await openWorld({ service: jobs.service });
    await addMistaken(world);
    jobs.letEnd();
    const runId = await sync(world);
    jobs.hold();
    world.crm.addContact({ firstName: 'Ada', lastName: 'Newcomer' });
    await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    const { page, complaints } = await open(world, options);
    await page.goto(world.url);
    await page.getByRole('progressbar').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.goto(`${world.url}/runs/${runId}`);
    expect(await findBarriers(page)).toEqual([]);
    await world.addToken('viewer');
    await page.goto(world.url);
    await page.getByLabel('Access token').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    jobs.letEnd();
  });
});

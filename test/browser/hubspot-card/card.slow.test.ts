/**
 * Tests the card in a real browser on a stand-in for HubSpot's record page. A HubSpot user follows the card's link and
 * signs in to donor-sync. The user can then read profiles, enhance contacts and answer questions on the card. The
 * user's role in donor-sync decides which of these actions are allowed.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startRecordPage } from '../../../sandbox/hubspot/record-page/record-page.ts';
import type { Role } from '../../../src/core/role.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { controlService } from '../../helpers/service-control.ts';
import {
  type HubspotWorld,
  type HubspotWorldOptions,
  openHubspotWorld,
  peopleOf,
} from '../../interfaces/api/doors/hubspot-world.ts';
import { join, PASSWORD } from '../../interfaces/api/people-world.ts';
import { edit } from '../../testbed/asking.ts';
import { findBarriers, openView } from '../browser.ts';
import { openBrowser } from '../open-browser.ts';
import { compileCard, readProject } from './compile.ts';

const open = closedAfterTest(openHubspotWorld);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const BOARD = 12;

/** Opens a service with its HubSpot account, and the account's record page with the card. */
async function openWorld(options: HubspotWorldOptions) {
  const world = await open(options);
  const project = readProject(world.url);
  const { rootUrl, portalId } = world.hubspot;
  const page = await startRecordPage({
    account: { rootUrl, portalId },
    project,
    ...(await compileCard(project)),
  });
  onTestFinished(() => page.close());

  /** Opens a contact's record page for a HubSpot user. The user keeps the same browser. */
  async function openRecord(contact: string, userId = 61_204_377) {
    const view = await openView(browser, page.url);
    onTestFinished(() => view.close());
    const user = { userId, userEmail: `user${userId}@riverside.example.org` };
    const show = (id: string) => view.page.goto(page.urlOf(id, user));
    await show(contact);
    await view.page.getByText('Loading').waitFor({ state: 'detached' });
    return { ...view, show };
  }

  /**
   * Creates a donor-sync user with this role. The user follows the link on the card, signs in and confirms the
   * connection.
   */
  async function openLinked(name: string, role: Role, contact: string, userId?: number) {
    const { email } = await join(world, name, role);
    const record = await openRecord(contact, userId);
    await followLink(record.page, email);
    await record.page.reload();
    await record.page.getByText('Link yourself').waitFor({ state: 'detached' });
    await record.page.getByText('Loading').waitFor({ state: 'detached' });
    return record;
  }

  return { world, openRecord, openLinked };
}

async function followLink(record: Page, email: string): Promise<void> {
  const [page] = await Promise.all([
    record.waitForEvent('popup'),
    record.getByRole('link', { name: 'Link', exact: true }).click(),
  ]);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'This is me: link' }).click();
  await page.getByText('Your user in the CRM is linked to your account').waitFor();
  await page.close();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const buttonsOn = (page: Page) => page.getByRole('button').allTextContents();

/** Returns the IDs of the contacts for which no credit was spent. */
async function listUnpaid(world: HubspotWorld): Promise<string[]> {
  const ids = await world.contactsOf();
  const shown = await Promise.all(ids.map((id) => world.show(id)));
  return ids.filter((_, index) => shown[index]?.contact.paidAt === null);
}

it('a linked user enhances a contact for one credit, and reads its profile and who can introduce it', async () => {
  // With few donors and few organizations, many donors are connected to each other.
  const { world, openRecord, openLinked } = await openWorld({
    ...{ contacts: 30, donors: 80 },
    service: { networkJobTimeMs: 0 },
    integration: {
      budget: { perRun: 24 },
      networks: [
        { name: 'Board', color: 'teal', group: { property: 'jobtitle', equals: 'Trustee' } },
      ],
    },
    async prepare(hubspot) {
      for (const id of (await peopleOf(hubspot)).slice(0, BOARD)) {
        await edit(hubspot, { action: 'update', id, values: { jobtitle: 'Trustee' } });
      }
    },
  });
  await world.syncAll();
  const unpaid = await listUnpaid(world);
  expect(unpaid.length).toBeGreaterThan(2);
  const [first = ''] = unpaid;

  const stranger = await openRecord(first, 7);
  await stranger.page.getByText('Link yourself').waitFor();
  expect(await buttonsOn(stranger.page)).toEqual([]);
  expect(await stranger.page.locator('dl').count()).toBe(0);

  const { page, complaints, show } = await openLinked('Ada', 'admin', first);
  const { spent } = controlService(world.service);
  const before = await spent();
  let enhanced = 0;
  for (const contact of unpaid) {
    await show(contact);
    await button(page, 'Enhance: 1 credit').click();
    enhanced += 1;
    await page.getByText('Enhancing: a run decides about this contact.').waitFor();
    expect(await button(page, 'Enhance: 1 credit').count()).toBe(0);
    // The card polls until the run has ended.
    await page.getByRole('term').filter({ hasText: 'Net Worth' }).first().waitFor();
    await button(page, 'Enhance: 1 credit').waitFor();
    if ((await page.getByRole('heading', { name: 'Who can introduce' }).count()) > 0) break;
  }
  const introduction = page.getByRole('heading', { name: 'Who can introduce' }).locator('+ p');
  expect(await introduction.textContent()).toMatch(/\S+ \S+.*\./);
  expect((await spent()) - before).toBe(enhanced);
  expect(await findBarriers(page)).toEqual([]);
  expect(complaints).toEqual([]);

  // The other HubSpot user is not connected with a donor-sync user.
  await stranger.page.reload();
  await stranger.page.getByText('Link yourself').waitFor();
  expect(await stranger.page.locator('dl').count()).toBe(0);
  const entries = await listAuditEntries(world.application.store, { limit: 100 });
  const byAda = entries.filter(({ actor }) => actor.kind === 'door' && actor.name === 'Ada');
  expect(new Set(byAda.map(({ action }) => action))).toContain('contact.shown');
});

it('a linked decider approves a held contact, which a reader only sees, and neither can enhance it', async () => {
  const jobs = holdJobs();
  const { world, openLinked } = await openWorld({
    ...{ contacts: 1, service: jobs.service },
    integration: { refresh: { whenIdentityChanges: false }, settleAfterMs: 0 },
  });
  const [contact = ''] = await world.holdAll(jobs);
  const { spent } = controlService(world.service);
  const before = await spent();

  const reader = await openLinked('Ria', 'reader', contact, 11);
  await reader.page.getByRole('heading', { name: 'A question is open' }).waitFor();
  await reader.page.getByText(/In HubSpot: .*Quillfeather\. In the profile: /).waitFor();
  expect(await buttonsOn(reader.page)).toEqual([]);

  const decider = await openLinked('Dee', 'decider', contact, 12);
  await decider.page.getByRole('heading', { name: 'A question is open' }).waitFor();
  expect(await button(decider.page, 'Enhance: 1 credit').count()).toBe(0);
  await button(decider.page, 'It is the same person').click();
  await decider.page.getByText('Done').waitFor();
  await decider.page
    .getByRole('heading', { name: 'A question is open' })
    .waitFor({ state: 'detached' });

  await reader.page.reload();
  await reader.page.getByText('Loading').waitFor({ state: 'detached' });
  expect(await reader.page.getByText('A question is open').count()).toBe(0);
  const [entry] = await listAuditEntries(world.application.store, {
    action: 'hold.decided',
    limit: 1,
  });
  expect(entry?.actor).toMatchObject({ kind: 'door', name: 'Dee' });
  expect(await spent()).toBe(before);
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import type { HttpWorldOptions } from '../interfaces/api/http-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { type HeldWorld, openHeldWorld, STRANGER } from './held-world.ts';
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

async function open(count: number, options?: HttpWorldOptions): Promise<HeldWorld> {
  const world = await openHeldWorld(count, options);
  opened.push(world);
  return world;
}

async function openQueue(
  world: HeldWorld,
  options?: ViewOptions,
  path = '/decisions',
): Promise<View> {
  const view = await openView(browser, world.url, options);
  opened.push(view);
  await view.page.goto(world.url + path);
  return view;
}

/** Opens the page of the contact whose decision is shown. */
function openContact(page: Page): Promise<string> {
  return page.locator('.open .card-head code').innerText();
}

function stateOf({ application }: HeldWorld, crmId: string) {
  return findContacts(application.store.reader, 'riverside', [crmId]).then(
    (rows) => rows.get(crmId)?.state,
  );
}

async function namesShown({ application }: HeldWorld): Promise<number> {
  return (await listAuditEntries(application.store, { action: 'names.shown', limit: 100 })).length;
}

/** The result says for each contact whether it is marked. */
async function marksOf(page: Page): Promise<string[]> {
  return page.locator('.name-text mark').allInnerTexts();
}

/** A script that scrolls through the page and returns the texts of the open decision that something else covers. */
const FIND_COVERED = `(() => {
  const covered = new Set();
  const texts = document.querySelectorAll('.open :is(h2, p, li, tbody th, td, .name-text)');
  for (let top = 0; top <= document.documentElement.scrollHeight; top += 50) {
    scrollTo(0, top);
    for (const text of texts) {
      for (const { left, right, top: above, bottom } of text.getClientRects()) {
        const [x, y] = [(left + right) / 2, (above + bottom) / 2];
        const at = y < 0 ? null : document.elementFromPoint(x, y);
        if (at !== null && !text.contains(at) && !at.contains(text)) covered.add(text.innerText);
      }
    }
  }
  return [...covered];
})()`;

describe('the queue of decisions', () => {
  it('opens one with both names, what differs and why, and is decided by keyboard alone', async () => {
    const world = await open(3);
    const { page, complaints } = await openQueue(world);
    await page.getByText('3 decisions pending.').waitFor();
    // The HTML of the page does not contain a name. A second request loads the names in the queue.
    expect((await world.request('/decisions')).text).not.toContain(STRANGER);
    await expect.poll(() => page.locator('.queue .contact-name').count()).toBe(3);
    expect(await page.locator('.queue').innerText()).toContain(STRANGER);
    expect(await namesShown(world)).toBe(1);
    await page.keyboard.press('j');
    await page.getByText('In the profile').first().waitFor();
    const crmId = await openContact(page);
    const contact = world.crm.records.get(crmId)?.contact;
    const left = page.locator('.name').first();
    expect(await left.innerText()).toContain(`${contact?.firstName} ${STRANGER}`);
    expect(await marksOf(page)).toContain(STRANGER);
    expect(await page.locator('.names-words').innerText()).toContain(
      `The last name is different: ${STRANGER} in the CRM`,
    );
    await page.getByText('The last name is the same').waitFor();
    expect(await page.locator('.evidence').innerText()).toContain(contact?.addresses[0] ?? 'none');
    // The open decision has its own entry.
    await expect.poll(() => page.locator('.queue .contact-name').count()).toBe(3);
    expect(await namesShown(world)).toBe(3);
    expect(await findBarriers(page)).toEqual([]);

    await page.keyboard.press('a');
    await page.getByText(`Approved: ${crmId} of Riverside Food Bank.`).waitFor();
    expect(await stateOf(world, crmId)).toBe('held');
    expect(await openContact(page)).not.toBe(crmId);
    await expect.poll(() => stateOf(world, crmId), { interval: 200 }).toBe('ready');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    const lines = world.logLines.join('');
    expect(lines).not.toContain(STRANGER);
    expect(complaints).toEqual([]);
  });

  it.each([375, 768, 1_440])(
    'covers no evidence at %d px, wherever the page is scrolled',
    async (width) => {
      const world = await open(2);
      const { page } = await openQueue(world, { width, height: 700 });
      await page.getByRole('navigation', { name: 'Queue' }).getByRole('link').first().click();
      await page.getByText('In the profile').first().waitFor();
      await page.getByRole('button', { name: 'It is the same person' }).click();
      // The bar that withdraws the answer is shown for ten seconds, and the next decision is already open.
      await page.getByRole('button', { name: /Withdraw|Undo/ }).waitFor();
      const covered: string[] = z.array(z.string()).parse(await page.evaluate(FIND_COVERED));
      expect(covered).toEqual([]);
    },
  );

  it('takes a decision back within ten seconds, as if it had never been made', async () => {
    const world = await open(2);
    const { page } = await openQueue(world);
    await page.keyboard.press('j');
    await page.getByText('In the profile').first().waitFor();
    const crmId = await openContact(page);
    await page.keyboard.press('n');
    await page.getByText(`To be submitted again: ${crmId}`).waitFor();
    await page.getByText('1 decision pending.').waitFor();
    await page.keyboard.press('u');
    await page.getByText('Withdrawn. Nothing was changed.').waitFor();
    expect(await openContact(page)).toBe(crmId);
    await page.getByText('2 decisions pending.').waitFor();
    await world.sync();
    expect(await world.spent()).toBe(2);
    expect(await stateOf(world, crmId)).toBe('held');
  });

  it('counts at once where a run begins meanwhile, and cannot be taken back then', async () => {
    const world = await open(2);
    const { page } = await openQueue(world, { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Open the first one' }).click();
    const crmId = await openContact(page);
    await page.getByRole('button', { name: 'It is the same person' }).click();
    await page.getByText(`Approved: ${crmId}`).waitFor();
    await world.sync();
    const { store } = world.application;
    expect(await listAuditEntries(store, { action: 'hold.decided', limit: 2 })).toMatchObject([
      { crmId },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The answer has already taken effect').waitFor();
  });

  it('says that a result is gone, and offers what still makes sense with its price', async () => {
    // No profile is stored, so the page must not show one.
    const world = await open(1, { settings: { retention: { profiles: 0 } } });
    await world.forgetResults();
    const [hold] = await listOpenQuestions(world.application.store.reader);
    const { page, complaints } = await openQueue(world, {}, `/decisions/${hold?.id}`);
    await page.getByText('The service no longer has the profile').waitFor();
    const labels = await page.locator('.choices button').allInnerTexts();
    expect(labels).toEqual(['It is another person', 'Ask again (1 credit)']);
    expect(await page.locator('.name-text').allInnerTexts()).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it('decides all of one reason after asking once more, with number and price', async () => {
    const world = await open(4);
    const { page, complaints } = await openQueue(world, {}, '/decisions?reason=name_mismatch');
    await page.getByRole('button', { name: 'Ask again about all (4 credits)' }).click();
    const question = page.getByRole('dialog', { name: 'Spend 4 credits?' });
    expect(await findBarriers(page)).toEqual([]);
    await question.getByRole('button', { name: 'Ask again about all 4 contacts' }).click();
    await page.getByText('To be submitted again: all with “Names differ”').waitFor();
    await page.getByText('No decisions are pending.').waitFor();
    expect(await world.spent()).toBe(4);
    await world.sync();
    expect(await world.spent()).toBe(8);
    expect(complaints).toEqual([]);
  });

  it('shows a viewer what waits, without a name and without a button', async () => {
    const world = await open(1);
    const token = await world.addToken('viewer');
    const [hold] = await listOpenQuestions(world.application.store.reader);
    const { page } = await openQueue(world, {}, `/decisions/${hold?.id}`);
    await page.getByLabel('Access token').fill(token);
    await page.keyboard.press('Enter');
    await page
      .getByText('A user with the role decider can see the names here and answer this.')
      .waitFor();
    expect(await page.content()).not.toContain(STRANGER);
    const buttons = await page.getByRole('button').allInnerTexts();
    expect(buttons).toEqual(['Client:\nRiverside Food Bank\n▾', 'Find Ctrl K', 'Sign out']);
    expect(await namesShown(world)).toBe(0);
  });

  it('leaves the keys alone in a field, and can switch them off', async () => {
    const world = await open(2);
    const { page } = await openQueue(world);
    await page.getByRole('button', { name: 'Keyboard shortcuts are on' }).click();
    await page.locator('h1').click();
    await page.keyboard.press('j');
    expect(page.url()).toBe(`${world.url}/decisions`);
    await page.reload();
    await page.getByRole('button', { name: 'Keyboard shortcuts are off' }).click();
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await page.getByText('In the profile').first().waitFor();
  });

  it.each([
    ['on a desk', { width: 1440 }],
    ['on a desk in the dark', { width: 1440, colorScheme: 'dark' }],
    ['on a tablet', { width: 768 }],
    ['on a phone in the dark', { width: 375, height: 740, colorScheme: 'dark' }],
  ] satisfies [string, ViewOptions][])('has no barriers %s', async (_, options) => {
    const world = await open(2);
    const [hold] = await listOpenQuestions(world.application.store.reader);
    const { page, complaints } = await openQueue(world, options);
    for (const path of [
      '/decisions',
      '/decisions?reason=name_mismatch',
      `/decisions/${hold?.id}`,
    ]) {
      await page.goto(world.url + path);
      expect(await findBarriers(page), path).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBe(
        0,
      );
    }
    expect(complaints).toEqual([]);
    expect(await world.spent()).toBe(2);
  });
});

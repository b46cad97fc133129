import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { controlService } from '../helpers/service-control.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { type HttpWorld, openHttpWorld } from '../http/http-world.ts';
import { findBarriers, openBrowser, openView, type View, type ViewOptions } from './browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

const COUNT = 40;

/** A service whose contacts are enhanced, and have all moved since. */
async function openMoved(): Promise<HttpWorld> {
  const world = await openHttpWorld({ integration: WITHOUT_TRIAL });
  opened.push(world);
  for (let index = 0; index < COUNT; index += 1) {
    world.crm.addContact({ firstName: `First${index}`, lastName: `Last${index}` });
  }
  await sync(world);
  for (const { contact } of world.crm.records.values()) {
    world.crm.editContact(contact.id, { addresses: [`${contact.lastName} Quarry Lane, Reno`] });
  }
  await sync(world);
  return world;
}

async function sync(world: HttpWorld): Promise<void> {
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
}

function spentBy(world: HttpWorld): Promise<number> {
  return controlService(world.service).spent();
}

/** Opens the status page; no token is needed on this machine. */
async function openStatus(world: HttpWorld, options?: ViewOptions): Promise<View> {
  const view = await openView(browser, world.url, options);
  opened.push(view);
  await view.page.goto(world.url);
  return view;
}

function heldOn(page: Page) {
  return page.getByRole('region', { name: 'Held for a person' });
}

const SUBJECT = `${COUNT} contacts of Riverside Food Bank`;

describe('contacts that changed at once', () => {
  it('are one line that says what changed and what it costs', async () => {
    const world = await openMoved();
    const { page } = await openStatus(world);
    await page.getByText('1 decision waits for a person').waitFor();
    const held = heldOn(page);
    expect(await held.getByRole('row').count()).toBe(2);
    await held.getByRole('rowheader', { name: `${COUNT} contacts` }).waitFor();
    const text = await held.innerText();
    expect(text).toContain('40 addresses');
    expect(text).toContain('40 credits');
    expect(await page.content()).not.toContain('Quarry Lane');
  });

  it('show three of them while the question is open, and no longer', async () => {
    const world = await openMoved();
    const { page, complaints } = await openStatus(world);
    await page.getByRole('button', { name: `Decide about ${SUBJECT}` }).click();
    const dialog = page.getByRole('dialog', { name: SUBJECT });
    await dialog
      .getByRole('cell', { name: /Quarry Lane/ })
      .first()
      .waitFor();
    expect(await dialog.getByRole('cell', { name: /Quarry Lane/ }).count()).toBe(3);
    await dialog.getByText('First0 Last0').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Decide later' }).click();
    await expect.poll(() => page.content()).not.toContain('Quarry Lane');
    expect(complaints).toEqual([]);
  });

  it('say why they cannot be shown, and can be decided all the same', async () => {
    const world = await openMoved();
    Object.assign(world.crm.account, { id: 'another-account' });
    const { page } = await openStatus(world);
    await page.getByRole('button', { name: `Decide about ${SUBJECT}` }).click();
    const dialog = page.getByRole('dialog', { name: SUBJECT });
    await dialog.getByText('was connected to another CRM account before').waitFor();
    expect(await page.content()).not.toContain('Quarry Lane');
    await dialog.getByRole('button', { name: 'Reject all (no credit)' }).waitFor();
  });

  it('are approved by two clicks more, which say the price', async () => {
    const world = await openMoved();
    const { page, complaints } = await openStatus(world);
    await page.getByRole('button', { name: `Decide about ${SUBJECT}` }).click();
    await page.getByRole('button', { name: 'Approve all (40 credits)' }).click();
    const question = page.getByRole('dialog', { name: 'Spend 40 credits?' });
    expect(await findBarriers(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('dialog', { name: SUBJECT }).count()).toBe(1);
    expect((await world.application.store.holds.listOpen()).length).toBe(COUNT);
    await page.getByRole('button', { name: 'Approve all (40 credits)' }).click();
    await question.getByRole('button', { name: 'Approve all 40 contacts' }).click();
    await page.getByText('All approved. The next sync asks the service about them').waitFor();
    await heldOn(page).getByText('Nothing waits for a decision.').waitFor();
    expect(await spentBy(world)).toBe(COUNT);
    await sync(world);
    expect(await spentBy(world)).toBe(2 * COUNT);
    expect(complaints).toEqual([]);
  });

  it('are rejected without JavaScript and by keyboard as well, for no credit', async () => {
    const world = await openMoved();
    const { page } = await openStatus(world, { javaScriptEnabled: false });
    await page.getByRole('button', { name: `Decide about ${SUBJECT}` }).click();
    await page.getByRole('link', { name: 'Show three of them as the CRM has them now' }).click();
    await page.getByRole('heading', { level: 1, name: SUBJECT }).waitFor();
    expect(await page.getByRole('cell', { name: /Quarry Lane/ }).count()).toBe(3);
    await page.getByRole('button', { name: 'Reject all (no credit)' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Reject all 40 contacts');
    await page.keyboard.press('Enter');
    await page.getByText('All rejected. The new details are taken over').waitFor();
    await sync(world);
    expect(await spentBy(world)).toBe(COUNT);
    expect(await world.application.store.holds.listOpen()).toEqual([]);
  });

  it.each([
    ['in the light', {}],
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { width: 360, height: 740 }],
  ] satisfies [string, ViewOptions][])('have a page without barriers %s', async (_, options) => {
    const world = await openMoved();
    const { page, complaints } = await openStatus(world, options);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    const [batch] = await world.application.store.holds.listBatches();
    await page.goto(`${world.url}/holds/batches/${batch?.id}`);
    await page.getByRole('heading', { level: 1, name: SUBJECT }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('show a viewer that they wait, and nothing to press', async () => {
    const world = await openMoved();
    const token = await world.addToken('viewer');
    const { page } = await openStatus(world);
    await page.getByLabel('Access token').fill(token);
    await page.keyboard.press('Enter');
    await heldOn(page)
      .getByRole('rowheader', { name: `${COUNT} contacts` })
      .waitFor();
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Sign out']);
  });
});

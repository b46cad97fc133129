import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { controlService } from '../helpers/service-control.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { findBarriers, type ViewOptions } from './browser.ts';
import { MOVED, openMoved, sync } from './moved-world.ts';
import { openRooms } from './rooms.ts';

/** Requests from this machine need no token. */
const rooms = openRooms();

function spentBy(world: HttpWorld): Promise<number> {
  return controlService(world.service).spent();
}

function entryOn(page: Page) {
  return page.getByRole('navigation', { name: 'Queue' }).getByRole('link');
}

describe('contacts that changed at once', () => {
  it('are one line that says how many, and opens with what changed and what it costs', async () => {
    const world = await openMoved(rooms);
    const { page } = await rooms.visit(world, '/decisions');
    await page.getByText('1 decision pending').waitFor();
    expect(await entryOn(page).count()).toBe(1);
    expect(await entryOn(page).innerText()).toContain(`${MOVED} contacts`);
    expect(await page.content()).not.toContain('Quarry Lane');
    await entryOn(page).click();
    const text = await page.locator('.open').innerText();
    expect(text).toContain('40 addresses');
    expect(text).toContain('40 credits');
    expect(await page.getByRole('cell', { name: /Quarry Lane/ }).count()).toBe(3);
    await page.getByText('First0 Last0').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  it('say why they cannot be shown, and can be decided all the same', async () => {
    const world = await openMoved(rooms);
    Object.assign(world.crm.account, { id: 'another-account' });
    const { page } = await rooms.visit(world, '/decisions');
    await entryOn(page).click();
    await page.getByText('was connected to another CRM account before').waitFor();
    expect(await page.content()).not.toContain('Quarry Lane');
    await page.getByRole('button', { name: 'Reject all (no credit)' }).waitFor();
  });

  it('are approved by two clicks more, which say the price', async () => {
    const world = await openMoved(rooms);
    const { page, complaints } = await rooms.visit(world, '/decisions');
    await entryOn(page).click();
    await page.getByRole('button', { name: 'Approve all (40 credits)' }).click();
    const question = page.getByRole('dialog', { name: 'Spend 40 credits?' });
    expect(await findBarriers(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await listOpenQuestions(world.application.store.reader)).length).toBe(MOVED);
    await page.getByRole('button', { name: 'Approve all (40 credits)' }).click();
    await question.getByRole('button', { name: 'Approve all 40 contacts' }).click();
    await page.getByText(`Approved: ${MOVED} contacts of Riverside Food Bank.`).waitFor();
    await page.getByText('No decisions are pending.').waitFor();
    expect(await spentBy(world)).toBe(MOVED);
    await sync(world);
    expect(await spentBy(world)).toBe(2 * MOVED);
    expect(complaints).toEqual([]);
  });

  it('are rejected without JavaScript and by keyboard as well, for no credit', async () => {
    const world = await openMoved(rooms);
    const { page } = await rooms.visit(world, '/decisions', { javaScriptEnabled: false });
    await entryOn(page).click();
    expect(await page.getByRole('cell', { name: /Quarry Lane/ }).count()).toBe(3);
    await page.getByRole('button', { name: 'Reject all (no credit)' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Reject all 40 contacts');
    await page.keyboard.press('Enter');
    await page.getByText(`Rejected: ${MOVED} contacts`).waitFor();
    await sync(world);
    expect(await spentBy(world)).toBe(MOVED);
    expect(await listOpenQuestions(world.application.store.reader)).toEqual([]);
  });

  it.each([
    ['in the light', {}],
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { width: 360, height: 740 }],
  ] satisfies [string, ViewOptions][])('have a page without barriers %s', async (_, options) => {
    const world = await openMoved(rooms);
    const { page, complaints } = await rooms.visit(world, '/decisions', options);
    await entryOn(page).click();
    await page.getByText('First0 Last0').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('show a viewer that they wait, and nothing to press', async () => {
    const world = await openMoved(rooms);
    const token = await world.addToken('viewer');
    const { page } = await rooms.visit(world, '/decisions');
    await page.getByLabel('Access token').fill(token);
    await page.keyboard.press('Enter');
    await entryOn(page).click();
    await page
      .getByText('A user with the role decider can see the names here and answer this.')
      .waitFor();
    expect(await page.content()).not.toContain('Quarry Lane');
    const buttons = await page.getByRole('button').allInnerTexts();
    expect(buttons).toEqual(['Client:\nRiverside Food Bank\n▾', 'Find Ctrl K', 'Sign out']);
  });
});

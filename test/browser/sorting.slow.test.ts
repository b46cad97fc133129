/**
 * Tests the sorting of the pages' tables by their headers. The tests work without JavaScript, with the keyboard, and
 * together with filters.
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { toDay, toMonth } from '../../src/credits/statements/credit-spans.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { expectSound, openRooms, withDatabase } from './rooms.ts';

const { openWorld, visit } = openRooms();

const OTHERS = ['harbor', 'lakeside', 'north', 'south'];
const START_MS = Date.UTC(2026, 10, 1);

/** Adds more runs than fit on one page. A later run spent fewer credits than an earlier run. */
async function addRuns(world: HttpWorld, count: number): Promise<void> {
  const runs = Array.from({ length: count }, (_, index) => ({
    ...{ id: `run-${String(index).padStart(4, '0')}`, epoch: 1, contact: '' },
    integration_id: index % 2 === 0 ? 'harbor' : 'lakeside',
    ...{
      trigger: 'manual' as const,
      full: 0 as const,
      trial: 0 as const,
      status: 'succeeded' as const,
    },
    started_at: START_MS + index * 60_000,
    finished_at: START_MS + index * 60_000 + 1_000 * (index + 1),
    ...{ read_count: 0, chosen_count: 0, submitted_count: 0, enhanced_count: 0, shared_count: 0 },
    ...{ spent_enhancements: count - index, fresh_count: 0, reasons: '{}' },
    ...{ undone_values: 0, undone_contacts: 0, undone_kept: 0 },
  }));
  await withDatabase(world, (db) => db.insertInto('runs').values(runs).execute());
}

/** Returns the runs in the table, in the table's order. */
function listRows(page: Page): Promise<(string | null)[]> {
  const links = page.locator('main tbody th a');
  return links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
}

describe('the list of runs', () => {
  it('is sorted by its headers without JavaScript, and keeps the filters and pages', async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    await addRuns(world, 120);
    const { page } = await visit(world, '/runs?client=harbor', { javaScriptEnabled: false });
    const header = (name: string) => page.getByRole('columnheader', { name });
    expect((await listRows(page))[0]).toBe('/runs/run-0118');
    expect(await header('Began').getAttribute('aria-sort')).toBe('descending');
    expect(await header('Began').innerText()).toContain('▼');
    expect(await header('Credits').getAttribute('aria-sort')).toBeNull();

    await header('Credits').getByRole('link').click();
    await page.waitForURL(/sort=most-credits/);
    expect(await header('Credits').getAttribute('aria-sort')).toBe('descending');
    expect(await header('Began').getAttribute('aria-sort')).toBeNull();
    expect(await page.locator('th').getByText('▼').count()).toBe(1);
    const first = await listRows(page);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForURL(/after=/);
    // The second page has the same order and the same filter.
    const all = [...first, ...(await listRows(page))];
    expect(all).toEqual(
      Array.from({ length: 60 }, (_, index) => `/runs/run-${String(index * 2).padStart(4, '0')}`),
    );
    await header('Credits').getByRole('link').click();
    await page.waitForURL(/sort=fewest-credits/);
    expect(new URL(page.url()).searchParams.get('client')).toBe('harbor');
    expect(new URL(page.url()).searchParams.has('after')).toBe(false);
    expect((await listRows(page))[0]).toBe('/runs/run-0118');
    // When the form of the filter is sent, the order stays the same.
    await page.getByRole('button', { name: 'Find' }).click();
    await page.waitForURL(/trigger=/);
    expect(await header('Credits').getAttribute('aria-sort')).toBe('ascending');
  });

  it('is sorted with the keyboard alone, on a phone too, and shows the direction', async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    await addRuns(world, 12);
    const view = await visit(world, '/runs', { width: 375, colorScheme: 'dark' });
    const { page } = view;
    const link = page.getByRole('columnheader', { name: 'Took' }).getByRole('link');
    await page.locator('body').press('Tab');
    for (let step = 0; step < 60; step += 1) {
      if (await link.evaluate((each) => each === each.ownerDocument.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=longest/);
    expect((await listRows(page))[0]).toBe('/runs/run-0011');
    expect(await page.getByRole('columnheader', { name: 'Took' }).innerText()).toContain('▼');
    await expectSound(view);
  });
});

describe('the list of clients', () => {
  it('is sorted by name and urgency within the filter', async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    const view = await visit(world, '/');
    const { page } = view;
    await page.getByRole('columnheader', { name: 'Client' }).getByRole('link').click();
    await page.waitForURL(/sort=name$/);
    const names = await page.locator('.client-name').allInnerTexts();
    expect(names).toEqual(['harbor', 'lakeside', 'north', 'Riverside Food Bank', 'south']);
    await page.getByRole('columnheader', { name: 'Client' }).getByRole('link').click();
    await page.waitForURL(/sort=name-backwards/);
    expect(await page.locator('.client-name').first().innerText()).toBe('south');
    await page.getByLabel('Name or id', { exact: true }).fill('o');
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=name-backwards.*q=o|q=o.*sort=name-backwards/);
    const found = await page.locator('.client-name').allInnerTexts();
    expect(found).toEqual([...found].sort((one, other) => other.localeCompare(one)));

    await withDatabase(world, (db) =>
      db
        .insertInto('questions')
        .values({
          ...{ id: 'q-1', integration_id: 'north', crm_id: 'c-1', tracking_id: 't-1' },
          ...{ kind: 'name_mismatch' as const, opened_at: START_MS },
        })
        .execute(),
    );
    await page.goto(`${world.url}/?sort=urgent-first`);
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('.client-name').first().innerText();
      })
      .toBe('north');
    await expectSound(view);
  });
});

describe('the credits of the clients', () => {
  it('are sorted by each of their columns', async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    const at = toMonth(toDay(Date.now()));
    const spans = [
      { integration_id: 'harbor', enhancements: 5, networks: 9, queries: 0, written: 5 },
      { integration_id: 'lakeside', enhancements: 30, networks: 0, queries: 1, written: 10 },
      { integration_id: 'north', enhancements: 10, networks: 1, queries: 2, written: 0 },
    ];
    await withDatabase(world, (db) =>
      db
        .insertInto('credit_spans')
        .values(spans.map((span) => ({ ...span, span: 'month' as const, at })))
        .execute(),
    );
    const view = await visit(world, '/credits?days=90');
    const { page } = view;
    const table = page.getByRole('table', { name: 'Credits spent by each client' });
    const clients = () => table.getByRole('rowheader').allInnerTexts();
    expect(await clients()).toEqual(['lakeside', 'harbor', 'north']);
    for (const [name, expected] of [
      ['Client', ['harbor', 'lakeside', 'north']],
      ['Networks', ['harbor', 'north', 'lakeside']],
      ['Queries', ['north', 'lakeside', 'harbor']],
      ['Written', ['lakeside', 'harbor', 'north']],
      ['Per contact', ['lakeside', 'harbor', 'north']],
      ['Enhancements', ['lakeside', 'north', 'harbor']],
    ] as const) {
      await table.getByRole('columnheader', { name }).getByRole('link').click();
      await page.locator('th[aria-sort]').getByText(name).waitFor();
      expect(await clients(), name).toEqual(expected);
      expect(new URL(page.url()).searchParams.get('days')).toBe('90');
    }
    await expectSound(view);
  });
});

describe('the list of users', () => {
  it('is sorted by name, rights and the last visit', async () => {
    const world = await openWorld({ isIdle: true });
    const { cookie } = await join(world, 'Olga', 'owner');
    await join(world, 'Ben', 'viewer');
    await join(world, 'Zoe', 'admin');
    const view = await visit(world, '/users', { cookie });
    const { page } = view;
    const table = page.getByRole('table', { name: 'Users and their rights' });
    const users = () => table.getByRole('rowheader').allInnerTexts();
    expect(await users()).toEqual(['Olga', 'Ben', 'Zoe']);
    await table.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await page.waitForURL(/sort=name/);
    expect(await users()).toEqual(['Ben', 'Olga', 'Zoe']);
    await table.getByRole('columnheader', { name: 'Role' }).getByRole('link').click();
    await page.waitForURL(/sort=most-rights/);
    expect(await users()).toEqual(['Olga', 'Zoe', 'Ben']);
    await expectSound(view);
  });
});

/** Tests the parts that all pages share, such as their width on a phone, the menu of areas, and wide tables. */
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { openHeldWorld } from './held-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const rooms = openRooms();

async function openSynced() {
  const world = await rooms.openWorld({
    integration: WITHOUT_TRIAL,
    name: 'The Riverside Food Bank and Community Kitchen of Caldstead',
  });
  await world.addPeople(12);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  const { cookie } = await join(world, 'Anastasia Featherstonehaugh-Cholmondeley', 'owner');
  return { world, cookie, runId };
}

const heightOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().height);

async function visitAll(world: HttpWorld, page: Page, paths: readonly string[]) {
  const heights: number[] = [];
  for (const path of paths) {
    await page.goto(world.url + path);
    heights.push(Math.round(await heightOf(page, 'header.top')));
  }
  return heights;
}

it('closes a confirmation when the focus leaves it, so it covers nothing that has the focus', async () => {
  const { world, cookie } = await openSynced();
  const { page } = await rooms.visit(world, '/clients/riverside', { cookie });
  await page.getByRole('button', { name: 'Sync now' }).focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: /^Sync / });
  await question.waitFor();
  await page.keyboard.press('Tab');
  expect(await question.isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Help' }).focus();
  await question.waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Help');
});

it('takes at most 96 px of a phone, and opens the areas as a menu', async () => {
  const { world, cookie, runId } = await openSynced();
  const phone = { width: 375, height: 740, colorScheme: 'dark', cookie } as const;
  const view = await rooms.visit(world, '/', phone);
  const { page } = view;
  const paths = ['/', `/runs/${runId}`, '/clients/riverside', '/decisions', '/account'];
  for (const height of await visitAll(world, page, paths)) expect(height).toBeLessThanOrEqual(96);
  const menu = page.getByRole('button', { name: 'Menu' });
  const areas = page.getByRole('navigation', { name: 'Areas' });
  expect(await areas.isVisible()).toBe(false);
  // Operates the menu with the keyboard alone.
  await menu.focus();
  await page.keyboard.press('Enter');
  await areas.getByRole('link', { name: 'Results' }).click();
  await page.waitForURL((url) => url.pathname === '/results');
  await expectSound(view);
});

it('shows each area with an icon, and the counts of clients and decisions that need a user', async () => {
  const world = await openHeldWorld(3);
  onTestFinished(() => world.close());
  const { cookie } = await join(world, 'Olga', 'owner');
  const { page } = await rooms.visit(world, '/', { width: 1_440, cookie });
  const areas = page.getByRole('navigation', { name: 'Areas' });
  expect(await areas.getByRole('link').count()).toBe(10);
  expect(await areas.locator('a > svg').count()).toBe(10);
  expect(await page.getByRole('button', { name: 'Menu' }).isVisible()).toBe(false);
  expect(await areas.getByRole('link', { name: 'Clients 1 needs you' }).count()).toBe(1);
  expect(await areas.getByRole('link', { name: 'Decisions 3 wait' }).count()).toBe(1);
});

it('uses up to 1,400 px for tables, whose rows are at least 44 px high', async () => {
  const { world, cookie, runId } = await openSynced();
  const { page } = await rooms.visit(world, '/runs', { width: 1_800, cookie });
  const width = await page.locator('main').evaluate((main) => main.clientWidth);
  expect(width).toBeGreaterThan(1_350);
  expect(width).toBeLessThanOrEqual(1_400);
  for (const path of ['/runs', `/runs/${runId}`, '/users', '/clients/riverside/fields']) {
    await page.goto(world.url + path);
    const heights = await page
      .locator('main tbody tr')
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
    expect(Math.min(...heights), path).toBeGreaterThanOrEqual(44);
  }
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NetworkHttpWorld, openNetworkWorld } from './network-world.ts';
import { expectSound, openRooms, withDatabase } from './rooms.ts';

const { visit } = openRooms();
let world: NetworkHttpWorld;
beforeAll(async () => {
  world = await openNetworkWorld({
    others: ['harbor'],
    integration: { schedule: { cron: '0 2 * * *', timezone: 'Asia/Tokyo' } },
    settings: {
      credits: {
        price: {
          enhancements: { amount: 0.5, currency: 'USD' },
          networks: { amount: 0.5, currency: 'USD' },
        },
      },
    },
  });
});
afterAll(() => world.close());

describe('the page of results', () => {
  it('says on one screen what a month brought, and what it cost', async () => {
    const view = await visit(world, '/results');
    const { page } = view;
    await page.getByRole('heading', { level: 1, name: /^Results in / }).waitFor();
    await page.getByRole('link', { name: 'Riverside Food Bank' }).first().click();
    const part = page.getByRole('region', { name: 'What it brought, and what it cost' });
    for (const name of ['Matched', 'Net worth $1M+', 'New introductions', 'Cost']) {
      expect(await part.getByText(name, { exact: true }).isVisible()).toBe(true);
    }
    expect(await part.innerText()).toMatch(/of 80 sent/);
    await page.getByText(/In the time zone Asia\/Tokyo, .+ starts on 1 .+ at 09:00\./).waitFor();
    expect(await part.innerText()).toMatch(/\$\d+\.\d\d/);
    const box = await part.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    await expectSound(view);
  });

  it('works without JavaScript, and prints without the controls', async () => {
    const view = await visit(world, '/results', { javaScriptEnabled: false });
    const { page } = view;
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Show' }).isVisible()).toBe(false);
    expect(await page.getByRole('navigation', { name: 'Areas' }).isVisible()).toBe(false);
    expect(await page.getByRole('table', { name: /for Riverside Food Bank/ }).count()).toBe(1);
  });

  it.each([720, 980, 1440])('prints across the whole paper at %i px', async (width) => {
    const { page } = await visit(world, '/results', { width });
    await page.emulateMedia({ media: 'print' });
    const box = await page.getByRole('main').boundingBox();
    expect(box?.width).toBeGreaterThan(width * 0.8);
    const { scrollWidth, clientWidth } = await page
      .locator('html')
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0);
  });

  it('opens the print dialog with a button', async () => {
    const { page } = await visit(world, '/results');
    await page.evaluate("window.print = () => document.body.setAttribute('data-printed', 'true')");
    await page.getByRole('button', { name: 'Print' }).click();
    expect(await page.locator('body').getAttribute('data-printed')).toBe('true');
  });

  it('never says that more contacts were matched than sent', async () => {
    // Clients share profiles, so contacts whose profile another client has paid for are not submitted.
    await withDatabase(world, (db) =>
      db
        .updateTable('runs')
        .set({ submitted_count: 25 })
        .where('submitted_count', '>', 25)
        .execute(),
    );
    const view = await visit(world, '/results');
    const part = view.page.getByRole('region', { name: 'Riverside Food Bank' });
    const text = await part.innerText();
    expect(text).toMatch(/25 sent this month/);
    expect(text).not.toMatch(/of 25 sent/);
    await view.page.getByText('A contact can be matched without being sent').waitFor();
  });
});

import { describe, expect, it } from 'vitest';
import { toDay, toMonth } from '../../src/credits/statements/credit-spans.ts';
import { clockWithinADay } from '../helpers/within-a-day.ts';
import type { HttpWorld, HttpWorldOptions } from '../interfaces/api/http-world.ts';
import { expectSound, openRooms, withDatabase } from './rooms.ts';

const DAY_MS = 86_400_000;
const clock = clockWithinADay();
const { openWorld: openAt, visit } = openRooms();
const openWorld = (options: HttpWorldOptions = {}) => openAt({ clock, isIdle: true, ...options });

/** Spends this many credits on each of these days before today. */
async function spend(world: HttpWorld, daysAgo: readonly number[], enhancements: number) {
  const days = daysAgo.map((ago) => toDay(clock.now() - ago * DAY_MS));
  const spent = { enhancements, networks: 2, queries: 0, written: Math.round(enhancements * 0.8) };
  const rows = new Map<string, { at: string; span: 'day' | 'month' } & typeof spent>();
  for (const day of days) {
    rows.set(day, { span: 'day', at: day, ...spent });
    const at = toMonth(day);
    const known = rows.get(at) ?? { enhancements: 0, networks: 0, written: 0 };
    rows.set(at, {
      ...{ span: 'month', at, enhancements: known.enhancements + spent.enhancements },
      networks: known.networks + spent.networks,
      queries: 0,
      written: known.written + spent.written,
    });
  }
  const owners = ['riverside', ''];
  await withDatabase(world, (db) =>
    db
      .insertInto('credit_spans')
      .values(
        owners.flatMap((integration_id) =>
          [...rows.values()].map((row) => ({ integration_id, ...row })),
        ),
      )
      .execute(),
  );
}

const FORTNIGHT = Array.from({ length: 14 }, (_, index) => index + 1);

describe('the page of credits', () => {
  it('says where nothing was spent that nothing was, and why nothing is forecast', async () => {
    const world = await openWorld();
    const view = await visit(world, '/credits');
    await view.page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor();
    await view.page.getByText('No credits were spent in these 30 days.').waitFor();
    await view.page.getByText('Too few credits were spent with this key').waitFor();
    await expectSound(view);
  });

  it('says on which day the credits are used up, and on how many days that rests', async () => {
    const world = await openWorld({ service: { credits: 700 } });
    await spend(world, FORTNIGHT, 50);
    const view = await visit(world, '/credits');
    const end = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
      clock.now() + 14 * DAY_MS,
    );
    const sentence = `At this rate the enhancements of the key of Riverside Food Bank are used up on ${end}: 50 a day over the last 14 days.`;
    await view.page.getByText(sentence).waitFor();
    await expectSound(view);
  });

  it('draws the days as bars, and has the same as a table', async () => {
    const world = await openWorld();
    await spend(world, FORTNIGHT, 50);
    const view = await visit(world, '/credits');
    const { page } = view;
    await page.locator('.burn canvas').waitFor();
    expect(await page.getByText('The chart could not be drawn').isVisible()).toBe(false);
    // The legend shows values only while the pointer is over the chart.
    const legend = page.locator('.burn .u-legend');
    expect(await legend.innerText()).not.toContain('--');
    expect(await legend.innerText()).not.toContain('Day');
    await page.locator('.burn .u-over').hover();
    await expect.poll(() => legend.innerText()).toMatch(/Day:?\s*\d+ [A-Z][a-z]+ \d{4}/);
    await page.getByRole('heading', { level: 1 }).hover();
    await expect.poll(() => legend.innerText()).not.toContain('Day');
    await page.getByText('Show as a table').click();
    const rows = page.getByRole('table', { name: 'Credits spent by day' }).getByRole('row');
    expect(await rows.count()).toBe(15);
    expect(await rows.nth(1).innerText()).toMatch(/\s50\s+2\s+40$/);
    await expectSound(view);
    const plain = await visit(world, '/credits?days=90', { javaScriptEnabled: false });
    expect(await plain.page.getByRole('row', { name: /50\s+2\s+40/ }).count()).toBe(14);
  });

  it('draws the days in a browser whose language is not a language tag', async () => {
    const world = await openWorld();
    await spend(world, FORTNIGHT, 50);
    const view = await visit(world, '/account');
    const { page } = view;
    // Chromium in the locale "C" reports this language.
    await page.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })",
    );
    await page.goto(`${world.url}/credits`);
    await page.locator('.burn canvas').waitFor();
    expect(await page.getByText('The chart could not be drawn').isVisible()).toBe(false);
    expect(view.complaints).toEqual([]);
  });

  it.each(['its script is missing', 'the browser has no canvas'])(
    'says that the chart could not be drawn if %s, and shows its table',
    async (what) => {
      const world = await openWorld();
      await spend(world, FORTNIGHT, 50);
      const view = await visit(world, '/account');
      const { page } = view;
      if (what === 'its script is missing') {
        await page.route('**/assets/uplot.js*', (route) => route.fulfill({ status: 503 }));
      } else {
        await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null');
      }
      await page.goto(`${world.url}/credits`);
      await page.getByText('The chart could not be drawn. The table shows').waitFor();
      const rows = page.getByRole('table', { name: 'Credits spent by day' }).getByRole('row');
      expect(await rows.count()).toBe(15);
      expect(await rows.nth(1).isVisible()).toBe(true);
      expect(await page.locator('.burn').isVisible()).toBe(false);
    },
  );

  it('sets what was spent beside the budget and the contacts that it brought, and has it as a file', async () => {
    const world = await openWorld({ integration: { budget: { perMonth: 2_000 } } });
    await spend(world, [0], 50);
    const view = await visit(world, '/credits');
    const { page } = view;
    const row = page.getByRole('row', { name: /Riverside Food Bank/ });
    expect(await row.innerText()).toMatch(/50\s+2\s+0\s+40\s+1\.25\s+0 of 2,000/);
    await expectSound(view);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Bill as CSV' }).click(),
    ]);
    const month = toMonth(toDay(clock.now()));
    expect(file.suggestedFilename()).toBe(`credits-${month}.csv`);
    const bill = await world.request(`/v1/credits/bill?month=${month}`);
    expect(bill.text.split('\n')[1]).toBe(`${month},riverside,Riverside Food Bank,50,2,0,40,1.25`);
  });

  it('shows those who reach another client nothing of this one', async () => {
    const world = await openWorld({ others: ['harbor'] });
    await spend(world, FORTNIGHT, 50);
    const token = await world.addToken('viewer', ['harbor']);
    const { page } = await visit(world, '/credits', { token });
    await page.getByText('No credits were spent').waitFor();
    expect(await page.getByText('Riverside').count()).toBe(0);
    const other = await world.request('/v1/credits?integration=riverside', { token });
    expect(other.status).toBe(404);
  });
});

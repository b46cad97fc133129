import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isoTime } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { clockWithinADay } from '../../helpers/within-a-day.ts';

const clock = clockWithinADay();
const open = closedAfterTest(() => openCliWorld({ clock }));

const keySchema = z.strictObject({
  integrations: z.array(z.string()),
  charged: z.int(),
  unsettled: z.int(),
  reasons: z.record(z.string(), z.int()),
  balanceBefore: z.int().nullable(),
  balanceAfter: z.int().nullable(),
  lost: z.int().nullable(),
  foreign: z.int().nullable(),
});
const schema = z.strictObject({ month: z.string(), keys: z.array(keySchema) });

const month = isoTime(clock.now()).slice(0, 7);

describe('donor-sync credits reconcile', () => {
  it('finds that the balance lost what was charged, by why it was asked for', async () => {
    const world = await open();
    await world.run(['sync']);
    const { keys } = await world.runJson(['credits', 'reconcile', month], schema);
    const spent = await world.spent();
    expect(spent).toBeGreaterThan(0);
    expect(keys).toMatchObject([
      {
        ...{ integrations: ['riverside'], charged: spent, unsettled: 0, lost: spent, foreign: 0 },
        reasons: { never_enhanced: spent },
      },
    ]);
    const { stdout } = await world.run(['credits', 'reconcile', month]);
    expect(stdout).toContain('That is what was charged here.');
  });

  it('prints the bill of each client as a file', async () => {
    const world = await open();
    await world.run(['sync']);
    const { stdout } = await world.run(['credits', 'reconcile', month, '--csv']);
    const [head, line = '', ...others] = stdout.trim().split('\n');
    expect(head).toBe(
      'Month,Client,Name,Enhancements,Networks,Contacts written,Enhancements per contact written',
    );
    const [when, client, , enhancements, networks] = line.split(',');
    expect([when, client, networks]).toEqual([month, 'riverside', '0']);
    expect(Number(enhancements)).toBe(await world.spent());
    expect(others).toEqual([]);
  });

  it('names what it did not spend as foreign, and what was bought', async () => {
    const world = await open();
    await world.run(['sync']);
    const { db, close } = await openDatabase<Tables>(`sqlite:${world.path('store.db')}`);
    // As the next run would read it.
    await db
      .updateTable('partner_keys')
      .set((eb) => ({ balance: eb('balance', '-', 7) }))
      .execute();
    const less = await world.run(['credits', 'reconcile', month]);
    expect(less.stdout).toContain('7 more than was charged here: spent with this key elsewhere');
    await db
      .updateTable('partner_keys')
      .set((eb) => ({ balance: eb('balance', '+', 9) }))
      .execute();
    const more = await world.run(['credits', 'reconcile', month]);
    expect(more.stdout).toContain('2 less than was charged here: credits were bought');
    await close();
  });

  it('says of a month without submissions that there were none, and refuses no month', async () => {
    const world = await open();
    const { stdout } = await world.run(['credits', 'reconcile', '2020-01']);
    expect(stdout).toContain('Nothing was submitted in 2020-01.');
    expect((await world.run(['credits', 'reconcile', '2020-13'])).exitCode).toBe(2);
  });
});

import { readFile, writeFile } from 'node:fs/promises';
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

const spentSchema = z.strictObject({
  enhancements: z.int(),
  networks: z.int(),
  queries: z.int(),
  written: z.int(),
});
const billSchema = z.strictObject({
  month: z.string(),
  clients: z.array(
    spentSchema.extend({
      integration: z.string(),
      name: z.string(),
      perWritten: z.number().nullable(),
    }),
  ),
});

describe('donor-sync credits', () => {
  it('shows the keys that answer, and fails for the one that the service refuses', async () => {
    const world = await openCliWorld({ clock, integrations: ['riverside', 'hillside'], people: 1 });
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    const [own = '', other = ''] = settings.split('- id: hillside');
    const wrong = other.replace(`\${PARTNER_API_KEY}`, 'no-key-of-the-service');
    await writeFile(world.path('donor-sync.yaml'), [own, wrong].join('- id: hillside'));
    const both = await world.run(['credits', '--json']);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain('hillside');
    expect(JSON.parse(both.stdout)).toMatchObject({
      keys: [{ integrations: [{ integration: 'riverside' }] }],
      failed: [{ integration: 'hillside', code: 'partner_key_rejected', retriable: false }],
    });
    const alone = await world.run(['credits', 'hillside', '--json']);
    expect(alone.exitCode).toBe(2);
    expect(JSON.parse(alone.stdout)).toMatchObject({ error: { code: 'partner_key_rejected' } });
    await world.close();
  });

  it('shows all six buckets and the budget, and refuses a client that is not in the settings', async () => {
    const world = await open();
    const { stdout } = await world.run(['credits', 'riverside']);
    expect(stdout).toContain('Service key of riverside');
    expect(stdout).toMatch(/enhancements\s+100,000\n/);
    expect(stdout).toContain('riverside: 0 spent this month');
    expect(await world.run(['credits', 'harbor'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no client "harbor"'),
    });
  });
});

describe('donor-sync credits spent', () => {
  it('shows what each client spent in a month, and in how many days', async () => {
    const world = await open();
    await world.run(['sync']);
    const spent = await world.spent();
    const { stdout } = await world.run(['credits', 'spent', '--month', month, '--days', '90']);
    expect(stdout).toContain(`Clients in ${month}`);
    expect(stdout).toMatch(new RegExp(`riverside\\s+${spent}\\s+0\\s`));
    expect(stdout).toContain(`${spent} credits for enhancements and 0 for networks in 90 days.`);
    const wrong = await world.run(['credits', 'spent', '--days', '31']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('--days');
  });
});

describe('donor-sync credits bill', () => {
  it('shows what each client spent, as a table, as a document and as a file', async () => {
    const world = await open();
    await world.run(['sync']);
    const spent = await world.spent();
    const bill = await world.runJson(['credits', 'bill', '--month', month], billSchema);
    expect(bill).toMatchObject({
      month,
      clients: [{ integration: 'riverside', enhancements: spent, networks: 0, queries: 0 }],
    });
    const { stdout } = await world.run(['credits', 'bill', '--month', month]);
    expect(stdout).toContain(`Bill of ${month}`);
    expect(stdout).toMatch(new RegExp(`riverside\\s+${spent}\\s+0\\s`));
    const file = await world.run(['credits', 'bill', '--month', month, '--csv']);
    const [head, line = '', ...others] = file.stdout.trim().split('\n');
    expect(head).toBe(
      'Month,Client,Name,Enhancements,Networks,Queries,Contacts written,Enhancements per contact written',
    );
    const [when, client, , enhancements, networks] = line.split(',');
    expect([when, client, networks]).toEqual([month, 'riverside', '0']);
    expect(Number(enhancements)).toBe(spent);
    expect(others).toEqual([]);
  });

  it('needs a month, and gives one form at a time', async () => {
    const world = await open();
    const missing = await world.run(['credits', 'bill']);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--month') });
    const both = await world.run(['credits', 'bill', '--month', month, '--csv', '--json']);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not both') });
  });
});

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
    expect(stdout).toContain('The difference equals the charges here.');
  });

  it('names what it did not spend as foreign, and what was bought', async () => {
    const world = await open();
    await world.run(['sync']);
    const { db, close } = await openDatabase<Tables>(`sqlite:${world.path('store.db')}`);
    // Lowers the balance that the next run will read.
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

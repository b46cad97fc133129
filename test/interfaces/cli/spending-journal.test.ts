import { appendFile, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { controlService } from '../../helpers/service-control.ts';
import { holdsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const syncSchema = z.object({
  runs: z.tuple([
    z.object({
      status: z.string(),
      reason: z.object({ code: z.string(), message: z.string() }).nullable(),
      contacts: z.object({ written: z.int(), held: z.int(), submitted: z.int() }).loose(),
    }),
  ]),
});

const restoredSchema = z.object({
  restored: z.object({
    spending: z.object({
      isJournaled: z.boolean(),
      contacts: z.int(),
      credits: z.int(),
    }),
  }),
});

async function sync(world: CliWorld, ...options: string[]) {
  const { stdout, stderr } = await world.run(['sync', '--json', ...options]);
  if (stdout === '') throw new Error(stderr);
  return syncSchema.parse(JSON.parse(stdout)).runs[0];
}

async function enhanced(world: CliWorld): Promise<number> {
  return (await world.rows()).filter((row) => row['Donor ID']).length;
}

const billSchema = z.object({ clients: z.array(z.object({ enhancements: z.int() })) });
const keysSchema = z.object({
  keys: z.array(z.object({ charged: z.int(), foreign: z.int().nullable() })),
});

/** Returns this month's bill and reconciliation. */
async function readSpending(world: CliWorld) {
  const month = new Date().toISOString().slice(0, 7);
  const { clients } = await world.runJson(['credits', 'bill', '--month', month], billSchema);
  const { keys } = await world.runJson(['credits', 'reconcile', month], keysSchema);
  return { bill: clients.map(({ enhancements }) => enhancements), keys };
}

const journalOf = (world: CliWorld) => world.path('store.db.spending');

describe('a database that is restored from a backup', () => {
  let world: CliWorld;
  let all: Record<string, string>[];
  let synced: Record<string, string>[];

  /**
   * Makes a backup with six contacts. After the backup, six further contacts are paid for. One of the first contacts
   * changes and is paid for again. The file then loses all of its values, as if someone had replaced the disk.
   */
  beforeEach(async () => {
    world = await open();
    all = await world.rows();
    await world.saveRows(all.slice(0, 6));
    await sync(world);
    await world.run(['backup', 'one.backup']);
    await copyFile(world.path('store.db'), world.path('by-hand.db'));
    await copyFile(journalOf(world), world.path('as-old-as-the-backup'));
    all = all.map((row, at) => (at === 0 ? { ...row, Employer: 'Caldstead Chemical' } : row));
    await world.saveRows(all);
    await sync(world);
    expect(await world.spent()).toBe(13);
    synced = await world.rows();
    await world.saveRows(all);
  });

  async function restore() {
    const { restored } = await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    await world.run(['restore', '--agree', 'riverside', '--yes']);
    return restored.spending;
  }

  it('gives every contact that was paid for since its profile, for no credit', async () => {
    expect(await restore()).toMatchObject({ isJournaled: true, contacts: 7, credits: 7 });
    const run = await sync(world, '--full');
    expect(run).toMatchObject({ status: 'succeeded', contacts: { submitted: 0, held: 0 } });
    expect(await world.spent()).toBe(13);
    expect(await enhanced(world)).toBeGreaterThanOrEqual(7);
    await sync(world, '--full');
    expect(await world.spent()).toBe(13);
  });

  it('counts what was spent since the backup in the bill and in the reconciliation', async () => {
    const whole = { bill: [13], keys: [{ charged: 13, foreign: 0 }] };
    expect(await readSpending(world)).toEqual(whole);
    await restore();
    await sync(world, '--full');
    expect(await readSpending(world)).toEqual(whole);
  });

  it('reconciles a month whose first request is known from the spending journal alone', async () => {
    await restore();
    // The backup itself contains the previous month's requests.
    const { db, close } = await openDatabase<Tables>(`sqlite:${world.path('store.db')}`);
    const { numUpdatedRows } = await db
      .updateTable('submissions')
      .set({ intended_at: sql<number>`intended_at - ${40 * 86_400_000}` })
      .where('slot', '>', 0)
      .executeTakeFirstOrThrow();
    await close();
    expect(numUpdatedRows).toBe(1n);
    await sync(world, '--full');
    expect((await readSpending(world)).keys).toEqual([{ charged: 7, foreign: 0 }]);
  });

  it('says in the plan what is new, and buys only that', async () => {
    const [first = {}] = all;
    const stranger = { ...first, Id: 'new', First: 'Ottilie', Last: 'Nagelschmidt' };
    await world.saveRows([...all, stranger]);
    await restore();
    const plan = await world.run(['plan', '--json']);
    expect(JSON.parse(plan.stdout)).toMatchObject({
      plans: [{ enhance: { profile_shared: 7, never_enhanced: 1 } }],
    });
    await sync(world, '--full');
    expect(await world.spent()).toBe(14);
  });

  it.each<[string, number, () => Promise<unknown>]>([
    ['is not there', 8, () => rm(journalOf(world))],
    [
      'is as old as the backup',
      8,
      () => copyFile(world.path('as-old-as-the-backup'), journalOf(world)),
    ],
    [
      'lost its last lines',
      8,
      async () => {
        const text = await readFile(journalOf(world), 'utf8');
        const lines = text.split('\n').filter((line) => line !== '');
        await writeFile(journalOf(world), `${lines.slice(0, -2).join('\n')}\n`);
      },
    ],
    // The readable part is used, so only the contact that is missing from it has to wait.
    [
      'is damaged',
      1,
      async () => {
        const text = await readFile(journalOf(world), 'utf8');
        await writeFile(journalOf(world), text.replace('"what":"answered"', '"what":"answerep"'));
      },
    ],
    ['does not know what another tool has spent', 1, () => spendElsewhere(world)],
  ])('asks one question about all others if the journal %s', async (_, expected, spoil) => {
    await world.saveRows([...all, ...(await moreRows(world)).slice(0, 1)]);
    await spoil();
    const before = await world.spent();
    await restore();
    const run = await sync(world, '--full');
    expect(run.contacts).toMatchObject({ submitted: 0, held: expected });
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([
      { kind: 'paid_since_backup', count: expected, credits: expected },
    ]);
    await sync(world, '--full');
    expect(await world.spent()).toBe(before);
  });

  it('spends on the others what a user agrees to, and nothing if they are paid for', async () => {
    await rm(journalOf(world));
    await restore();
    await sync(world, '--full');
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'paid_since_backup', count: 7, credits: 7 }]);
    const [batch] = batches;
    const holds = await world.run(['holds']);
    expect(holds.stdout).toContain('restored from a backup');
    await world.run(['holds', 'reject', '--batch', batch?.id ?? '']);
    const run = await sync(world, '--full');
    expect(run.status).toBe('succeeded');
    expect(await world.spent()).toBe(13);
    await restore();
    await sync(world, '--full');
    const [again] = (await world.runJson(['holds'], holdsSchema)).batches;
    await world.run(['holds', 'approve', '--batch', again?.id ?? '']);
    await sync(world, '--full');
    expect(await world.spent()).toBe(20);
    expect(await enhanced(world)).toBeGreaterThanOrEqual(7);
  });

  it('buys nothing without a user when a contact of the question leaves for a night', async () => {
    await rm(journalOf(world));
    await restore();
    expect((await sync(world, '--full')).contacts).toMatchObject({ submitted: 0, held: 7 });
    await world.saveRows(all.map((row, at) => (at === 7 ? { ...row, Last: '' } : row)));
    await sync(world, '--full');
    await world.saveRows(all);
    await sync(world, '--full');
    await sync(world, '--full');
    expect(await world.spent()).toBe(13);
  });

  it('buys nothing without a user when a contact of the question continues under another ID', async () => {
    await rm(journalOf(world));
    await restore();
    expect((await sync(world, '--full')).contacts).toMatchObject({ submitted: 0, held: 7 });
    await world.saveRows(all.map((row, at) => (at === 7 ? { ...row, Id: 'imported-anew' } : row)));
    await sync(world, '--full');
    await sync(world, '--full');
    expect(await world.spent()).toBe(13);
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'paid_since_backup', count: 7, credits: 7 }]);
  });

  it('buys nothing again for other IDs that a run reads before a user agrees', async () => {
    // Switches profile sharing off. With profile sharing, the new rows would share the jobs of the former rows for six
    // days.
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    const alone = settings.replace(/(partner: \{)/, '$1 shareProfiles: false,');
    expect(alone).not.toBe(settings);
    await writeFile(world.path('donor-sync.yaml'), alone);
    const isOther = (at: number) => at === 2 || at === 3;
    await world.saveRows(
      all.map((row, at) => (isOther(at) ? { ...row, Id: `imported-${at}` } : row)),
    );
    await world.run(['restore', 'one.backup', '--yes']);
    expect(await sync(world, '--full')).toMatchObject({ reason: { code: 'restore_unconfirmed' } });
    await world.run(['restore', '--agree', 'riverside', '--yes']);
    expect(await sync(world, '--full')).toMatchObject({ status: 'succeeded' });
    expect(await world.spent()).toBe(13);
    const donors = (rows: Record<string, string>[]) => rows.map((row) => row['Donor ID'] ?? '');
    const before = donors(synced).filter((_, at) => isOther(at));
    expect(before).not.toContain('');
    expect(donors(await world.rows()).filter((_, at) => isOther(at))).toEqual(before);
  });

  it('buys a contact that a user has counted as paid once its details change', async () => {
    await rm(journalOf(world));
    await restore();
    await sync(world, '--full');
    const { batches } = await world.runJson(['holds'], holdsSchema);
    const answer = ['holds', 'reject', '--batch', batches[0]?.id ?? ''];
    expect((await world.run(answer)).exitCode).toBe(0);
    await world.saveRows(
      all.map((row, at) => (at === 7 ? { ...row, Address: '1 Elsewhere Road' } : row)),
    );
    expect(await sync(world, '--full')).toMatchObject({ contacts: { submitted: 1, held: 0 } });
    expect(await world.spent()).toBe(14);
  });

  it('asks about nobody before a user has agreed, so that donor ids in the CRM can still be adopted', async () => {
    // Restores the files as the last sync left them.
    await world.saveRows(synced);
    await rm(journalOf(world));
    await world.run(['restore', 'one.backup', '--yes']);
    expect(await sync(world, '--full')).toMatchObject({ reason: { code: 'restore_unconfirmed' } });
    expect((await world.runJson(['holds'], holdsSchema)).batches).toEqual([]);
    await world.run(['restore', '--agree', 'riverside', '--yes']);
    const run = await sync(world, '--full', '--adopt');
    // The product has stored the earlier details of the first contact. Only a contact without stored details can adopt
    // a profile.
    expect(run.contacts).toMatchObject({ submitted: 0, held: 1 });
    expect(await world.spent()).toBe(13);
  });

  it('holds a contact whose details have changed once more since it was paid for', async () => {
    const changed = all.map((row, at) =>
      at === 8 ? { ...row, Address: '1 Elsewhere Road' } : row,
    );
    await world.saveRows(changed);
    await restore();
    const run = await sync(world, '--full');
    expect(run.contacts).toMatchObject({ submitted: 0, held: 1 });
    expect(await world.spent()).toBe(13);
  });

  it('takes over what was paid for if another program has put the database back', async () => {
    for (const suffix of ['-wal', '-shm']) {
      await rm(world.path(`store.db${suffix}`), { force: true });
    }
    await copyFile(world.path('by-hand.db'), world.path('store.db'));
    const { restored } = await world.runJson(['restore', '--put-back', '--yes'], restoredSchema);
    expect(restored.spending).toMatchObject({ isJournaled: true, contacts: 7 });
    await world.run(['restore', '--agree', 'riverside', '--yes']);
    await sync(world, '--full');
    expect(await world.spent()).toBe(13);
  });

  it('keeps nothing of a client that was erased since', async () => {
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    const without = settings.replace('id: riverside', 'id: another');
    await writeFile(world.path('donor-sync.yaml'), without);
    const erased = await world.run(['erase', 'riverside', '--yes', '--json']);
    expect(erased.stdout).toContain('"payments": 13');
    await writeFile(world.path('donor-sync.yaml'), settings);
    const text = await readFile(world.path('store.db.spending.past'), 'utf8');
    expect(text).not.toContain('"contact":');
    expect(await restore()).toMatchObject({ contacts: 0 });
  });

  it('brings nobody back who was erased since', async () => {
    const erased = all[9]?.['Id'] ?? '';
    const forgotten = await world.run(['forget', erased, '--also-in-crm', '--yes', '--json']);
    expect(JSON.parse(forgotten.stdout)).toMatchObject({
      forget: { receipt: { erased: { payments: 1 } } },
    });
    expect(await restore()).toMatchObject({ contacts: 6 });
    await sync(world, '--full');
    const row = (await world.rows()).find((each) => each['Id'] === erased);
    expect(row?.['Donor ID'] ?? '').toBe('');
    expect(await world.spent()).toBe(13);
  });
});

it.each([
  ['by the journal', true],
  ['by looking them up at the service, without a journal', false],
])('takes over what was added to networks since the backup, %s', async (_, isJournaled) => {
  const world = await open({
    settings: '    networks: [{ name: Board, group: { column: Group, equals: Board } }]',
  });
  const { spentInAll } = controlService(world.service);
  const all = await world.rows();
  await world.saveRows(all.map((row) => ({ ...row, Group: '' })));
  await sync(world);
  await world.run(['backup', 'one.backup']);
  await world.saveRows((await world.rows()).map((row) => ({ ...row, Group: 'Board' })));
  await sync(world);
  const [spent, inAll] = [await world.spent(), await spentInAll()];
  expect(inAll).toBeGreaterThan(spent);
  if (!isJournaled) await rm(journalOf(world));
  await world.run(['restore', 'one.backup', '--yes']);
  await world.run(['restore', '--agree', 'riverside', '--yes']);
  await sync(world, '--full');
  await sync(world, '--full');
  expect(await spentInAll()).toBe(inAll);
  const networks = await world.run(['networks']);
  expect(networks.stdout).toMatch(/Board/);
});

describe('the spending journal', () => {
  it('names nobody, and is for its owner only', async () => {
    const world = await open();
    await sync(world);
    const text = await readFile(journalOf(world), 'utf8');
    for (const { Id = '', Last = '' } of await world.rows()) {
      expect(text).not.toContain(`"${Id}"`);
      expect(text).not.toContain(Last);
    }
    expect(text).not.toContain(world.service.apiKey);
    expect((await stat(journalOf(world))).mode & 0o777).toBe(0o600);
  });

  it('ends nothing by a line that was torn when the process was killed', async () => {
    const world = await open();
    await sync(world);
    await appendFile(journalOf(world), '\nAbCdEfGhIjKlMnOp {"what":"intended","store":"x","at":17');
    await world.run(['backup', 'one.backup']);
    await world.saveRows([...(await world.rows()), ...(await moreRows(world))]);
    await sync(world);
    const spent = await world.spent();
    const { restored } = await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    expect(restored.spending).toMatchObject({ isJournaled: true, contacts: 3 });
    await world.run(['restore', '--agree', 'riverside', '--yes']);
    await sync(world, '--full');
    expect(await world.spent()).toBe(spent);
  });

  it('stops spending if it cannot be written, and goes on delivering', async () => {
    const world = await open();
    await mkdir(journalOf(world));
    const run = await sync(world);
    expect(run).toMatchObject({ status: 'incomplete', reason: { code: 'journal_unwritable' } });
    expect(run.reason?.message).toContain(journalOf(world));
    const doctor = await world.run(['doctor']);
    expect(doctor.stdout).toContain(`cannot be recorded in ${journalOf(world)}`);
    expect(await world.spent()).toBe(0);
    await rm(journalOf(world), { recursive: true });
    expect(await sync(world)).toMatchObject({ status: 'succeeded' });
    expect(await world.spent()).toBe(12);
  });

  it('lies where the settings say', async () => {
    const world = await open();
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    await writeFile(world.path('donor-sync.yaml'), `spendingJournal: safe/spent\n${settings}`);
    await sync(world);
    expect(await readFile(world.path('safe/spent'), 'utf8')).toContain('"intended"');
    await expect(stat(journalOf(world))).rejects.toThrow('ENOENT');
  });
});

/** Submits a person with a different tool and the same service key. */
async function spendElsewhere({ service: { baseUrl, apiKey } }: CliWorld): Promise<void> {
  const person = { tracking_id: 'other', name: { first: 'Ottilie', last: 'Nagelschmidt' } };
  const response = await fetch(`${baseUrl}/enhancements`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ persons: [{ ...person, addresses: [], employers: [] }] }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Returns rows for three people that the file does not have yet. */
async function moreRows(world: CliWorld): Promise<Record<string, string>[]> {
  const people = await controlService(world.service).people(40);
  return people.slice(30, 33).map(({ id, firstName, lastName, addresses, employers }) => ({
    Id: id,
    First: firstName ?? '',
    Last: lastName ?? '',
    Address: addresses[0] ?? '',
    Employer: employers[0] ?? '',
  }));
}

describe('a backup that was made while jobs were under way', () => {
  const DAY_MS = 86_400_000;

  /**
   * Creates four contacts. In the backup, their jobs are in progress. The profiles were delivered after the backup.
   */
  async function openDelivered() {
    const jobs = holdJobs();
    let aheadMs = 0;
    const clock = () => jobs.service.clock() + aheadMs;
    const world = await open({ people: 5, service: { ...jobs.service, clock } });
    const rows = await world.rows();
    await world.saveRows(rows.slice(0, 4));
    const first = sync(world);
    await expect.poll(world.spent).toBe(4);
    await expect.poll(() => countJobs(world)).toBe(4);
    await makeOlder(world, 8 * DAY_MS);
    expect((await world.run(['backup', 'one.backup'])).exitCode).toBe(0);
    await makeOlder(world, -8 * DAY_MS);
    jobs.letEnd();
    expect(await first).toMatchObject({ status: 'succeeded' });
    expect(await enhanced(world)).toBe(4);
    const loseJobs = () => {
      aheadMs = 8 * DAY_MS;
    };
    return { world, rows, loseJobs };
  }

  const agree = ['restore', '--agree', 'riverside', '--yes'];

  it('buys nothing again at a restore when the service has lost them since', async () => {
    const { world, rows, loseJobs } = await openDelivered();
    await world.saveRows(rows.slice(0, 4));
    loseJobs();
    await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    expect((await world.run(agree)).exitCode).toBe(0);
    await sync(world, '--full');
    await sync(world, '--full');
    expect(await world.spent()).toBe(4);
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'paid_since_backup', count: 4, credits: 4 }]);
    const rejected = await world.run(['holds', 'reject', '--batch', batches[0]?.id ?? '']);
    expect(rejected.exitCode, rejected.stderr).toBe(0);
    await sync(world, '--full');
    expect(await world.spent()).toBe(4);
  });

  it('asks about other contacts of the same people, too, and says so in the plan', async () => {
    const { world, rows, loseJobs } = await openDelivered();
    await world.saveRows(rows);
    expect(await sync(world)).toMatchObject({ contacts: { submitted: 1 } });
    loseJobs();
    await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    expect((await world.run(agree)).exitCode).toBe(0);
    await world.saveRows([...rows.slice(0, 4), { ...rows[0], Id: 'the-same-person' }]);
    const plan = await world.run(['plan', '--json']);
    expect(JSON.parse(plan.stdout).plans[0].enhance).toEqual({});
    await sync(world, '--full');
    await sync(world, '--full');
    expect(await world.spent()).toBe(5);
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'paid_since_backup', count: 5 }]);
  });

  it.each<[string, (world: CliWorld, rows: Record<string, string>[]) => Promise<unknown>]>([
    [
      'after a user has counted them as paid',
      async (world) => {
        const { batches } = await world.runJson(['holds'], holdsSchema);
        const answer = ['holds', 'reject', '--batch', batches[0]?.id ?? ''];
        expect((await world.run(answer)).exitCode).toBe(0);
      },
    ],
    [
      'after the contact of the lost job has left',
      async (world, rows) => {
        await world.saveRows(rows.slice(1));
        await sync(world, '--full');
      },
    ],
  ])('buys no other contact of the same people, %s', async (_, happen) => {
    const { world, rows, loseJobs } = await openDelivered();
    await world.saveRows(rows);
    expect(await sync(world)).toMatchObject({ contacts: { submitted: 1 } });
    loseJobs();
    await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    expect((await world.run(agree)).exitCode).toBe(0);
    const four = rows.slice(0, 4);
    await world.saveRows(four);
    await sync(world, '--full');
    await happen(world, four);
    await world.saveRows([...four.slice(1), { ...rows[0], Id: 'the-same-person' }]);
    await sync(world, '--full');
    expect(await world.spent()).toBe(5);
  });

  it('is sorted by the next sync if a user agrees while one that may spend nothing is running', async () => {
    const { world, rows } = await openDelivered();
    await world.saveRows(rows);
    expect(await sync(world)).toMatchObject({ contacts: { submitted: 1 } });
    await world.saveRows(rows);
    await rm(journalOf(world));
    await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    const slow = { kind: 'slow', delayMs: 2_000 };
    await world.putFaults([{ on: { path: '*progress*' }, times: 1, fault: slow }]);
    const running = sync(world, '--full');
    await setTimeout(1_000);
    expect((await world.run(agree)).exitCode).toBe(0);
    expect((await running).reason?.code).toBe('restore_unconfirmed');
    expect((await sync(world, '--full')).contacts).toMatchObject({ submitted: 0, held: 1 });
    expect(await world.spent()).toBe(5);
  });

  it('asks about a contact that has changed and was paid for again since', async () => {
    const { world, rows } = await openDelivered();
    const [first, ...others] = rows.slice(0, 4);
    const moved = [{ ...first, Employer: 'Caldstead Chemical' }, ...others];
    await world.saveRows(moved);
    expect(await sync(world)).toMatchObject({ contacts: { submitted: 1 } });
    expect(await world.spent()).toBe(5);
    await world.saveRows(moved);
    await rm(journalOf(world));
    await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    expect((await world.run(agree)).exitCode).toBe(0);
    for (let night = 0; night < 3; night += 1) await sync(world, '--full');
    expect(await world.spent()).toBe(5);
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'paid_since_backup', count: 1 }]);
  });

  async function countJobs(world: CliWorld): Promise<number> {
    const { db, close } = await openDatabase<Tables>(`sqlite:${world.path('store.db')}`);
    const jobs = await db
      .selectFrom('jobs')
      .select('job_id')
      .where('job_id', 'is not', null)
      .execute();
    await close();
    return jobs.length;
  }

  /**
   * Moves recorded times back. The product's clock cannot be set, because it has to agree with the service's clock.
   */
  async function makeOlder(world: CliWorld, ms: number): Promise<void> {
    const { db, close } = await openDatabase<Tables>(`sqlite:${world.path('store.db')}`);
    const submitted_at = sql<number>`submitted_at - ${ms}`;
    await db.updateTable('jobs').set({ submitted_at }).execute();
    await close();
  }
});

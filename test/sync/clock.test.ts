import { afterEach, describe, expect, it } from 'vitest';
import { countContactWork } from '../../src/contacts/contacts.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { RunReport } from '../../src/core/run.ts';
import type { RunRequest } from '../../src/sync/run.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const LIMIT_MS = 60_000;

const SLOW_AND_BUSY = [
  { on: { path: '/credits' }, times: 1, fault: { kind: 'slow', delayMs: 1_500 } },
  { on: { path: '/enhancements' }, times: 1, fault: { kind: 'throttle', retryAfterSeconds: 1 } },
  { on: { path: '/enhancements' }, times: 1, fault: { kind: 'slow', delayMs: 1_500 } },
];

let world: SyncWorld;
let shiftMs = 0;
/** The machine's clock, shifted by the test. */
const clock: Clock = { ...systemClock, now: () => Date.now() + shiftMs };

afterEach(async () => {
  shiftMs = 0;
  await world.close();
});

/** If the sync hangs, it is stopped, and the report shows this. */
function sync(request: Partial<RunRequest> = {}): Promise<RunReport> {
  return world.sync({ signal: AbortSignal.timeout(LIMIT_MS), ...request });
}

describe('a run whose clock is set while it goes on', () => {
  it.each([
    ['back by an hour', -HOUR_MS],
    ['forward by an hour', HOUR_MS],
    ['forward by days, which makes every job look old', 40 * DAY_MS],
  ])('delivers what it has paid for, once (%s)', async (_, byMs) => {
    world = await createSyncWorld({
      clock,
      service: { jobTimeMs: 1_000 },
      partner: (client) => ({
        ...client,
        readProgress(jobIds, signal) {
          shiftMs = byMs;
          return client.readProgress(jobIds, signal);
        },
      }),
    });
    await world.addPeople(5);
    expect(await sync()).toMatchObject({ status: 'succeeded', contacts: { written: 5 } });
    expect(await world.spent()).toBe(5);
  });

  it.each([
    ['ahead', 2 * YEAR_MS],
    ['back', -2 * YEAR_MS],
  ])('stops spending, delivers what is paid for and buys nothing again (%s)', async (_, byMs) => {
    let setTo = byMs;
    world = await createSyncWorld({
      clock,
      partner: (client) => ({
        ...client,
        async submitEnhancements(...asked) {
          const answer = await client.submitEnhancements(...asked);
          shiftMs = setTo;
          return answer;
        },
      }),
    });
    await world.addPeople(250);
    const stopped = await sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'clock_wrong' } });
    const { submitted, chosen } = stopped.contacts;
    expect(submitted).toBeGreaterThan(0);
    expect(submitted).toBeLessThan(chosen);
    const work = await countContactWork(world.store.reader, 'riverside');
    expect(work).toMatchObject({ submitted: 0, ready: 0 });
    shiftMs = 0;
    setTo = 0;
    const next = await sync({ full: true });
    expect(next.status).toBe('succeeded');
    expect(await world.spent()).toBe(submitted + next.contacts.submitted);
    expect(await paidTwice()).toEqual([]);
  });

  it('does not call profiles old that are read meanwhile', async () => {
    world = await createSyncWorld({ clock });
    await world.addPeople(20);
    await sync();
    const spent = await world.spent();
    world.crm.before((operation) => {
      if (operation === 'readPages') shiftMs = 2 * YEAR_MS;
    });
    expect((await sync({ full: true })).contacts.chosen).toBe(0);
    shiftMs = 0;
    world.crm.before(null);
    expect((await sync({ full: true })).contacts.chosen).toBe(0);
    expect(await world.spent()).toBe(spent);
  });

  it('lets the quiet time of a lost answer pass all the same', async () => {
    let isLost = false;
    world = await createSyncWorld({
      clock,
      integration: { settleAfterMs: 2_000 },
      partner: (client) => ({
        ...client,
        submitEnhancements: (...asked) => {
          isLost = true;
          return client.submitEnhancements(...asked);
        },
        readCredits(signal) {
          if (isLost) shiftMs = HOUR_MS;
          return client.readCredits(signal);
        },
      }),
    });
    await world.addPeople(5);
    await world.putFaults([
      { on: { method: 'POST' }, times: 1, fault: { kind: 'lateCharge', delayMs: 1_000 } },
    ]);
    expect((await sync()).contacts).toMatchObject({ submitted: 0, held: 5 });
    expect(await world.spent()).toBe(5);
  });
});

describe('a run whose clock is wrong', () => {
  it('deletes nothing because of its age, or two years ahead would destroy all that was paid for', async () => {
    world = await createSyncWorld({ clock });
    await world.addPeople(5);
    await world.sync();
    const { db } = world.database;
    const kept = async () => ({
      profiles: (await db.selectFrom('kept_profiles').select('crm_id').execute()).length,
      results: (await db.selectFrom('run_rows').select('crm_id').execute()).length,
    });
    const before = await kept();
    expect(before.profiles).toBeGreaterThan(0);
    shiftMs = 2 * YEAR_MS;
    expect((await sync()).reason?.code).toBe('clock_wrong');
    expect(await kept()).toEqual(before);
  });

  it.each([
    ['a year ahead', 'ahead of', 2 * YEAR_MS],
    ['a year behind', 'behind', -2 * YEAR_MS],
    ['an hour ahead', 'ahead of', HOUR_MS],
    ['six minutes behind', 'behind', -6 * 60_000],
  ])('spends nothing, decides nothing and says how far off it is (%s)', async (_, way, byMs) => {
    world = await createSyncWorld({ clock });
    await world.addPeople(10);
    await sync();
    const spent = await world.spent();
    await world.addPeople(15);
    shiftMs = byMs;
    const report = await sync({ full: true });
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'clock_wrong' } });
    expect(report.reason?.message).toContain(`${way} the Partner Data Service's`);
    expect(report.contacts).toMatchObject({ read: 0, chosen: 0 });
    expect(await world.spent()).toBe(spent);
    shiftMs = 0;
    const { contacts } = await sync({ full: true });
    expect(contacts.chosen).toBeLessThanOrEqual(15);
  });

  it('is recognised by a service whose answers carry another date', async () => {
    world = await createSyncWorld({ clock });
    await world.addPeople(5);
    await world.putFaults([{ fault: { kind: 'date', offsetMs: 2 * YEAR_MS } }]);
    expect((await sync()).reason?.code).toBe('clock_wrong');
    expect(await world.spent()).toBe(0);
  });

  it.each([
    ['four minutes ahead', [{ fault: { kind: 'date', offsetMs: -4 * 60_000 } }]],
    ['not known to be so, since the service tells no time', [{ fault: { kind: 'date' } }]],
    [
      'right, whatever one answer said on the way',
      [{ nth: 2, fault: { kind: 'date', offsetMs: HOUR_MS } }],
    ],
    ['right, and the service is slow and busy', SLOW_AND_BUSY],
  ])('goes on if it is %s', async (_, rules) => {
    world = await createSyncWorld({ clock });
    await world.addPeople(5);
    await world.putFaults(rules);
    expect(await sync()).toMatchObject({ status: 'succeeded', contacts: { submitted: 5 } });
  });

  it('asks again before it believes an answer of long ago, as after a sleep of the machine', async () => {
    world = await createSyncWorld({
      clock,
      partner(client) {
        let isAsleep = false;
        return {
          ...client,
          readCredits(signal) {
            isAsleep = false;
            return client.readCredits(signal);
          },
          submitEnhancements(persons, signal, mayLeave) {
            isAsleep = true;
            return client.submitEnhancements(persons, signal, mayLeave);
          },
          clockAheadMs: () => (isAsleep ? 8 * HOUR_MS : client.clockAheadMs()),
        };
      },
    });
    await world.addPeople(5);
    expect(await sync()).toMatchObject({ status: 'succeeded', contacts: { submitted: 5 } });
  });
});

/** Returns the contacts for which more than one job cost a credit. */
async function paidTwice(): Promise<string[]> {
  const jobs = await world.database.db
    .selectFrom('jobs')
    .select('crm_id')
    .where('shared_from', 'is', null)
    .where('state', '<>', 'unpaid')
    .execute();
  const ids = jobs.map(({ crm_id }) => crm_id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

import { expect, it } from 'vitest';
import {
  isScheduled,
  listSchedules,
  pauseSchedule,
  planSchedules,
  resumeSchedule,
} from '../../src/clients/schedules/schedules.ts';
import { findSchedule, listScheduleRecords } from '../../src/clients/statements/schedules.ts';
import { systemClock } from '../../src/core/clock.ts';
import { type Integration, integrationSchema } from '../../src/core/integration-settings.ts';
import { silentLog } from '../../src/core/log.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/tables/tables.ts';
import { createScheduler, type TickDeps, tick } from '../../src/jobs/scheduler.ts';
import { createStore, type Store } from '../../src/store.ts';
import { dropWaitingRequest, listRunRequests } from '../../src/sync/statements/run-requests.ts';
import { testFingerprint } from '../database/store-world.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import { describeEachDatabase, describeOn, openPostgresFresh } from '../helpers/test-databases.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describeEachDatabase('tick', (open) => {
  /** Opens a process that has just begun to watch these schedules. */
  async function aServer(startsAt: string, schedules: Schedules): Promise<Server> {
    const { db } = await open();
    await migrateToLatest(db);
    const clock = createFakeClock(Date.parse(startsAt));
    const store = createStore({ db, clock, fingerprint: testFingerprint });
    const server = { store, clock, log: silentLog, integrations: integrationsOf(schedules) };
    await planSchedules(server, server.integrations.values());
    return server;
  }

  it.each([
    ['clocks go forward', '2026-03-05T12:00:00Z', '2026-03-31T12:00:00Z'],
    ['clocks go back', '2026-10-22T12:00:00Z', '2026-11-05T12:00:00Z'],
  ])('asks for one run each night in two time zones while %s', async (_, from, until) => {
    const server = await aServer(from, {
      chicago: { cron: '30 2 * * *', timezone: 'America/Chicago' },
      berlin: { cron: '30 1 * * *', timezone: 'Europe/Berlin' },
    });
    const nights: Record<string, string[]> = { chicago: [], berlin: [] };
    while (server.clock.now() < Date.parse(until)) {
      await server.clock.advance(HOUR_MS / 2);
      await tick(server);
      for (const id of await takeWanted(server)) {
        const timezone = scheduledOf(server, id).schedule.timezone;
        nights[id]?.push(dayOf(server.clock.now(), timezone));
      }
    }
    const days = (Date.parse(until) - Date.parse(from)) / (24 * HOUR_MS);
    for (const seen of Object.values(nights)) {
      expect(seen).toHaveLength(days);
      expect(new Set(seen).size).toBe(days);
    }
  });

  it('asks for one run for all times that passed while nothing was running', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', { a: { cron: '0 2 * * *' } });
    await server.clock.advance(72 * HOUR_MS);
    expect(await tick(server)).toBe(1);
    expect(await listRunRequests(server.store.reader)).toMatchObject([
      { integrationId: 'a', trigger: 'schedule', times: 1 },
    ]);
    expect(await listSchedules(server.store.reader, server.integrations.values())).toMatchObject([
      { nextRunAt: '2026-06-05T02:00:00.000Z' },
    ]);
  });

  it('leaves them out if the settings say so, and is on time from then on', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', {
      a: { cron: '0 2 * * *', catchUp: false },
    });
    await server.clock.advance(72 * HOUR_MS);
    expect(await tick(server)).toBe(0);
    expect(await listRunRequests(server.store.reader)).toEqual([]);
    await server.clock.advance(14 * HOUR_MS);
    expect(await tick(server)).toBe(1);
  });

  it('is late by a tick without calling that missed', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', {
      a: { cron: '0 13 * * *', catchUp: false },
    });
    await server.clock.advance(HOUR_MS + MINUTE_MS);
    expect(await tick(server)).toBe(1);
  });

  it('runs at its next time again after a clock that ran years ahead was put right', async () => {
    const server = await aServer('2036-06-01T12:00:00Z', { a: { cron: '0 2 * * *' } });
    await server.clock.advance(-10 * 365 * 24 * HOUR_MS);
    await planSchedules(server, server.integrations.values());
    await server.clock.advance(24 * HOUR_MS);
    expect(await tick(server)).toBe(1);
  });

  it('does not run a night twice because the clock was set back a little after its run', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', { a: { cron: '0 2 * * *' } });
    await server.clock.advance(14 * HOUR_MS + 5 * MINUTE_MS);
    expect(await tick(server)).toBe(1);
    await server.clock.advance(-10 * MINUTE_MS);
    await planSchedules(server, server.integrations.values());
    await server.clock.advance(20 * MINUTE_MS);
    expect(await tick(server)).toBe(0);
  });

  it('claims each time once, however many tick at the same time', async () => {
    const server = await aServer('2026-11-01T05:55:00Z', manySchedules(20));
    for (let time = 0; time < 12; time += 1) {
      await server.clock.advance(10 * MINUTE_MS);
      const claimed = await Promise.all([tick(server), tick(server), tick(server)]);
      expect(claimed.reduce((sum, count) => sum + count, 0)).toBe(20);
      expect(await takeWanted(server)).toHaveLength(20);
    }
  });

  it('spreads integrations with the same line over the time of the jitter', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', manySchedules(30, 600_000));
    const rows = await listScheduleRecords(server.store.reader);
    const due = Date.parse('2026-06-01T12:10:00Z');
    const lateMs = rows.map(({ nextRunAt: next }) => ((next ?? 0) - due) % 600_000);
    expect(new Set(lateMs.map((ms) => Math.trunc(ms / 1_000))).size).toBeGreaterThan(20);
    await planSchedules(server, server.integrations.values());
    expect(await listScheduleRecords(server.store.reader)).toEqual(rows);
  });

  it('starts nothing while a schedule is paused, and makes up for nothing after that', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', { a: { cron: '0 2 * * *' } });
    const integration = scheduledOf(server, 'a');
    await server.store.act((trx) => pauseSchedule(trx, integration));
    await server.clock.advance(72 * HOUR_MS);
    expect(await tick(server)).toBe(0);
    expect(await listSchedules(server.store.reader, [integration])).toMatchObject([
      { paused: true, nextRunAt: null },
    ]);
    await server.store.act((trx) => resumeSchedule(trx, integration));
    expect(await tick(server)).toBe(0);
    expect(await listSchedules(server.store.reader, [integration])).toMatchObject([
      { paused: false, nextRunAt: '2026-06-05T02:00:00.000Z' },
    ]);
  });

  it('plans more schedules at once than one statement takes, and each of them', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', manySchedules(1_203, HOUR_MS));
    const rows = await listScheduleRecords(server.store.reader);
    expect(rows.length).toBe(1_203);
    expect(new Set(rows.map(({ nextRunAt }) => nextRunAt)).size).toBeGreaterThan(1_000);
  });

  it('plans a changed schedule anew, keeps its pause, and drops one that is gone', async () => {
    const server = await aServer('2026-06-01T12:00:00Z', {
      a: { cron: '0 2 * * *' },
      b: { cron: '0 2 * * *' },
    });
    await server.store.act((trx) => pauseSchedule(trx, scheduledOf(server, 'a')));
    const changed = integrationsOf({ a: { cron: '0 5 * * *' }, b: null });
    await planSchedules(server, changed.values());
    expect(await listScheduleRecords(server.store.reader)).toMatchObject([
      { integrationId: 'a', paused: 1, nextRunAt: Date.parse('2026-06-02T05:00:00Z') },
    ]);
    // A process that still has the old settings does not change the new plan.
    const fresh = scheduledOf({ integrations: changed }, 'a');
    await server.store.act((trx) => resumeSchedule(trx, fresh));
    await server.clock.advance(24 * HOUR_MS);
    expect(await tick(server)).toBe(0);
  });
});

interface Server extends TickDeps {
  store: Store;
  clock: FakeClock;
}

/** Clients by ID, with the relevant parts of their schedules. */
type Schedules = Record<string, Record<string, unknown> | null>;

function integrationsOf(schedules: Schedules): Map<string, Integration> {
  return new Map(
    Object.entries(schedules).map(([id, schedule]) => [
      id,
      integrationSchema.parse({
        id,
        schedule: schedule && { jitterMs: 0, ...schedule },
        partner: { baseUrl: 'https://partner.example', apiKey: 'key' },
        crm: { kind: 'memory' },
      }),
    ]),
  );
}

function manySchedules(count: number, jitterMs = 0): Schedules {
  const ids = Array.from({ length: count }, (_, index) => `nonprofit-${index}`);
  return Object.fromEntries(ids.map((id) => [id, { cron: '*/10 * * * *', jitterMs }]));
}

function scheduledOf({ integrations }: Pick<Server, 'integrations'>, id: string) {
  const integration = integrations.get(id);
  if (!integration || !isScheduled(integration)) throw new Error(`${id} has no schedule`);
  return integration;
}

/** Removes the waiting requests, as their runs would do. Returns the clients. */
async function takeWanted({ store }: Pick<Server, 'store'>): Promise<string[]> {
  const waiting = await listRunRequests(store.reader);
  for (const { runId } of waiting) await dropWaitingRequest(store.connection, runId);
  return waiting.map(({ integrationId }) => integrationId);
}

function dayOf(atMs: number, timeZone: string): string {
  return new Date(atMs).toLocaleDateString('en-CA', { timeZone });
}

describeOn('postgres', 'hosts with clocks of their own', () => {
  it('plan the same nights, by the clock of the database', async () => {
    const { db, close } = await openPostgresFresh();
    await migrateToLatest(db);
    const ahead = await look(db, 150_000);
    const planned = await nextRunAt(ahead);
    expect(planned - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
    const behind = await look(db, -150_000);
    expect(await nextRunAt(behind)).toBe(planned);
    expect(await listRunRequests(behind.reader)).toEqual([]);
    await close();
  });
});

/** Lets a process check the schedules once. Its host's clock is ahead by this time. */
async function look(db: Database, aheadMs: number): Promise<Store> {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const store = createStore({ db, clock, fingerprint: testFingerprint });
  const integrations = new Map([['riverside', EVERY_MINUTE]]);
  const scheduler = createScheduler({ store, integrations, clock, log: silentLog, wake() {} });
  await scheduler.start();
  await scheduler.stop();
  return store;
}

async function nextRunAt({ reader }: Store): Promise<number> {
  return (await findSchedule(reader, 'riverside'))?.nextRunAt ?? Number.NaN;
}

const EVERY_MINUTE: Integration = integrationSchema.parse({
  id: 'riverside',
  partner: { baseUrl: 'https://partner.example/api', apiKey: 'pds_key' },
  crm: { kind: 'memory' },
  schedule: { cron: '* * * * *', timezone: 'UTC', jitterMs: 0 },
});

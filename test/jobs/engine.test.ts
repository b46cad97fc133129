import { afterEach, expect, it, vi } from 'vitest';
import { claimDueTimes, saveSchedules } from '../../src/clients/statements/schedules.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Lease } from '../../src/database/leases.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { createEmbeddedEngine } from '../../src/jobs/engine/embedded.ts';
import type { Engine, Turn } from '../../src/jobs/engine/engine.ts';
import { createPgBossEngine, installPgBoss } from '../../src/jobs/engine/pg-boss.ts';
import { createStore, type Store } from '../../src/store.ts';
import {
  dropWaitingRequest,
  listBegunRequests,
  listReadyRequests,
  requestRun,
} from '../../src/sync/statements/run-requests.ts';
import { recordRunBegin, recordRunEnd } from '../../src/sync/statements/runs.ts';
import { takeLease, testFingerprint } from '../database/store-world.ts';
import { describeEachDatabase, describeOn, openPostgresFresh } from '../helpers/test-databases.ts';
import { until } from './runner-world.ts';

/** A process that shares the database with others. */
interface Process {
  store: Store;
  engine: Engine;
  ask(integrationId: string, trigger?: 'schedule' | 'webhook'): Promise<string>;
  /** Claims all runs that can start now, or as many as the options allow. */
  take(free?: number, forSchedules?: number): Promise<Turn[]>;
}

const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

describeEachDatabase('an engine', (openFresh, kind) => {
  let count = 0;

  async function open(processes: number): Promise<[Process, Process]> {
    const { db, url } = await openFresh();
    await migrateToLatest(db);
    if (kind === 'postgres') await installPgBoss({ url, log: silentLog });
    const all: Process[] = [];
    for (let index = 0; index < processes; index += 1) {
      const isFree = async (id: string) => (await store.leases.holder(id)) === null;
      const listReady = () => listReadyRequests(store.reader);
      const listBegun = () => listBegunRequests(store.reader);
      const engine =
        kind === 'postgres'
          ? createPgBossEngine({ url, db, clock: systemClock, log: silentLog })
          : createEmbeddedEngine({ listReady, listBegun, clock: systemClock, isFree });
      const { asked } = engine;
      const parts = { db, clock: systemClock, fingerprint: testFingerprint, asked };
      const store: Store = createStore(parts);
      await engine.open();
      opened.push(engine);
      all.push({
        store,
        engine,
        ask(integrationId, trigger = 'schedule') {
          count += 1;
          const request = { integrationId, contact: null, trigger, full: false };
          return store.act((trx) => requestRun(trx, { ...request, runId: `run-${count}` }));
        },
        take: (free = 100, forSchedules = free) =>
          engine.take({ free, forSchedules, isKnown: () => true }),
      });
    }
    const [here, there = here] = all;
    if (!here || !there) throw new Error('no process');
    return [here, there];
  }

  it('gives one turn for all that is asked of an integration, and another for what is asked meanwhile', async () => {
    const [here, there] = await open(2);
    await here.ask('riverside');
    const runId = await there.ask('riverside', 'webhook');
    const [turn] = await here.take();
    expect(turn?.integrationId).toBe('riverside');
    const lease = await begin(here, 'riverside', runId);
    expect(await there.take()).toEqual([]);
    await there.ask('riverside');
    await there.ask('riverside', 'webhook');
    expect(await there.take()).toEqual([]);
    await finish(here, lease, runId);
    await turn?.end();
    const [next] = await takeSome(there);
    expect(next?.integrationId).toBe('riverside');
    await dropWaitingRequest(there.store.connection, 'run-3');
    await next?.end();
    expect(await here.take()).toEqual([]);
  });

  it('asks for nothing if the transaction of the request is rolled back', async () => {
    const [here] = await open(1);
    const failing = here.store.act((trx) =>
      claimDueTimes(
        trx,
        Date.now(),
        () => {
          throw new Error('not now');
        },
        null,
      ),
    );
    await saveSchedules(here.store.connection, [
      { integrationId: 'riverside', rule: 'rule', nextRunAt: 1 },
    ]);
    await failing.catch(() => undefined);
    expect(await here.take()).toEqual([]);
  });

  it('takes what people and webhooks ask for before what schedules ask for', async () => {
    const [here] = await open(1);
    for (const id of ['a', 'b', 'c']) await here.ask(id);
    await here.ask('d', 'webhook');
    // A schedule requested the run first. A webhook's request also makes the run urgent.
    await here.ask('c', 'webhook');
    expect(idsOf(await here.take(2)).sort()).toEqual(['c', 'd']);
  });

  it('keeps room for them while schedules have more to do than there is room for', async () => {
    const [here] = await open(1);
    for (const id of ['a', 'b', 'c']) await here.ask(id);
    expect(await here.take(3, 2)).toHaveLength(2);
    expect(await here.take(1, 0)).toEqual([]);
    await here.ask('d', 'webhook');
    expect(idsOf(await here.take(1, 0))).toEqual(['d']);
  });

  it('comes back to what could not begin, after the time that was given', async () => {
    const [here] = await open(1);
    await here.ask('riverside');
    const [turn] = await here.take();
    await turn?.end(1_500);
    expect(await here.take()).toEqual([]);
    expect(idsOf(await takeSome(here))).toEqual(['riverside']);
  });

  it('waits no longer with it when a person asks', async () => {
    const [here] = await open(1);
    await here.ask('riverside');
    const [turn] = await here.take();
    await turn?.end(600_000);
    await here.ask('riverside', 'webhook');
    expect(idsOf(await here.take())).toEqual(['riverside']);
  });

  it('hands over what was begun and not brought to its end', async () => {
    const [here, there] = await open(2);
    const runId = await here.ask('riverside');
    const [turn] = await here.take();
    const lease = await begin(here, 'riverside', runId);
    await here.store.leases.release(lease);
    await turn?.end();
    expect(idsOf(await there.take())).toEqual(['riverside']);
  });

  it('finds what was asked for by a process without an engine', async () => {
    const [here] = await open(1);
    await here.engine.close();
    await here.ask('riverside');
    await here.engine.open();
    expect(idsOf(await takeSome(here))).toEqual(['riverside']);
  });

  it('gives each of many to one process', async () => {
    const [here, there] = await open(2);
    const ids = Array.from({ length: 40 }, (_, index) => `nonprofit-${index}`);
    for (const id of ids) await here.ask(id);
    const taken: string[] = [];
    for (const process of [here, there, here, there]) {
      const turns = await process.take(10);
      for (const { integrationId } of turns) await begin(process, integrationId, null);
      taken.push(...idsOf(turns));
    }
    expect(taken.sort()).toEqual(ids.sort());
  });
});

describeOn('postgres', 'a turn of a process that is gone', () => {
  afterEach(() => vi.useRealTimers());

  it('is soon given to another one, also if the clock is set back meanwhile', async () => {
    const { db, url, close } = await openPostgresFresh();
    await migrateToLatest(db);
    await installPgBoss({ url, log: silentLog });
    const silent = { ...systemClock, sleep: () => new Promise<void>(() => undefined) };
    const open = async (clock: Clock) => {
      const engine = createPgBossEngine({ url, db, clock, log: silentLog });
      opened.push(engine);
      await engine.open();
      return engine;
    };
    const gone = await open(silent);
    const other = await open(systemClock);
    const { asked } = other;
    const store = createStore({ db, clock: systemClock, fingerprint: testFingerprint, asked });
    const request = { integrationId: 'riverside', contact: null, full: false } as const;
    await store.act((trx) => requestRun(trx, { ...request, trigger: 'schedule', runId: 'run-1' }));
    const all = { free: 1, forSchedules: 1, isKnown: () => true };
    expect(await gone.take(all)).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    await until(async () => (await other.take(all)).length > 0);
    for (const engine of opened.splice(0)) await engine.close();
    await close();
  });
});

/** Repeats the claim until it returns a run. An engine may notice a request a moment later. */
async function takeSome({ take }: Process): Promise<Turn[]> {
  let turns: Turn[] = [];
  await until(async () => {
    turns = await take();
    return turns.length > 0;
  });
  return turns;
}

/** Starts the run of a request, as the process that claimed the request does. */
async function begin({ store }: Process, id: string, runId: string | null): Promise<Lease> {
  const lease = await takeLease(store, id);
  if (runId !== null)
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, runId, 'schedule', null));
  return lease;
}

async function finish({ store }: Process, lease: Lease, runId: string): Promise<void> {
  const end = { status: 'succeeded', reason: null, finishedAt: Date.now(), report: '{}' } as const;
  await store.checkpoint(lease, (trx) => recordRunEnd(trx, runId, end));
  await store.leases.release(lease);
}

function idsOf(turns: readonly Turn[]): string[] {
  return turns.map(({ integrationId }) => integrationId);
}

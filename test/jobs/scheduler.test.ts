import { describe, expect, it, onTestFinished } from 'vitest';
import { findSchedule } from '../../src/clients/statements/schedules.ts';
import { type Integration, integrationSchema } from '../../src/core/integration-settings.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Act } from '../../src/database/actor-transaction.ts';
import { createScheduler, type SchedulerDeps } from '../../src/jobs/scheduler.ts';
import { createStore } from '../../src/store.ts';
import { testFingerprint } from '../database/store-world.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { openSqliteMigrated } from '../helpers/test-databases.ts';

const START_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;

const EVERY_MINUTE: Integration = integrationSchema.parse({
  id: 'riverside',
  partner: { baseUrl: 'https://partner.example/api', apiKey: 'pds_key' },
  crm: { kind: 'memory' },
  schedule: { cron: '* * * * *', timezone: 'UTC', jitterMs: 0 },
});

/** Creates a client's scheduler. Calls `beforeClaim` before each transaction that claims due times. */
async function aScheduler(
  beforeClaim: () => Promise<void> = async () => {},
  tickEvery?: SchedulerDeps['tickEvery'],
) {
  const { db, close } = await openSqliteMigrated();
  onTestFinished(close);
  const clock = createFakeClock(START_MS);
  const store = createStore({ db, clock, fingerprint: testFingerprint });
  const act: Act = async (work) => {
    await beforeClaim();
    return store.act(work);
  };
  const scheduler = createScheduler({
    store: { ...store, act },
    integrations: new Map([[EVERY_MINUTE.id, EVERY_MINUTE]]),
    log: silentLog,
    clock,
    wake() {},
    ...(tickEvery && { tickEvery }),
  });
  return { scheduler, store, clock };
}

describe('createScheduler', () => {
  it('looks at the schedules before its start is over, and says when', async () => {
    const { scheduler } = await aScheduler();
    expect(scheduler.lastTickAt()).toBeNull();
    await scheduler.start();
    expect(scheduler.lastTickAt()).toBe(START_MS);
    await scheduler.stop();
  });

  it('goes on reading while the database is away, and ticks by itself', async () => {
    let looks = 0;
    const second = Promise.withResolvers<void>();
    const { scheduler } = await aScheduler(async () => {
      looks += 1;
      if (looks === 1) throw new Error('the database is away');
      second.resolve();
    });
    await scheduler.start();
    expect(scheduler.lastTickAt()).toBeNull();
    await second.promise;
    await scheduler.stop();
    expect(scheduler.lastTickAt()).toBe(START_MS);
  });

  it('plans anew when the clock was set back', async () => {
    let tick = async () => {};
    const { scheduler, store, clock } = await aScheduler(undefined, (look) => {
      tick = look;
      return () => {};
    });
    const readNextRun = async () => (await findSchedule(store.reader, EVERY_MINUTE.id))?.nextRunAt;
    await scheduler.start();
    const planned = await readNextRun();
    await clock.advance(-DAY_MS);
    await tick();
    await scheduler.stop();
    expect(scheduler.lastTickAt()).toBe(START_MS - DAY_MS);
    expect(planned).toBeGreaterThan(START_MS);
    expect(await readNextRun()).toBe(Number(planned) - DAY_MS);
  });

  it('is over only when no look is under way', async () => {
    const reading = Promise.withResolvers<void>();
    const { scheduler } = await aScheduler(() => reading.promise);
    const starting = scheduler.start();
    let isOver = false;
    const stopping = scheduler.stop().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    reading.resolve();
    await Promise.all([starting, stopping]);
    await scheduler.stop();
  });
});

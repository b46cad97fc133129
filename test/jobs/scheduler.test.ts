import { describe, expect, it } from 'vitest';
import type { ScheduleRecord } from '../../src/clients/statements/schedules.ts';
import { silentLog } from '../../src/core/log.ts';
import { createScheduler, type Scheduler } from '../../src/jobs/scheduler.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';

const START_MS = 1_800_000_000_000;

/** A scheduler over schedules whose due times are claimed by `claimDue`. */
function aScheduler(
  claimDue: () => Promise<string | null>,
  clock: Pick<FakeClock, 'now'> = createFakeClock(START_MS),
  list: () => Promise<ScheduleRecord[]> = async () => [],
): Scheduler {
  const schedules = {
    list,
    find: async () => undefined,
    now: async () => clock.now(),
    plan: async () => {},
    claimDue,
    pause: async () => {},
    resume: async () => {},
    drop: async () => {},
  };
  return createScheduler({
    ...{ store: { schedules }, integrations: new Map(), log: silentLog, clock },
    wake() {},
  });
}

describe('createScheduler', () => {
  it('looks at the schedules before its start is over, and says when', async () => {
    const scheduler = aScheduler(async () => null);
    expect(scheduler.lastTickAt()).toBeNull();
    await scheduler.start();
    expect(scheduler.lastTickAt()).toBe(START_MS);
    await scheduler.stop();
  });

  it('goes on reading while the database is away, and ticks by itself', async () => {
    let looks = 0;
    const second = Promise.withResolvers<void>();
    const scheduler = aScheduler(async () => {
      looks += 1;
      if (looks === 1) throw new Error('the database is away');
      second.resolve();
      return null;
    });
    await scheduler.start();
    expect(scheduler.lastTickAt()).toBeNull();
    await second.promise;
    await scheduler.stop();
    expect(scheduler.lastTickAt()).toBe(START_MS);
  });

  it('plans anew when the clock was set back', async () => {
    const clock = createFakeClock(START_MS);
    let plans = 0;
    const planned = Promise.withResolvers<void>();
    const scheduler = aScheduler(
      async () => null,
      clock,
      async () => {
        plans += 1;
        if (plans === 2) planned.resolve();
        return [];
      },
    );
    await scheduler.start();
    await clock.advance(-86_400_000);
    await planned.promise;
    await scheduler.stop();
    expect(scheduler.lastTickAt()).toBe(START_MS - 86_400_000);
  });

  it('is over only when no look is under way', async () => {
    const reading = Promise.withResolvers<null>();
    const scheduler = aScheduler(() => reading.promise);
    const starting = scheduler.start();
    let isOver = false;
    const stopping = scheduler.stop().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    reading.resolve(null);
    await Promise.all([starting, stopping]);
    await scheduler.stop();
  });
});

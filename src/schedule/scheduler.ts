import { schedule } from 'node-cron';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { planSchedules, type ScheduleDeps } from './schedules.ts';
import { type TickDeps, tick } from './tick.ts';

/** Schedules are looked at every five seconds: a run begins at most so late. */
const TICK_LINE = '*/5 * * * * *';

export interface SchedulerDeps extends TickDeps, ScheduleDeps {
  /** Called when runs have been asked for. */
  wake(): void;
}

/** Makes run requests by the schedules of the settings while a process serves. */
export interface Scheduler {
  /** Plans the schedules, catches up with what was missed, and ticks from then on. */
  start(): Promise<void>;
  /** When the schedules were looked at last (epoch ms); null before the first time. */
  lastTickAt(): number | null;
  /** Resolves once no tick is under way any more. */
  stop(): Promise<void>;
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { integrations, clock, log } = deps;
  let ticking: Promise<void> = Promise.resolve();
  let lastTickAt: number | null = null;
  let end: () => void | Promise<void> = () => undefined;

  return {
    async start() {
      await planSchedules(deps, integrations.values());
      await look();
      // A tick that comes late finds what the one before it would have found.
      const options = { noOverlap: true, suppressMissedWarning: true, timezone: 'UTC' };
      const task = schedule(TICK_LINE, look, { ...options, logger: loggerOf(log) });
      end = () => task.destroy();
    },
    lastTickAt: () => lastTickAt,
    async stop() {
      await end();
      await ticking;
    },
  };

  function look(): Promise<void> {
    ticking = tickOnce();
    return ticking;
  }

  /** A database that is away for a while is looked at again by the next tick. */
  async function tickOnce(): Promise<void> {
    try {
      const isSetBack = lastTickAt !== null && clock.now() < lastTickAt;
      if (isSetBack) await planSchedules(deps, integrations.values());
      const wanted = await tick(deps);
      lastTickAt = clock.now();
      if (wanted > 0) deps.wake();
    } catch (error) {
      log.error({ error: messageOf(error) }, 'the schedules could not be looked at');
    }
  }
}

/** node-cron would write to the console. */
function loggerOf(log: Log) {
  const tell = (message: unknown) => log.debug({}, messageOf(message));
  return { debug: tell, info: tell, warn: tell, error: tell };
}

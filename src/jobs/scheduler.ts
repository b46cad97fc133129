import { schedule } from 'node-cron';
import { createNextTimes } from '../clients/schedules/next-time.ts';
import {
  isScheduled,
  nextRunAt,
  planSchedules,
  toScheduleRule,
} from '../clients/schedules/schedules.ts';
import {
  type ClaimedTime,
  claimDueTimes,
  type ScheduleRecord,
} from '../clients/statements/schedules.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import { newId } from '../core/new-id.ts';
import { getDatabaseTime } from '../database/database-time.ts';
import type { Store } from '../database/store.ts';

/** The interval at which the scheduler checks schedules. A run starts late by at most this interval. */
const TICK_LINE = '*/5 * * * * *';

export interface SchedulerDeps extends TickDeps {
  /** Called after runs have been requested. */
  wake(): void;
  /**
   * Calls `look` every five seconds until the returned function is called. By default, this uses the process's own
   * timers.
   */
  tickEvery?(look: () => Promise<void>): () => void | Promise<void>;
}

/** Creates requests for runs according to the schedules in the settings, while the process runs. */
export interface Scheduler {
  /** Plans the schedules, catches up on missed times, and then checks the schedules regularly. */
  start(): Promise<void>;
  /** Returns the time of the last check (epoch ms), or null if there was no check. */
  lastTickAt(): number | null;
  /** Resolves once no check is in progress. */
  stop(): Promise<void>;
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { integrations, clock, log } = deps;
  let ticking: Promise<void> = Promise.resolve();
  let lastTickAt: number | null = null;
  let end: () => void | Promise<void> = () => undefined;

  return {
    async start() {
      await planSchedules(deps, integrations.values(), await getDatabaseTime(deps.store.reader));
      await look();
      end = (deps.tickEvery ?? tickByTimers)(look);
    },
    lastTickAt: () => lastTickAt,
    async stop() {
      await end();
      await ticking;
    },
  };

  function tickByTimers(): () => void | Promise<void> {
    // A late check also finds all scheduled times of a missed check.
    const options = { noOverlap: true, suppressMissedWarning: true, timezone: 'UTC' };
    const task = schedule(TICK_LINE, look, { ...options, logger: toLogger(log) });
    return () => task.destroy();
  }

  function look(): Promise<void> {
    ticking = tickOnce();
    return ticking;
  }

  /** Runs one check. If the database is unavailable, the next check tries again. */
  async function tickOnce(): Promise<void> {
    try {
      // All hosts use the database's clock, because their own clocks may differ.
      const now = await getDatabaseTime(deps.store.reader);
      const isSetBack = lastTickAt !== null && clock.now() < lastTickAt;
      if (isSetBack) await planSchedules(deps, integrations.values(), now);
      const wanted = await tick(deps, now);
      lastTickAt = clock.now();
      if (wanted > 0) deps.wake();
    } catch (error) {
      log.error({ error: messageOf(error) }, 'the schedules could not be checked');
    }
  }
}

/** Replaces node-cron's logger, which writes to the console. */
function toLogger(log: Log) {
  const tell = (message: unknown) => log.debug({}, messageOf(message));
  return { debug: tell, info: tell, warn: tell, error: tell };
}

export interface TickDeps {
  store: Store;
  integrations: ReadonlyMap<string, Integration>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/**
 * A scheduled time counts as missed after this delay (ms). Either no process was running, or the machine was asleep.
 */
const MISSED_AFTER_MS = 5 * 60_000;

/**
 * Claims the schedules that are due, and stores requests for their runs. Each scheduled time is claimed only once, even
 * if several processes check the schedules. A schedule that has missed several times gets only one run. Returns the
 * number of new requests.
 */
export async function tick(deps: TickDeps, now = deps.clock.now()): Promise<number> {
  const claims: Claim[] = [];
  const timeAfter = createNextTimes();
  let after: string | null = null;
  do {
    // A failed transaction has claimed nothing, so its claims do not count.
    const page: Claim[] = [];
    const decide = (row: ScheduleRecord) => {
      const claim = toClaim(deps, row, now, timeAfter);
      if (claim !== null) page.push(claim);
      return claim;
    };
    after = await deps.store.act((trx) => claimDueTimes(trx, now, decide, after));
    claims.push(...page);
  } while (after !== null);
  for (const { row, isMissed, lateMs, runId } of claims) {
    if (!isMissed) continue;
    deps.log.warn(
      { integration: row.integrationId, lateMs, caughtUp: runId !== null },
      'a scheduled time passed while nothing was running',
    );
  }
  return claims.filter(({ runId }) => runId !== null).length;
}

interface Claim extends ClaimedTime {
  lateMs: number;
  isMissed: boolean;
}

/**
 * Returns the claim for a scheduled time. Returns null if a process with different settings is responsible for the
 * schedule.
 */
function toClaim(
  { integrations }: TickDeps,
  row: ScheduleRecord,
  now: number,
  timeAfter: ReturnType<typeof createNextTimes>,
): Claim | null {
  const integration = integrations.get(row.integrationId);
  if (!integration || !isScheduled(integration)) return null;
  if (row.rule !== toScheduleRule(integration.schedule)) return null;
  const lateMs = now - (row.nextRunAt ?? now);
  const isMissed = lateMs > MISSED_AFTER_MS;
  const isLeftOut = isMissed && !integration.schedule.catchUp;
  const runId = isLeftOut ? null : newId(now);
  return { row, nextRunAt: nextRunAt(integration, now, timeAfter), runId, lateMs, isMissed };
}

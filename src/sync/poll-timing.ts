/**
 * Decides when to poll jobs. All functions are pure. The first poll of a job comes at the age at which earlier jobs had
 * finished. After that, a poll follows every 2 to 5 seconds (service document, section 3).
 */

/** The shortest and the longest interval between two polls of the same job. */
export const MIN_POLL_MS = 2_000;
export const MAX_POLL_MS = 5_000;

/** The time between a submission and the first poll, if the run has not seen any finished job yet. */
const FIRST_POLL_MS = 250;

/** The factor by which the interval grows after each poll without a result. */
const GROWTH = 1.5;

/** The maximum number of job IDs in one request (service document, section 8). */
export const MAX_JOBS_PER_POLL = 1_000;

/** The state of the poll station between polls. */
export interface PollTiming {
  intervalMs: number;
  /** The time of the last poll of all running jobs, or 0 if they were not polled yet. */
  lastPollAt: number;
  /** The youngest age at which the run saw a finished job, or null if no job has finished. */
  doneAfterMs: number | null;
}

export const NOT_YET_POLLED: PollTiming = {
  intervalMs: MIN_POLL_MS,
  lastPollAt: 0,
  doneAfterMs: null,
};

/** The running jobs that donor-sync has never polled. */
export interface FreshJobs {
  count: number;
  /** The submission time of the oldest of these jobs, or null if there are none. */
  oldestAt: number | null;
  /** True if this run submits no more jobs. */
  isLast: boolean;
}

export interface NextPoll {
  at: number;
  which: 'all' | 'fresh';
}

/**
 * Decides when to poll next. New jobs are polled early only if they fill a request or are the last jobs. Each early
 * poll uses a request that could have fetched ten profiles.
 */
export function nextPoll(timing: PollTiming, fresh: FreshJobs): NextPoll {
  const all: NextPoll = { at: timing.lastPollAt + timing.intervalMs, which: 'all' };
  if (fresh.oldestAt === null) return all;
  const isFirst = timing.lastPollAt === 0;
  const early = fresh.oldestAt + (timing.doneAfterMs ?? FIRST_POLL_MS);
  if (isFirst) return { at: early, which: 'all' };
  const worthIt = fresh.count >= MAX_JOBS_PER_POLL || fresh.isLast;
  const known = timing.doneAfterMs !== null;
  return known && worthIt && early < all.at ? { at: early, which: 'fresh' } : all;
}

/** Returns the state after a poll. `doneAges` contains the ages (ms) of the jobs that are done. */
export function afterPoll(
  timing: PollTiming,
  look: { at: number; which: 'all' | 'fresh'; doneAges: readonly number[] },
): PollTiming {
  const youngest = Math.min(...look.doneAges, timing.doneAfterMs ?? Number.POSITIVE_INFINITY);
  const doneAfterMs = Number.isFinite(youngest) ? youngest : null;
  if (look.which === 'fresh') return { ...timing, doneAfterMs };
  const inVain = look.doneAges.length === 0;
  return {
    lastPollAt: look.at,
    doneAfterMs,
    intervalMs: inVain ? Math.min(MAX_POLL_MS, timing.intervalMs * GROWTH) : MIN_POLL_MS,
  };
}

/**
 * When to ask the service how its jobs are: pure. A job is looked at for the first time when jobs
 * like it have been seen done, and again every 2 to 5 seconds (service document, section 3).
 */

/** Bounds of the interval between two looks at the same job. */
export const MIN_POLL_MS = 2_000;
export const MAX_POLL_MS = 5_000;

/** While no job has been seen done, the first look comes this long after its submission. */
const FIRST_POLL_MS = 250;

/** Each look in vain makes the interval longer by this factor. */
const GROWTH = 1.5;

/** One request holds this many job ids (service document, section 8). */
export const MAX_JOBS_PER_POLL = 1_000;

/** What the poll station remembers between looks. */
export interface PollTiming {
  intervalMs: number;
  /** When all running jobs were looked at last; 0 before the first time. */
  lastPollAt: number;
  /** The youngest age at which a job was seen done; null while none was. */
  doneAfterMs: number | null;
}

export const NOT_YET_POLLED: PollTiming = {
  intervalMs: MIN_POLL_MS,
  lastPollAt: 0,
  doneAfterMs: null,
};

/** Jobs that were never looked at. */
export interface FreshJobs {
  count: number;
  /** When the first of them was submitted; null if there are none. */
  oldestAt: number | null;
  /** True if no more will come in this run. */
  isLast: boolean;
}

export interface NextPoll {
  at: number;
  which: 'all' | 'fresh';
}

/**
 * When to look next. Fresh jobs are looked at early if they fill a request, or if they are the
 * last: a look costs a request that could have fetched ten profiles.
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

/** What is remembered after a look. `doneAges` are the ages in ms of the jobs seen done. */
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

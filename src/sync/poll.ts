/** The third station: running jobs → done, failed or vanished ones. */

import {
  countRunningJobs,
  listRunningJobs,
  type Progress,
  type RunningJob,
  recordJobProgress,
} from '../credits/statements/jobs.ts';
import type { JobProgress } from '../partner/progress.ts';
import type { Run, SyncDeps } from './control/context.ts';
import {
  afterPoll,
  MAX_JOBS_PER_POLL,
  MAX_POLL_MS,
  NOT_YET_POLLED,
  nextPoll,
} from './poll-timing.ts';

/** A job that runs longer than this never ends: the document speaks of a couple of minutes. */
export const JOB_AGE_LIMIT_MS = 24 * 3_600_000;

/**
 * So many looks of one run must find a job running before its age counts: a clock that was set
 * forward makes every job look old, and who is given up is paid for again. About as long as the
 * couple of minutes that an enhancement takes.
 */
const LOOKS_BEFORE_TOO_OLD = 30;

/**
 * A service that spreads its jobs over several machines may not know a young one everywhere: until
 * a job is this old, being denied counts as still running.
 */
const DENIAL_GRACE_MS = 10 * 60_000;

/** A run that has seen no job end for this long leaves the rest to the next one. */
const PATIENCE_MS = 15 * 60_000;

/** The same in looks, because a clock may be set while they go on. */
const PATIENCE_LOOKS = PATIENCE_MS / MAX_POLL_MS;

type PollDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log'>;

/** Asks how the running jobs are until submitting is over and none runs any more. */
export async function pollJobs(deps: PollDeps, run: Run): Promise<void> {
  const { store, clock } = deps;
  let timing = NOT_YET_POLLED;
  let lastLookedAt: RunningJob | null = null;
  let looks = 0;
  let looksInVain = 0;
  while (!run.control.stopping.aborted) {
    const { signals } = run.control;
    const isLast = run.control.isDone('submit');
    const running = await countRunningJobs(store.reader, run.integration.id, lastLookedAt);
    if (running.all === 0) {
      if (isLast) break;
      looksInVain = 0;
      await run.control.wait(signals);
      continue;
    }
    const fresh = { count: running.fresh, oldestAt: running.oldestFreshAt, isLast };
    const { at, which } = nextPoll(timing, fresh);
    const waitMs = at - clock.now();
    // A longer wait means that the clock was set back: its jobs may be done long since.
    if (waitMs > 0 && waitMs <= MAX_POLL_MS) {
      // Only a submission brings a job that is to be looked at earlier, and says so.
      if (isLast) await clock.sleep(waitMs, run.control.stopping);
      else await run.control.wait(signals, waitMs);
      continue;
    }
    const look = await lookAtJobs(deps, run, {
      after: which === 'all' ? null : lastLookedAt,
      ageCounts: looks >= LOOKS_BEFORE_TOO_OLD,
    });
    timing = afterPoll(timing, { at: look.startedAt, which, doneAges: look.doneAges });
    lastLookedAt = look.last ?? lastLookedAt;
    looks += which === 'all' ? 1 : 0;
    looksInVain = look.doneAges.length > 0 ? 0 : looksInVain + 1;
    if (looksInVain > PATIENCE_LOOKS) {
      giveUp(run, running.all);
      break;
    }
  }
  run.control.finish('poll');
}

interface PollRound {
  startedAt: number;
  /** How old the jobs were that are done now, in milliseconds. */
  doneAges: number[];
  /** The youngest job that was looked at. */
  last: RunningJob | null;
}

/** Looks at all running jobs after the given one, at most 1,000 in a request. */
async function lookAtJobs(
  { store, partner, clock }: PollDeps,
  run: Run,
  { after, ageCounts }: { after: RunningJob | null; ageCounts: boolean },
): Promise<PollRound> {
  const look: PollRound = { startedAt: clock.now(), doneAges: [], last: after };
  while (!run.control.stopping.aborted) {
    const jobs = await listRunningJobs(
      store.reader,
      run.integration.id,
      MAX_JOBS_PER_POLL,
      look.last,
    );
    if (jobs.length === 0) break;
    const states = await partner.readProgress(
      jobs.map((job) => job.jobId),
      run.control.ending,
    );
    const progress = sortByState(jobs, states, { now: clock.now(), ageCounts });
    await store.checkpoint(run.lease, (trx) => recordJobProgress(trx, run.id, progress));
    const done = new Set([...progress.completed, ...progress.failed]);
    for (const job of jobs) {
      if (done.has(job.trackingId)) look.doneAges.push(clock.now() - job.submittedAt);
    }
    look.last = jobs.at(-1) ?? look.last;
    run.control.notify();
    if (jobs.length < MAX_JOBS_PER_POLL) break;
  }
  return look;
}

/**
 * Pure: which of the jobs have come to which end. `ageCounts` is true once a run has looked often
 * enough to give up jobs for their age.
 */
export function sortByState(
  jobs: readonly RunningJob[],
  states: ReadonlyMap<string, JobProgress>,
  { now, ageCounts }: { now: number; ageCounts: boolean },
): Progress {
  const sorted: Record<keyof Progress, string[]> = {
    completed: [],
    failed: [],
    vanished: [],
    tooOld: [],
  };
  for (const job of jobs) {
    const state = states.get(job.jobId)?.state ?? 'processing';
    const isDenied = state === 'vanished' && isTooYoungToVanish(job.submittedAt, now);
    if (state !== 'processing' && !isDenied) sorted[state].push(job.trackingId);
    else if (ageCounts && now - job.submittedAt > JOB_AGE_LIMIT_MS)
      sorted.tooOld.push(job.trackingId);
  }
  return sorted;
}

/** True if a job that was submitted at this instant may be unknown to the service for a while. */
export function isTooYoungToVanish(submittedAt: number, now: number): boolean {
  return now - submittedAt < DENIAL_GRACE_MS;
}

function giveUp(run: Run, running: number): void {
  run.control.stopSpending(
    'partner_unavailable',
    `${running} jobs of the Partner Data Service are still running, and none has ended for ${PATIENCE_MS / 60_000} minutes. The next run looks at them again.`,
  );
}

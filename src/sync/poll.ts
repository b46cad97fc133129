/** The third station. This station polls running jobs until they have completed, failed or vanished. */

import {
  countRunningJobs,
  listRunningJobs,
  type Progress,
  type RunningJob,
} from '../credits/statements/jobs.ts';
import type { JobProgress } from '../partner/progress.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { pollSeenAgain } from './guards/former-keys.ts';
import { recordProgress } from './guards/since-backup.ts';
import {
  afterPoll,
  MAX_JOBS_PER_POLL,
  MAX_POLL_MS,
  NOT_YET_POLLED,
  nextPoll,
} from './poll-timing.ts';

/**
 * If a job runs longer than this, it will never end. According to the service document, a job takes a couple of
 * minutes.
 */
export const JOB_AGE_LIMIT_MS = 24 * 3_600_000;

/**
 * The run checks a job's age only after it has seen the job running in this many polls. If someone sets the clock
 * forward, every job looks old, but giving up a job means paying for it again. This many polls take a couple of
 * minutes, which is about the duration of an enhancement.
 */
const LOOKS_BEFORE_TOO_OLD = 30;

/**
 * If the service runs on several machines, some machines may not know a new job yet. Until a job reaches this age,
 * donor-sync treats an unknown job as running.
 */
const DENIAL_GRACE_MS = 10 * 60_000;

/** If no job ends within this time, the run leaves the remaining jobs to the next run. */
const PATIENCE_MS = 15 * 60_000;

/** The same time limit as a number of polls, because someone can adjust the clock during a run. */
const PATIENCE_LOOKS = PATIENCE_MS / MAX_POLL_MS;

type PollDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log' | 'newId'>;

/** Polls running jobs until submitting has ended and all jobs have ended. */
export async function pollJobs(deps: PollDeps, run: Run): Promise<void> {
  const { store, clock } = deps;
  await pollSeenAgain(deps, run);
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
    // A longer wait means that the clock was set back. The jobs may already be done.
    if (waitMs > 0 && waitMs <= MAX_POLL_MS) {
      // Only a new submission can add a job that must be polled earlier. Each submission sends a signal, which ends
      // this wait.
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
  /** The ages, in milliseconds, of the jobs that the service has just completed. */
  doneAges: number[];
  /** The most recently submitted job in this poll. */
  last: RunningJob | null;
}

/** Polls all running jobs after the given job, at most 1,000 per request. */
async function lookAtJobs(
  deps: PollDeps,
  run: Run,
  { after, ageCounts }: { after: RunningJob | null; ageCounts: boolean },
): Promise<PollRound> {
  const { store, partner, clock } = deps;
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
    await recordProgress(deps, run, progress);
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
 * Sorts jobs by how they ended. `ageCounts` is true once the run has polled often enough to give up on a job because of
 * its age. A pure function.
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

/** True if a job was submitted so recently that the service may not know it yet. */
export function isTooYoungToVanish(submittedAt: number, now: number): boolean {
  return now - submittedAt < DENIAL_GRACE_MS;
}

function giveUp(run: Run, running: number): void {
  run.control.stopSpending(
    'partner_unavailable',
    `${running} jobs of the Partner Data Service are still running, and none has ended for ${PATIENCE_MS / 60_000} minutes. The next run checks them again.`,
  );
}

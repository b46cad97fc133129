/** Matches people in the background after their jobs have been paid. After a restart, the worker continues. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import { isTransient } from './database-file.ts';
import { isDue, type JobOutcome, type JobPerson, type Jobs } from './jobs.ts';
import type { Match, Matcher } from './matcher/matcher.ts';
import { createSlices } from './slices.ts';

const CATCH_UP_MS = 1_000;

/**
 * The number of people that the worker matches at one time. A person with many possible donors must not delay other
 * people.
 */
const AT_ONCE = 4;

/** The maximum number of outcomes that one transaction stores, because each transaction waits for the disk. */
const MOST_UNSTORED = 25;
const STORE_AFTER_MS = 10;

/** The outcome of a job whose matching failed. */
const BROKEN = 'The person could not be matched because of an error in the service';

export interface MatchingWorkerOptions {
  db: Database;
  jobs: Jobs;
  matcher: Pick<Matcher, 'matchInSlices'>;
  clock: () => number;
  /** Receives an unexpected error because of which a person could not be matched. */
  report: (error: Error) => void;
}

/** Matches people. The worker ends when the database is closed. */
export interface MatchingWorker {
  /** Queues new jobs of a team. */
  take(team: string, ids: readonly string[]): void;
  /** Waits briefly until a team's jobs are matched, if they are due. */
  catchUp(team: string, ids: readonly string[]): Promise<void>;
}

/** Starts the worker with the jobs that an earlier process left unmatched. */
export function startMatchingWorker(options: MatchingWorkerOptions): MatchingWorker {
  const { db, jobs, clock, report } = options;
  /** Each team has its own queue, so that a large submission does not delay other teams. */
  const queues = new Map<string, Queue>();
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  let unstored: JobOutcome[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  function take(team: string, ids: readonly string[]): void {
    for (const id of ids) waiting.set(id, Promise.withResolvers());
    enqueue(team, ids);
  }

  function enqueue(team: string, ids: readonly string[]): void {
    const queue = queues.get(team);
    if (queue === undefined) queues.set(team, { ids: [...ids], next: 0 });
    else for (const id of ids) queue.ids.push(id);
    startMore();
  }

  function startMore(): void {
    while (running < AT_ONCE) {
      const next = nextOf(queues);
      if (next === undefined) return;
      running += 1;
      void work(next);
    }
  }

  async function work({ team, id }: QueuedJob): Promise<void> {
    const outcome = await matchJob(options, id);
    running -= 1;
    if (outcome === 'later') setTimeout(() => enqueue(team, [id]), RETRY_MS).unref();
    else if (outcome !== undefined) unstored.push(outcome);
    if (unstored.length >= MOST_UNSTORED) store();
    else timer ??= setTimeout(store, STORE_AFTER_MS).unref();
    startMore();
  }

  function store(): void {
    clearTimeout(timer);
    timer = undefined;
    // If the worker ended early, the next worker matches the unfinished people again.
    if (!db.open) return;
    const outcomes = unstored;
    unstored = [];
    try {
      jobs.finish(outcomes);
    } catch (error) {
      report(error instanceof Error ? error : new Error(String(error)));
      unstored = [...outcomes, ...unstored];
      timer = setTimeout(store, RETRY_MS).unref();
      return;
    }
    for (const { id } of outcomes) {
      waiting.get(id)?.resolve();
      waiting.delete(id);
    }
  }

  for (const { id, team } of jobs.unmatched()) take(team, [id]);
  return {
    take,
    async catchUp(team, ids) {
      const pending = ids
        .filter((id) => waiting.has(id))
        .filter((id) => {
          const job = jobs.find(team, id);
          return job !== undefined && isDue(job, clock());
        })
        .map((id) => waiting.get(id)?.promise);
      if (pending.length === 0) return;
      await Promise.race([Promise.all(pending), sleep(CATCH_UP_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * The wait (ms) before the next attempt to write or read the file. The disk may have space again, or the file may
 * become readable.
 */
const RETRY_MS = 1_000;

/** The jobs of one team, oldest job first. The worker has already taken the jobs before `next`. */
interface Queue {
  ids: string[];
  next: number;
}

interface QueuedJob {
  team: string;
  id: string;
}

/** Returns the next job. The job's team then waits until the other teams have had a turn. */
function nextOf(queues: Map<string, Queue>): QueuedJob | undefined {
  for (const [team, queue] of queues) {
    queues.delete(team);
    const id = queue.ids[queue.next];
    queue.next += 1;
    if (queue.next < queue.ids.length) queues.set(team, queue);
    if (id !== undefined) return { team, id };
  }
  return undefined;
}

/**
 * Matches the person of a job. Returns undefined for a deleted job. Returns 'later' if the file could not be read. The
 * job was paid, so it must be repeated.
 */
async function matchJob(
  { db, jobs, matcher, report }: MatchingWorkerOptions,
  id: string,
): Promise<JobOutcome | 'later' | undefined> {
  try {
    await nextTurn();
    const person = db.open ? jobs.person(id) : undefined;
    if (person === undefined) return undefined;
    return toOutcome(id, await matcher.matchInSlices(person, createSlices()));
  } catch (error) {
    if (!db.open) return undefined;
    report(error instanceof Error ? error : new Error(String(error)));
    if (isTransient(error)) return 'later';
    return { id, donorNumber: null, error: BROKEN, match: null };
  }
}

/** Matches all unmatched people. Stop all services that use the database first. */
export function matchAll(jobs: Jobs, matcher: Pick<Matcher, 'match'>): void {
  for (const { id } of jobs.unmatched()) {
    const person: JobPerson | undefined = jobs.person(id);
    if (person !== undefined) jobs.finish([toOutcome(id, matcher.match(person))]);
  }
}

function toOutcome(id: string, match: Match): JobOutcome {
  const { donorNumber } = match;
  return {
    id,
    donorNumber,
    error: donorNumber === null ? (match.reasons[0] ?? null) : null,
    match,
  };
}

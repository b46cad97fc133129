/** Does the work of bulk jobs in small parts, when the work is due. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database.ts';
import { isTransient } from '../database-file.ts';
import type { World } from '../donor.ts';
import type { BulkJobs, DueItem, Outcome } from './bulk-jobs.ts';
import type { Members } from './members.ts';
import type { Networks } from './networks.ts';

/** The maximum time (ms) that a request for the progress waits for work that is due. */
const CATCH_UP_MS = 250;

/** The time (ms) for which the worker sleeps between two checks of the clock. */
const SHORTEST_SLEEP_MS = 100;
const LONGEST_SLEEP_MS = 60_000;
/**
 * The time (ms) for which the worker sleeps after an error. If the disk is full, it takes some time until space is
 * available again.
 */
const SLEEP_AFTER_ERROR_MS = 1_000;

/**
 * The maximum number of donors in a turn, and the maximum duration of a turn. If the event loop is busy, each turn
 * takes a long time. With one donor per turn, a job of a hundred donors would take seconds.
 */
const ITEMS_IN_A_TURN = 25;
const TURN_MS = 5;

/** The number of consecutive turns after which the worker sleeps. */
const MAX_TURNS_AWAKE = 400;

export interface JobWorkerOptions {
  db: Database;
  world: World;
  networks: Networks;
  members: Members;
  jobs: BulkJobs;
  clock: () => number;
  /** Receives an unexpected error because of which a donor could not be added. */
  report: (error: Error) => void;
}

export interface JobWorker {
  /** Makes the worker look for work, for example after a new job was added. */
  wake(): void;
  /** Waits briefly until the work that is due has been done. Work that takes longer continues in the background. */
  catchUp(): Promise<void>;
}

/**
 * Starts the worker with the work that an earlier worker has left. The worker reads from the database which work is
 * due. Therefore, a sandbox that was killed continues where it stopped. Other requests are handled after every few
 * donors. It ends when the database is closed.
 */
export function startJobWorker(options: JobWorkerOptions): JobWorker {
  const { db, jobs, clock, report } = options;
  const step = db.transaction(() => {
    const untilMs = performance.now() + TURN_MS;
    for (let count = 0; count < ITEMS_IN_A_TURN && performance.now() < untilMs; count += 1) {
      if (!takeStep(options)) return false;
    }
    return true;
  });
  let working: Promise<void> | undefined;
  let alarm: NodeJS.Timeout | undefined;

  function lookForWork(): Promise<void> {
    working ??= work(db, step)
      .then(() => SHORTEST_SLEEP_MS)
      .catch((error) => {
        report(error);
        return SLEEP_AFTER_ERROR_MS;
      })
      .then((shortestMs) => {
        working = undefined;
        setAlarm(shortestMs);
      });
    return working;
  }

  function setAlarm(shortestMs: number): void {
    clearTimeout(alarm);
    const dueAtMs = db.open ? jobs.nextDueAtMs() : undefined;
    if (dueAtMs !== undefined) {
      const waitMs = Math.max(shortestMs, Math.min(dueAtMs - clock(), LONGEST_SLEEP_MS));
      alarm = setTimeout(lookForWork, waitMs).unref();
    }
  }

  void lookForWork();
  return {
    wake() {
      void lookForWork();
    },
    catchUp: () => Promise.race([lookForWork(), sleep(CATCH_UP_MS, undefined, { ref: false })]),
  };
}

async function work(db: Database, step: () => boolean): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS_AWAKE; turn += 1) {
    await nextTurn();
    if (!db.open || !step()) {
      return;
    }
  }
}

/** Adds the next donor that is due, and stores the result. Returns false if no donor is due. */
function takeStep(options: JobWorkerOptions): boolean {
  const item = options.jobs.nextDue();
  if (item !== undefined) {
    options.jobs.settle(item, outcomeOf(options, item));
  }
  return item !== undefined;
}

/**
 * Adds one donor, and returns the outcome. If the donor cannot be added, the job continues with the next donor. If the
 * disk is full, the donor does not count as failed, because the donor was paid for. The donor is added when the disk
 * has space again.
 */
function outcomeOf(options: JobWorkerOptions, item: DueItem): Outcome {
  if (item.isDoomed) {
    return 'failed';
  }
  try {
    return addMember(options, item);
  } catch (error) {
    if (isTransient(error)) throw error;
    options.report(error instanceof Error ? error : new Error(String(error)));
    return 'failed';
  }
}

function addMember({ world, networks, members, jobs }: JobWorkerOptions, item: DueItem): Outcome {
  const network = networks.find(item.team, item.networkId);
  if (network === undefined) {
    // The network was deleted in the meantime, so the job no longer has a purpose.
    jobs.fail(item);
    return 'failed';
  }
  const donor = world.donorNumber(item.donorId);
  if (donor === null) {
    return 'not_found';
  }
  return members.add(item.team, network, donor) ? 'added' : 'already_member';
}

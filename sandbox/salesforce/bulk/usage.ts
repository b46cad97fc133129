/** Counts how much of the Bulk API's daily limits has been used. */

import { SalesforceError } from '../core/errors.ts';

const HOUR_MS = 3_600_000;
/** The limits apply to any 24 consecutive hours. */
const HOURS = 24;
const MAX_QUERY_JOBS = 10_000;
const MAX_BATCHES = 15_000;
/** Salesforce counts this number of uploaded records as one batch. */
const BATCH_ROWS = 10_000;

/** Counts the query jobs and batches. */
export interface BulkUsage {
  /** Counts a query job. Throws LIMIT_EXCEEDED if no query jobs are left. */
  takeQueryJob(): void;
  /** Counts the batches of an upload. Throws LIMIT_EXCEEDED if too few batches are left. */
  takeBatches(rowCount: number): void;
  /** Returns the limits in the form of the resource `/limits`. */
  limits(): Record<string, { Max: number; Remaining: number }>;
}

/** Creates the counter. At first, nothing is used. */
export function createBulkUsage(clock: () => number): BulkUsage {
  const queryJobs = createDailyCount(clock, MAX_QUERY_JOBS);
  const batches = createDailyCount(clock, MAX_BATCHES);
  return {
    takeQueryJob() {
      if (queryJobs.take(1)) return;
      throw exceeded(`Max bulk v2 query jobs (${MAX_QUERY_JOBS}) per 24 hrs has been exceeded`);
    },
    takeBatches(rowCount) {
      if (batches.take(Math.ceil(rowCount / BATCH_ROWS))) return;
      throw exceeded('ApiBatchItems Limit exceeded.');
    },
    limits: () => ({
      DailyBulkApiBatches: { Max: MAX_BATCHES, Remaining: batches.remaining() },
      DailyBulkV2QueryJobs: { Max: MAX_QUERY_JOBS, Remaining: queryJobs.remaining() },
    }),
  };
}

function createDailyCount(clock: () => number, most: number) {
  const countOfHour = new Map<number, number>();
  const thisHour = () => Math.floor(clock() / HOUR_MS);

  function remaining(): number {
    let used = 0;
    for (const [hour, count] of countOfHour) {
      if (hour <= thisHour() - HOURS) countOfHour.delete(hour);
      else used += count;
    }
    return most - used;
  }

  return {
    remaining,
    take(count: number): boolean {
      if (count > remaining()) return false;
      countOfHour.set(thisHour(), (countOfHour.get(thisHour()) ?? 0) + count);
      return true;
    },
  };
}

function exceeded(message: string): SalesforceError {
  return new SalesforceError(400, 'LIMIT_EXCEEDED', message);
}

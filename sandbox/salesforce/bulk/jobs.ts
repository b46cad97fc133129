/** Jobs of Bulk API 2.0. This file has the parts that query jobs and ingest jobs share. */

import { notFound, SalesforceError } from '../core/errors.ts';
import { createId, readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import { showMoment } from '../metadata/value.ts';
import type { CsvFormat } from './csv.ts';
import { type BulkUsage, createBulkUsage } from './usage.ts';

/** An `Open` job waits for its upload. */
export type BulkJobState =
  | 'Open'
  | 'UploadComplete'
  | 'InProgress'
  | 'Aborted'
  | 'JobComplete'
  | 'Failed';

export interface BulkJob {
  id: string;
  /** For example `query` or `update`. */
  operation: string;
  object: string;
  user: User;
  format: CsvFormat;
  createdAtMs: number;
  /** The time at which the job had everything that it needs to start. Null until then. */
  submittedAtMs: number | null;
  isAborted: boolean;
  /** True if all work is done. */
  isWorkedOff: boolean;
  /** The reason why the job failed as a whole, or null if it did not. */
  errorMessage: string | null;
}

/** The data that the jobs of an org share. */
export interface Bulk {
  clock: () => number;
  /**
   * Returns a number from 0 up to 1. It determines the order in which uploaded records are written.
   */
  random: () => number;
  /** The time for which a job reports that it is not done yet. */
  jobTimeMs: number;
  /** The maximum number of rows in a page of results, even if a client requests more. */
  pageRows: number;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
  usage: BulkUsage;
  createJobId(): string;
}

/** See `Bulk`. */
export type BulkOptions = Omit<Bulk, 'usage' | 'createJobId'>;

/** Starts without jobs. */
export function createBulk(options: BulkOptions): Bulk {
  let count = 0;
  return {
    ...options,
    usage: createBulkUsage(options.clock),
    createJobId() {
      count += 1;
      return createId('750', count);
    },
  };
}

/** The job waits for the first half of its duration. Then it is in progress. */
export function stateOf(job: BulkJob, { clock, jobTimeMs }: Bulk): BulkJobState {
  if (job.isAborted) return 'Aborted';
  if (job.submittedAtMs === null) return 'Open';
  const elapsedMs = clock() - job.submittedAtMs;
  if (elapsedMs < jobTimeMs / 2) return 'UploadComplete';
  if (elapsedMs < jobTimeMs || !job.isWorkedOff) return 'InProgress';
  return job.errorMessage === null ? 'JobComplete' : 'Failed';
}

/** True if a job has reached one of the final states. */
export function isEnded(state: BulkJobState): boolean {
  return state === 'Aborted' || state === 'JobComplete' || state === 'Failed';
}

/** Returns the start of every job's description. `basePath` is, for example, `/services/data/v67.0`. */
export function describeJob(job: BulkJob, state: BulkJobState, basePath: string) {
  return {
    id: job.id,
    operation: job.operation,
    object: job.object,
    createdById: job.user.id,
    createdDate: showMoment(job.createdAtMs),
    systemModstamp: showMoment(job.submittedAtMs ?? job.createdAtMs),
    state,
    concurrencyMode: 'Parallel',
    ...job.format,
    apiVersion: Number(/\d+\.\d+$/.exec(basePath)?.[0] ?? 0),
  };
}

/** Creates the error for a job whose state does not allow the request. */
export function wrongState(message: string): SalesforceError {
  return new SalesforceError(400, 'INVALIDJOBSTATE', message);
}

/** Stops a job that has not ended. */
export function abort(job: BulkJob, bulk: Bulk): void {
  if (isEnded(stateOf(job, bulk))) {
    throw wrongState('Aborting already completed Job not allowed');
  }
  job.isAborted = true;
}

/** The number of jobs that are kept for each kind. When there are more jobs, the oldest job is removed. */
const MAX_JOBS = 100;

/** The jobs of one kind, oldest first. */
export interface JobList<Job extends BulkJob> {
  add(job: Job): void;
  /** Returns the job with this ID, in either form. Throws NOT_FOUND if there is none. */
  get(id: string): Job;
  remove(job: Job): void;
  list(): Job[];
}

/** Starts an empty list. */
export function createJobList<Job extends BulkJob>(): JobList<Job> {
  const jobs = new Map<string, Job>();
  return {
    add(job) {
      jobs.set(job.id, job);
      const [oldest] = jobs.keys();
      if (jobs.size > MAX_JOBS && oldest !== undefined) jobs.delete(oldest);
    },
    get(text) {
      const job = jobs.get(readId(text) ?? '');
      if (job === undefined) throw notFound();
      return job;
    },
    remove(job) {
      jobs.delete(job.id);
    },
    list: () => [...jobs.values()],
  };
}

/** Jobs of Bulk API 2.0. This file contains the functions that query jobs and ingest jobs share. */

import { notFound, SalesforceError } from '../core/errors.ts';
import { createId, readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import { showMoment } from '../metadata/value.ts';
import type { CsvFormat } from './csv.ts';
import { type BulkUsage, createBulkUsage } from './usage.ts';

/** The state of a job. A job in the state `Open` waits for its upload. */
export type BulkJobState =
  | 'Open'
  | 'UploadComplete'
  | 'InProgress'
  | 'Aborted'
  | 'JobComplete'
  | 'Failed';

export interface BulkJob {
  id: string;
  /** The operation, for example `query` or `update`. */
  operation: string;
  object: string;
  user: User;
  format: CsvFormat;
  createdAtMs: number;
  /** The time at which the job was ready to start. Null before this time. */
  submittedAtMs: number | null;
  isAborted: boolean;
  /** True if all work of the job is done. */
  isWorkedOff: boolean;
  /** The reason why the whole job failed, or null if it did not fail. */
  errorMessage: string | null;
}

/** The data that all jobs of an org share. */
export interface Bulk {
  clock: () => number;
  /**
   * Returns a number from 0 up to 1. The random number determines the order in which Salesforce writes uploaded
   * records.
   */
  random: () => number;
  /** The time (ms) for which a job reports that it is still in progress. */
  jobTimeMs: number;
  /** The maximum number of rows on a page of results. A client may request more rows, but does not get them. */
  pageRows: number;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
  usage: BulkUsage;
  createJobId(): string;
}

/** The options of `Bulk`. */
export type BulkOptions = Omit<Bulk, 'usage' | 'createJobId'>;

/** Creates the data without jobs. */
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

/**
 * Returns the state of a job. In the first half of its time, the job waits. In the second half, the job is in progress.
 */
export function stateOf(job: BulkJob, { clock, jobTimeMs }: Bulk): BulkJobState {
  if (job.isAborted) return 'Aborted';
  if (job.submittedAtMs === null) return 'Open';
  const elapsedMs = clock() - job.submittedAtMs;
  if (elapsedMs < jobTimeMs / 2) return 'UploadComplete';
  if (elapsedMs < jobTimeMs || !job.isWorkedOff) return 'InProgress';
  return job.errorMessage === null ? 'JobComplete' : 'Failed';
}

/** Returns true if the state is final. */
export function isEnded(state: BulkJobState): boolean {
  return state === 'Aborted' || state === 'JobComplete' || state === 'Failed';
}

/** Returns the members that every job's description has. `basePath` is, for example, `/services/data/v67.0`. */
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

/** Aborts a job that has not ended. */
export function abort(job: BulkJob, bulk: Bulk): void {
  if (isEnded(stateOf(job, bulk))) {
    throw wrongState('Aborting already completed Job not allowed');
  }
  job.isAborted = true;
}

/** The maximum number of jobs of each kind. If there are more jobs, the oldest job is removed. */
const MAX_JOBS = 100;

/** The jobs of one kind, oldest first. */
export interface JobList<Job extends BulkJob> {
  add(job: Job): void;
  /** Returns the job with this ID, which has 15 or 18 characters. Throws NOT_FOUND if no job has the ID. */
  get(id: string): Job;
  remove(job: Job): void;
  list(): Job[];
}

/** Creates an empty list of jobs. */
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

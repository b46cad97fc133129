/** Jobs of the Bulk API 2.0: what those that read and those that write have in common. */

import { notFound, SalesforceError } from '../core/errors.ts';
import { createId, readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import { showMoment } from '../metadata/value.ts';
import type { CsvFormat } from './csv.ts';
import { type BulkUsage, createBulkUsage } from './usage.ts';

/** What a job is doing; `Open` waits for its upload. */
export type BulkJobState =
  | 'Open'
  | 'UploadComplete'
  | 'InProgress'
  | 'Aborted'
  | 'JobComplete'
  | 'Failed';

/** A job. */
export interface BulkJob {
  id: string;
  /** For example `query` or `update`. */
  operation: string;
  /** The name of the object that it is about. */
  object: string;
  user: User;
  format: CsvFormat;
  createdAtMs: number;
  /** When everything was there to begin; null before. */
  submittedAtMs: number | null;
  isAborted: boolean;
  /** Whether there is nothing left to do. */
  isWorkedOff: boolean;
  /** Why it failed as a whole; null if it did not. */
  errorMessage: string | null;
}

/** What the jobs of an org share. */
export interface Bulk {
  clock: () => number;
  /** From 0 up to 1; decides the order in which uploaded records are written. */
  random: () => number;
  /** How long a job shows that it is not done yet. */
  jobTimeMs: number;
  /** The most rows of a page of results, also where a client asks for more. */
  pageRows: number;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
  usage: BulkUsage;
  createJobId(): string;
}

/** What jobs are made with; see `Bulk`. */
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

/** The state of a job at this moment: for the first half of its time it waits, then it works. */
export function stateOf(job: BulkJob, { clock, jobTimeMs }: Bulk): BulkJobState {
  if (job.isAborted) return 'Aborted';
  if (job.submittedAtMs === null) return 'Open';
  const elapsedMs = clock() - job.submittedAtMs;
  if (elapsedMs < jobTimeMs / 2) return 'UploadComplete';
  if (elapsedMs < jobTimeMs || !job.isWorkedOff) return 'InProgress';
  return job.errorMessage === null ? 'JobComplete' : 'Failed';
}

/** Whether a job has come to its end, whichever it is. */
export function isEnded(state: BulkJobState): boolean {
  return state === 'Aborted' || state === 'JobComplete' || state === 'Failed';
}

/** What the description of any job begins with; `basePath` is for example `/services/data/v67.0`. */
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

/** A job that is in the wrong state for what is asked of it. */
export function wrongState(message: string): SalesforceError {
  return new SalesforceError(400, 'INVALIDJOBSTATE', message);
}

/** Stops a job that has not come to its end. */
export function abort(job: BulkJob, bulk: Bulk): void {
  if (isEnded(stateOf(job, bulk))) {
    throw wrongState('Aborting already completed Job not allowed');
  }
  job.isAborted = true;
}

/** How many jobs of a kind are remembered; a further one ends the oldest. */
const MAX_JOBS = 100;

/** The jobs of one kind, oldest first. */
export interface JobList<Job extends BulkJob> {
  add(job: Job): void;
  /** The job with an id of either form; NOT_FOUND if there is none. */
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

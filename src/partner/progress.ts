import { z } from 'zod';
import type { Log } from '../core/log.ts';
import { PartnerNotFound } from './errors.ts';
import { type JobReader, readJobs } from './job-states.ts';
import { describeProblem, parseReply, type Reply } from './reply.ts';
import { operation } from './routes.ts';
import { type Send, sendFor } from './send.ts';

/** The progress of a job (service document, section 3). */
export type JobProgress =
  | { state: 'processing'; pctDone: number | null }
  | { state: 'completed' }
  /** `error` is the service's text and may be about the person. donor-sync shows it to users but never logs it. */
  | { state: 'failed'; error: string | null }
  /** The service does not know the job, or does not know it any longer. */
  | { state: 'vanished' };

/** The maximum number of jobs in one progress request (service document, section 8). */
const MAX_JOBS_PER_PROGRESS = 1_000;

export const PROGRESS_OF_ONE = operation('progress of one job', { charges: null, lane: 'poll' }, [
  { method: 'GET', path: '/enhancements/{id}/progress' },
  { method: 'GET', path: '/progress/{id}' },
]);

/**
 * Reads the progress of many jobs. The document describes the body of the second path as a list. The document does not
 * describe the body of the first path.
 */
export const PROGRESS_OF_MANY = operation(
  'progress of many jobs',
  { charges: null, lane: 'poll' },
  [
    { method: 'POST', path: '/enhancements/progress/batch', listName: 'job_ids' },
    { method: 'POST', path: '/enhancements/progress/batch', listName: null },
    { method: 'POST', path: '/progress', listName: null },
    { method: 'POST', path: '/progress', listName: 'job_ids' },
  ],
);

/** Reads the progress of one job. Costs no credits. */
export async function readJobProgress(
  send: Send,
  log: Log,
  jobId: string,
  signal?: AbortSignal,
): Promise<JobProgress> {
  try {
    const read = (reply: Reply) => parseReply(oneSchema, reply);
    const { job_state: state } = await sendFor(send, PROGRESS_OF_ONE, { id: jobId }, read, signal);
    return toProgress(state, log);
  } catch (error) {
    if (error instanceof PartnerNotFound) return { state: 'vanished' };
    throw error;
  }
}

/** Returns the progress of up to 1,000 jobs, by job ID. Free. */
export function readProgress(
  send: Send,
  log: Log,
  jobIds: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, JobProgress>> {
  const reader: JobReader<JobProgress> = {
    operation: PROGRESS_OF_MANY,
    maxJobs: MAX_JOBS_PER_PROGRESS,
    read: (entry, jobId, endpoint) => readEntry(entry, jobId, endpoint, log),
    vanished: { state: 'vanished' },
    undecided: { state: 'processing', pctDone: null },
  };
  return readJobs(send, reader, jobIds, signal);
}

const stateSchema = z.object({
  // An unreadable percentage must not hide that a job has ended.
  progress: z.object({ status: z.string(), pct_done: z.number().nullish().catch(null) }),
  error: z.unknown().optional(),
});

const oneSchema = z.object({ job_state: stateSchema });

/** An entry in a batch. The entry is the job's state itself, or the state is wrapped as in the response for one job. */
const entrySchema = z.union([stateSchema, oneSchema.transform(({ job_state }) => job_state)]);

/**
 * An invalid entry must not hide the other 999 entries of the response. The next poll reads the job of an invalid entry
 * again.
 */
function readEntry(entry: unknown, jobId: string, endpoint: string, log: Log): JobProgress {
  const parsed = entrySchema.safeParse(entry);
  if (parsed.success) return toProgress(parsed.data, log);
  const problem = describeProblem(parsed.error, 'progress.status');
  log.warn({ endpoint, jobId, problem }, 'progress of a job cannot be read; taken as running');
  return { state: 'processing', pctDone: null };
}

/**
 * Reads a job's progress. A status that the documentation does not list means that the job is running. If this status
 * does not change, the job ends at its age limit.
 */
function toProgress({ progress, error }: z.output<typeof stateSchema>, log: Log): JobProgress {
  const word = progress.status.trim().toLowerCase();
  if (word === 'completed') return { state: 'completed' };
  if (word === 'failed') return { state: 'failed', error: errorText(error) };
  if (word !== 'processing') log.debug({ word }, 'unknown state of a job; taken as running');
  return { state: 'processing', pctDone: progress.pct_done ?? null };
}

/** The maximum length of an error text. No explanation needs more characters. */
const MAX_ERROR_CHARACTERS = 300;

/** Returns the text of a job's error. The document does not describe the form of errors. */
export function errorText(error: unknown): string | null {
  if (error === null || error === undefined) return null;
  const text = typeof error === 'string' ? error : JSON.stringify(error);
  return text.slice(0, MAX_ERROR_CHARACTERS);
}

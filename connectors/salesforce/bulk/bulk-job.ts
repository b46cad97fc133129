import { z } from 'zod';
import { ConfigurationError, isDonorSyncError, RetriableError } from '../../../src/core/errors.ts';
import { foreignCode, foreignText } from '../../../src/core/foreign-text.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import type { JobKind } from '../client.ts';
import { readAs } from '../errors.ts';
import type { SalesforceSession } from '../session.ts';
import { idInPath } from '../sign-in/instance.ts';

/** A job of the Bulk API 2.0, as returned by Salesforce. */
const jobSchema = z.object({
  id: z.string(),
  state: z.enum(['Open', 'UploadComplete', 'InProgress', 'Aborted', 'JobComplete', 'Failed']),
  errorMessage: z.string().nullish(),
  numberRecordsProcessed: z.number().default(0),
  numberRecordsFailed: z.number().default(0),
});

export type BulkJob = z.infer<typeof jobSchema>;

type JobDeps = Pick<SalesforceSession, 'api' | 'clock' | 'signal'>;

/** The wait before a job is checked for the first time. The following waits grow up to one second. */
const FIRST_WAIT_MS = 60;
const WAIT_GROWTH = 1.6;
const SHORT_WAIT_MS = 1_000;

/**
 * Each further wait is this fraction of the total wait so far. Therefore, donor-sync always notices the end of a job
 * after a short delay.
 */
const LONG_WAIT_PART = 1 / 8;
const LONGEST_WAIT_MS = 15_000;

/**
 * The maximum number of times that a job is checked. With the waits above, it takes two and a half hours to reach this
 * number. Salesforce itself ends queries before that time.
 */
const MAX_LOOKS = 640;

export function toNewJob(answer: unknown): BulkJob {
  const created = readAs(jobSchema, answer);
  return { ...created, id: idInPath(created.id) };
}

/** Reads the current state of a job. */
export async function readJob(
  { api }: Pick<JobDeps, 'api'>,
  kind: JobKind,
  id: string,
): Promise<BulkJob> {
  return readAs(jobSchema, await api.checkJob(kind, id));
}

/** Returns the job once it is complete. Throws if the job fails, is aborted or takes too long. */
export async function awaitJob(
  { api, clock, signal }: JobDeps,
  kind: JobKind,
  id: string,
): Promise<BulkJob> {
  let waitedMs = 0;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const waitMs = nextWaitMs(look, waitedMs);
    await clock.sleep(waitMs, signal);
    waitedMs += waitMs;
    throwIfStopped(signal);
    const job = await readJob({ api }, kind, id);
    if (job.state === 'JobComplete') return job;
    if (job.state === 'Failed' || job.state === 'Aborted') throw jobFailed(job);
  }
  throw new RetriableError(`The Bulk API job ${id} takes too long.`, { code: 'crm_unavailable' });
}

/**
 * Ends a job that is no longer needed. A job can be ended even after the run has been stopped. If a waiting job is not
 * aborted, Salesforce could write its values hours later. By that time, the contact may have been erased, or the
 * contact may describe a different person.
 */
export async function abortJob(
  { api }: Pick<JobDeps, 'api'>,
  kind: JobKind,
  id: string,
  error: unknown,
): Promise<void> {
  const isAtItsEnd = isDonorSyncError(error) && error.details['state'] !== undefined;
  if (isAtItsEnd) return;
  // If Salesforce refuses to abort the job, the job ends without donor-sync's help.
  await api.abortJob(kind, id).catch(() => {});
}

/** Returns the next wait before a job is checked again. The wait depends on the total wait so far. */
export function nextWaitMs(look: number, waitedMs: number): number {
  const growing = Math.min(FIRST_WAIT_MS * WAIT_GROWTH ** look, SHORT_WAIT_MS);
  return Math.min(Math.max(growing, waitedMs * LONG_WAIT_PART), LONGEST_WAIT_MS);
}

/** Messages about an object that does not exist or that the user cannot access. */
const SETTINGS_FAULT = /InvalidBatch|InvalidEntity|INVALID_FIELD|MALFORMED_QUERY|INVALID_TYPE/;

/**
 * Error codes of the Bulk API's own limits for 24 hours. The Bulk API's limits apply in addition to the org's request
 * limit.
 */
const LIMIT_FAULT = /LIMIT_EXCEEDED/;

function jobFailed({ id, state, errorMessage }: BulkJob): Error {
  const said = errorMessage ?? '';
  const word = FAULT_WORD.exec(said)?.[1];
  const field = UNKNOWN_FIELD.exec(said)?.[1];
  const named = field === undefined ? '' : `, about the field ${field}`;
  const why = word === undefined ? 'Salesforce names no code' : word + named;
  const message = `The Bulk API job ${id} ended as ${state}: ${why}.`;
  const details = { id, state };
  const words = foreignText(said, { code: foreignCode(word ?? '') });
  if (state === 'Failed' && SETTINGS_FAULT.test(said)) {
    return new ConfigurationError(message, { code: 'crm_request_refused', details, words });
  }
  const code = LIMIT_FAULT.test(said) ? 'crm_limit_reached' : 'crm_unavailable';
  return new RetriableError(message, { code, details, words });
}

/**
 * Matches the code in an error such as `InvalidBatch : …` or `INVALID_FIELD: …`. donor-sync uses only this code,
 * because the rest of the message may contain anything.
 */
const FAULT_WORD = /^(Invalid[A-Z][a-z]{1,30}|[A-Z][A-Z0-9_]{1,79}) ?:/;

/** Matches only custom fields, because their suffix distinguishes them from any other word. */
const UNKNOWN_FIELD = /Field name not found : (\w{1,80}__[a-z]{1,3})\b/;

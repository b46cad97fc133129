import { z } from 'zod';
import type { Profile } from '../core/profile.ts';
import { type JobReader, readJobs } from './job-states.ts';
import { profileSchema, toProfile } from './profile.ts';
import { errorText } from './progress.ts';
import { describeProblem } from './reply.ts';
import { operation } from './routes.ts';
import type { Send } from './send.ts';

export type JobResult =
  /** `match` is omitted if the service does not report how certain the match is. */
  | { state: 'completed'; profile: Profile; match?: Match }
  | { state: 'processing' }
  /**
   * `error` is the service's message, which may be about the person. donor-sync shows it to users but never logs it.
   */
  | { state: 'failed'; error: string | null }
  /** The service does not know the job, or does not know it any longer. */
  | { state: 'vanished' }
  /** The job is done, but the client cannot read its profile. `problem` contains the field and the endpoint. */
  | { state: 'unreadable'; problem: string };

/** The service's certainty and its reasons, in the service's own words. The text does not name a person. */
export interface Match {
  /** The certainty, from 0 to 1. */
  probability: number;
  reasons: readonly string[];
  /** The second most likely donor, or null if there is none. */
  runnerUp: { probability: number; reasons: readonly string[] } | null;
}

/** The maximum number of jobs in one results request (service document, section 8). */
export const MAX_JOBS_PER_RESULTS = 10;

export const RESULTS = operation('results of jobs', { charges: null, lane: 'results' }, [
  { method: 'POST', path: '/enhancements/results/batch', listName: 'job_ids' },
  { method: 'POST', path: '', listName: 'job_ids' },
]);

const reader: JobReader<JobResult> = {
  operation: RESULTS,
  maxJobs: MAX_JOBS_PER_RESULTS,
  read: readResult,
  vanished: { state: 'vanished' },
  undecided: { state: 'processing' },
};

/** Returns the results of up to 10 jobs, by job ID. An invalid profile affects only its own job. Costs no credits. */
export function readResults(
  send: Send,
  jobIds: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, JobResult>> {
  return readJobs(send, reader, jobIds, signal);
}

const LIKELIHOOD = {
  probability: z.number().min(0).max(1),
  reasons: z.array(z.string()).catch([]),
};

const resultSchema = z.object({
  progress: z.object({ status: z.string() }).nullish(),
  error: z.unknown().optional(),
  result: profileSchema.nullish(),
  /** The match, which only some services report. Unreadable values are ignored. */
  match: z
    .object({
      ...LIKELIHOOD,
      runner_up: z.object(LIKELIHOOD).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

/** Reads the result of a job. If the entry contains a profile, the job has a result, whatever its progress is. */
function readResult(entry: unknown, jobId: string, endpoint: string): JobResult {
  const parsed = resultSchema.safeParse(entry);
  if (!parsed.success)
    return unreadable(endpoint, describeProblem(parsed.error, `job_id_to_state.${jobId}`));
  const { progress, error, result, match } = parsed.data;
  const word = progress?.status.trim().toLowerCase();
  if (word === 'failed') return { state: 'failed', error: errorText(error) };
  if (result) {
    const profile = toProfile(result);
    if (!match) return { state: 'completed', profile };
    const { runner_up, ...likelihood } = match;
    profile.probability = match.probability;
    return { state: 'completed', profile, match: { ...likelihood, runnerUp: runner_up ?? null } };
  }
  if (word !== undefined && word !== 'completed') return { state: 'processing' };
  const field = word === undefined ? 'progress.status' : 'result';
  return unreadable(endpoint, `job_id_to_state.${jobId}.${field} is missing`);
}

function unreadable(endpoint: string, problem: string): JobResult {
  return { state: 'unreadable', problem: `${endpoint}: ${problem}` };
}

import { z } from 'zod';
import { PartnerNotFound, ReplyUnreadable } from './errors.ts';
import { parseReply, type Reply } from './reply.ts';
import type { Operation } from './routes.ts';
import { type Send, sendFor } from './send.ts';

/** Reads the progress or the results of many jobs. */

/** The states of the requested jobs that the response contains. */
export interface JobStates {
  /**
   * The unparsed state of each job, by job ID. If the response also reports the job as unknown, the state has
   * precedence.
   */
  found: ReadonlyMap<string, unknown>;
  /** Jobs that the service reports as unknown. */
  vanished: ReadonlySet<string>;
  endpoint: string;
}

/** The functions that read a job's state from a response. */
export interface JobReader<State> {
  operation: Operation;
  /** The maximum number of job IDs per request. */
  maxJobs: number;
  read(entry: unknown, jobId: string, endpoint: string): State;
  vanished: State;
  /** The state of a job about which the response says nothing. */
  undecided: State;
}

/** The maximum number of further requests for jobs that a response omits. */
const MAX_ROUNDS = 5;

/**
 * Returns each job's state. A job counts as vanished if the service reports it as unknown or omits it twice. Omitting a
 * job once is not enough, because a response may be incomplete.
 */
export async function readJobs<State>(
  send: Send,
  reader: JobReader<State>,
  jobIds: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, State>> {
  const states = new Map<string, State>();
  let open = [...new Set(jobIds)];
  if (open.length > reader.maxJobs) {
    throw new RangeError(
      `At most ${reader.maxJobs} jobs can be requested at once, not ${open.length}`,
    );
  }
  let silent = false;
  for (let round = 1; round <= MAX_ROUNDS && open.length > 0 && !silent; round++) {
    const asked = open;
    for (const answer of await askFor(send, reader.operation, asked, signal)) {
      for (const jobId of answer.vanished) states.set(jobId, reader.vanished);
      for (const [jobId, entry] of answer.found) {
        states.set(jobId, reader.read(entry, jobId, answer.endpoint));
      }
    }
    open = asked.filter((jobId) => !states.has(jobId));
    silent = round > 1 && open.length === asked.length;
  }
  for (const jobId of open) states.set(jobId, silent ? reader.vanished : reader.undecided);
  return states;
}

/**
 * Requests jobs. Some services respond with 404 for a whole batch because of one unknown job. In this case, each half
 * of the batch is requested, until the unknown jobs are found.
 */
async function askFor(
  send: Send,
  operation: Operation,
  jobIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<JobStates[]> {
  try {
    const read = (reply: Reply) => statesIn(reply, jobIds);
    return [await sendFor(send, operation, { list: jobIds }, read, signal)];
  } catch (error) {
    if (!(error instanceof PartnerNotFound)) throw error;
    if (jobIds.length === 1) {
      return [{ found: new Map(), vanished: new Set(jobIds), endpoint: error.endpoint }];
    }
    const middle = Math.ceil(jobIds.length / 2);
    const first = await askFor(send, operation, jobIds.slice(0, middle), signal);
    const second = await askFor(send, operation, jobIds.slice(middle), signal);
    return [...first, ...second];
  }
}

const entryWithId = z.looseObject({ job_id: z.string() });
const listSchema = z.array(entryWithId);
const wrappedSchema = z.object({
  job_id_to_state: z.record(z.string(), z.unknown()).nullish(),
  not_found: z.array(z.string()).nullish(),
});
const keyedSchema = z.record(z.string(), z.unknown());

/**
 * Reads the states from a response. The response can be an object under `job_id_to_state`, an object with job IDs as
 * keys, or a list.
 */
function statesIn(reply: Reply, jobIds: readonly string[]): JobStates {
  const { json, endpoint } = reply;
  if (Array.isArray(json)) {
    const entries = parseReply(listSchema, reply);
    return only(jobIds, new Map(entries.map((entry) => [entry.job_id, entry])), [], endpoint);
  }
  const { job_id_to_state: wrapped, not_found: notFound } = parseReply(wrappedSchema, reply);
  const keyed = wrapped ?? parseReply(keyedSchema, reply);
  const recognized = wrapped || notFound || jobIds.some((id) => Object.hasOwn(keyed, id));
  // If a service uses job IDs as keys, an empty object means that it knows none of the jobs.
  if (!recognized && Object.keys(keyed).length > 0) {
    throw new ReplyUnreadable(endpoint, 'job_id_to_state is missing');
  }
  return only(jobIds, new Map(Object.entries(keyed)), notFound ?? [], endpoint);
}

/** Returns the states of the requested jobs. Ignores the rest of the response. */
function only(
  jobIds: readonly string[],
  entries: ReadonlyMap<string, unknown>,
  notFound: readonly string[],
  endpoint: string,
): JobStates {
  const found = new Map<string, unknown>();
  for (const jobId of jobIds) {
    if (entries.has(jobId)) found.set(jobId, entries.get(jobId));
  }
  const denied = new Set(notFound);
  const vanished = new Set(jobIds.filter((jobId) => denied.has(jobId)));
  return { found, vanished, endpoint };
}

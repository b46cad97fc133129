import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Connections } from '../connections/connections.ts';
import { distinctDonors } from '../donor-batch.ts';
import { BulkAddUnfinished, PartnerNotFound } from '../errors.ts';
import { errorText } from '../progress.ts';
import { parseReply, type Reply, unreadable } from '../reply.ts';
import type { MayLeave } from '../request.ts';
import { operation } from '../routes.ts';
import { type Send, sendFor } from '../send.ts';
import { idSchema } from '../wire.ts';

/** Adds and removes network members (service document, section 4.1). */

/** The time that the service may need to compute one donor's connections ("a few seconds per donor"). */
const ADD_WORK_MS = 30_000;

/** Adds one member. The document does not state whether this costs a credit. */
export const ADD_MEMBER = operation(
  'add a member',
  { charges: 'unknown', lane: 'networks', reads: 'nothing', workMs: ADD_WORK_MS },
  [{ method: 'POST', path: '/networks/{id}/members' }],
);

export const REMOVE_MEMBERS = operation(
  'remove members',
  { charges: null, lane: 'networks', reads: 'nothing' },
  [{ method: 'POST', path: '/networks/{id}/members/remove', listName: 'donor_ids' }],
);

/** Adds a member. The service responds once it has computed the member's connections. */
export async function addMember(
  send: Send,
  networkId: string,
  donorId: string,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<void> {
  const payload = { id: networkId, fields: { donor_id: donorId } };
  await send(ADD_MEMBER, payload, signal, mayLeave);
}

/** Removes 1 to 100 donors from a network. */
export async function removeMembers(
  send: Send,
  networkId: string,
  donorIds: readonly string[],
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<void> {
  await send(REMOVE_MEMBERS, { id: networkId, list: distinctDonors(donorIds) }, signal, mayLeave);
}

/** Adds many members with a job, which donor-sync polls (service document, sections 2.3 and 4.1). */

/**
 * A bulk add that the service has accepted. The object contains all data to follow the bulk add, even after a restart.
 */
export interface BulkAddJob {
  jobId: string;
  networkId: string;
  donorIds: readonly string[];
}

export type BulkAdd =
  | { state: 'running'; done: number | null; total: number | null }
  /** The outcome for each donor that the service names. */
  | { state: 'completed'; outcomes: ReadonlyMap<string, MemberOutcome> }
  /** `error` is the service's text. donor-sync shows it to users but never logs it. */
  | { state: 'failed'; error: string | null; outcomes: ReadonlyMap<string, MemberOutcome> }
  /** The service does not know the job, or does not know it any longer. */
  | { state: 'vanished' };

/**
 * A bulk add's result for a donor. `added` and `alreadyMember`: the donor is in the network now. `notFound`: the ID
 * does not exist. `unpaid`: the balance did not cover the donor. `failed`: the donor is not in the network for another
 * reason.
 */
export type MemberOutcome = 'added' | 'alreadyMember' | 'notFound' | 'failed' | 'unpaid';

/** Adds members with a job. Each added donor costs a credit from the networks bucket (sections 4.1 and 4.5). */
export const ADD_MEMBERS = operation('add members', { charges: 'networks', lane: 'networks' }, [
  { method: 'POST', path: '/networks/{id}/members/batch', listName: 'donor_ids' },
]);

export const BULK_ADD_PROGRESS = operation(
  'progress of a bulk add',
  { charges: null, lane: 'networks' },
  [{ method: 'GET', path: '/networks/jobs/{id}' }],
);

/** The time between two polls of a job. */
const POLL_INTERVAL_MS = 3_000;

/**
 * The maximum number of polls of a job. This number of polls takes half an hour. A hundred donors at "a few seconds"
 * each take a third of this time.
 */
const MAX_POLLS = 600;

/** Starts a job that adds 1 to 100 donors. */
export async function addMembers(
  send: Send,
  networkId: string,
  donorIds: readonly string[],
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<BulkAddJob> {
  const payload = { id: networkId, list: distinctDonors(donorIds) };
  const reply = await send(ADD_MEMBERS, payload, signal, mayLeave);
  const { job_id: jobId } = parseReply(z.object({ job_id: idSchema }), reply);
  return { jobId, networkId, donorIds: payload.list };
}

/** Reads the state of a bulk add once. */
export async function readBulkAdd(
  send: Send,
  jobId: string,
  signal?: AbortSignal,
): Promise<BulkAdd> {
  try {
    return await sendFor(send, BULK_ADD_PROGRESS, { id: jobId }, bulkAddIn, signal);
  } catch (error) {
    if (error instanceof PartnerNotFound) return { state: 'vanished' };
    throw error;
  }
}

/** The dependencies that are needed to follow a bulk add. */
export interface FollowDeps {
  send: Send;
  clock: Clock;
  connections: Pick<Connections, 'ofDonor'>;
}

/** Waits until a bulk add has ended, and returns an outcome for each of its donors. */
export async function followBulkAdd(
  deps: FollowDeps,
  job: BulkAddJob,
  signal?: AbortSignal,
): Promise<Map<string, MemberOutcome>> {
  const named = await outcomesAtEnd(deps, job.jobId, signal);
  const outcomes = new Map<string, MemberOutcome>();
  for (const donorId of job.donorIds) {
    outcomes.set(donorId, named.get(donorId) ?? (await findOut(deps, job, donorId, signal)));
  }
  return outcomes;
}

async function outcomesAtEnd(
  { send, clock }: FollowDeps,
  jobId: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, MemberOutcome>> {
  for (let poll = 1; poll <= MAX_POLLS; poll++) {
    const bulkAdd = await readBulkAdd(send, jobId, signal);
    if (bulkAdd.state === 'vanished') return new Map();
    if (bulkAdd.state !== 'running') return bulkAdd.outcomes;
    await clock.sleep(POLL_INTERVAL_MS, signal);
    signal?.throwIfAborted();
  }
  throw new BulkAddUnfinished(jobId, (MAX_POLLS * POLL_INTERVAL_MS) / 60_000);
}

/** Finds a donor in the network itself, because the job's result does not name the donor. */
async function findOut(
  { connections }: FollowDeps,
  { networkId }: BulkAddJob,
  donorId: string,
  signal: AbortSignal | undefined,
): Promise<MemberOutcome> {
  try {
    const { networks } = await connections.ofDonor(donorId, {}, signal);
    return networks.some((network) => network.networkId === networkId) ? 'added' : 'failed';
  } catch (error) {
    if (error instanceof PartnerNotFound) return 'notFound';
    throw error;
  }
}

const idsSchema = z.array(idSchema).nullish();

const resultsSchema = z.object({
  added_ids: idsSchema,
  already_member_ids: idsSchema,
  not_found_ids: idsSchema,
  failed_ids: idsSchema,
  unpaid_ids: idsSchema,
});

const nestedSchema = z.object({ status: z.string() });

/**
 * A job's progress. The word can be in the same place as in enhancement jobs. In enhancement jobs, the word is next to
 * a number that repeats the HTTP status.
 */
const progressSchema = z.object({
  status: z.string().nullish().catch(null),
  progress: z.union([z.int(), nestedSchema]).nullish().catch(null),
  job_state: z.object({ progress: nestedSchema }).nullish().catch(null),
  total: z.int().nullish().catch(null),
  error: z.unknown().optional(),
  // If the results have an unexpected form, donor-sync reads each donor's networks instead.
  results: resultsSchema.nullish().catch(null),
});

/**
 * Reads the state of a bulk add. The document defines two words for the final states. Every other word means that the
 * job is running.
 */
function bulkAddIn(reply: Reply): BulkAdd {
  const { status, progress, job_state, total, error, results } = parseReply(progressSchema, reply);
  const nested = typeof progress === 'object' ? progress?.status : undefined;
  const word = (job_state?.progress.status ?? nested ?? status)?.trim().toLowerCase();
  if (!word) throw unreadable(reply, 'status is missing');
  if (word === 'completed') return { state: 'completed', outcomes: outcomesIn(results) };
  if (word === 'failed') {
    return { state: 'failed', error: errorText(error), outcomes: outcomesIn(results) };
  }
  const done = typeof progress === 'number' ? progress : null;
  return { state: 'running', done, total: total ?? null };
}

function outcomesIn(
  results: z.output<typeof resultsSchema> | null | undefined,
): Map<string, MemberOutcome> {
  const outcomes = new Map<string, MemberOutcome>();
  const note = (ids: readonly string[] | null | undefined, outcome: MemberOutcome) => {
    for (const id of ids ?? []) outcomes.set(id, outcome);
  };
  note(results?.unpaid_ids, 'unpaid');
  note(results?.failed_ids, 'failed');
  note(results?.not_found_ids, 'notFound');
  note(results?.already_member_ids, 'alreadyMember');
  note(results?.added_ids, 'added');
  return outcomes;
}

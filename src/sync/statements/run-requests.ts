/** Requests for runs that have not finished. */

import type { Expression } from 'kysely';
import {
  BURST_MS,
  isReady,
  openBurst,
  type ReadyAt,
  recordCall,
} from '../../clients/statements/webhook-bursts.ts';
import type { AskedRun } from '../../core/run.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader, TimedConnection, TimedReader } from '../../database/reader.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { type NewAuditEntry, recordEntry } from '../../privacy/audit/record.ts';
import {
  ALL_CONTACTS,
  insertRequest,
  insertRows,
  isUrgent,
  type NewRunRequest,
  type RunRequestRecord,
  toRequestRecord,
} from './request-rows.ts';

/** Means several contacts in a request. No CRM uses this text as an ID. */
export const SEVERAL_CONTACTS = '*';

/**
 * The maximum number of contacts in a webhook call, and in a run that webhooks request. CRMs can read this number of
 * contacts in one request.
 */
export const MAX_HINTS = 100;

/** If more than this many single contacts wait, one run over all changes needs fewer CRM calls. */
const MAX_SINGLE_WAITING = 500;

/** The time for which callers can query a request that was combined with a different request. */
const MERGED_KEPT_MS = 24 * 3_600_000;

/**
 * Requests a run. If an identical request is already waiting, the two requests are combined. Returns the ID of the run
 * that will carry out the request.
 */
export async function requestRun(trx: ActorTransaction, request: NewRunRequest): Promise<string> {
  const notBefore = request.trigger === 'webhook' ? await recordCall(trx, request) : 0;
  const runId = await addRunRequest(trx, { ...request, notBefore });
  await trx.asked(trx, [askedBy(request)]);
  // Webhooks send many calls in a short time, and most of these calls request nothing new.
  if (request.trigger === 'manual' || runId === request.runId) {
    await recordEntry(trx, runAsked({ ...request, runId }, oneOrAll(request.contact)));
  }
  return runId;
}

/**
 * Requests runs for the contacts in a webhook call, at most `MAX_HINTS`. Each contact waits as if it were the only
 * contact in the call. Returns the ID of one of the runs. If too many contacts are waiting, one run over all changes
 * replaces these runs, and `isWhole` is true.
 */
export async function requestContacts(
  trx: ActorTransaction,
  integrationId: string,
  contacts: readonly string[],
  newRunId: () => string,
): Promise<{ runId: string; isWhole: boolean }> {
  const notBefore = await recordCall(trx, { integrationId });
  const named = { integrationId, contacts, newRunId, notBefore };
  const { added, ...answer } = await addNamed(trx, named);
  await trx.asked(trx, [{ integrationId, isUrgent: true }]);
  const request = { integrationId, runId: answer.runId, trigger: 'webhook', full: false };
  if (added.length > 0) await recordEntry(trx, runAsked(request, added));
  return answer;
}

/**
 * Returns webhooks' requests for single contacts that a run for this contact can carry out too. The oldest requests
 * come first.
 */
export function listRequestsAlongside(
  reader: Reader,
  { runId, integrationId, contact, trigger, full }: RunRequestRecord,
) {
  if (contact === ALL_CONTACTS || trigger !== 'webhook' || full === 1) return Promise.resolve([]);
  return reader
    .selectFrom('run_requests')
    .select(['run_id as runId', 'contact'])
    .where('integration_id', '=', integrationId)
    .where('contact', '<>', ALL_CONTACTS)
    .where('trigger', '=', 'webhook')
    .where('full', '=', 0)
    .where('left_at', 'is', null)
    .where('run_id', '<>', runId)
    .orderBy('requested_at')
    .orderBy('run_id')
    .limit(MAX_HINTS - 1)
    .execute();
}

/** Returns the waiting requests. Urgent requests come first, then the requests that have waited longest. */
export function listRunRequests(
  reader: Reader,
  integrationId?: string,
): Promise<RunRequestRecord[]> {
  return waitingRows(reader, integrationId).execute().then(fromRows);
}

/**
 * Returns the waiting requests that may start, urgent requests first. Excludes webhook calls that are still being
 * collected.
 */
export function listReadyRequests(
  reader: TimedReader,
  integrationId?: string,
): Promise<RunRequestRecord[]> {
  const now = reader.clock.now();
  const time = { now, latest: now + BURST_MS };
  const ready =
    integrationId === undefined
      ? readyOfAll(reader, time)
      : selectReady(reader, { integrationId, ...time });
  return ready.then(({ rows }) => fromRows(rows));
}

/** Returns the requests whose runs have started but not finished. */
export function listBegunRequests(
  reader: Reader,
  integrationId?: string,
): Promise<RunRequestRecord[]> {
  const begun =
    integrationId === undefined ? begunOfAll(reader, {}) : selectBegun(reader, { integrationId });
  return begun.then(({ rows }) => fromRows(rows));
}

/**
 * Returns the request for this run while the request waits or the run is in progress. Also finds a request that was
 * combined with another request.
 */
export function findRequestByRun(
  reader: Reader,
  runId: string,
): Promise<RunRequestRecord | undefined> {
  return reader
    .selectFrom('run_requests')
    .selectAll()
    .where('run_id', '=', runId)
    .executeTakeFirst()
    .then(maybeFromRow);
}

/**
 * Returns the unfinished request for a run for this contact, or null if there is none. If a run over all changes
 * carries out the request, the request is unfinished until this run ends.
 */
export async function findWaitingFor(
  reader: Reader,
  integrationId: string,
  contact: string,
): Promise<RunRequestRecord | null> {
  const rows = await reader
    .selectFrom('run_requests')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('contact', '=', contact)
    .orderBy('requested_at')
    .orderBy('run_id')
    .execute()
    .then(fromRows);
  for (const row of rows) {
    const serving = row.mergedInto === null ? row : await findRequestByRun(reader, row.mergedInto);
    if (serving !== undefined) return { ...serving, requestedAt: row.requestedAt };
  }
  return null;
}

/** Deletes a request, unless its run has already started. */
export async function dropWaitingRequest(
  connection: TimedConnection,
  runId: string,
): Promise<void> {
  await connection
    .deleteFrom('run_requests')
    .where('run_id', '=', runId)
    .where('left_at', 'is', null)
    .execute();
}

/** Creates the audit entry for a requested run. If the contact is null, the run is for all contacts. */
export function runAsked(
  {
    integrationId,
    runId,
    trigger,
    full,
    redelivers = false,
  }: Pick<RunRequestRecord, 'integrationId' | 'runId'> & {
    trigger: string;
    full: boolean;
    redelivers?: boolean;
  },
  only: readonly string[] | null,
): NewAuditEntry {
  const [first, ...others] = only ?? [];
  const crmId = first === undefined || others.length > 0 ? null : first;
  const contacts = only?.length ?? null;
  const what = redelivers ? { redelivers } : {};
  const details = { run: runId, trigger, full, contacts, ...what };
  return { action: 'run.asked', integrationId, crmId, details };
}

function oneOrAll(contact: string | null): string[] | null {
  return contact === null ? null : [contact];
}

function askedBy({ integrationId, trigger }: NewRunRequest): AskedRun {
  return { integrationId, isUrgent: isUrgent({ trigger }) };
}

function waitingRows(reader: Reader, integrationId: string | Expression<string> | undefined) {
  return reader
    .selectFrom('run_requests')
    .selectAll()
    .where('left_at', 'is', null)
    .$if(integrationId !== undefined, (query) =>
      query.where('integration_id', '=', integrationId ?? ''),
    )
    .orderBy('urgent', 'desc')
    .orderBy('requested_at')
    .orderBy('run_id');
}

const readyOfAll = preparedRead((db, time: Slots<ReadyAt>) =>
  waitingRows(db, undefined).where(isReady(db, time)).compile(),
);

const selectReady = preparedRead(
  (db, { integrationId, ...time }: Slots<{ integrationId: string } & ReadyAt>) =>
    waitingRows(db, integrationId).where(isReady(db, time)).compile(),
);

const begunOfAll = preparedRead((db) => begunRows(db).compile());

const selectBegun = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  begunRows(db).where('integration_id', '=', integrationId).compile(),
);

function begunRows(reader: Reader) {
  return reader
    .selectFrom('run_requests')
    .selectAll()
    .where('left_at', 'is not', null)
    .where('merged_into', 'is', null);
}

/** Stores a request. After that, the caller must notify the engine (see `requestRun`). */
export async function addRunRequest(
  trx: ActorTransaction,
  request: NewRunRequest,
): Promise<string> {
  const { contact } = request;
  const isOneTooMany =
    contact !== null && (await countOthers(trx, request, [contact])) >= MAX_SINGLE_WAITING;
  return isOneTooMany
    ? addWhole(trx, request)
    : insertRequest(trx, toRequestRecord(request, trx.clock.now()));
}

interface NamedContacts extends Pick<NewRunRequest, 'integrationId' | 'notBefore'> {
  contacts: readonly string[];
  newRunId: () => string;
}

async function addNamed(
  trx: ActorTransaction,
  { contacts, newRunId, ...integration }: NamedContacts,
): Promise<{ runId: string; isWhole: boolean; added: string[] }> {
  const request = { ...integration, trigger: 'webhook', full: false } as const;
  const others = await countOthers(trx, request, contacts);
  if (others + contacts.length > MAX_SINGLE_WAITING) {
    const runId = await addWhole(trx, { ...request, contact: null, runId: newRunId() });
    return { runId, isWhole: true, added: [...contacts] };
  }
  const runIds: string[] = [];
  const added: string[] = [];
  // Sorts the contacts, so that two calls with the same contacts do not cause a deadlock.
  for (const contact of [...contacts].sort()) {
    const row = toRequestRecord({ ...request, contact, runId: newRunId() }, trx.clock.now());
    const runId = await insertRequest(trx, row);
    runIds.push(runId);
    if (runId === row.runId) added.push(contact);
  }
  return { runId: runIds[0] ?? '', isWhole: false, added };
}

/** Requests one run over all changes, which replaces many runs for single contacts. */
async function addWhole(trx: ActorTransaction, request: NewRunRequest): Promise<string> {
  const now = trx.clock.now();
  const whole = await insertRequest(
    trx,
    toRequestRecord({ ...request, contact: null, full: false }, now),
  );
  await mergeSingles(trx, request.integrationId, whole, now);
  return whole;
}

/** Returns the number of other single contacts that wait for a run. */
async function countOthers(
  reader: Reader,
  { integrationId }: Pick<NewRunRequest, 'integrationId'>,
  contacts: readonly string[],
): Promise<number> {
  const waiting = await reader
    .selectFrom('run_requests')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('contact', 'not in', [ALL_CONTACTS, ...contacts])
    .where('left_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(waiting.count);
}

/**
 * Combines all requests for single contacts with a run over all changes. The run over all changes carries out all of
 * these requests.
 */
async function mergeSingles(
  trx: ActorTransaction,
  integrationId: string,
  runId: string,
  now: number,
): Promise<void> {
  await dropOldMerged(trx, now);
  await trx
    .updateTable('run_requests')
    .set({ left_at: now, merged_into: runId })
    .where('integration_id', '=', integrationId)
    .where('contact', '<>', ALL_CONTACTS)
    .where('left_at', 'is', null)
    .execute();
}

async function dropOldMerged(trx: Trx, now: number): Promise<void> {
  await trx
    .deleteFrom('run_requests')
    .where('merged_into', 'is not', null)
    .where('left_at', '<', now - MERGED_KEPT_MS)
    .execute();
}

/** Stores a request for a run over all changes for each of these integrations. */
export async function addScheduledRuns(
  trx: ActorTransaction,
  runs: readonly Pick<NewRunRequest, 'integrationId' | 'runId'>[],
  now: number,
): Promise<void> {
  if (runs.length === 0) return;
  const asked = { contact: null, trigger: 'schedule', full: false } as const;
  const rows = runs.map((run) => toRequestRecord({ ...run, ...asked }, now));
  await insertRows(trx, rows).execute();
}

/**
 * Starts the run for a waiting request. The run also carries out the requests in `alongside` that still wait. Returns
 * false if the request does not exist.
 */
export async function beginRunRequest(
  trx: RunTransaction,
  runId: string,
  alongside: readonly string[],
): Promise<boolean> {
  const now = trx.clock.now();
  // Locks the webhook's row before the requests' rows. Webhook calls use the same order.
  await openBurst(trx, runId);
  const { numAffectedRows = 0n } = await leave(trx, { runId, now });
  const wasAsked = numAffectedRows > 0n;
  if (alongside.length === 0) return wasAsked;
  await dropOldMerged(trx, now);
  await trx
    .updateTable('run_requests')
    .set({ left_at: now, merged_into: runId })
    .where('run_id', 'in', alongside)
    .where('left_at', 'is', null)
    .execute();
  return wasAsked;
}

const leave = prepared((db, { runId, now }: Slots<{ runId: string; now: number }>) =>
  db.updateTable('run_requests').set({ left_at: now }).where('run_id', '=', runId).compile(),
);

/**
 * Deletes a waiting request because a user has stopped its run. Also deletes other requests that wait for the stopped
 * run. Returns the integration, or undefined if the request is not waiting.
 */
export async function dropStopped(
  trx: ActorTransaction,
  runId: string,
): Promise<string | undefined> {
  const dropped = await trx
    .deleteFrom('run_requests')
    .where('run_id', '=', runId)
    .where('left_at', 'is', null)
    .returning('integration_id')
    .executeTakeFirst();
  if (dropped) await trx.deleteFrom('run_requests').where('merged_into', '=', runId).execute();
  return dropped?.integration_id;
}

/** Records that the request is finished. */
export async function endRunRequest(trx: RunTransaction, runId: string): Promise<void> {
  await dropRequest(trx, { runId });
}

const dropRequest = prepared((db, { runId }: Slots<{ runId: string }>) =>
  db.deleteFrom('run_requests').where('run_id', '=', runId).compile(),
);

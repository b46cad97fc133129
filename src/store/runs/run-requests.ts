import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Trigger } from '../../core/run.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import type { RunRequestsTable } from '../engine/service-tables.ts';
import type { Database, Trx } from '../engine/tables.ts';

export type RunRequestRecord = FromRow<Selectable<RunRequestsTable>>;

/** A run that is asked for. */
export interface NewRunRequest {
  integrationId: string;
  /** The CRM id of the one contact; null for all. */
  contact: string | null;
  trigger: Trigger;
  full: boolean;
  /** The id that the run gets if none like it is waiting already. */
  runId: string;
}

/** What became of a request whose run was cut off: it waits again, had ended, or is given up. */
export type PutBack = { state: 'waits'; runId: string } | { state: 'ended' | 'givenUp' };

/** A unique index takes two nulls for different: all contacts are the empty one. */
export const ALL_CONTACTS = '';

/** More single contacts than this cost a CRM more calls than one run over what has changed. */
const MAX_SINGLE_WAITING = 20;

/** How long a request that another run has taken in can be asked for. */
const MERGED_KEPT_MS = 24 * 3_600_000;

/** A run that is cut off so often brings its process down, or never comes to its end. */
const MAX_RESUMES = 5;

/** Runs that were asked for, until they have come to their end. */
export function runRequestQueries(db: Database, clock: Clock) {
  return {
    /**
     * Remembers that a run is wanted. A request that waits already takes it in; the id of the run
     * that will answer is returned.
     */
    add(request: NewRunRequest): Promise<string> {
      return db.transaction().execute((trx) => addRunRequest(trx, request, clock.now()));
    },

    /** What waits, the longest waiting first. */
    list(integrationId?: string): Promise<RunRequestRecord[]> {
      return db
        .selectFrom('run_requests')
        .selectAll()
        .where('left_at', 'is', null)
        .$if(integrationId !== undefined, (query) =>
          query.where('integration_id', '=', integrationId ?? ''),
        )
        .orderBy('requested_at')
        .orderBy('run_id')
        .execute()
        .then(fromRows);
    },

    /** Requests whose runs have begun and not come to their end. */
    listBegun(): Promise<RunRequestRecord[]> {
      return db
        .selectFrom('run_requests')
        .selectAll()
        .where('left_at', 'is not', null)
        .where('merged_into', 'is', null)
        .execute()
        .then(fromRows);
    },

    /** The request that was given this run, while it waits or is worked on, or another took it in. */
    findByRun(runId: string): Promise<RunRequestRecord | undefined> {
      return db
        .selectFrom('run_requests')
        .selectAll()
        .where('run_id', '=', runId)
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    /**
     * Lets a request wait again whose run was cut off, for a run with a new id unless the same waits
     * already.
     */
    putBack(request: RunRequestRecord, newRunId: string): Promise<PutBack> {
      return db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('run_requests')
          .where('run_id', '=', request.runId)
          .where('left_at', 'is not', null)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return { state: 'ended' };
        if (request.resumed >= MAX_RESUMES) return { state: 'givenUp' };
        const again = { ...request, runId: newRunId, resumed: request.resumed + 1, leftAt: null };
        return { state: 'waits', runId: await insertRequest(trx, again) };
      });
    },

    /** Drops a request, unless its run has begun meanwhile. */
    async dropWaiting(runId: string): Promise<void> {
      await db
        .deleteFrom('run_requests')
        .where('run_id', '=', runId)
        .where('left_at', 'is', null)
        .execute();
    },
  };
}

/** Stores a request as part of a transaction; see `add`. */
export async function addRunRequest(
  trx: Trx,
  request: NewRunRequest,
  now: number,
): Promise<string> {
  const isOneTooMany =
    request.contact !== null && (await countOthers(trx, request)) >= MAX_SINGLE_WAITING;
  if (!isOneTooMany) return insertRequest(trx, requestOf(request, now));
  const whole = await insertRequest(
    trx,
    requestOf({ ...request, contact: null, full: false }, now),
  );
  await mergeSingles(trx, request.integrationId, whole, now);
  return whole;
}

/** How many other single contacts wait. */
async function countOthers(trx: Trx, { integrationId, contact }: NewRunRequest): Promise<number> {
  const waiting = await trx
    .selectFrom('run_requests')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('contact', 'not in', [ALL_CONTACTS, contact ?? ALL_CONTACTS])
    .where('left_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(waiting.count);
}

/** A run over what has changed takes in all requests for single contacts. */
async function mergeSingles(
  trx: Trx,
  integrationId: string,
  runId: string,
  now: number,
): Promise<void> {
  await trx
    .deleteFrom('run_requests')
    .where('merged_into', 'is not', null)
    .where('left_at', '<', now - MERGED_KEPT_MS)
    .execute();
  await trx
    .updateTable('run_requests')
    .set({ left_at: now, merged_into: runId })
    .where('integration_id', '=', integrationId)
    .where('contact', '<>', ALL_CONTACTS)
    .where('left_at', 'is', null)
    .execute();
}

function requestOf(request: NewRunRequest, now: number): RunRequestRecord {
  return {
    runId: request.runId,
    integrationId: request.integrationId,
    contact: request.contact ?? ALL_CONTACTS,
    trigger: request.trigger,
    full: request.full ? 1 : 0,
    requestedAt: now,
    times: 1,
    resumed: 0,
    leftAt: null,
    mergedInto: null,
  };
}

async function insertRequest(trx: Trx, request: RunRequestRecord): Promise<string> {
  const inserted = await trx
    .insertInto('run_requests')
    .values({
      run_id: request.runId,
      integration_id: request.integrationId,
      contact: request.contact,
      trigger: request.trigger,
      full: request.full,
      requested_at: request.requestedAt,
      times: request.times,
      resumed: request.resumed,
      left_at: request.leftAt,
      merged_into: request.mergedInto,
    })
    .onConflict((c) =>
      c
        .columns(['integration_id', 'contact'])
        .where('left_at', 'is', null)
        .doUpdateSet((eb) => ({
          times: eb('run_requests.times', '+', 1),
          // Who wants everything read anew is not content with less.
          full: request.full === 1 ? 1 : eb.ref('run_requests.full'),
        })),
    )
    .returning('run_id')
    .executeTakeFirstOrThrow();
  return inserted.run_id;
}

/** The run that a request waited for begins. */
export async function beginRunRequest(trx: Trx, runId: string, now: number): Promise<void> {
  await trx.updateTable('run_requests').set({ left_at: now }).where('run_id', '=', runId).execute();
}

/** Nothing is wanted of a request any more. */
export async function endRunRequest(trx: Trx, runId: string): Promise<void> {
  await trx.deleteFrom('run_requests').where('run_id', '=', runId).execute();
}

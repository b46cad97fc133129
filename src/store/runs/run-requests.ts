import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { STOPPED_BY_PERSON, type Trigger } from '../../core/run.ts';
import type { NewAuditEntry, RecordEntry } from '../audit/record.ts';
import { databaseTime, isPostgres, serverTime } from '../engine/database-time.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import { prepared, type Slots } from '../engine/prepared.ts';
import type { RunRequestsTable } from '../engine/service-tables.ts';
import type { Database, Trx } from '../engine/tables.ts';
import { writeRunRows } from './run-rows.ts';

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
  /** It does not begin before, by the clock of the database; at once by default. */
  notBefore?: number;
}

/** An integration of which a run is wanted. */
export interface AskedRun {
  integrationId: string;
  /** True if more than a schedule asks for it. */
  isUrgent: boolean;
}

/** Called inside the transaction that stores requests, once for each integration. */
export type RunsAsked = (trx: Trx, runs: readonly AskedRun[]) => Promise<void>;

/** What a person or a webhook asks for goes before what a schedule asks for. */
function isUrgent({ trigger }: Pick<NewRunRequest, 'trigger'>): boolean {
  return trigger !== 'schedule';
}

/** What became of a request whose run was cut off: it waits again, had ended, or is given up. */
export type PutBack = { state: 'waits'; runId: string } | { state: 'ended' | 'givenUp' };

/** A unique index takes two nulls for different: all contacts are the empty one. */
export const ALL_CONTACTS = '';

/** A run for several contacts; no CRM has an id like this. */
export const SEVERAL_CONTACTS = '*';

/** The most contacts of one run that webhooks ask for, and of one call: what CRMs read in one request. */
export const MAX_HINTS = 100;

/** More single contacts than this cost a CRM more calls than one run over what has changed. */
const MAX_SINGLE_WAITING = 500;

/**
 * Webhooks come in bursts, and a run that finds little to do is over before the next call arrives.
 * So the first of a burst begins a run at once, and what is called for within this time becomes one
 * run. A burst ends when no call has come for so long. All of it is in the database, by its clock:
 * the calls of a burst come in at several hosts, and its runs are those of several workers.
 */
const BURST_MS = 15_000;

/** How long a request that another run has taken in can be asked for. */
const MERGED_KEPT_MS = 24 * 3_600_000;

/** A run that is cut off so often brings its process down, or never comes to its end. */
const MAX_RESUMES = 5;

/** Runs that were asked for, until they have come to their end. */
export function runRequestQueries(
  db: Database,
  clock: Clock,
  asked: RunsAsked,
  record: RecordEntry,
) {
  return {
    /**
     * Remembers that a run is wanted. A request that waits already takes it in; the id of the run
     * that will answer is returned.
     */
    add(request: NewRunRequest): Promise<string> {
      return db.transaction().execute(async (trx) => {
        const notBefore = request.trigger === 'webhook' ? await noteCall(trx, request, clock) : 0;
        const runId = await addRunRequest(trx, { ...request, notBefore }, clock.now());
        await asked(trx, [askedBy(request)]);
        // Webhooks come in bursts, and ask for nothing new then.
        if (request.trigger === 'manual' || runId === request.runId) {
          await record(trx, runAsked({ ...request, runId }, oneOrAll(request.contact)));
        }
        return runId;
      });
    },

    /**
     * Remembers that these contacts, at most `MAX_HINTS`, are to be looked at because a webhook named
     * them: each waits as if it had been asked for alone. Returns the run that will answer for one
     * of them, and whether one run over all that changed answers, as too many wait.
     */
    addNamed(
      integrationId: string,
      contacts: readonly string[],
      newRunId: () => string,
    ): Promise<{ runId: string; isWhole: boolean }> {
      return db.transaction().execute(async (trx) => {
        const notBefore = await noteCall(trx, { integrationId }, clock);
        const named = { integrationId, contacts, newRunId, notBefore };
        const { added, ...answer } = await addNamed(trx, named, clock.now());
        await asked(trx, [{ integrationId, isUrgent: true }]);
        const request = { integrationId, runId: answer.runId, trigger: 'webhook', full: false };
        if (added.length > 0) await record(trx, runAsked(request, added));
        return answer;
      });
    },

    /**
     * Requests of webhooks for single contacts that a run for this one may answer as well, the longest
     * waiting first.
     */
    listAlongside({ runId, integrationId, contact, trigger, full }: RunRequestRecord) {
      if (contact === ALL_CONTACTS || trigger !== 'webhook' || full === 1)
        return Promise.resolve([]);
      return db
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
    },

    /** What waits: urgent requests first, and then the longest waiting. */
    list(integrationId?: string): Promise<RunRequestRecord[]> {
      return waitingRows(db, integrationId).execute().then(fromRows);
    },

    /** What waits and may begin, in the same order: all but what is gathered of webhooks. */
    listReady(integrationId?: string): Promise<RunRequestRecord[]> {
      const now = clock.now();
      const time = { now, latest: now + BURST_MS };
      const ready =
        integrationId === undefined
          ? readyOfAll(db, time)
          : readyOf(db, { integrationId, ...time });
      return ready.then(({ rows }) => fromRows(rows));
    },

    /** Requests whose runs have begun and not come to their end. */
    listBegun(integrationId?: string): Promise<RunRequestRecord[]> {
      const begun =
        integrationId === undefined ? begunOfAll(db, {}) : begunOf(db, { integrationId });
      return begun.then(({ rows }) => fromRows(rows));
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
     * already. One that is handed over by a process that is asked to end does not count as cut off.
     */
    putBack(request: RunRequestRecord, newRunId: string, isHandedOver = false): Promise<PutBack> {
      return db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('run_requests')
          .where('run_id', '=', request.runId)
          .where('left_at', 'is not', null)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return { state: 'ended' };
        if (await endIfStopped(trx, request, clock.now())) return { state: 'ended' };
        if (!isHandedOver && request.resumed >= MAX_RESUMES) {
          await recordGivenUp(trx, request, clock.now());
          return { state: 'givenUp' };
        }
        if (request.contact !== ALL_CONTACTS) await separate(trx, request.runId);
        const resumed = request.resumed + (isHandedOver ? 0 : 1);
        const again = { ...request, runId: newRunId, resumed, leftAt: null };
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

/** What the audit says of a run that is asked for: for these contacts, or (null) for all. */
export function runAsked(
  {
    integrationId,
    runId,
    trigger,
    full,
  }: Pick<RunRequestRecord, 'integrationId' | 'runId'> & {
    trigger: string;
    full: boolean;
  },
  only: readonly string[] | null,
): NewAuditEntry {
  const [first, ...others] = only ?? [];
  const crmId = first === undefined || others.length > 0 ? null : first;
  const contacts = only?.length ?? null;
  const details = { run: runId, trigger, full, contacts };
  return { action: 'run.asked', integrationId, crmId, details };
}

function oneOrAll(contact: string | null): string[] | null {
  return contact === null ? null : [contact];
}

function askedBy({ integrationId, trigger }: NewRunRequest): AskedRun {
  return { integrationId, isUrgent: isUrgent({ trigger }) };
}

/** Integrations of which something is wanted, and that have no job (open, by its key) in a queue of pg-boss. */
export async function listWithoutJob(
  db: Database,
  { table, queue }: { table: string; queue: string },
): Promise<AskedRun[]> {
  const hasJob = sql<SqlBool>`exists (
    select 1 from ${sql.table(table)} job where job.name = ${queue}
    and job.state <= 'active' and job.singleton_key = run_requests.integration_id)`;
  const rows = await wantedRows(db)
    .where((eb) => eb.not(hasJob))
    .execute();
  return rows.map(({ urgent, ...row }) => ({ ...row, isUrgent: Number(urgent) > 0 }));
}

/** What is wanted of an integration; null for nothing. */
export async function findWanted(trx: Trx, integrationId: string): Promise<AskedRun | null> {
  const row = await wantedRows(trx).where('integration_id', '=', integrationId).executeTakeFirst();
  return row ? { integrationId, isUrgent: Number(row.urgent) > 0 } : null;
}

function waitingRows(db: Database | Trx, integrationId: string | Expression<string> | undefined) {
  return db
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

/** When something is ready; only looked at where the database has no time of its own. */
type ReadyAt = { now: number; latest: number };

const readyOfAll = prepared((db, time: Slots<ReadyAt>) =>
  waitingRows(db, undefined).where(isReady(db, time)).compile(),
);

const readyOf = prepared(
  (db, { integrationId, ...time }: Slots<{ integrationId: string } & ReadyAt>) =>
    waitingRows(db, integrationId).where(isReady(db, time)).compile(),
);

const begunOfAll = prepared((db) => begunRows(db).compile());

const begunOf = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  begunRows(db).where('integration_id', '=', integrationId).compile(),
);

function begunRows(db: Database | Trx) {
  return db
    .selectFrom('run_requests')
    .selectAll()
    .where('left_at', 'is not', null)
    .where('merged_into', 'is', null);
}

/** A time that is too far away is from before the clock was set back, and says nothing any more. */
function isReady(db: Database | Trx, slots: Slots<ReadyAt>) {
  const [now, latest] = isPostgres(db)
    ? [serverTime(0), serverTime(BURST_MS)]
    : [slots.now, slots.latest];
  return sql<SqlBool>`not (not_before > ${now} and not_before <= ${latest})`;
}

/** A webhook calls for something; returns before when its run does not begin. */
async function noteCall(
  trx: Trx,
  { integrationId }: Pick<NewRunRequest, 'integrationId'>,
  clock: Clock,
): Promise<number> {
  const now = databaseTime(trx, clock)(0);
  const hook = await trx
    .updateTable('hooks')
    .set((eb) => ({
      opens_at: sql<number>`case
        when ${eb.ref('called_at')} between ${now} - ${sql.lit(BURST_MS - 1)} and ${now}
        then ${eb.ref('opens_at')} else 0 end`,
      called_at: now,
    }))
    .where('integration_id', '=', integrationId)
    .returning('opens_at')
    .executeTakeFirst();
  return Number(hook?.opens_at ?? 0);
}

/** The run of a request of webhooks begins: what is called for from now on becomes the next one. */
async function openBurst(trx: Trx, runId: string, now: number): Promise<void> {
  await openBurstOf(trx, { runId, opensAt: now + BURST_MS });
}

const openBurstOf = prepared((db, { runId, opensAt }: Slots<{ runId: string; opensAt: number }>) =>
  db
    .updateTable('hooks')
    .set({ opens_at: isPostgres(db) ? serverTime(BURST_MS) : opensAt })
    .where('integration_id', 'in', (eb) =>
      eb
        .selectFrom('run_requests')
        .select('integration_id')
        .where('run_id', '=', runId)
        .where('trigger', '=', 'webhook'),
    )
    .compile(),
);

/** Waiting or begun: a run that has begun and has not come to its end is wanted still. */
function wantedRows(db: Database | Trx) {
  return db
    .selectFrom('run_requests')
    .select((eb) => ['integration_id as integrationId', eb.fn.max('urgent').as('urgent')])
    .where('merged_into', 'is', null)
    .groupBy('integration_id');
}

/** Stores a request as part of a transaction; see `add`. */
export async function addRunRequest(
  trx: Trx,
  request: NewRunRequest,
  now: number,
): Promise<string> {
  const { contact } = request;
  const isOneTooMany =
    contact !== null && (await countOthers(trx, request, [contact])) >= MAX_SINGLE_WAITING;
  return isOneTooMany ? addWhole(trx, request, now) : insertRequest(trx, requestOf(request, now));
}

interface NamedContacts extends Pick<NewRunRequest, 'integrationId' | 'notBefore'> {
  contacts: readonly string[];
  newRunId: () => string;
}

async function addNamed(
  trx: Trx,
  { contacts, newRunId, ...integration }: NamedContacts,
  now: number,
): Promise<{ runId: string; isWhole: boolean; added: string[] }> {
  const request = { ...integration, trigger: 'webhook', full: false } as const;
  const others = await countOthers(trx, request, contacts);
  if (others + contacts.length > MAX_SINGLE_WAITING) {
    const runId = await addWhole(trx, { ...request, contact: null, runId: newRunId() }, now);
    return { runId, isWhole: true, added: [...contacts] };
  }
  const runIds: string[] = [];
  const added: string[] = [];
  // In one order everywhere: two calls that name the same contacts do not wait for each other.
  for (const contact of [...contacts].sort()) {
    const row = requestOf({ ...request, contact, runId: newRunId() }, now);
    const runId = await insertRequest(trx, row);
    runIds.push(runId);
    if (runId === row.runId) added.push(contact);
  }
  return { runId: runIds[0] ?? '', isWhole: false, added };
}

/** One run over all that has changed, in the place of too many for single contacts. */
async function addWhole(trx: Trx, request: NewRunRequest, now: number): Promise<string> {
  const whole = await insertRequest(
    trx,
    requestOf({ ...request, contact: null, full: false }, now),
  );
  await mergeSingles(trx, request.integrationId, whole, now);
  return whole;
}

/** How many other single contacts wait. */
async function countOthers(
  trx: Trx,
  { integrationId }: Pick<NewRunRequest, 'integrationId'>,
  contacts: readonly string[],
): Promise<number> {
  const waiting = await trx
    .selectFrom('run_requests')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('contact', 'not in', [ALL_CONTACTS, ...contacts])
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
    urgent: isUrgent(request) ? 1 : 0,
    notBefore: request.notBefore ?? 0,
  };
}

/** Stores requests for runs over all that has changed, each of another integration. */
export async function addScheduledRuns(
  trx: Trx,
  runs: readonly Pick<NewRunRequest, 'integrationId' | 'runId'>[],
  now: number,
): Promise<void> {
  if (runs.length === 0) return;
  const asked = { contact: null, trigger: 'schedule', full: false } as const;
  const rows = runs.map((run) => requestOf({ ...run, ...asked }, now));
  await insertRows(trx, rows).execute();
}

async function insertRequest(trx: Trx, request: RunRequestRecord): Promise<string> {
  const inserted = await insertRows(trx, [request]).returning('run_id').executeTakeFirstOrThrow();
  return inserted.run_id;
}

function insertRows(trx: Trx, requests: readonly RunRequestRecord[]) {
  return trx
    .insertInto('run_requests')
    .values(
      requests.map((request) => ({
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
        urgent: request.urgent,
        not_before: request.notBefore,
      })),
    )
    .onConflict((c) =>
      c
        .columns(['integration_id', 'contact'])
        .where('left_at', 'is', null)
        .doUpdateSet((eb) => ({
          times: eb('run_requests.times', '+', 1),
          // Who wants everything read anew is not content with less.
          full: eb
            .case()
            .when('excluded.full', '=', 1)
            .then(1)
            .else(eb.ref('run_requests.full'))
            .end(),
          urgent: eb
            .case()
            .when('excluded.urgent', '=', 1)
            .then(1)
            .else(eb.ref('run_requests.urgent'))
            .end(),
          // People and schedules do not wait for webhooks.
          not_before: eb
            .case()
            .when('excluded.not_before', '<', eb.ref('run_requests.not_before'))
            .then(eb.ref('excluded.not_before'))
            .else(eb.ref('run_requests.not_before'))
            .end(),
        })),
    );
}

/**
 * The run that a request waited for begins, and answers those of the runs in `alongside` that still
 * wait. False if no request is on record.
 */
export async function beginRunRequest(
  trx: Trx,
  runId: string,
  alongside: readonly string[],
  now: number,
): Promise<boolean> {
  // The row of the webhook before those of the requests, as calls take them.
  await openBurst(trx, runId, now);
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

/** A request that is given up is on record as a run that failed, which is what alerts are about. */
async function recordGivenUp(
  trx: Trx,
  { runId: id, integrationId }: RunRequestRecord,
  now: number,
): Promise<void> {
  const cutOff = await trx
    .updateTable('runs')
    .set((eb) => ({
      status: 'failed',
      reason_code: 'cut_off_too_often',
      reason_message: `Its process ended in the middle of this run, as it did in ${MAX_RESUMES} runs before. It is not tried again until a schedule or a person asks for it.`,
      finished_at: eb.fn.coalesce('finished_at', eb.val(now)),
      report: null,
    }))
    .where('id', '=', id)
    .returning('fresh_count')
    .executeTakeFirst();
  if (cutOff?.fresh_count === null) await writeRunRows(trx, { id, integrationId });
}

/** A run that was cut off after a person had asked for its end is not taken up again; false for any other. */
async function endIfStopped(
  trx: Trx,
  { runId: id, integrationId }: RunRequestRecord,
  now: number,
): Promise<boolean> {
  const stopped = await trx
    .updateTable('runs')
    .set((eb) => ({
      status: 'incomplete',
      reason_code: STOPPED_BY_PERSON.code,
      reason_message: STOPPED_BY_PERSON.message,
      finished_at: eb.fn.coalesce('finished_at', eb.val(now)),
      report: null,
    }))
    .where('id', '=', id)
    .where('stop_asked_at', 'is not', null)
    .returning('fresh_count')
    .executeTakeFirst();
  if (stopped?.fresh_count === null) await writeRunRows(trx, { id, integrationId });
  return stopped !== undefined;
}

/**
 * Takes a request that waits away because a person does not want its run any more, with what waits for
 * the same run; undefined if it does not wait. Returns the integration.
 */
export async function dropStopped(trx: Trx, runId: string): Promise<string | undefined> {
  const dropped = await trx
    .deleteFrom('run_requests')
    .where('run_id', '=', runId)
    .where('left_at', 'is', null)
    .returning('integration_id')
    .executeTakeFirst();
  if (dropped) await trx.deleteFrom('run_requests').where('merged_into', '=', runId).execute();
  return dropped?.integration_id;
}

/** What a run that was cut off had taken along waits again, unless the same waits already. */
export async function separate(trx: Trx, runId: string): Promise<void> {
  await trx
    .updateTable('run_requests')
    .set({ left_at: null, merged_into: null })
    .where('merged_into', '=', runId)
    .where('contact', 'not in', (eb) =>
      eb
        .selectFrom('run_requests as waiting')
        .select('waiting.contact')
        .whereRef('waiting.integration_id', '=', 'run_requests.integration_id')
        .where('waiting.left_at', 'is', null),
    )
    .execute();
}

/** Nothing is wanted of a request any more. */
export async function endRunRequest(trx: Trx, runId: string): Promise<void> {
  await dropRequest(trx, { runId });
}

const dropRequest = prepared((db, { runId }: Slots<{ runId: string }>) =>
  db.deleteFrom('run_requests').where('run_id', '=', runId).compile(),
);

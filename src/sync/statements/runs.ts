/** Stores runs: how each run started, how it ended, and what it reported. */

import { type Expression, type Selectable, sql } from 'kysely';
import { isBeingSetUp } from '../../clients/statements/setup-drafts.ts';
import { RetriableError } from '../../core/errors.ts';
import type { RunReason, RunStatus, Trigger } from '../../core/run.ts';
import { recordSpent } from '../../credits/statements/credit-spans.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import {
  dropOldTexts,
  keepWords,
  type SealedWords,
} from '../../database/encryption/foreign-texts.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { ALL_CONTACTS } from './request-rows.ts';
import {
  beginRunRequest,
  dropStopped,
  endRunRequest,
  runAsked,
  SEVERAL_CONTACTS,
} from './run-requests.ts';
import { dropRunRows, writeRunRows } from './run-rows.ts';

export type RunRecord = FromRow<Selectable<Tables['runs']>>;

/** The run that makes a change, and the time of the change (epoch ms). */
export interface RunContext {
  id: string;
  now: number;
}

/**
 * Returns a string that changes when a run of the client starts, ends or is undone. Callers discard results in memory when the
 * string changes.
 */
export async function readRunMark(reader: Reader, integrationId: string): Promise<string> {
  const row = await reader
    .selectFrom('runs')
    .select(['id', 'status', 'finished_at'])
    .select((eb) =>
      eb
        .selectFrom('runs as undone')
        .select(({ fn }) => fn.max('undone.undone_at').as('at'))
        .where('undone.integration_id', '=', integrationId)
        .as('undone_at'),
    )
    .where('integration_id', '=', integrationId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return JSON.stringify(row ?? null);
}

export const RUN_ORDERS = [
  'newest',
  'oldest',
  'longest',
  'shortest',
  'most-credits',
  'fewest-credits',
] as const;

export type RunOrder = (typeof RUN_ORDERS)[number];

/** The position of a run in a list: the value by which the list is sorted, and the run's ID. */
export interface RunPosition {
  value: number;
  id: string;
}

/** The conditions for runs. An omitted property is not a condition. */
export interface RunFilter {
  integrationId?: string | undefined;
  /** Limits the result to runs of these integrations. */
  integrationIds?: readonly string[] | undefined;
  status?: RunStatus | undefined;
  trigger?: Trigger | undefined;
  /** Limits the result to runs that started at this time or later (epoch ms). */
  from?: number | undefined;
  /** Limits the result to runs that started before this time (epoch ms). */
  until?: number | undefined;
  /** Defaults to `newest`. */
  order?: RunOrder | undefined;
  after?: RunPosition | undefined;
  limit: number;
}

/** What a run does with its contacts. Each property defaults to false, or to no requests. */
interface RunBegin {
  /** True if the run reads all contacts again. */
  full?: boolean;
  /** True if the run has the limits of a set-up. The run is recorded as a trial if the set-up still exists. */
  isTrial?: boolean;
  /** True if the run only delivers stored profiles again. */
  redelivers?: boolean;
  /** The IDs of the other requests that the run carries out. */
  alongside?: readonly string[];
}

/**
 * Records the start of a run for some contacts, or for all contacts if null. If an earlier run was cut off, marks it as
 * interrupted. The run's own request and the requests in `alongside` no longer wait, because the run carries them out.
 * Throws a RetriableError if a different process has started this run.
 */
export async function recordRunBegin(
  trx: RunTransaction,
  id: string,
  trigger: Trigger,
  only: readonly string[] | null,
  { full = false, isTrial = false, redelivers = false, alongside = [] }: RunBegin = {},
): Promise<void> {
  await requireFresh(trx, id);
  const wasAsked = await beginRunRequest(trx, id, alongside);
  const { integrationId, epoch } = trx.lease;
  const now = trx.clock.now();
  const cutOff = await interrupt(trx, { integrationId, now });
  for (const run of cutOff.rows) {
    await writeRunRows(trx, run);
    await recordSpent(trx, run);
  }
  const due =
    only === null
      ? await countDue(trx, { integrationId })
      : await countDueAmong(trx, { integrationId, only });
  await insertRun(trx, {
    id,
    integrationId,
    epoch,
    trigger,
    contact: getRunContact(only),
    full: full ? 1 : 0,
    trial: isTrial && (await isBeingSetUp(trx, integrationId)) ? 1 : 0,
    startedAt: now,
    // This run also handles contacts that an earlier run chose but did not finish.
    chosen: redelivers ? 0 : Number(due.rows[0]?.count ?? 0),
  });
  await recordLastRun(trx, { integrationId, id });
  // A scheduled run has no user request, so the audit records it only when it starts.
  if (wasAsked && trigger !== 'schedule') return;
  const request = { integrationId, runId: id, trigger, full, redelivers };
  await recordEntry(trx, runAsked(request, only));
}

/**
 * Records how a run ended, with its report and the results for its contacts. Deletes the results of runs before
 * `keepRowsSince` (epoch ms), and CRM messages that are too old. The requests that the run carried out are finished. If
 * the run was interrupted, donor-sync keeps its requests, because they must still be carried out.
 */
export async function recordRunEnd(
  trx: RunTransaction,
  id: string,
  end: {
    status: RunStatus;
    reason: RunReason | null;
    finishedAt: number;
    report: string;
    /** The CRM's message about the reason, encrypted. */
    words?: SealedWords | null;
    /** The time before which results are deleted (epoch ms). If null or omitted, no results are deleted. */
    keepRowsSince?: number | null;
    /** True to keep CRM messages regardless of their age. */
    keepsOldTexts?: boolean;
  },
): Promise<void> {
  await endRun(trx, {
    id,
    status: end.status,
    finishedAt: end.finishedAt,
    report: end.report,
    reasonCode: end.reason?.code ?? null,
    reasonMessage: end.reason?.message ?? null,
  });
  const { integrationId } = trx.lease;
  if (end.keepsOldTexts !== true) await dropOldTexts(trx);
  if (end.words) await keepWords(trx, integrationId, { id, now: end.finishedAt }, [end.words]);
  await writeRunRows(trx, { id, integrationId });
  await recordSpent(trx, { id, integrationId });
  const { keepRowsSince = null } = end;
  if (keepRowsSince !== null) await dropRunRows(trx, integrationId, keepRowsSince);
  if (end.reason?.code !== 'interrupted') await endRunRequest(trx, id);
}

/**
 * Requests a run's stop, whichever process executes the run. The run stops at its next checkpoint. A waiting run does
 * not start. Returns `over` if the run has ended or does not exist.
 */
export async function requestStop(
  trx: ActorTransaction,
  id: string,
): Promise<'stopping' | 'dropped' | 'over'> {
  // Searches for the request first. If the run starts in between, the next search finds the run.
  const waited = await dropStopped(trx, id);
  if (waited !== undefined) {
    const details = { run: id, begun: false };
    await recordEntry(trx, { action: 'run.stopped', integrationId: waited, details });
    return 'dropped';
  }
  const going = await trx
    .updateTable('runs')
    .set((eb) => ({ stop_asked_at: eb.fn.coalesce('stop_asked_at', eb.val(trx.clock.now())) }))
    .where('id', '=', id)
    .where('status', '=', 'running')
    .returning('integration_id')
    .executeTakeFirst();
  if (going === undefined) return 'over';
  const details = { run: id, begun: true };
  await recordEntry(trx, { action: 'run.stopped', integrationId: going.integration_id, details });
  return 'stopping';
}

/** Records data that only the run's process knows. */
export async function recordRunFacts(
  connection: TimedConnection,
  id: string,
  facts: string,
): Promise<void> {
  await recordFacts(connection, { id, facts });
}

/**
 * Returns the data that others may have changed during a run: the service key's balance, and a user's request to stop.
 */
export async function findOutsideState(
  reader: Reader,
  id: string,
  partnerKey: string,
): Promise<{ balance: number | null; isStopAsked: boolean }> {
  const { rows } = await selectOutsideState(reader, { id, partnerKey });
  const [row] = rows;
  return { balance: row?.balance ?? null, isStopAsked: (row?.stop_asked_at ?? null) !== null };
}

export function findRunById(reader: Reader, id: string): Promise<RunRecord | undefined> {
  return selectRun(reader, { id }).then(({ rows }) => maybeFromRow(rows[0]));
}

/** Returns the times at which these runs started (epoch ms), by their IDs. Leaves out runs that do not exist. */
export async function listRunStarts(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('runs')
    .select(['id', 'started_at'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, started_at }) => [id, started_at]));
}

/** Returns the newest `count` runs of each integration, newest first. */
export async function listNewestRuns(
  reader: Reader,
  ids: readonly string[],
  count: number,
): Promise<Map<string, RunRecord[]>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('integrations as i')
    .innerJoin('runs', 'runs.integration_id', 'i.id')
    .selectAll('runs')
    .where('i.id', 'in', ids)
    // This query reads only the index, even if there are many earlier runs.
    .where('runs.started_at', '>=', (eb) =>
      eb.fn.coalesce(
        eb
          .selectFrom('runs as last')
          .select('last.started_at')
          .whereRef('last.integration_id', '=', 'i.id')
          .orderBy('last.started_at', 'desc')
          .limit(1)
          .offset(count - 1),
        eb.lit(0),
      ),
    )
    .orderBy('runs.started_at', 'desc')
    .orderBy('runs.id')
    .execute();
  const found = Map.groupBy(fromRows(rows), ({ integrationId }) => integrationId);
  for (const [id, runs] of found) found.set(id, runs.slice(0, count));
  return found;
}

/** Returns runs in the order of the filter, by default newest first. */
export async function listRunRecords(reader: Reader, filter: RunFilter): Promise<RunRecord[]> {
  if (filter.integrationIds?.length === 0) return [];
  return buildRunListQuery(reader, filter).execute().then(fromRows);
}

/** Builds the query for a page of runs. Exported for a test that checks the database's query plan. */
export function buildRunListQuery(reader: Reader, filter: RunFilter) {
  const { integrationId, integrationIds, status, trigger, from, until, after, limit } = filter;
  let query = reader.selectFrom('runs').selectAll();
  if (integrationIds) query = query.where('integration_id', 'in', integrationIds);
  if (integrationId !== undefined) query = query.where('integration_id', '=', integrationId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (trigger !== undefined) query = query.where('trigger', '=', trigger);
  if (from !== undefined) query = query.where('started_at', '>=', from);
  if (until !== undefined) query = query.where('started_at', '<', until);
  const { value, direction, idDirection } = SORT_KEYS[filter.order ?? 'newest'];
  if (after !== undefined) {
    // The first condition is redundant, because it follows from the second condition. However, it makes the database
    // use the index.
    query = query
      .where(value, direction === 'desc' ? '<=' : '>=', after.value)
      .where((eb) =>
        eb.or([
          eb(value, direction === 'desc' ? '<' : '>', after.value),
          eb.and([
            eb(value, '=', after.value),
            eb('id', idDirection === 'desc' ? '<' : '>', after.id),
          ]),
        ]),
      );
  }
  return query.orderBy(value, direction).orderBy('id', idDirection).limit(limit);
}

export function toRunPosition(run: RunRecord, order: RunOrder): RunPosition {
  return { value: SORT_KEYS[order].read(run), id: run.id };
}

interface SortKey {
  value: ReturnType<typeof sql.ref<number>>;
  direction: 'asc' | 'desc';
  /**
   * The order of runs that have the same value. Both columns have the same direction, so the database can read its
   * index in one direction.
   */
  idDirection: 'asc' | 'desc';
  read(run: RunRecord): number;
}

const START = { value: sql.ref<number>('started_at'), read: (run: RunRecord) => run.startedAt };

/** A run in progress has no duration yet. The list treats it as the shortest run. */
const DURATION = {
  // The same expression as in the database index.
  value: sql<number>`(coalesce(finished_at - started_at, -1))`,
  read: ({ finishedAt, startedAt }: RunRecord) =>
    finishedAt === null ? -1 : finishedAt - startedAt,
};

const SPENDING = {
  value: sql.ref<number>('spent_enhancements'),
  read: (run: RunRecord) => run.spentEnhancements,
};

const SORT_KEYS: Readonly<Record<RunOrder, SortKey>> = {
  newest: { ...START, direction: 'desc', idDirection: 'asc' },
  oldest: { ...START, direction: 'asc', idDirection: 'desc' },
  longest: { ...DURATION, direction: 'desc', idDirection: 'desc' },
  shortest: { ...DURATION, direction: 'asc', idDirection: 'asc' },
  'most-credits': { ...SPENDING, direction: 'desc', idDirection: 'desc' },
  'fewest-credits': { ...SPENDING, direction: 'asc', idDirection: 'asc' },
};

type OfIntegration = { integrationId: string };

const selectId = preparedRead((db, { id }: Slots<{ id: string }>) =>
  db.selectFrom('runs').select('id').where('id', '=', id).compile(),
);

const selectRun = preparedRead((db, { id }: Slots<{ id: string }>) =>
  db.selectFrom('runs').selectAll().where('id', '=', id).compile(),
);

const interrupt = prepared((db, { integrationId, now }: Slots<OfIntegration & { now: number }>) =>
  db
    .updateTable('runs')
    .set({
      status: 'incomplete',
      reason_code: 'interrupted',
      reason_message: 'The process ended during this run. The next run continued.',
      finished_at: now,
    })
    .where('integration_id', '=', integrationId)
    .where('status', '=', 'running')
    .returning(['id', 'integration_id as integrationId'])
    .compile(),
);

const countDue = preparedRead((db, { integrationId }: Slots<OfIntegration>) =>
  buildDueQuery(db, integrationId).compile(),
);

const countDueAmong = preparedRead(
  (db, { integrationId, only }: Slots<OfIntegration & { only: readonly string[] }>) =>
    buildDueQuery(db, integrationId).where('crm_id', 'in', only).compile(),
);

function buildDueQuery(reader: Reader, integrationId: Expression<string>) {
  return reader
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'due');
}

type NewRun = OfIntegration & {
  id: string;
  epoch: number;
  trigger: Trigger;
  contact: string;
  full: 0 | 1;
  trial: 0 | 1;
  startedAt: number;
  chosen: number;
};

const insertRun = prepared((db, run: Slots<NewRun>) =>
  db
    .insertInto('runs')
    .values({
      id: run.id,
      integration_id: run.integrationId,
      epoch: run.epoch,
      trigger: run.trigger,
      contact: run.contact,
      full: run.full,
      trial: run.trial,
      status: 'running',
      started_at: run.startedAt,
      read_count: 0,
      chosen_count: run.chosen,
      submitted_count: 0,
      enhanced_count: 0,
      shared_count: 0,
      spent_enhancements: 0,
      undone_values: 0,
      undone_contacts: 0,
      undone_kept: 0,
    })
    .compile(),
);

const recordLastRun = prepared((db, { integrationId, id }: Slots<OfIntegration & { id: string }>) =>
  db.updateTable('integrations').set({ last_run: id }).where('id', '=', integrationId).compile(),
);

type RunEnd = {
  id: string;
  status: RunStatus;
  reasonCode: string | null;
  reasonMessage: string | null;
  finishedAt: number;
  report: string;
};

const endRun = prepared((db, { id, ...end }: Slots<RunEnd>) =>
  db
    .updateTable('runs')
    .set({
      status: end.status,
      reason_code: end.reasonCode,
      reason_message: end.reasonMessage,
      finished_at: end.finishedAt,
      report: end.report,
    })
    .where('id', '=', id)
    .compile(),
);

const recordFacts = prepared((db, { id, facts }: Slots<{ id: string; facts: string }>) =>
  db
    .updateTable('runs')
    .set({ facts })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .compile(),
);

const selectOutsideState = preparedRead(
  (db, { id, partnerKey }: Slots<{ id: string; partnerKey: string }>) =>
    db
      .selectFrom('runs')
      .select('stop_asked_at')
      .select((eb) =>
        eb
          .selectFrom('partner_keys')
          .select('balance')
          .where('partner_keys.id', '=', partnerKey)
          .as('balance'),
      )
      .where('runs.id', '=', id)
      .compile(),
);

/**
 * Returns the contact that donor-sync stores for a run. For a run for several contacts, it stores none of them. The
 * run's result rows contain each contact.
 */
function getRunContact(only: readonly string[] | null): string {
  const [first = ALL_CONTACTS, ...others] = only ?? [];
  return others.length > 0 ? SEVERAL_CONTACTS : first;
}

/**
 * Throws a RetriableError if a different process has already started a run for this request. Two processes can find the
 * same request, and only the first run is valid.
 */
async function requireFresh(reader: Reader, id: string): Promise<void> {
  const { rows } = await selectId(reader, { id });
  if (rows.length === 0) return;
  throw new RetriableError(`The run ${id} has started in another process.`, {
    code: 'already_running',
    details: { run: id },
  });
}

/** Records that an undo has restored a run's values, together with one contact's restored values. */
export async function recordValuesUndone(
  trx: RunTransaction,
  runId: string,
  values: number,
): Promise<void> {
  await trx
    .updateTable('runs')
    .set((eb) => ({
      undone_at: trx.clock.now(),
      undone_values: eb('undone_values', '+', values),
    }))
    .where('id', '=', runId)
    .execute();
}

/** Returns the encrypted name of the user who undid a run, or null if no name is stored. */
export async function findUndoAuthor(reader: Reader, runId: string): Promise<string | null> {
  const row = await reader
    .selectFrom('run_undos')
    .select('author')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.author ?? null;
}

/** Records the end of an undo. `author` is the encrypted name of the user, or null if there is no name. */
export async function recordRunUndone(
  trx: ActorTransaction,
  runId: string,
  { author, contacts, kept }: { author: string | null; contacts: number; kept: number },
): Promise<void> {
  await trx
    .updateTable('runs')
    .set({ undone_at: trx.clock.now(), undone_contacts: contacts, undone_kept: kept })
    .where('id', '=', runId)
    .execute();
  await trx.deleteFrom('run_undos').where('run_id', '=', runId).execute();
  if (author === null) return;
  await trx.insertInto('run_undos').values({ run_id: runId, author }).execute();
}

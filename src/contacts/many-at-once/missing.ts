/**
 * Handles missing contacts that the CRM does not report as deleted. This file marks, counts, holds and removes missing
 * contacts. `sync/guards/departures.ts` decides which of these actions a run takes.
 */

import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';
import type { RunContext } from '../../sync/statements/runs.ts';
import { supersedeHolds } from '../departures.ts';
import { move, moveAndList } from '../life/apply-events.ts';
import { findLastConfirmation, findOpenBatch } from './questions.ts';

/**
 * A window of one week for missing contacts. Departures within a week are counted together, and a user's answer "wait"
 * is valid for a week.
 */
export interface DepartureWindow {
  since: number;
  /**
   * The IDs of missing contacts that wait for a user's decision about other contacts. These IDs do not count as
   * missing.
   */
  undecided?: readonly string[];
}

export interface DepartureCounts {
  /**
   * The number of contacts that are missing now. Contacts that wait, or that a user has decided to wait for, are
   * excluded.
   */
  missing: number;
  /**
   * The number of contacts that were removed within the window because they were missing. Removals that a user
   * confirmed are excluded.
   */
  removed: number;
  known: number;
}

/** The kind of question that asks whether missing contacts have left. */
const MISSING_KIND = 'contacts_missing' as const;

/** Marks contacts that a lookup did not find. Contacts that the store does not know are not added. */
export async function markMissing(
  trx: RunTransaction,
  runId: string,
  crmIds: readonly string[],
): Promise<void> {
  if (crmIds.length === 0) return;
  await mark(trx, trx.lease, { id: runId, now: trx.clock.now() }, crmIds);
}

/** Marks contacts that this run did not find. Used after a complete reading if the CRM does not report removals. */
export async function markUnseen(trx: RunTransaction, runId: string): Promise<void> {
  const run = { id: runId, now: trx.clock.now() };
  const isUnseen = (eb: ContactBuilder) =>
    eb.and([
      eb('seen_run', 'is distinct from', runId),
      eb('departure_read', '=', 0),
      eb('state', '<>', 'removed'),
    ]);
  // An unreadable row is stored under its row number and was never a contact.
  const isNumber = (eb: ContactBuilder) => eb('outcome_reason', '=', 'row_unreadable');
  await move(trx, trx.lease, 'left', { is: (eb) => eb.and([isUnseen(eb), isNumber(eb)]) }, run, {
    outcome_reason: 'deleted_in_crm',
    merged_into: null,
  });
  await move(trx, trx.lease, 'missed', { is: isUnseen }, run);
}

/** Counts missing contacts. Returns null if no contact is missing, so most runs need not count all contacts. */
export async function countMissing(
  reader: Reader,
  integrationId: string,
  window: DepartureWindow,
): Promise<DepartureCounts | null> {
  const begin = Math.max(
    window.since,
    await findLastConfirmation(reader, integrationId, MISSING_KIND),
  );
  const missing = await readCount(
    contacts(reader, integrationId)
      .where((eb) => isMissing(eb, integrationId, window))
      .select((eb) => eb.fn.countAll().as('count')),
  );
  if (missing === 0) return null;
  const removed = await readCount(
    contacts(reader, integrationId)
      .where('missing_since', '>=', begin)
      .where((eb) => eb.or([eb('state', '=', 'removed'), eb('departure_read', '=', 1)]))
      .select((eb) => eb.fn.countAll().as('count')),
  );
  const known = await readCount(
    contacts(reader, integrationId)
      .where('state', '<>', 'removed')
      .where('departure_read', '=', 0)
      .where('outcome_reason', '<>', 'row_unreadable')
      .select((eb) => eb.fn.countAll().as('count')),
  );
  return { missing, removed, known };
}

/**
 * Opens the missing holds in one batch, and sets this detail on all open holds. Contacts that go missing later join the
 * same batch. Resolves with the number of new holds.
 */
export async function holdMissing(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  { detail, newId, ...window }: DepartureWindow & { detail: string | null; newId: () => string },
): Promise<number> {
  const batch = (await findOpenBatch(reader, lease.integrationId, MISSING_KIND)) ?? newId();
  let held = 0;
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    const rows = await checkpoint(lease, (trx) =>
      holdSome(trx, lease, { window, detail, batch, newId, after: from, now: reader.clock.now() }),
    );
    held += rows.length;
    after = rows.length < ROWS_PER_TRANSACTION ? null : (rows.at(-1) ?? null);
  }
  await checkpoint(lease, (trx) =>
    trx
      .updateTable('questions')
      .set({ detail })
      .where('integration_id', '=', lease.integrationId)
      .where('kind', '=', MISSING_KIND)
      .where('decision', 'is', null)
      .where(sql<SqlBool>`coalesce(detail, '') <> ${detail ?? ''}`)
      .execute(),
  );
  return held;
}

/** Removes missing contacts. Contacts that a user has decided to wait for are kept. */
export async function removeMissing(trx: RunTransaction, window: DepartureWindow): Promise<void> {
  const moment = { now: trx.clock.now() };
  const { integrationId } = trx.lease;
  const gone = await moveAndList(
    trx,
    trx.lease,
    'gone',
    { is: (eb) => isMissing(eb, integrationId, window) },
    moment,
    { outcome_reason: 'deleted_in_crm', merged_into: null },
  );
  await closeQuestions(trx, integrationId, moment.now, gone);
}

/** Yields the IDs of contacts that are missing or that were removed because they were missing, in batches. */
export async function* listMissing(
  reader: Reader,
  integrationId: string,
  { removedSince }: { removedSince: number },
): AsyncGenerator<string[], void> {
  for (let after = ''; ; ) {
    const rows = await contacts(reader, integrationId)
      .select('crm_id')
      .where((eb) => eb.or([isMarked(eb), eb('missing_since', '>=', removedSince)]))
      .where('crm_id', '>', after)
      .orderBy('crm_id')
      .limit(ROWS_PER_TRANSACTION)
      .execute();
    if (rows.length > 0) yield rows.map(({ crm_id }) => crm_id);
    if (rows.length < ROWS_PER_TRANSACTION) return;
    after = rows.at(-1)?.crm_id ?? '';
  }
}

/** Yields the IDs of contacts in the store that this run did not find, in batches. */
export async function* listUnseen(
  reader: Reader,
  integrationId: string,
  runId: string,
): AsyncGenerator<string[], void> {
  for (let after = ''; ; ) {
    const rows = await contacts(reader, integrationId)
      .select('crm_id')
      .where('seen_run', 'is distinct from', runId)
      .where('departure_read', '=', 0)
      .where('state', '<>', 'removed')
      .where('crm_id', '>', after)
      .orderBy('crm_id')
      .limit(ROWS_PER_TRANSACTION)
      .execute();
    if (rows.length > 0) yield rows.map(({ crm_id }) => crm_id);
    if (rows.length < ROWS_PER_TRANSACTION) return;
    after = rows.at(-1)?.crm_id ?? '';
  }
}

export async function hasMissing(reader: Reader, integrationId: string): Promise<boolean> {
  const row = await contacts(reader, integrationId)
    .select('crm_id')
    .where(isMarked)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the number of missing contacts about which a user has to decide. With `named`, counts only the named
 * contacts.
 */
export async function countOpenMissing(
  reader: Reader,
  integrationId: string,
  only: readonly string[] | null,
): Promise<number> {
  return readCount(
    reader
      .selectFrom('questions')
      .where('integration_id', '=', integrationId)
      .where('kind', '=', MISSING_KIND)
      .where('decision', 'is', null)
      .$if(only !== null, (query) => query.where('crm_id', 'in', only ?? []))
      .select((eb) => eb.fn.countAll().as('count')),
  );
}

/** Lists contacts that are present. Contacts that have left or that donor-sync must not show are excluded. */
export async function listPresent(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Set<string>> {
  const present = new Set<string>();
  for (const portion of inFilledBatches(crmIds)) {
    const rows = await contacts(reader, integrationId)
      .select('crm_id')
      .where('crm_id', 'in', portion)
      .where('state', '<>', 'removed')
      .where('departure_read', '=', 0)
      .execute();
    for (const { crm_id } of rows) present.add(crm_id);
  }
  return present;
}

/** Returns the fingerprint of the last list that raised no question. Null if every reading raised a question. */
export async function findListScope(reader: Reader, integrationId: string): Promise<string | null> {
  const row = await reader
    .selectFrom('integrations')
    .select('list_scope')
    .where('id', '=', integrationId)
    .executeTakeFirst();
  return row?.list_scope ?? null;
}

/** Records the fingerprint of a list whose reading raised no question. */
export async function recordListScope(trx: RunTransaction, scope: string): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ list_scope: scope })
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

function contacts(reader: Reader, integrationId: string) {
  return reader.selectFrom('contacts').where('integration_id', '=', integrationId);
}

type ContactBuilder = ExpressionBuilder<Tables, 'contacts'>;

export async function mark(
  trx: Trx,
  lease: Lease,
  run: RunContext,
  crmIds: readonly string[],
): Promise<void> {
  await move(trx, lease, 'missed', crmIds, run);
}

/** Removes missing contacts whose departure a user has confirmed. Contacts that have returned are kept. */
export async function removeConfirmed(
  trx: Trx,
  integrationId: string,
  now: number,
  crmIds: readonly string[],
): Promise<void> {
  const gone = await moveAndList(
    trx,
    { integrationId },
    'gone',
    crmIds,
    { now },
    {
      outcome_reason: 'deleted_in_crm',
      merged_into: null,
    },
  );
  await closeQuestions(trx, integrationId, now, gone);
}

/** Closes questions about contacts that were found again, because users no longer have to decide about them. */
export async function closeMissing(
  trx: Trx,
  lease: Lease,
  now: number,
  crmIds: readonly string[],
): Promise<void> {
  for (const portion of inFilledBatches(crmIds)) {
    await trx
      .updateTable('questions')
      .set({ decision: 'superseded', decided_at: now })
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', 'in', portion)
      .where('kind', '=', MISSING_KIND)
      .where('decision', 'is', null)
      .execute();
  }
}

/**
 * Closes questions about contacts that have left. A question about a job in flight stays open, because a user must
 * still decide about the job's result.
 */
async function closeQuestions(
  trx: Trx,
  integrationId: string,
  now: number,
  gone: readonly { crm_id: string }[],
): Promise<void> {
  const ids = gone.map(({ crm_id }) => crm_id);
  await supersedeHolds(trx, { integrationId }, now, ids);
}

export function isMarked(eb: ContactBuilder) {
  return eb.and([
    eb('missing_since', 'is not', null),
    eb('state', '<>', 'removed'),
    eb('departure_read', '=', 0),
  ]);
}

/** Selects missing contacts. Contacts that wait, and contacts that a user has decided to wait for, are excluded. */
function isMissing(
  eb: ContactBuilder,
  integrationId: string,
  { since, undecided = [] }: DepartureWindow,
) {
  return eb.and([
    isMarked(eb),
    ...(undecided.length === 0 ? [] : [eb('crm_id', 'not in', undecided)]),
    eb.not(
      eb.exists(
        eb
          .selectFrom('questions')
          .select('questions.id')
          .where('questions.integration_id', '=', integrationId)
          .whereRef('questions.crm_id', '=', 'contacts.crm_id')
          // The values are literals, so that the database uses the index of these questions.
          .where('questions.kind', '=', sql.lit(MISSING_KIND))
          .where('questions.decision', '=', sql.lit('rejected' as const))
          .where('questions.decided_at', '>=', since),
      ),
    ),
  ]);
}

async function holdSome(
  trx: Trx,
  { integrationId }: Lease,
  {
    window,
    detail,
    batch,
    newId,
    after,
    now,
  }: {
    window: DepartureWindow;
    detail: string | null;
    batch: string;
    newId: () => string;
    after: string;
    now: number;
  },
): Promise<string[]> {
  const rows = await trx
    .selectFrom('contacts')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where((eb) => isMissing(eb, integrationId, window))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('questions')
            .select('questions.id')
            .where('questions.integration_id', '=', integrationId)
            .whereRef('questions.crm_id', '=', 'contacts.crm_id')
            .where('questions.kind', '=', MISSING_KIND)
            .where('questions.decision', 'is', null),
        ),
      ),
    )
    .where('crm_id', '>', after)
    .orderBy('crm_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  if (rows.length === 0) return [];
  const questions = rows.map(({ crm_id }) => ({
    id: newId(),
    crmId: crm_id,
    kind: MISSING_KIND,
    batch,
    detail,
    openedAt: now,
  }));
  await openQuestions(trx, integrationId, questions);
  return rows.map(({ crm_id }) => crm_id);
}

async function readCount(query: {
  executeTakeFirst(): Promise<{ count: string | number | bigint } | undefined>;
}): Promise<number> {
  return Number((await query.executeTakeFirst())?.count ?? 0);
}

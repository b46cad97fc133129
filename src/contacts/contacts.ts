/** Reads contacts: their states, their numbers, and the contacts that are due. `life.ts` defines the state changes. */
import type { Expression } from 'kysely';
import type { OutcomeReason } from '../core/outcome.ts';
import { type FromRow, fromRow, fromRows } from '../database/from-row.ts';
import type { RunTransaction } from '../database/leases.ts';
import { preparedRead, type Slots } from '../database/prepared.ts';
import type { Reader } from '../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../database/rows.ts';
import { move, type Which } from './life/apply-events.ts';
import type { ChangeContext, ContactRow } from './life/changes.ts';
import { OPEN_STATES } from './open-submissions.ts';

export type { ContactRow };
export type ContactRecord = FromRow<ContactRow>;

/** The maximum number of contact IDs per query. */
const IDS_PER_LOOK = 5_000;

/** Finds contacts by their IDs. An ID without a row in the store is left out. */
export async function findContacts(
  reader: Reader,
  integrationId: string,
  ids: readonly string[],
): Promise<Map<string, ContactRecord>> {
  const rows = await findRows(reader, integrationId, ids);
  return new Map([...rows].map(([id, row]) => [id, fromRow(row)]));
}

export function listContactIds(
  reader: Reader,
  integrationId: string,
): AsyncGenerator<string[], void> {
  return idPages(reader, integrationId);
}

export function listPresentContactIds(
  reader: Reader,
  integrationId: string,
): AsyncGenerator<string[], void> {
  return idPages(reader, integrationId, 'present');
}

export function listRemovedContactIds(
  reader: Reader,
  integrationId: string,
): AsyncGenerator<string[], void> {
  return idPages(reader, integrationId, 'removed');
}

/**
 * Yields contacts that a run considers without reading the CRM: due contacts, and contacts with an outdated profile.
 */
export async function* listToReconsider(
  reader: Reader,
  integrationId: string,
  askedBefore: number,
): AsyncGenerator<ContactRecord> {
  const batches = readBatches((after) =>
    contactsAfter(reader, integrationId, after)
      .where('eligible', '=', 1)
      .where((eb) =>
        eb.or([
          eb('state', '=', 'due'),
          eb.and([
            eb('state', '=', 'settled'),
            eb.or([eb('last_credit', '<>', 'stands'), eb('asked_at', '<', askedBefore)]),
          ]),
        ]),
      )
      .execute(),
  );
  for await (const batch of batches) yield* batch;
}

/**
 * Returns contacts that no run has decided about: contacts with a lost response, and contacts whose latest job returned
 * nothing. A contact whose latest job returned nothing was read while the job was running, so the contact may have
 * opted out since.
 */
export async function listUnreadContacts(reader: Reader, integrationId: string): Promise<string[]> {
  const { rows } = await selectUnread(reader, { integrationId });
  return rows.map((row) => row.crm_id);
}

/**
 * Lists due contacts in the order of the plan. With `only`, lists only those contacts. Contacts with changed details
 * are excluded, unless `withChanged` is true. Set `withChanged` only if few contacts have changed details.
 */
export async function listDueContacts(
  reader: Reader,
  integrationId: string,
  {
    maxPriority,
    limit,
    only,
    withChanged,
  }: {
    maxPriority: number;
    limit: number;
    only: readonly string[] | null;
    withChanged: boolean;
  },
): Promise<ContactRecord[]> {
  const what = { integrationId, maxPriority, limit };
  if (only !== null) {
    return buildDueQuery(reader, what, { only, withChanged }).execute().then(fromRows);
  }
  const due = withChanged ? listDue : listDueUnchanged;
  const { rows } = await due(reader, what);
  return fromRows(rows);
}

export function listDueContactIds(
  reader: Reader,
  integrationId: string,
  { maxPriority, only }: { maxPriority: number; only: readonly string[] | null },
): AsyncGenerator<string> {
  return readIds((after) => {
    const due = { integrationId, maxPriority, after };
    return only === null ? dueIds(reader, due) : selectDueIds(reader, { ...due, only });
  });
}

/** Lists the IDs of all contacts that the CRM allows to be submitted, in ascending order. */
export function listEligibleContactIds(
  reader: Reader,
  integrationId: string,
): AsyncGenerator<string> {
  return readIds((after) => eligibleIds(reader, { integrationId, after }));
}

/** True if the store contains any of these donors, in any integration. */
export async function knowsDonors(reader: Reader, donorIds: readonly string[]): Promise<boolean> {
  for (const batch of inFilledBatches(donorIds)) {
    const row = await reader
      .selectFrom('contacts')
      .select('crm_id')
      .where('donor_id', 'in', batch)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
    // A process can be killed after it wrote the donor IDs into the CRM, and before it recorded the end of the write.
    const begun = await reader
      .selectFrom('writes')
      .select('crm_id')
      .where('state', '=', 'intended')
      .where('donor', 'in', batch)
      .limit(1)
      .executeTakeFirst();
    if (begun !== undefined) return true;
  }
  return false;
}

/** Lists due contacts that have never cost a credit, in batches by CRM ID. */
export function listNewDueContacts(
  reader: Reader,
  integrationId: string,
  only: readonly string[] | null,
): AsyncGenerator<ContactRecord[]> {
  return readBatches((after) =>
    contactsAfter(reader, integrationId, after)
      .where('state', '=', 'due')
      .where('missing_since', 'is', null)
      .where('last_credit', 'is', null)
      .$if(only !== null, (query) => query.where('crm_id', 'in', only ?? []))
      .execute(),
  );
}

function contactsAfter(reader: Reader, integrationId: string, after: string) {
  return reader
    .selectFrom('contacts')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('crm_id', '>', after)
    .orderBy('crm_id')
    .limit(ROWS_PER_TRANSACTION);
}

/** Reads the contacts that a query finds, in ascending order, one batch at a time. */
async function* readBatches(
  readBatch: (after: string) => Promise<ContactRow[]>,
): AsyncGenerator<ContactRecord[]> {
  let after = '';
  for (;;) {
    const rows = await readBatch(after);
    if (rows.length > 0) yield fromRows(rows);
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_TRANSACTION) return;
    after = last.crm_id;
  }
}

/** Counts the contacts of an integration in the store, in any state. */
export async function countContacts(reader: Reader, integrationId: string): Promise<number> {
  const { contacts } = await reader
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll().as('contacts'))
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow();
  return Number(contacts);
}

export async function countContactsUnderWay(
  reader: Reader,
  integrationId: string,
): Promise<number> {
  const { rows } = await countUnderWay(reader, { integrationId });
  return Number(rows[0]?.count ?? 0);
}

/** Counts the contacts in each state that requires further work. */
export async function countContactWork(
  reader: Reader,
  integrationId: string,
): Promise<Record<WorkState, number>> {
  const rows = await reader
    .selectFrom('contacts')
    .select(['state', (eb) => eb.fn.countAll().as('count')])
    .where('integration_id', '=', integrationId)
    .where('state', 'in', WORK_STATES)
    .groupBy('state')
    .execute();
  const counts = { due: 0, submitted: 0, ready: 0, held: 0 };
  for (const row of rows) {
    if (isWorkState(row.state)) counts[row.state] = Number(row.count);
  }
  return counts;
}

export interface WaitingReasons {
  due: OutcomeReason;
  submitted: OutcomeReason;
  /** The reason for contacts whose submission has no response yet. */
  unsettled: OutcomeReason;
  ready: OutcomeReason;
  /** The IDs of the run's contacts, or null for all contacts. */
  only: readonly string[] | null;
}

/** Records at the end of a run why each contact with unfinished work waits. */
export async function stampWaiting(
  trx: RunTransaction,
  run: ChangeContext,
  { only, ...reasons }: WaitingReasons,
): Promise<void> {
  for (const state of ['due', 'submitted', 'ready'] as const) {
    const which: Which =
      only === null
        ? { shape: state, is: (eb) => eb('state', '=', state) }
        : { is: (eb) => eb.and([eb('state', '=', state), eb('crm_id', 'in', only)]) };
    await move(trx, trx.lease, 'runEnded', which, run, { outcome_reason: reasons[state] });
  }
  await move(trx, trx.lease, 'runEndedUnsettled', IS_UNSETTLED, run, {
    outcome_reason: reasons.unsettled,
  });
}

const IS_UNSETTLED: Which = {
  shape: 'unsettled',
  is: (eb, integrationId) =>
    eb('tracking_id', 'in', (inner) =>
      inner
        .selectFrom('jobs')
        .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
        .select('jobs.tracking_id')
        .where('submissions.integration_id', '=', integrationId)
        .where('submissions.state', 'in', OPEN_STATES),
    ),
};

const selectUnread = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  idRows(db, integrationId)
    .where((eb) =>
      eb.or([
        eb.and([eb('state', '=', 'held'), eb('last_credit', '=', 'outdated')]),
        eb.and([
          eb('state', '=', 'settled'),
          eb('outcome_reason', 'in', ['job_vanished', 'job_too_old', 'no_match']),
          eb('donor_id', 'is not', null),
          eb('eligible', '=', 1),
        ]),
      ]),
    )
    .orderBy('crm_id')
    .compile(),
);

function idRows(reader: Reader, integrationId: Expression<string>) {
  return reader.selectFrom('contacts').select('crm_id').where('integration_id', '=', integrationId);
}

/** A request for a page of contact IDs that come after a certain ID. */
type IdPage = { integrationId: string; after: string };

const eligibleIds = preparedRead((db, { integrationId, after }: Slots<IdPage>) =>
  limitToPage(
    idRows(db, integrationId).where('eligible', '=', 1).where('state', '<>', 'removed'),
    after,
  ).compile(),
);

const dueIds = preparedRead((db, due: Slots<IdPage & { maxPriority: number }>) =>
  limitToPage(dueIdRows(db, due), due.after).compile(),
);

const selectDueIds = preparedRead(
  (db, { only, ...due }: Slots<IdPage & { maxPriority: number; only: readonly string[] }>) =>
    limitToPage(dueIdRows(db, due).where('crm_id', 'in', only), due.after).compile(),
);

function dueIdRows(
  reader: Reader,
  { integrationId, maxPriority }: Slots<IdPage & { maxPriority: number }>,
) {
  return idRows(reader, integrationId)
    .where('state', '=', 'due')
    .where('missing_since', 'is', null)
    .where('priority', '<=', maxPriority);
}

function limitToPage(ids: ReturnType<typeof idRows>, after: Expression<string>) {
  return ids.where('crm_id', '>', after).orderBy('crm_id').limit(ROWS_PER_TRANSACTION);
}

type Due = { integrationId: string; maxPriority: number; limit: number };

const listDue = preparedRead((db, what: Slots<Due>) =>
  buildDueQuery(db, what, { only: null, withChanged: true }).compile(),
);

const listDueUnchanged = preparedRead((db, what: Slots<Due>) =>
  buildDueQuery(db, what, { only: null, withChanged: false }).compile(),
);

function buildDueQuery(
  reader: Reader,
  { integrationId, maxPriority, limit }: Due | Slots<Due>,
  { only, withChanged }: { only: readonly string[] | null; withChanged: boolean },
) {
  return reader
    .selectFrom('contacts')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'due')
    .where('missing_since', 'is', null)
    .where('priority', '<=', maxPriority)
    .$if(only !== null, (query) => query.where('crm_id', 'in', only ?? []))
    .$if(!withChanged, (query) => query.where('due_reason', '<>', 'identity_changed'))
    .orderBy('priority')
    .orderBy('asked_at')
    .orderBy('crm_id')
    .limit(limit);
}

const countUnderWay = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('state', 'in', ['submitted', 'ready'])
    .compile(),
);

/** Yields contact IDs in ascending order, in batches. */
async function* idPages(
  reader: Reader,
  integrationId: string,
  which: 'all' | 'present' | 'removed' = 'all',
): AsyncGenerator<string[], void> {
  let after = '';
  for (;;) {
    const rows = await reader
      .selectFrom('contacts')
      .select('crm_id')
      .where('integration_id', '=', integrationId)
      .where('crm_id', '>', after)
      .$if(which === 'present', (query) => query.where('state', '!=', 'removed'))
      .$if(which === 'removed', (query) => query.where('state', '=', 'removed'))
      .orderBy('crm_id')
      .limit(IDS_PER_LOOK)
      .execute();
    if (rows.length > 0) yield rows.map(({ crm_id }) => crm_id);
    const last = rows.at(-1);
    if (!last || rows.length < IDS_PER_LOOK) return;
    after = last.crm_id;
  }
}

async function* readIds(
  readPage: (after: string) => Promise<{ rows: { crm_id: string }[] }>,
): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const { rows } = await readPage(after);
    for (const row of rows) yield row.crm_id;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_TRANSACTION) return;
    after = last.crm_id;
  }
}

const WORK_STATES = ['due', 'submitted', 'ready', 'held'] as const;
export type WorkState = (typeof WORK_STATES)[number];

function isWorkState(state: string): state is WorkState {
  return WORK_STATES.some((known) => known === state);
}

export function newRow(
  integrationId: string,
  {
    crmId,
    identity,
    currency = null,
  }: { crmId: string; identity: string; currency?: string | null },
): ContactRow {
  return {
    integration_id: integrationId,
    crm_id: crmId,
    state: 'settled',
    identity,
    eligible: 0,
    due_reason: null,
    priority: 1,
    asked_identity: null,
    asked_at: null,
    last_credit: null,
    tracking_id: null,
    donor_id: null,
    enhanced_at: null,
    owned_values: '{}',
    values_donor: null,
    values_identity: null,
    outcome_reason: 'submission_pending',
    outcome_run: null,
    outcome_at: 0,
    outcome_detail: null,
    seen_run: null,
    departure_read: 0,
    merged_into: null,
    has_opted_out: 0,
    missing_since: null,
    currency,
  };
}

/** Finds the rows of contacts by ID. The query also works inside a transaction. */
export async function findRows(
  reader: Reader,
  integrationId: string,
  ids: readonly string[],
): Promise<Map<string, ContactRow>> {
  const found = new Map<string, ContactRow>();
  for (const batch of inFilledBatches(ids)) {
    const { rows } = await selectRows(reader, { integrationId, crmIds: batch });
    for (const row of rows) found.set(row.crm_id, row);
  }
  return found;
}

const selectRows = preparedRead(
  (db, { integrationId, crmIds }: Slots<{ integrationId: string; crmIds: readonly string[] }>) =>
    db
      .selectFrom('contacts')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .compile(),
);

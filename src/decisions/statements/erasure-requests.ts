/**
 * Stores the CRM's requests to erase contacts. Each request is a hold, which is open until a user decides. An approved
 * hold remains until the erasure has been carried out. The erasure deletes the hold together with all data about the
 * contact, so after a crash the erasure is still due.
 */

import { type NotNull, sql } from 'kysely';
import type { ErasureSource } from '../../core/questions/batch-facts.ts';
import { ON_HOLD, toErasureSource } from '../../core/questions/erasure-requested.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type RunTransaction, waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import { type AuditedTransaction, recordEntry } from '../../privacy/audit/record.ts';
import { type NewQuestion, openQuestions } from './open-questions.ts';

/** The question whether to erase contacts. */
export const ERASURE_KIND = 'erasure_requested';

/** The sources of requests that come from a mark in the CRM. A request by a mark ends when the mark disappears. */
const BY_MARK: readonly ErasureSource[] = ['should_forget', ON_HOLD, 'objection'];

/** The maximum number of erasures per integration and day (UTC) without a user's approval. */
const AUTOMATIC_ERASURES_PER_DAY = 25;

const DAY_MS = 86_400_000;

export interface ErasureRequest {
  crmId: string;
  source: ErasureSource;
  /** True if the erasure may start without a user's approval, within the daily limit. */
  isAutomatic: boolean;
}

/** The number of new requests that are due, and the number of requests that wait for a user. */
export interface RecordedRequests {
  due: number;
  asked: number;
}

export interface RecordOptions {
  newId: () => string;
}

/** Records the erasure requests that a reading found. Closes earlier requests whose mark is gone. */
export async function recordReadRequests(
  trx: RunTransaction,
  requests: readonly ErasureRequest[],
  { withdrawn, newId }: RecordOptions & { withdrawn: readonly string[] },
): Promise<RecordedRequests> {
  await endMarks(trx, trx.lease.integrationId, withdrawn);
  return recordIn(trx, trx.lease.integrationId, requests, newId);
}

/** Records requests that arrive outside a run. */
export async function recordErasureRequests(
  trx: ActorTransaction,
  integrationId: string,
  requests: readonly ErasureRequest[],
  { newId }: RecordOptions,
): Promise<RecordedRequests> {
  await waitForCheckpoint(trx, integrationId);
  return recordIn(trx, integrationId, requests, newId);
}

/** Returns contacts with a mark in the CRM that requests their erasure. */
export async function listMarkedForErasure(
  reader: Reader,
  integrationId: string,
): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('questions')
    .select('crm_id')
    .$narrowType<{ crm_id: NotNull }>()
    .where('integration_id', '=', integrationId)
    .where('kind', '=', ERASURE_KIND)
    .where('detail', 'in', BY_MARK)
    .where((eb) => eb.or([eb('decision', 'is', null), eb('decision', '<>', 'superseded')]))
    .execute();
  return new Set(rows.map(({ crm_id }) => crm_id));
}

/**
 * Lists contacts that the CRM deleted for privacy. A contact is on this list until it is erased or a user decides to
 * keep it.
 */
export async function listAskedByEvent(
  reader: Reader,
  integrationId: string,
): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('questions')
    .select('crm_id')
    .$narrowType<{ crm_id: NotNull }>()
    .where('integration_id', '=', integrationId)
    .where('kind', '=', ERASURE_KIND)
    .where('detail', '=', 'crm_event' satisfies ErasureSource)
    .where((eb) => eb.or([eb('decision', 'is', null), eb('decision', '=', 'approved')]))
    .execute();
  return new Set(rows.map(({ crm_id }) => crm_id));
}

export async function listIntegrationsWithDueErasures(reader: Reader): Promise<string[]> {
  const rows = await reader
    .selectFrom('questions')
    .select('integration_id')
    .distinct()
    .where('kind', '=', ERASURE_KIND)
    .where('decision', '=', 'approved')
    .execute();
  return rows.map((row) => row.integration_id);
}

/** Returns the erasures that are due, oldest decision first. */
export async function listDueErasures(
  reader: Reader,
  integrationId: string,
  limit: number,
): Promise<DueErasure[]> {
  const rows = await reader
    .selectFrom('questions')
    .select(['id', 'integration_id', 'crm_id', 'detail'])
    .$narrowType<{ crm_id: NotNull }>()
    .where('integration_id', '=', integrationId)
    .where('kind', '=', ERASURE_KIND)
    .where('decision', '=', 'approved')
    .orderBy('decided_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    integrationId: row.integration_id,
    crmId: row.crm_id,
    source: toErasureSource(row.detail),
  }));
}

/** Opens the question about a due erasure again, because the CRM forbids the erasure. */
export async function forbidErasure(
  trx: ActorTransaction,
  { id, integrationId }: Pick<DueErasure, 'id' | 'integrationId'>,
  newId: string,
): Promise<void> {
  await waitForCheckpoint(trx, integrationId);
  const batch = (await openBatches(trx, integrationId)).get(ON_HOLD) ?? newId;
  await trx
    .updateTable('questions')
    .set({
      decision: null,
      decided_at: null,
      detail: ON_HOLD,
      batch,
      opened_at: trx.clock.now(),
    })
    .where('id', '=', id)
    .where('decision', '=', 'approved')
    .execute();
}

/** Closes an erasure request that was withdrawn or carried out. */
export async function endErasureRequest(
  connection: Database | Trx,
  { id }: Pick<DueErasure, 'id'>,
): Promise<void> {
  await connection
    .deleteFrom('questions')
    .where('id', '=', id)
    .where('kind', '=', ERASURE_KIND)
    .where('decision', '=', 'approved')
    .execute();
}

async function recordIn(
  trx: AuditedTransaction,
  integrationId: string,
  asked: readonly ErasureRequest[],
  newId: () => string,
): Promise<RecordedRequests> {
  const requests = await withProfiles(trx, integrationId, asked);
  if (requests.length === 0) return { due: 0, asked: 0 };
  const now = trx.clock.now();
  const standing = await findStandings(
    trx,
    integrationId,
    requests.map(({ crmId }) => crmId),
  );
  const batches = await openBatches(trx, integrationId);
  let left = await readAllowance(trx, integrationId, now);
  const allowedBefore = left;
  const counts = { due: 0, asked: 0 };
  const opened: NewQuestion[] = [];
  for (const { crmId, source, isAutomatic } of requests) {
    const before = standing.get(crmId);
    if (before !== undefined && isAnswered(before, source)) continue;
    const isDue = isAutomatic && left > 0;
    const isSame = before?.decision === null && before.detail === source;
    if (isSame && !isDue) continue;
    if (isDue) left -= 1;
    const batch = batches.get(source) ?? newId();
    batches.set(source, batch);
    counts[isDue ? 'due' : 'asked'] += 1;
    const decided = isDue
      ? ({ decision: 'approved', decided_at: now } as const)
      : ({ decision: null, decided_at: null } as const);
    if (before === undefined) {
      opened.push({
        id: newId(),
        crmId,
        kind: ERASURE_KIND,
        batch,
        detail: source,
        openedAt: now,
        closed: isDue ? { decision: 'approved', at: now } : null,
      });
    } else {
      await trx
        .updateTable('questions')
        .set({ detail: source, batch, opened_at: now, ...decided })
        .where('id', '=', before.id)
        .execute();
    }
  }
  await openQuestions(trx, integrationId, opened);
  await spend(trx, integrationId, now, allowedBefore - left);
  if (counts.due + counts.asked > 0) {
    await recordEntry(trx, { action: 'erasure.requested', integrationId, details: counts });
  }
  return counts;
}

/** Ends erasure requests whose mark is gone. Decisions about these requests no longer apply. */
async function endMarks(
  trx: RunTransaction,
  integrationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const portion of inFilledBatches(ids)) {
    await trx
      .updateTable('questions')
      .set({ decision: 'superseded', decided_at: trx.clock.now() })
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', portion)
      .where('kind', '=', ERASURE_KIND)
      .where('detail', 'in', BY_MARK)
      .where((eb) => eb.or([eb('decision', 'is', null), eb('decision', '<>', 'superseded')]))
      .execute();
  }
}

/** An erasure that has to be carried out. */
export interface DueErasure {
  id: string;
  integrationId: string;
  crmId: string;
  source: ErasureSource;
}

type RequestStatus = Pick<Tables['questions'], 'id' | 'detail' | 'decision'>;

/**
 * True if the erasure is in progress or a user has kept the contact. The question about a kept contact opens again only
 * if the CRM deletes the contact.
 */
function isAnswered({ decision, detail }: RequestStatus, source: ErasureSource): boolean {
  if (decision === 'approved') return true;
  return decision === 'rejected' && (source !== 'crm_event' || detail === 'crm_event');
}

/** Returns each contact's open or decided erasure request. Requests that have ended are skipped. */
async function findStandings(
  trx: Trx,
  integrationId: string,
  ids: readonly string[],
): Promise<Map<string, RequestStatus>> {
  const standing = new Map<string, RequestStatus>();
  for (const portion of inFilledBatches(ids)) {
    const rows = await trx
      .selectFrom('questions')
      .select(['id', 'crm_id', 'detail', 'decision'])
      .$narrowType<{ crm_id: NotNull }>()
      .where('integration_id', '=', integrationId)
      .where('kind', '=', ERASURE_KIND)
      .where('crm_id', 'in', portion)
      .where((eb) => eb.or([eb('decision', 'is', null), eb('decision', '<>', 'superseded')]))
      .execute();
    for (const { crm_id, ...row } of rows) standing.set(crm_id, row);
  }
  return standing;
}

/** Returns the contacts with a bought profile. If a person objects, only a bought profile has to be erased. */
async function withProfiles(
  trx: Trx,
  integrationId: string,
  requests: readonly ErasureRequest[],
): Promise<ErasureRequest[]> {
  const objectors = requests.filter(({ source }) => source === 'objection');
  const enhanced = new Set<string>();
  for (const portion of inFilledBatches(objectors.map(({ crmId }) => crmId))) {
    const rows = await trx
      .selectFrom('contacts')
      .select('crm_id')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', portion)
      .where('donor_id', 'is not', null)
      .execute();
    for (const { crm_id } of rows) enhanced.add(crm_id);
  }
  const all = new Map(requests.map((request) => [request.crmId, request]));
  return [...all.values()].filter(
    ({ source, crmId }) => source !== 'objection' || enhanced.has(crmId),
  );
}

/** Returns the open batch of each source of erasure requests. */
async function openBatches(trx: Trx, integrationId: string): Promise<Map<string, string>> {
  const rows = await trx
    .selectFrom('questions')
    .select(['detail', (eb) => eb.fn.max('batch').as('batch')])
    .where('integration_id', '=', integrationId)
    .where('kind', '=', ERASURE_KIND)
    .where('decision', 'is', null)
    .groupBy('detail')
    .execute();
  return new Map(
    rows.flatMap(({ detail, batch }) =>
      detail === null || batch === null ? [] : [[detail, batch]],
    ),
  );
}

function toDayNumber(now: number): number {
  return Math.floor(now / DAY_MS);
}

async function readAllowance(trx: Trx, integrationId: string, now: number): Promise<number> {
  const row = await trx
    .selectFrom('automatic_erasures')
    .select('count')
    .where('integration_id', '=', integrationId)
    .where('day', '=', toDayNumber(now))
    .executeTakeFirst();
  return Math.max(0, AUTOMATIC_ERASURES_PER_DAY - (row?.count ?? 0));
}

async function spend(trx: Trx, integrationId: string, now: number, count: number): Promise<void> {
  if (count === 0) return;
  const day = toDayNumber(now);
  await trx
    .deleteFrom('automatic_erasures')
    .where('integration_id', '=', integrationId)
    .where('day', '<', day)
    .execute();
  await trx
    .insertInto('automatic_erasures')
    .values({ integration_id: integrationId, day, count })
    .onConflict((conflict) =>
      conflict
        .columns(['integration_id', 'day'])
        .doUpdateSet({ count: sql<number>`automatic_erasures.count + ${count}` }),
    )
    .execute();
}

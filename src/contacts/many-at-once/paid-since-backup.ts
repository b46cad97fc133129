/**
 * Holds contacts that may already have been paid for. The restored backup lacks the payment, or the current service key
 * cannot access the job.
 */

import { sql } from 'kysely';
import type { PaidBefore } from '../../core/questions/batch-facts.ts';
import { PAID_BEFORE, parsePaidBefore } from '../../core/questions/paid-since-backup.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';
import { detailsOf } from '../../identity/identity-text.ts';
import { moveAndList } from '../life/apply-events.ts';
import { findOpenBatch } from './questions.ts';

/** The kind of question about contacts that may already have been paid for. */
export const PAID_SINCE_BACKUP = 'paid_since_backup' as const;

/** A contact whose paid profile donor-sync cannot read. */
export interface UnseenContact {
  crmId: string;
  trackingId: string;
}

/** Returns when a user last decided to buy a contact's profile anyway (epoch ms), by CRM ID. */
export async function findBought(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await reader
      .selectFrom('questions')
      .select('crm_id')
      .select((eb) => eb.fn.max('decided_at').as('at'))
      .where('integration_id', '=', integrationId)
      .where('kind', '=', PAID_SINCE_BACKUP)
      .where('decision', '=', 'approved')
      .where('crm_id', 'in', batch)
      .groupBy('crm_id')
      .execute();
    for (const { crm_id, at } of rows) found.set(crm_id ?? '', Number(at));
  }
  return found;
}

export interface AskedContact {
  crmId: string;
  askedAt: number;
}

/**
 * Finds contacts with a question that no user has approved, by their details (`detailsOf`). A person may have another ID
 * after a merge or an import, and the other record may spell the details in another way.
 */
export async function findAsked(
  reader: Reader,
  integrationId: string,
  identities: readonly string[],
): Promise<Map<string, AskedContact[]>> {
  const found = new Map<string, AskedContact[]>();
  if ((await anyAsked(reader, { integrationId })).rows.length === 0) return found;
  const wanted = new Set(identities.map(detailsOf));
  wanted.delete(null);
  for (let last = ''; ; ) {
    const rows = await reader
      .selectFrom('questions')
      .innerJoin('contacts', (join) =>
        join
          .onRef('contacts.integration_id', '=', 'questions.integration_id')
          .onRef('contacts.crm_id', '=', 'questions.crm_id'),
      )
      .select(['questions.id', 'contacts.identity', 'contacts.crm_id', 'opened_at'])
      .where('questions.integration_id', '=', integrationId)
      .where('kind', '=', sql.lit(PAID_SINCE_BACKUP))
      .where((eb) => eb.or([eb('decision', 'is', null), eb('decision', '<>', 'approved')]))
      .where('questions.id', '>', last)
      .orderBy('questions.id')
      .limit(ROWS_PER_TRANSACTION)
      .execute();
    for (const { identity, crm_id: crmId, opened_at } of rows) {
      const details = detailsOf(identity);
      if (details === null || !wanted.has(details)) continue;
      const others = found.get(details) ?? [];
      found.set(details, [...others, { crmId, askedAt: Number(opened_at) }]);
    }
    if (rows.length < ROWS_PER_TRANSACTION) return found;
    last = rows.at(-1)?.id ?? '';
  }
}

/**
 * Yields the contacts that wait for another decision and have changed since they were last paid for, if that was before
 * this time (epoch ms).
 */
export async function* listHeldAndChanged(
  reader: Reader,
  integrationId: string,
  before: number,
): AsyncGenerator<{ crmId: string; identity: string }[]> {
  for (let last = ''; ; ) {
    const rows = await reader
      .selectFrom('contacts')
      .select(['crm_id as crmId', 'identity'])
      .where('integration_id', '=', integrationId)
      .where('state', '=', 'held')
      .where('outcome_reason', '<>', PAID_SINCE_BACKUP)
      .where('asked_at', '<', before)
      .whereRef('asked_identity', '<>', 'identity')
      .where('crm_id', '>', last)
      .orderBy('crm_id')
      .limit(ROWS_PER_TRANSACTION)
      .execute();
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_TRANSACTION) return;
    last = rows.at(-1)?.crmId ?? '';
  }
}

/** Lists contacts whose jobs were paid for with a former service key. */
export async function listUnseen(reader: Reader, integrationId: string): Promise<UnseenContact[]> {
  const rows = await reader
    .selectFrom('questions')
    .select(['crm_id', 'tracking_id'])
    .where('integration_id', '=', integrationId)
    .where('kind', '=', sql.lit(PAID_SINCE_BACKUP))
    .where('detail', '=', 'former_key' satisfies PaidBefore)
    .where('decision', 'is', null)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ crm_id: crmId, tracking_id: trackingId }) =>
    crmId === null || trackingId === null ? [] : [{ crmId, trackingId }],
  );
}

export interface SeenContact extends UnseenContact {
  /** The fingerprint of the submitted identity. */
  identity: string;
  /** The time at which the paid job was submitted (epoch ms). */
  submittedAt: number;
}

/**
 * Lets contacts wait for their jobs again and closes their questions, because the jobs are readable again. Resolves
 * with the tracking IDs of the jobs.
 */
export async function resumeSeen(
  trx: RunTransaction,
  runId: string,
  seen: readonly SeenContact[],
): Promise<string[]> {
  const { integrationId } = trx.lease;
  const now = trx.clock.now();
  const resumed: string[] = [];
  for (const batch of inFilledBatches(seen)) {
    const closed = await trx
      .updateTable('questions')
      .set({ decision: 'superseded', decided_at: now })
      .where('integration_id', '=', integrationId)
      .where('kind', '=', PAID_SINCE_BACKUP)
      .where('decision', 'is', null)
      .where(
        'tracking_id',
        'in',
        batch.map(({ trackingId }) => trackingId),
      )
      .returning('tracking_id')
      .execute();
    const open = new Set(closed.map(({ tracking_id }) => tracking_id));
    const waiting = batch.filter(({ trackingId }) => open.has(trackingId));
    const moved = await moveAndList(
      trx,
      trx.lease,
      'seenAgain',
      waiting.map(({ crmId, trackingId, identity, submittedAt }) => ({
        crm_id: crmId,
        tracking_id: trackingId,
        asked_identity: identity,
        asked_at: submittedAt,
      })),
      { id: runId, now },
    );
    resumed.push(...moved.flatMap(({ tracking_id }) => tracking_id ?? []));
  }
  return resumed;
}

/**
 * Opens the questions about unreadable jobs again. The contacts stopped waiting because they changed, opted out or
 * left. The contacts have the paid details again, but their jobs still cannot be read.
 */
export async function holdUnseenAgain(
  trx: RunTransaction,
  runId: string,
  crmIds: readonly string[],
): Promise<void> {
  const { integrationId } = trx.lease;
  if (crmIds.length === 0 || (await anyAsked(trx, { integrationId })).rows.length === 0) return;
  const now = trx.clock.now();
  for (const batch of inFilledBatches(crmIds)) {
    const ended = await findEnded(trx, integrationId, batch);
    const waiting = [...ended].map(([crm_id, { detail }]) => {
      const paidBefore = parsePaidBefore(detail);
      return { crm_id, outcome_detail: paidBefore && PAID_BEFORE[paidBefore] };
    });
    const held = await moveAndList(trx, trx.lease, 'maybePaidAgain', waiting, { id: runId, now });
    const ids = held.flatMap(({ crm_id }) => ended.get(crm_id)?.id ?? []);
    if (ids.length === 0) continue;
    await trx
      .updateTable('questions')
      .set({ decision: null, decided_at: null })
      .where('id', 'in', ids)
      .execute();
  }
}

/** Returns questions that ended without an answer while the job is still unreadable, by CRM ID. */
async function findEnded(
  trx: RunTransaction,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, { id: string; detail: string | null }>> {
  const rows = await trx
    .selectFrom('questions')
    .innerJoin('jobs', (join) =>
      join
        .onRef('jobs.tracking_id', '=', 'questions.tracking_id')
        .onRef('jobs.crm_id', '=', 'questions.crm_id'),
    )
    .select(['questions.id', 'questions.crm_id', 'questions.detail', 'questions.decision'])
    .where('questions.integration_id', '=', integrationId)
    .where('questions.kind', '=', PAID_SINCE_BACKUP)
    .where('questions.crm_id', 'in', crmIds)
    .where('jobs.state', '=', 'vanished')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as later')
            .select('later.tracking_id')
            .where('later.integration_id', '=', integrationId)
            .whereRef('later.crm_id', '=', 'jobs.crm_id')
            .whereRef('later.submitted_at', '>', 'jobs.submitted_at')
            .where('later.state', '<>', 'unpaid'),
        ),
      ),
    )
    .orderBy('questions.opened_at')
    .execute();
  const last = new Map(rows.map((row) => [row.crm_id ?? '', row]));
  return new Map([...last].filter(([, { decision }]) => decision === 'superseded'));
}

const anyAsked = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('questions')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('kind', '=', sql.lit(PAID_SINCE_BACKUP))
    .limit(1)
    .compile(),
);

interface Asking {
  runId: string;
  newId: () => string;
}

/**
 * Holds due contacts and contacts that have lost their job, in one batch. Resolves with the IDs of the held contacts.
 */
export function holdMaybePaid(
  trx: RunTransaction,
  asking: Asking,
  crmIds: readonly string[],
): Promise<string[]> {
  // No submission was sent, so the hold has no job.
  return hold(trx, asking, crmIds, { detail: null, jobs: new Map() });
}

/**
 * Holds paid contacts whose profiles donor-sync can no longer read. A contact that has left is held when it returns.
 * Resolves with the IDs of the held contacts.
 */
export async function holdUnseen(
  trx: RunTransaction,
  asking: Asking,
  detail: PaidBefore,
  contacts: readonly UnseenContact[],
): Promise<string[]> {
  const jobs = new Map(contacts.map(({ crmId, trackingId }) => [crmId, trackingId]));
  const held = await hold(trx, asking, [...jobs.keys()], { detail, jobs });
  await countAwayAsPaid(trx, asking, detail, contacts);
  return held;
}

async function hold(
  trx: RunTransaction,
  { runId, newId }: Asking,
  crmIds: readonly string[],
  { detail, jobs }: { detail: PaidBefore | null; jobs: ReadonlyMap<string, string> },
): Promise<string[]> {
  if (crmIds.length === 0) return [];
  const { lease } = trx;
  const { integrationId } = lease;
  const now = trx.clock.now();
  const batch = (await findOpenBatch(trx, integrationId, PAID_SINCE_BACKUP, detail)) ?? newId();
  const held: string[] = [];
  for (const portion of inBatches(crmIds)) {
    const moved = await moveAndList(
      trx,
      lease,
      'maybePaid',
      portion,
      { id: runId, now },
      { outcome_detail: detail === null ? null : PAID_BEFORE[detail] },
    );
    if (moved.length === 0) continue;
    const questions = moved.map(({ crm_id }) => ({
      id: newId(),
      crmId: crm_id,
      kind: PAID_SINCE_BACKUP,
      trackingId: jobs.get(crm_id),
      batch,
      detail,
      openedAt: now,
    }));
    await openQuestions(trx, integrationId, questions);
    held.push(...moved.map(({ crm_id }) => crm_id));
  }
  return held;
}

/**
 * Lets contacts that left before their job was lost count as paid for, because they may return. The questions about
 * these contacts are closed without an answer. A contact that returns waits for a user's answer.
 */
export async function countAwayAsPaid(
  trx: RunTransaction,
  { runId, newId }: Asking,
  detail: PaidBefore | null,
  contacts: readonly UnseenContact[],
): Promise<void> {
  const { lease } = trx;
  const now = trx.clock.now();
  const jobs = new Map(contacts.map(({ crmId, trackingId }) => [crmId, trackingId]));
  const batch = newId();
  for (const portion of inBatches([...jobs.keys()])) {
    const rows = portion.map((crm_id) => ({ crm_id }));
    const away = await moveAndList(trx, lease, 'maybePaidAway', rows, { id: runId, now });
    if (away.length === 0) continue;
    const questions = away.map(({ crm_id }) => ({
      id: newId(),
      crmId: crm_id,
      kind: PAID_SINCE_BACKUP,
      trackingId: jobs.get(crm_id),
      batch,
      detail,
      openedAt: now,
      closed: { decision: 'superseded' as const, at: now },
    }));
    await openQuestions(trx, lease.integrationId, questions);
  }
}

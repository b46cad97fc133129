/**
 * Adds up closed jobs by month, service key and reason, and then deletes them. The monthly comparison with the balance
 * needs only these sums. Jobs cost only credits of the enhancements bucket.
 */
import { OPEN_STATES } from '../../contacts/open-submissions.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import type { DueReason } from '../../database/tables/contacts.ts';
import type { JobState } from '../../database/tables/credits.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { toDay, toMonth } from './credit-spans.ts';

/** Jobs that have not cost a credit. */
export const UNPAID: JobState[] = ['unpaid', 'intended'];

/** The response of a job in one of these states can still arrive. */
const RUNNING: JobState[] = ['intended', 'processing'];

/** Jobs that a contact with a later delivered job no longer needs. */
const ENDED: JobState[] = ['delivered', 'failed', 'vanished', 'unpaid'];

/**
 * The match rate of a mapping uses this many of its last answers (`ANSWERS_IN_A_ROW`). These answers are kept, because
 * a client that buys few profiles would otherwise try its mapping again.
 */
const ANSWERS_KEPT = 200;

interface EndingJob {
  trackingId: string;
  partnerKey: string;
  mapping: string;
  intendedAt: number;
  answeredAt: number | null;
  reason: DueReason;
  isPaid: boolean;
}

/**
 * Adds up and deletes jobs that were submitted before this time (epoch ms). Only jobs of unknown contacts, and of
 * contacts with a later delivered job, are deleted. The service has already dropped the results of these jobs. Resolves
 * with the number of deleted jobs. Each batch of jobs is deleted in one transaction with its audit entry.
 */
export async function addUpClosedJobs(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  before: number,
): Promise<number> {
  const { integrationId } = lease;
  let deleted = 0;
  for (let after: string | null = ''; after !== null; ) {
    const page = await listClosed(reader, integrationId, before, { after });
    const ids = page.map(({ trackingId }) => trackingId);
    if (ids.length > 0) deleted += await checkpoint(lease, (trx) => endThese(trx, ids, before));
    after = page.length < ROWS_PER_TRANSACTION ? null : (ids.at(-1) ?? null);
  }
  return deleted;
}

/** The number of paid jobs of a key for each reason, in months that start from `from` until before `to` (epoch ms). */
export async function sumClosedJobs(
  reader: Reader,
  partnerKey: string,
  { from, to }: { from: number; to: number },
): Promise<Map<DueReason, number>> {
  const rows = await reader
    .selectFrom('closed_jobs')
    .select((eb) => ['reason', eb.fn.sum<number | string>('jobs').as('jobs')])
    .where('partner_key', '=', partnerKey)
    .where('month', '>=', toMonth(toDay(from)))
    .where('month', '<', toMonth(toDay(to)))
    .groupBy('reason')
    .execute();
  return new Map(rows.map(({ reason, jobs }) => [reason, Number(jobs)]));
}

async function endThese(
  trx: RunTransaction,
  trackingIds: readonly string[],
  before: number,
): Promise<number> {
  const { integrationId } = trx.lease;
  const closed = await listClosed(trx, integrationId, before, { only: trackingIds });
  const lastAnswers = await findLastAnswers(trx, integrationId, closed);
  const old = closed.filter(
    ({ mapping, answeredAt }) =>
      answeredAt === null || answeredAt < (lastAnswers.get(mapping) ?? 0),
  );
  const inUse = await findReferred(trx, integrationId, old);
  const ended = old.filter(({ trackingId }) => !inUse.has(trackingId));
  if (ended.length === 0) return 0;
  await addSums(trx, integrationId, ended);
  for (const batch of inFilledBatches(ended.map(({ trackingId }) => trackingId))) {
    await trx.deleteFrom('jobs').where('tracking_id', 'in', batch).execute();
  }
  const details = { what: 'closedJobs', rows: ended.length };
  await recordEntry(trx, { action: 'data.purged', integrationId, details });
  return ended.length;
}

type Which = { after: string } | { only: readonly string[] };

async function listClosed(
  reader: Reader,
  integrationId: string,
  before: number,
  which: Which,
): Promise<EndingJob[]> {
  const rows = await reader
    .selectFrom('jobs as j')
    .innerJoin('submissions as s', 's.id', 'j.submission_id')
    .select(['j.tracking_id', 'j.answered_at', 'j.reason', 'j.state', 'j.shared_from'])
    .select(['s.partner_key', 's.mapping', 's.intended_at'])
    .where('j.integration_id', '=', integrationId)
    .where('j.submitted_at', '<', before)
    .where('j.state', 'not in', RUNNING)
    .where('s.state', 'not in', OPEN_STATES)
    .where(({ or, and, not, exists, eb, selectFrom }) =>
      or([
        not(
          exists(
            selectFrom('contacts as c')
              .select('c.crm_id')
              .whereRef('c.integration_id', '=', 'j.integration_id')
              .whereRef('c.crm_id', '=', 'j.crm_id'),
          ),
        ),
        and([
          eb('j.state', 'in', ENDED),
          exists(
            selectFrom('jobs as later')
              .select('later.tracking_id')
              .whereRef('later.integration_id', '=', 'j.integration_id')
              .whereRef('later.crm_id', '=', 'j.crm_id')
              .where('later.state', '=', 'delivered')
              .whereRef('later.submitted_at', '>', 'j.submitted_at'),
          ),
        ]),
      ]),
    )
    .$if('after' in which, (query) =>
      query.where('j.tracking_id', '>', 'after' in which ? which.after : ''),
    )
    .$if('only' in which, (query) =>
      query.where('j.tracking_id', 'in', 'only' in which ? [...which.only] : []),
    )
    .orderBy('j.tracking_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  return rows.map((row) => ({
    trackingId: row.tracking_id,
    partnerKey: row.partner_key,
    mapping: row.mapping,
    intendedAt: row.intended_at,
    answeredAt: row.answered_at,
    reason: row.reason,
    isPaid: row.shared_from === null && !UNPAID.includes(row.state),
  }));
}

/** Returns the jobs that a contact, a kept profile or a question still needs. */
async function findReferred(
  reader: Reader,
  integrationId: string,
  jobs: readonly EndingJob[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const batch of inFilledBatches(jobs.map(({ trackingId }) => trackingId))) {
    for (const table of ['contacts', 'kept_profiles', 'questions'] as const) {
      const rows = await reader
        .selectFrom(table)
        .select('tracking_id')
        .where('integration_id', '=', integrationId)
        .where('tracking_id', 'in', batch)
        .execute();
      for (const { tracking_id } of rows) if (tracking_id !== null) found.add(tracking_id);
    }
    const rows = await reader
      .selectFrom('questions')
      .select('id')
      .where('id', 'in', batch)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}

/** Returns the time of each mapping's oldest answer that is kept, if it has more answers. */
async function findLastAnswers(
  reader: Reader,
  integrationId: string,
  jobs: readonly EndingJob[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const mapping of new Set(jobs.map((job) => job.mapping))) {
    const row = await reader
      .selectFrom('jobs')
      .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
      .select('jobs.answered_at')
      .where('jobs.integration_id', '=', integrationId)
      .where('jobs.shared_from', 'is', null)
      .where('submissions.mapping', '=', mapping)
      .where('jobs.answered_at', 'is not', null)
      .orderBy('jobs.answered_at', 'desc')
      .offset(ANSWERS_KEPT - 1)
      .limit(1)
      .executeTakeFirst();
    if (row?.answered_at != null) found.set(mapping, Number(row.answered_at));
  }
  return found;
}

async function addSums(
  trx: RunTransaction,
  integrationId: string,
  jobs: readonly EndingJob[],
): Promise<void> {
  const paid = jobs.filter(({ isPaid }) => isPaid);
  const sums = Map.groupBy(paid, ({ partnerKey, intendedAt, reason }) =>
    JSON.stringify([partnerKey, toMonth(toDay(intendedAt)), reason]),
  );
  for (const [, [first, ...others]] of sums) {
    if (first === undefined) continue;
    await trx
      .insertInto('closed_jobs')
      .values({
        integration_id: integrationId,
        partner_key: first.partnerKey,
        month: toMonth(toDay(first.intendedAt)),
        reason: first.reason,
        jobs: others.length + 1,
      })
      .onConflict((c) =>
        c.columns(['partner_key', 'month', 'integration_id', 'reason']).doUpdateSet((eb) => ({
          jobs: eb('closed_jobs.jobs', '+', eb.ref('excluded.jobs')),
        })),
      )
      .execute();
  }
}

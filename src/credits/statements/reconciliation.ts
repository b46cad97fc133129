import type { Reader } from '../../database/reader.ts';
import type { DueReason } from '../../database/tables/contacts.ts';
import { UNKNOWN_BALANCE } from '../../database/tables/credits.ts';
import { sumClosedJobs, UNPAID } from './closed-jobs.ts';

/** The spending with a key in a period, compared with its balance. */
export interface Reconciliation {
  partnerKey: string;
  integrations: string[];
  /** The number of credits that the service reported as charged. */
  charged: number;
  /** The number of people in submissions with an unknown result. */
  unsettled: number;
  /** The number of paid jobs for each reason. */
  reasons: Partial<Record<DueReason, number>>;
  /** The balance before the first submission of the period, or null if it is unknown. */
  balanceBefore: number | null;
  /**
   * The balance before the first submission after the period, or the current balance. Null if the balance is unknown.
   */
  balanceAfter: number | null;
}

/**
 * Returns the keys with a submission from `from` until before `to` (epoch ms). Both times are the starts of months
 * (UTC).
 */
export async function reconcile(
  reader: Reader,
  { from, to }: { from: number; to: number },
): Promise<Reconciliation[]> {
  const rows = await reader
    .selectFrom('submissions')
    .selectAll()
    .where('intended_at', '>=', from)
    .where('intended_at', '<', to)
    .orderBy('intended_at')
    .orderBy('id')
    .execute();
  const byKey = Map.groupBy(rows, (row) => row.partner_key);
  const found: Reconciliation[] = [];
  for (const [partnerKey, own] of byKey) {
    const jobs = await reader
      .selectFrom('jobs')
      .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
      .select((eb) => ['jobs.reason', eb.fn.countAll().as('count')])
      .where('submissions.partner_key', '=', partnerKey)
      .where('submissions.intended_at', '>=', from)
      .where('submissions.intended_at', '<', to)
      .where('jobs.shared_from', 'is', null)
      .where('jobs.state', 'not in', UNPAID)
      .groupBy('jobs.reason')
      .execute();
    const reasons = await sumClosedJobs(reader, partnerKey, { from, to });
    for (const { reason, count } of jobs) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + Number(count));
    }
    const next = await reader
      .selectFrom('submissions')
      .select('balance_before')
      .where('partner_key', '=', partnerKey)
      .where('intended_at', '>=', to)
      .orderBy('intended_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    const key = await reader
      .selectFrom('partner_keys')
      .select('balance')
      .where('id', '=', partnerKey)
      .executeTakeFirst();
    found.push({
      partnerKey,
      integrations: [...new Set(own.map((row) => row.integration_id))].sort(),
      charged: own.reduce((sum, { charged }) => sum + (charged ?? 0), 0),
      unsettled: own.reduce(
        (sum, { charged, persons }) => sum + (charged === null ? persons : 0),
        0,
      ),
      reasons: Object.fromEntries([...reasons].sort()),
      balanceBefore: getBalanceBefore(own[0]),
      balanceAfter: next === undefined ? (key?.balance ?? null) : getBalanceBefore(next),
    });
  }
  return found;
}

/**
 * Returns the balance before a submission. Later submissions do not show this balance, because others can spend with
 * the key.
 */
function getBalanceBefore(submission: { balance_before: number } | undefined): number | null {
  const balance = submission?.balance_before ?? UNKNOWN_BALANCE;
  return balance === UNKNOWN_BALANCE ? null : balance;
}

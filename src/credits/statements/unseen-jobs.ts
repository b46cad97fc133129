/** Finds jobs that another service key has paid for. */
import type { SeenContact, UnseenContact } from '../../contacts/many-at-once/paid-since-backup.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { LostJob } from './jobs.ts';

/** Counts paid jobs of other keys that are not delivered yet. */
export async function countOfOtherKeys(
  reader: Reader,
  integrationId: string,
  partnerKey: string,
): Promise<number> {
  const row = await reader
    .selectFrom('jobs')
    .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('jobs.integration_id', '=', integrationId)
    .where('jobs.state', 'in', ['processing', 'completed'])
    .where('submissions.partner_key', '<>', partnerKey)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function listOfOtherKeys<Each extends Pick<LostJob, 'submissionId'>>(
  reader: Reader,
  jobs: readonly Each[],
  partnerKey: string,
): Promise<Each[]> {
  const others = new Set<string>();
  for (const batch of inFilledBatches([...new Set(jobs.map((job) => job.submissionId))])) {
    const rows = await reader
      .selectFrom('submissions')
      .select('id')
      .where('id', 'in', batch)
      .where('partner_key', '<>', partnerKey)
      .execute();
    for (const { id } of rows) others.add(id);
  }
  return jobs.filter(({ submissionId }) => others.has(submissionId));
}

/**
 * Returns contacts whose job this key has paid for, so that this key can read the job. The service may no longer have
 * results from before `since` (epoch ms).
 */
export async function listSeenAgain(
  reader: Reader,
  contacts: readonly UnseenContact[],
  { partnerKey, since }: { partnerKey: string; since: number },
): Promise<SeenContact[]> {
  const crmIds = new Map(contacts.map(({ crmId, trackingId }) => [trackingId, crmId]));
  const seen: SeenContact[] = [];
  for (const batch of inFilledBatches([...crmIds.keys()])) {
    const rows = await reader
      .selectFrom('jobs')
      .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
      .select(['jobs.tracking_id', 'jobs.crm_id', 'jobs.identity', 'jobs.submitted_at'])
      .where('jobs.tracking_id', 'in', batch)
      .where('jobs.state', '=', 'vanished')
      .where('jobs.job_id', 'is not', null)
      .where('jobs.submitted_at', '>=', since)
      .where('submissions.partner_key', '=', partnerKey)
      .execute();
    for (const { tracking_id: trackingId, crm_id: crmId, identity, submitted_at } of rows) {
      // A contact that was merged or erased since then has a different job or no job.
      if (crmIds.get(trackingId) !== crmId) continue;
      seen.push({ crmId, trackingId, identity, submittedAt: submitted_at });
    }
  }
  return seen;
}

/** Opens jobs again, so that they are polled again. */
export async function reopenJobs(
  trx: RunTransaction,
  trackingIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(trackingIds)) {
    await trx
      .updateTable('jobs')
      .set({ state: 'processing', closed_at: null })
      .where('tracking_id', 'in', batch)
      .where('state', '=', 'vanished')
      .execute();
  }
}

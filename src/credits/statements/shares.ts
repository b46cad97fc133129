/**
 * Lets contacts share paid jobs. donor-sync pays for each person only once per service key. Contacts of the same person
 * share the job, even in different integrations.
 */

import { moveAndList } from '../../contacts/life/apply-events.ts';
import type { LifeEvent } from '../../contacts/life/life.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { inBatches } from '../../database/rows.ts';
import type { JobState } from '../../database/tables/credits.ts';
import { countInRun } from '../../sync/statements/run-counts.ts';
import type { IntendedJob } from './intents.ts';
import {
  type Fate,
  findShares,
  type PaidJob,
  type SharingContact,
  type SharingRules,
} from './paid-jobs.ts';
import { endRecalled } from './recalled-payments.ts';
import { openLossHolds } from './submission-end.ts';

export type { PaidJob, SharingContact, SharingRules };

type Taker = IntendedJob & { paid: PaidJob };

/** The changes to the contact and its job, for each result of the shared job. */
const AFTERWARDS = {
  running: { event: 'sharedRunning', job: 'processing', isOver: false },
  done: { event: 'sharedDone', job: 'completed', isOver: false },
  failed: { event: 'sharedFailed', job: 'failed', isOver: true },
  lost: { event: 'sharedLost', job: 'lost', isOver: true },
} as const satisfies Record<Fate, { event: LifeEvent; job: JobState; isOver: boolean }>;

const LOST = 'the response about the same person in another contact was lost';

/**
 * Finds and shares the jobs in the same transaction. Resolves with the CRM IDs of the contacts that got a job. Skips
 * contacts that are no longer due.
 */
export async function takeShares(
  trx: RunTransaction,
  runId: string,
  contacts: readonly IntendedJob[],
  rules: SharingRules,
): Promise<Set<string>> {
  const shares = await findShares(trx, trx.fingerprint, trx.lease.integrationId, contacts, rules);
  const takers = contacts.flatMap((contact) => {
    const paid = shares.get(contact.crmId);
    return paid ? [{ ...contact, paid }] : [];
  });
  const running = await move(trx, trx.lease, runId, takers, 'running');
  const done = await move(trx, trx.lease, runId, takers, 'done');
  const failed = await move(trx, trx.lease, runId, takers, 'failed');
  await move(trx, trx.lease, runId, takers, 'lost');
  await countInRun(trx, runId, { shared: running + done + failed });
  return new Set(shares.keys());
}

/** Changes contacts whose jobs have the same result. Skips contacts that are no longer due. */
async function move(
  trx: RunTransaction,
  lease: Lease,
  runId: string,
  takers: readonly Taker[],
  fate: Fate,
): Promise<number> {
  let moved = 0;
  const run = { id: runId, now: trx.clock.now() };
  for (const batch of inBatches(takers.filter(({ paid }) => paid.fate === fate))) {
    const taken = batch.map(({ crmId, identity, trackingId, paid }) => ({
      crm_id: crmId,
      tracking_id: trackingId,
      asked_identity: identity,
      // The age of the profile starts with its credit.
      asked_at: paid.submittedAt,
    }));
    const { event } = AFTERWARDS[fate];
    const rows = await moveAndList(trx, lease, event, taken, run, { outcome_detail: LOST });
    if (rows.length === 0) continue;
    const ids = new Set(rows.map(({ crm_id }) => crm_id));
    const those = batch.filter(({ crmId }) => ids.has(crmId));
    await insertJobs(trx, lease, those, fate);
    const fingerprints = those.map(({ crmId }) => trx.fingerprint('forgotten', crmId));
    await endRecalled(trx, lease.integrationId, fingerprints);
    if (fate === 'lost') {
      const hold = { integration_id: lease.integrationId, closed_at: run.now };
      await openLossHolds(trx, hold, rows, LOST);
    }
    moved += rows.length;
  }
  return moved;
}

/** Adds a job for each contact, so that each contact is polled, delivered and held separately. */
async function insertJobs(
  trx: RunTransaction,
  lease: Lease,
  takers: readonly Taker[],
  fate: Fate,
): Promise<void> {
  const { job: state, isOver } = AFTERWARDS[fate];
  await trx
    .insertInto('jobs')
    .values(
      takers.map(({ paid, ...taker }) => ({
        tracking_id: taker.trackingId,
        submission_id: paid.submissionId,
        integration_id: lease.integrationId,
        crm_id: taker.crmId,
        identity: taker.identity,
        person: taker.person,
        reason: taker.reason,
        state,
        job_id: paid.jobId,
        shared_from: paid.trackingId,
        submitted_at: paid.submittedAt,
        closed_at: isOver ? trx.clock.now() : null,
      })),
    )
    .execute();
}

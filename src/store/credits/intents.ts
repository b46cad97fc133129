import type { Clock } from '../../core/clock.ts';
import { move } from '../contacts/move.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { portions } from '../engine/rows.ts';
import type { DueReason, Trx } from '../engine/tables.ts';
import { findShares, type SharingRules } from './paid-jobs.ts';

/** One submission on its way to disk, before its request leaves. */
export interface Intent {
  submissionId: string;
  runId: string;
  partnerKey: string;
  /** The mapping by which the persons are made; on record as unknown by default. */
  mapping?: string;
  /** One for each person, in the order of the request. */
  jobs: readonly IntendedJob[];
  /** A job that any of the persons may share must be shared. */
  sharing: SharingRules;
}

export interface IntendedJob {
  trackingId: string;
  crmId: string;
  /** Fingerprint of the identity that is submitted. */
  identity: string;
  reason: DueReason;
  /** Fingerprint of partner key and person; null if the job is not shared. */
  person: string | null;
}

export type IntentResult =
  | { recorded: true; balanceBefore: number }
  | { recorded: false; why: IntentRefusal };

/**
 * Another submission of the key is open, the balance is unknown, another run paid for one of the
 * persons meanwhile, or a contact has moved on.
 */
export type IntentRefusal = 'key_busy' | 'balance_unknown' | 'person_paid' | 'contacts_changed';

/** How a submission begins: on disk, before its request leaves. */
export function intentQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
    /** Puts the intent on disk, with the balance before it. Nothing was recorded if it says so. */
    async recordIntent(lease: Lease, intent: Intent): Promise<IntentResult> {
      try {
        return await checkpoint(lease, (trx) => insertIntent(trx, lease, intent));
      } catch (error) {
        if (error instanceof IntentRefused) return { recorded: false, why: error.why };
        throw error;
      }
    },
  };

  async function insertIntent(trx: Trx, lease: Lease, intent: Intent): Promise<IntentResult> {
    const key = await trx
      .selectFrom('partner_keys')
      .select('balance')
      .where('id', '=', intent.partnerKey)
      .executeTakeFirst();
    if (key?.balance == null) throw new IntentRefused('balance_unknown');
    const inserted = await trx
      .insertInto('submissions')
      .values({
        id: intent.submissionId,
        integration_id: lease.integrationId,
        run_id: intent.runId,
        partner_key: intent.partnerKey,
        state: 'intended',
        persons: intent.jobs.length,
        balance_before: key.balance,
        intended_at: clock.now(),
        mapping: intent.mapping ?? null,
      })
      .onConflict((c) => c.doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 0n) throw new IntentRefused('key_busy');
    // Asked once the key is ours: the one that had it before has left what it paid for.
    const shares = await findShares(trx, lease.integrationId, intent.jobs, intent.sharing);
    if (shares.size > 0) throw new IntentRefused('person_paid');
    for (const jobs of portions(intent.jobs)) await insertJobs(trx, lease, intent, jobs);
    return { recorded: true, balanceBefore: key.balance };
  }

  async function insertJobs(
    trx: Trx,
    lease: Lease,
    intent: Intent,
    jobs: readonly IntendedJob[],
  ): Promise<void> {
    await trx
      .insertInto('jobs')
      .values(
        jobs.map((job) => ({
          tracking_id: job.trackingId,
          submission_id: intent.submissionId,
          integration_id: lease.integrationId,
          crm_id: job.crmId,
          identity: job.identity,
          person: job.person,
          reason: job.reason,
          state: 'intended' as const,
          submitted_at: clock.now(),
        })),
      )
      .execute();
    const submitted = jobs.map(({ crmId, trackingId, identity }) => ({
      crm_id: crmId,
      tracking_id: trackingId,
      identity,
    }));
    const run = { id: intent.runId, now: clock.now() };
    const moved = await move(trx, lease, 'submitted', submitted, run);
    if (moved !== jobs.length) throw new IntentRefused('contacts_changed');
  }
}

class IntentRefused extends Error {
  readonly why: IntentRefusal;

  constructor(why: IntentRefusal) {
    super(why);
    this.why = why;
  }
}

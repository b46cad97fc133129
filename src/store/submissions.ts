import { type Selectable, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { ASK_AGAIN } from './jobs.ts';
import type { Checkpoint, Lease } from './leases.ts';
import { portions, valuesTable } from './rows.ts';
import type { Database, DueReason, SubmissionsTable, Trx } from './tables.ts';

export type SubmissionRow = Selectable<SubmissionsTable>;

/** One submission on its way to disk, before its request leaves. */
export interface Intent {
  submissionId: string;
  runId: string;
  partnerKey: string;
  /** One for each person, in the order of the request. */
  jobs: readonly IntendedJob[];
}

export interface IntendedJob {
  trackingId: string;
  crmId: string;
  /** Fingerprint of the identity that is submitted. */
  identity: string;
  reason: DueReason;
}

export type IntentResult =
  | { recorded: true; balanceBefore: number }
  /** Another submission of the key is open, the balance is unknown, or a contact has moved on. */
  | { recorded: false; why: 'key_busy' | 'balance_unknown' | 'contacts_changed' };

/** What becomes of the contacts of a submission that was charged without an answer. */
export type AfterLoss = 'hold' | 'resubmit';

export function submissionQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** The submission of a key that is open, if there is one. */
    findOpen(partnerKey: string): Promise<SubmissionRow | undefined> {
      return db
        .selectFrom('submissions')
        .selectAll()
        .where('partner_key', '=', partnerKey)
        .where('state', 'in', ['intended', 'lost'])
        .executeTakeFirst();
    },

    /**
     * The enhancements balance of a key as carried forward, when it was last read (epoch ms; 0 for
     * never), and its place in the sequence.
     */
    async findBalance(
      partnerKey: string,
    ): Promise<{ balance: number | null; readAt: number; sequence: number }> {
      const row = await db
        .selectFrom('partner_keys')
        .select(['balance', 'balance_read_at', 'spend_sequence'])
        .where('id', '=', partnerKey)
        .executeTakeFirst();
      return {
        balance: row?.balance ?? null,
        readAt: row?.balance_read_at ?? 0,
        sequence: row?.spend_sequence ?? 0,
      };
    },

    /** Notes a reading, unless a submission of the key was open or closed since `sequence`. */
    recordBalance(partnerKey: string, sequence: number, balance: number): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        await trx
          .insertInto('partner_keys')
          .values({ id: partnerKey, spend_sequence: 0 })
          .onConflict((c) => c.doNothing())
          .execute();
        const open = await trx
          .selectFrom('submissions')
          .select('id')
          .where('partner_key', '=', partnerKey)
          .where('state', 'in', ['intended', 'lost'])
          .executeTakeFirst();
        if (open) return false;
        const noted = await trx
          .updateTable('partner_keys')
          .set({ balance, balance_read_at: clock.now() })
          .where('id', '=', partnerKey)
          .where('spend_sequence', '=', sequence)
          .executeTakeFirst();
        return noted.numUpdatedRows > 0n;
      });
    },

    /**
     * Credits of the enhancements bucket that an integration has spent since `since` (epoch ms);
     * open submissions count as spent.
     */
    async spentSince(integrationId: string, since: number): Promise<number> {
      const row = await db
        .selectFrom('submissions')
        .select((eb) => eb.fn.sum(eb.fn.coalesce('charged', 'persons')).as('spent'))
        .where('integration_id', '=', integrationId)
        .where('intended_at', '>=', since)
        .executeTakeFirst();
      return Number(row?.spent ?? 0);
    },

    /** Credits that a run has spent so far. */
    async spentByRun(runId: string): Promise<number> {
      const row = await db
        .selectFrom('runs')
        .select('spent_enhancements')
        .where('id', '=', runId)
        .executeTakeFirst();
      return row?.spent_enhancements ?? 0;
    },

    /** Puts the intent on disk, with the balance before it. Nothing was recorded if it says so. */
    async recordIntent(lease: Lease, intent: Intent): Promise<IntentResult> {
      try {
        return await checkpoint(lease, (trx) => insertIntent(trx, lease, intent));
      } catch (error) {
        if (error instanceof IntentRefused) return { recorded: false, why: error.why };
        throw error;
      }
    },

    /** The answer came: the jobs that were started, and so many credits spent. */
    async recordAccepted(
      lease: Lease,
      submissionId: string,
      answer: { jobIds: ReadonlyMap<string, string>; charged: number },
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const submission = await close(trx, submissionId, 'accepted', answer.charged);
        const started = [...answer.jobIds];
        for (const portion of portions(started)) {
          const jobs = valuesTable<'column1' | 'column2'>(portion);
          await trx
            .updateTable('jobs')
            .from(jobs)
            .set((eb) => ({ state: 'processing', job_id: eb.ref('v.column2') }))
            .where('submission_id', '=', submissionId)
            .whereRef('tracking_id', '=', 'v.column1')
            .execute();
        }
        await spendOnContacts(trx, submission, 'processing', { due_reason: null });
        if (answer.charged > started.length) {
          // More was charged than there are jobs: whose credits those are, nobody can tell.
          await holdUnanswered(trx, submission, 'charged, and no job id came back');
        }
        await returnToDue(trx, submission, 'not_processed');
        await trx
          .updateTable('runs')
          .set((eb) => ({
            submitted_count: eb('submitted_count', '+', started.length),
            spent_enhancements: eb('spent_enhancements', '+', answer.charged),
          }))
          .where('id', '=', submission.run_id)
          .execute();
      });
    },

    /**
     * The service refused the whole request and charged nothing. The persons it blames are
     * settled; the others are due again.
     */
    async recordRefused(
      lease: Lease,
      submissionId: string,
      blamed: readonly { trackingId: string; detail: string }[] = [],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const submission = await close(trx, submissionId, 'refused', 0);
        for (const { trackingId, detail } of blamed) {
          await trx
            .updateTable('contacts')
            .from('jobs')
            .set((eb) => ({
              state: 'settled',
              due_reason: null,
              // Nothing was spent, but asking again with the same details is useless; with others,
              // read while the request was under way, it is not.
              asked_identity: eb.ref('jobs.identity'),
              asked_at: eb
                .case()
                .when('contacts.identity', '=', eb.ref('jobs.identity'))
                .then(eb.cast<number>(eb.val(clock.now()), 'bigint'))
                .else(sql.lit(ASK_AGAIN))
                .end(),
              tracking_id: null,
              outcome_reason: 'person_invalid',
              outcome_run: submission.run_id,
              outcome_at: clock.now(),
              outcome_detail: detail,
            }))
            .where('jobs.tracking_id', '=', trackingId)
            .where('contacts.integration_id', '=', submission.integration_id)
            .whereRef('contacts.crm_id', '=', 'jobs.crm_id')
            .whereRef('contacts.tracking_id', '=', 'jobs.tracking_id')
            .execute();
        }
        await returnToDue(trx, submission, 'submission_pending');
      });
    },

    /** No answer came, and the request may have been charged: the key waits for settlement. */
    async recordLost(lease: Lease, submissionId: string): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('submissions')
          .set({ state: 'lost', lost_at: clock.now() })
          .where('id', '=', submissionId)
          .where('state', '=', 'intended')
          .execute(),
      );
    },

    /** Settled: the balance shows that nothing was charged. */
    async settleNotCharged(lease: Lease, submissionId: string, balance: number): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const submission = await close(trx, submissionId, 'not_charged', 0);
        await setBalance(trx, submission.partner_key, balance);
        await returnToDue(trx, submission, 'submission_pending');
      });
    },

    /**
     * Settled: the credits are gone, or nobody can prove that they are not. The contacts are
     * held, or due once more if the settings allow to spend again.
     */
    async settleCharged(
      lease: Lease,
      submissionId: string,
      loss: { charged: number; balance: number; afterwards: AfterLoss; detail: string },
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const submission = await close(trx, submissionId, 'charged', loss.charged);
        await setBalance(trx, submission.partner_key, loss.balance);
        if (loss.afterwards === 'hold') await holdUnanswered(trx, submission, loss.detail);
        else await makeDueAgain(trx, submission, loss.detail);
        await trx
          .updateTable('runs')
          .set((eb) => ({ spent_enhancements: eb('spent_enhancements', '+', loss.charged) }))
          .where('id', '=', submission.run_id)
          .execute();
      });
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
      })
      .onConflict((c) => c.doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 0n) throw new IntentRefused('key_busy');
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
          reason: job.reason,
          state: 'intended' as const,
          submitted_at: clock.now(),
        })),
      )
      .execute();
    const moved = await trx
      .updateTable('contacts')
      .from(
        valuesTable<'column1' | 'column2' | 'column3'>(
          jobs.map((job) => [job.crmId, job.trackingId, job.identity]),
        ),
      )
      .set((eb) => ({
        state: 'submitted',
        tracking_id: eb.ref('v.column2'),
        identity: eb.ref('v.column3'),
      }))
      .where('integration_id', '=', lease.integrationId)
      .where('state', '=', 'due')
      .whereRef('crm_id', '=', 'v.column1')
      .executeTakeFirst();
    if (moved.numUpdatedRows !== BigInt(jobs.length)) throw new IntentRefused('contacts_changed');
  }

  async function close(
    trx: Trx,
    submissionId: string,
    state: 'accepted' | 'refused' | 'not_charged' | 'charged',
    charged: number,
  ): Promise<SubmissionRow> {
    const submission = await trx
      .updateTable('submissions')
      .set({ state, charged, closed_at: clock.now() })
      .where('id', '=', submissionId)
      .where('state', 'in', ['intended', 'lost'])
      .returningAll()
      .executeTakeFirstOrThrow();
    await trx
      .updateTable('partner_keys')
      .set((eb) => ({
        balance: eb('balance', '-', charged),
        spend_sequence: eb('spend_sequence', '+', 1),
      }))
      .where('id', '=', submission.partner_key)
      .execute();
    return submission;
  }

  /** Contacts whose jobs were charged: the credit is on record against the identity submitted. */
  async function spendOnContacts(
    trx: Trx,
    submission: SubmissionRow,
    jobState: 'processing' | 'intended',
    changes: {
      state?: 'held' | 'due';
      due_reason: DueReason | null;
      tracking_id?: null;
      outcome_reason?: OutcomeReason;
      outcome_run?: string;
      outcome_at?: number;
      outcome_detail?: string | null;
    },
  ): Promise<void> {
    await trx
      .updateTable('contacts')
      .from('jobs')
      .set((eb) => ({ ...changes, asked_identity: eb.ref('jobs.identity'), asked_at: clock.now() }))
      .where('jobs.submission_id', '=', submission.id)
      .where('jobs.state', '=', jobState)
      .where('contacts.integration_id', '=', submission.integration_id)
      .whereRef('contacts.crm_id', '=', 'jobs.crm_id')
      .whereRef('contacts.tracking_id', '=', 'jobs.tracking_id')
      .execute();
  }

  /** Jobs that were not charged are closed as unpaid, and their contacts are due again. */
  async function returnToDue(
    trx: Trx,
    submission: SubmissionRow,
    reason: OutcomeReason,
  ): Promise<void> {
    await trx
      .updateTable('contacts')
      .from('jobs')
      .set((eb) => ({
        state: 'due',
        due_reason: eb.ref('jobs.reason'),
        tracking_id: null,
        outcome_reason: reason,
        outcome_run: submission.run_id,
        outcome_at: clock.now(),
      }))
      .where('jobs.submission_id', '=', submission.id)
      .where('jobs.state', '=', 'intended')
      .where('contacts.integration_id', '=', submission.integration_id)
      .whereRef('contacts.crm_id', '=', 'jobs.crm_id')
      .whereRef('contacts.tracking_id', '=', 'jobs.tracking_id')
      .execute();
    await trx
      .updateTable('jobs')
      .set({ state: 'unpaid', closed_at: clock.now() })
      .where('submission_id', '=', submission.id)
      .where('state', '=', 'intended')
      .execute();
  }

  /** Contacts of jobs without an answer, charged: a person decides whether to spend again. */
  async function holdUnanswered(
    trx: Trx,
    submission: SubmissionRow,
    detail: string,
  ): Promise<void> {
    await holdContacts(trx, submission, detail);
    await spendOnContacts(trx, submission, 'intended', {
      state: 'held',
      due_reason: null,
      outcome_reason: 'lost_answer',
      outcome_run: submission.run_id,
      outcome_at: clock.now(),
      outcome_detail: detail,
    });
    await loseJobs(trx, submission);
  }

  /** The same contacts where the settings allow to spend again. */
  async function makeDueAgain(trx: Trx, submission: SubmissionRow, detail: string): Promise<void> {
    await spendOnContacts(trx, submission, 'intended', {
      state: 'due',
      tracking_id: null,
      due_reason: 'lost_answer_resubmitted',
      outcome_reason: 'submission_pending',
      outcome_run: submission.run_id,
      outcome_at: clock.now(),
      outcome_detail: detail,
    });
    await loseJobs(trx, submission);
  }

  async function loseJobs(trx: Trx, submission: SubmissionRow): Promise<void> {
    await trx
      .updateTable('jobs')
      .set({ state: 'lost', closed_at: clock.now() })
      .where('submission_id', '=', submission.id)
      .where('state', '=', 'intended')
      .execute();
  }

  async function holdContacts(trx: Trx, submission: SubmissionRow, detail: string): Promise<void> {
    // A contact that was forgotten meanwhile is nobody's to decide about.
    const jobs = await trx
      .selectFrom('jobs')
      .innerJoin('contacts', (join) =>
        join
          .onRef('contacts.integration_id', '=', 'jobs.integration_id')
          .onRef('contacts.crm_id', '=', 'jobs.crm_id')
          .onRef('contacts.tracking_id', '=', 'jobs.tracking_id'),
      )
      .select(['jobs.tracking_id', 'jobs.crm_id'])
      .where('jobs.submission_id', '=', submission.id)
      .where('jobs.state', '=', 'intended')
      .execute();
    for (const portion of portions(jobs)) {
      await trx
        .insertInto('holds')
        .values(
          portion.map((job) => ({
            // One hold can come of one tracking id, so that it names the hold as well.
            id: job.tracking_id,
            integration_id: submission.integration_id,
            crm_id: job.crm_id,
            kind: 'lost_answer' as const,
            tracking_id: job.tracking_id,
            detail,
            opened_at: clock.now(),
          })),
        )
        .onConflict((c) => c.doNothing())
        .execute();
    }
  }

  async function setBalance(trx: Trx, partnerKey: string, balance: number): Promise<void> {
    await trx.updateTable('partner_keys').set({ balance }).where('id', '=', partnerKey).execute();
  }
}

class IntentRefused extends Error {
  readonly why: 'key_busy' | 'balance_unknown' | 'contacts_changed';

  constructor(why: 'key_busy' | 'balance_unknown' | 'contacts_changed') {
    super(why);
    this.why = why;
  }
}

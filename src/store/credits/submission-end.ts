import type { OutcomeReason } from '../../core/outcome.ts';
import { OPEN_STATES, type SubmissionRow } from '../contacts/open-submissions.ts';
import { portions } from '../engine/rows.ts';
import type { DueReason, Trx } from '../engine/tables.ts';

/** A submission that has come to its end, and when (epoch ms). */
export type ClosedSubmission = SubmissionRow & { closed_at: number };

/** Ends a submission once: credits leave the balance of its key. Throws if it was closed before. */
export async function closeSubmission(
  trx: Trx,
  submissionId: string,
  end: {
    state: 'accepted' | 'refused' | 'not_charged' | 'charged';
    charged: number;
    closed_at: number;
  },
): Promise<ClosedSubmission> {
  const submission = await trx
    .updateTable('submissions')
    .set(end)
    .where('id', '=', submissionId)
    .where('state', 'in', OPEN_STATES)
    .returningAll()
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('partner_keys')
    .set((eb) => ({
      balance: eb('balance', '-', end.charged),
      spend_sequence: eb('spend_sequence', '+', 1),
    }))
    .where('id', '=', submission.partner_key)
    .execute();
  return { ...submission, closed_at: end.closed_at };
}

/** Contacts whose jobs were charged: the credit is on record against the identity submitted. */
export async function spendOnContacts(
  trx: Trx,
  submission: ClosedSubmission,
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
    .set((eb) => ({
      ...changes,
      asked_identity: eb.ref('jobs.identity'),
      // A clock that was set back while the request was under way must not make its profile old.
      asked_at: Math.max(submission.closed_at, submission.intended_at),
    }))
    .where('jobs.submission_id', '=', submission.id)
    .where('jobs.state', '=', jobState)
    .where('contacts.integration_id', '=', submission.integration_id)
    .whereRef('contacts.crm_id', '=', 'jobs.crm_id')
    .whereRef('contacts.tracking_id', '=', 'jobs.tracking_id')
    .execute();
}

/** Jobs that were not charged are closed as unpaid, and their contacts are due again. */
export async function returnToDue(
  trx: Trx,
  submission: ClosedSubmission,
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
      outcome_at: submission.closed_at,
    }))
    .where('jobs.submission_id', '=', submission.id)
    .where('jobs.state', '=', 'intended')
    .where('contacts.integration_id', '=', submission.integration_id)
    .whereRef('contacts.crm_id', '=', 'jobs.crm_id')
    .whereRef('contacts.tracking_id', '=', 'jobs.tracking_id')
    .execute();
  await closeUnanswered(trx, submission, 'unpaid');
}

/** Contacts of jobs without an answer, charged: a person decides whether to spend again. */
export async function holdUnanswered(
  trx: Trx,
  submission: ClosedSubmission,
  detail: string,
): Promise<void> {
  await holdContacts(trx, submission, detail);
  await spendOnContacts(trx, submission, 'intended', {
    state: 'held',
    due_reason: null,
    outcome_reason: 'lost_answer',
    outcome_run: submission.run_id,
    outcome_at: submission.closed_at,
    outcome_detail: detail,
  });
  await closeUnanswered(trx, submission, 'lost');
}

/** The same contacts where the settings allow to spend again. */
export async function makeDueAgain(
  trx: Trx,
  submission: ClosedSubmission,
  detail: string,
): Promise<void> {
  await spendOnContacts(trx, submission, 'intended', {
    state: 'due',
    tracking_id: null,
    due_reason: 'lost_answer_resubmitted',
    outcome_reason: 'submission_pending',
    outcome_run: submission.run_id,
    outcome_at: submission.closed_at,
    outcome_detail: detail,
  });
  await closeUnanswered(trx, submission, 'lost');
}

async function closeUnanswered(
  trx: Trx,
  submission: ClosedSubmission,
  state: 'unpaid' | 'lost',
): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ state, closed_at: submission.closed_at })
    .where('submission_id', '=', submission.id)
    .where('state', '=', 'intended')
    .execute();
}

async function holdContacts(trx: Trx, submission: ClosedSubmission, detail: string): Promise<void> {
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
          opened_at: submission.closed_at,
        })),
      )
      .onConflict((c) => c.doNothing())
      .execute();
  }
}

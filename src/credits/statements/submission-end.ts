import type { Selectable } from 'kysely';
import { inheritLater } from '../../contacts/departures.ts';
import { type Moved, move, moveAndList } from '../../contacts/life/apply-events.ts';
import { lockKey, OPEN_STATES, type SubmissionRow } from '../../contacts/open-submissions.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { LeasedTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';

/** A finished submission, and the time at which it ended (epoch ms). */
export type ClosedSubmission = SubmissionRow & { closed_at: number };

type End = {
  state: 'accepted' | 'refused' | 'not_charged' | 'charged';
  charged: number;
  closed_at: number;
};

/**
 * Closes a submission and subtracts its credits from the key's balance. Throws an error if the submission is already
 * closed.
 */
export async function closeSubmission(
  trx: LeasedTransaction,
  submissionId: string,
  end: End,
): Promise<ClosedSubmission> {
  // Locks the key first. All transactions about submissions lock the key first, which prevents deadlocks.
  const [key] = (await selectKey(trx, { submissionId })).rows;
  if (key === undefined) throw new Error('The submission to close does not exist.');
  await lockKey(trx, key.partner_key);
  const [submission] = (await close(trx, { submissionId, ...end })).rows;
  if (submission === undefined)
    throw new Error('A submission that was open a moment ago is closed.');
  await charge(trx, { partnerKey: submission.partner_key, charged: end.charged });
  return { ...submission, closed_at: end.closed_at };
}

const selectKey = preparedRead((db, { submissionId }: Slots<{ submissionId: string }>) =>
  db.selectFrom('submissions').select('partner_key').where('id', '=', submissionId).compile(),
);

const close = prepared((db, { submissionId, ...end }: Slots<{ submissionId: string } & End>) =>
  db
    .updateTable('submissions')
    .set(end)
    .where('id', '=', submissionId)
    .where('state', 'in', OPEN_STATES)
    .returningAll()
    .compile(),
);

const charge = prepared(
  (db, { partnerKey, charged }: Slots<{ partnerKey: string; charged: number }>) =>
    db
      .updateTable('partner_keys')
      .set((eb) => ({
        balance: eb('balance', '-', charged),
        spend_sequence: eb('spend_sequence', '+', 1),
      }))
      .where('id', '=', partnerKey)
      .compile(),
);

export type SubmittedJob = Pick<
  Selectable<Tables['jobs']>,
  'tracking_id' | 'crm_id' | 'identity' | 'reason'
>;

/** Marks jobs that were not charged as `unpaid`, and makes their contacts due again. No credit was spent. */
export async function returnToDue(
  trx: LeasedTransaction,
  submission: ClosedSubmission,
  outcome_reason: OutcomeReason,
): Promise<void> {
  const jobs = await closeUnanswered(trx, submission, 'unpaid');
  const unpaid = jobs.map(({ reason, ...job }) => ({ ...ofJob(job), due_reason: reason }));
  const [of, moment] = [ofSubmission(submission), toMoment(submission)];
  await move(trx, of, 'notCharged', unpaid, moment, { outcome_reason });
  await inheritLater(trx, of, moment, unpaid);
}

/** Holds contacts whose job was charged without a response. A user decides whether to spend a further credit. */
export async function holdUnanswered(
  trx: LeasedTransaction,
  submission: ClosedSubmission,
  detail: string,
): Promise<void> {
  // For an erased contact, a user has nothing to decide.
  const held = await spendUnanswered(trx, submission, 'lost', detail);
  await openLossHolds(trx, submission, held, detail);
}

/** Makes the contacts due again without a decision, because the settings allow spending a further credit. */
export async function makeDueAgain(
  trx: LeasedTransaction,
  submission: ClosedSubmission,
  detail: string,
): Promise<void> {
  const due = await spendUnanswered(trx, submission, 'lostDueAgain', detail);
  await inheritLater(trx, ofSubmission(submission), toMoment(submission), due);
}

/** Stores the credit and the submitted identity of contacts that the service accepted. */
export async function spendOnAccepted(
  trx: LeasedTransaction,
  submission: ClosedSubmission,
  jobs: readonly Omit<SubmittedJob, 'reason'>[],
): Promise<void> {
  await move(trx, ofSubmission(submission), 'accepted', jobs.map(ofJob), toMoment(submission), {
    asked_at: askedAt(submission),
  });
}

/** Opens decisions for contacts that wait because a response was lost. */
export async function openLossHolds(
  trx: LeasedTransaction,
  { integration_id, closed_at }: Pick<ClosedSubmission, 'integration_id' | 'closed_at'>,
  contacts: readonly { crm_id: string; tracking_id: string | null }[],
  detail: string,
): Promise<void> {
  const questions = contacts.map(({ crm_id, tracking_id }) => ({
    // A tracking ID has only one hold, so it is the hold's ID.
    id: tracking_id ?? '',
    crmId: crm_id,
    kind: 'lost_answer' as const,
    detail,
    openedAt: closed_at,
  }));
  await openQuestions(trx, integration_id, questions, 'keep');
}

async function spendUnanswered(
  trx: LeasedTransaction,
  submission: ClosedSubmission,
  event: 'lost' | 'lostDueAgain',
  outcome_detail: string,
): Promise<Moved[]> {
  const jobs = await closeUnanswered(trx, submission, 'lost');
  const of = ofSubmission(submission);
  return moveAndList(trx, of, event, jobs.map(ofJob), toMoment(submission), {
    asked_at: askedAt(submission),
    outcome_detail,
  });
}

/** Closes the jobs without a response. Resolves with these jobs. */
async function closeUnanswered(
  trx: LeasedTransaction,
  { id, closed_at }: ClosedSubmission,
  state: 'unpaid' | 'lost',
): Promise<SubmittedJob[]> {
  const { rows } = await closeIntended(trx, { submissionId: id, state, closedAt: closed_at });
  return rows;
}

type Unanswered = { submissionId: string; state: 'unpaid' | 'lost'; closedAt: number };

const closeIntended = prepared((db, { submissionId, state, closedAt }: Slots<Unanswered>) =>
  db
    .updateTable('jobs')
    .set({ state, closed_at: closedAt })
    .where('submission_id', '=', submissionId)
    .where('state', '=', 'intended')
    .returning(['tracking_id', 'crm_id', 'identity', 'reason'])
    .compile(),
);

export function ofJob({ crm_id, tracking_id, identity }: Omit<SubmittedJob, 'reason'>) {
  return { crm_id, tracking_id, asked_identity: identity };
}

export function ofSubmission({ integration_id }: SubmissionRow) {
  return { integrationId: integration_id };
}

export function toMoment({ run_id, closed_at }: ClosedSubmission) {
  return { id: run_id, now: closed_at };
}

/**
 * Returns the time at which the profile was requested. If the clock was set back in between, the profile must not look
 * old.
 */
function askedAt({ closed_at, intended_at }: ClosedSubmission): number {
  return Math.max(closed_at, intended_at);
}

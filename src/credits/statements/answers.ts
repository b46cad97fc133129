/** Records the service's responses to submissions. */

import { inheritLater } from '../../contacts/departures.ts';
import { move } from '../../contacts/life/apply-events.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches, valuesTable } from '../../database/rows.ts';
import { ERASED_ID } from '../../database/tables/credits.ts';
import { countInRun } from '../../sync/statements/run-counts.ts';
import {
  type ClosedSubmission,
  closeSubmission,
  holdUnanswered,
  ofJob,
  ofSubmission,
  returnToDue,
  spendOnAccepted,
  toMoment,
} from './submission-end.ts';

/** Records the jobs that the service started and the credits that it charged. */
export async function recordAcceptedSubmission(
  trx: RunTransaction,
  submissionId: string,
  answer: { jobIds: ReadonlyMap<string, string>; charged: number },
): Promise<void> {
  const submission = await closeSubmission(trx, submissionId, {
    state: 'accepted',
    charged: answer.charged,
    closed_at: trx.clock.now(),
  });
  const started = [...answer.jobIds];
  for (const batch of inFilledBatches(started)) {
    const { rows } = await start(trx, { submissionId, cells: batch.flat() });
    await spendOnAccepted(trx, submission, rows);
  }
  await dropErased(trx, submissionId, trx.clock.now());
  if (answer.charged > started.length) {
    // If the service charged more credits than there are jobs, it is unknown for which contacts the remaining credits
    // paid.
    await holdUnanswered(trx, submission, 'charged, and no job id came back');
  }
  await returnToDue(trx, submission, 'not_processed');
  await countInRun(trx, submission.run_id, {
    submitted: started.length,
    spent: answer.charged,
  });
}

/** Records that the service refused the whole request. The service charged nothing. */
export async function recordRefusedSubmission(
  trx: RunTransaction,
  submissionId: string,
  blamed: readonly { trackingId: string; detail: string }[] = [],
): Promise<void> {
  const submission = await closeSubmission(trx, submissionId, {
    state: 'refused',
    charged: 0,
    closed_at: trx.clock.now(),
  });
  await settleRefused(trx, submission, blamed);
  await returnToDue(trx, submission, 'submission_pending');
}

/** Starts the jobs. `cells` contains pairs of tracking ID and job ID. */
const start = prepared(
  (db, { submissionId, cells }: Slots<{ submissionId: string; cells: readonly string[] }>) =>
    db
      .updateTable('jobs')
      .from(valuesTable<'column1' | 'column2'>(cells, 2))
      .set((eb) => ({ state: 'processing', job_id: eb.ref('v.column2') }))
      .where('submission_id', '=', submissionId)
      .whereRef('tracking_id', '=', 'v.column1')
      .returning(['tracking_id', 'crm_id', 'identity'])
      .compile(),
);

/** Records rejected contacts, so that donor-sync does not submit the same details again. */
async function settleRefused(
  trx: RunTransaction,
  submission: ClosedSubmission,
  blamed: readonly { trackingId: string; detail: string }[],
): Promise<void> {
  const details = new Map(blamed.map(({ trackingId, detail }) => [trackingId, detail]));
  for (const batch of inFilledBatches([...details.keys()])) {
    const jobs = await trx
      .selectFrom('jobs')
      .select(['tracking_id', 'crm_id', 'identity'])
      .where('submission_id', '=', submission.id)
      .where('tracking_id', 'in', batch)
      .execute();
    const refused = jobs.map((job) => ({
      ...ofJob(job),
      outcome_detail: details.get(job.tracking_id) ?? null,
    }));
    const [of, moment] = [ofSubmission(submission), toMoment(submission)];
    await move(trx, of, 'refused', refused, moment);
    await inheritLater(trx, of, moment, refused);
  }
}

/**
 * Drops the jobs of contacts that were erased while the request was in flight. donor-sync must not fetch their
 * profiles.
 */
async function dropErased(trx: RunTransaction, submissionId: string, now: number): Promise<void> {
  await closeErased(trx, { submissionId, now });
}

const closeErased = prepared(
  (db, { submissionId, now }: Slots<{ submissionId: string; now: number }>) =>
    db
      .updateTable('jobs')
      .set({ state: 'delivered', job_id: null, closed_at: now })
      .where('submission_id', '=', submissionId)
      .where('crm_id', '=', ERASED_ID)
      .where('state', '=', 'processing')
      .compile(),
);

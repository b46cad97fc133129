import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { portions, valuesTable } from '../engine/rows.ts';
import { ERASED_ID, type Trx } from '../engine/tables.ts';
import { ASK_AGAIN } from './jobs.ts';
import { closeSubmission, holdUnanswered, returnToDue, spendOnContacts } from './submission-end.ts';

/** What the service answers to a submission, on disk. */
export function answerQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
    /** The answer came: the jobs that were started, and so many credits spent. */
    async recordAccepted(
      lease: Lease,
      submissionId: string,
      answer: { jobIds: ReadonlyMap<string, string>; charged: number },
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const submission = await closeSubmission(trx, submissionId, {
          state: 'accepted',
          charged: answer.charged,
          closed_at: clock.now(),
        });
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
        await dropErased(trx, submissionId, clock.now());
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
        const submission = await closeSubmission(trx, submissionId, {
          state: 'refused',
          charged: 0,
          closed_at: clock.now(),
        });
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
  };
}

/** Jobs of contacts that were erased while the request was under way: nothing fetches their profile. */
async function dropErased(trx: Trx, submissionId: string, now: number): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ state: 'delivered', job_id: null, closed_at: now })
    .where('submission_id', '=', submissionId)
    .where('crm_id', '=', ERASED_ID)
    .where('state', '=', 'processing')
    .execute();
}

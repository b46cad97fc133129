import type { Clock } from '../core/clock.ts';
import { setBalance } from './balances.ts';
import type { Checkpoint, Lease } from './leases.ts';
import { closeSubmission, holdUnanswered, makeDueAgain, returnToDue } from './submission-end.ts';

/** What becomes of the contacts of a submission that was charged without an answer. */
export type AfterLoss = 'hold' | 'resubmit';

/** A submission whose answer nobody read, and how it is settled. */
export function lostAnswerQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
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
        const submission = await closeSubmission(trx, submissionId, {
          state: 'not_charged',
          charged: 0,
          closed_at: clock.now(),
        });
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
        const submission = await closeSubmission(trx, submissionId, {
          state: 'charged',
          charged: loss.charged,
          closed_at: clock.now(),
        });
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
}

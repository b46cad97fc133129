import type { Clock } from '../../core/clock.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import type { Trx } from '../engine/tables.ts';
import { rewriteRunRows } from '../runs/run-rows.ts';
import { setBalance } from './balances.ts';
import {
  type ClosedSubmission,
  closeSubmission,
  holdUnanswered,
  makeDueAgain,
  returnToDue,
} from './submission-end.ts';

/** What becomes of the contacts of a submission that was charged without an answer. */
export type AfterLoss = 'hold' | 'resubmit';

/** How an answer that was lost is settled. */
export interface Settled {
  /** What the service says now. */
  balance: number;
  /**
   * The run that settles it, and whose report tells of its contacts; null if they are another
   * integration's: then they stay with the run that submitted them.
   */
  run: string | null;
}

/** A submission without a known answer, and how it is settled. */
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
    async settleNotCharged(lease: Lease, submissionId: string, settled: Settled): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const closed = await closeSubmission(trx, submissionId, {
          state: 'not_charged',
          charged: 0,
          closed_at: clock.now(),
        });
        await setBalance(trx, closed.partner_key, settled.balance);
        await tellInRun(trx, closed, settled.run, (submission) =>
          returnToDue(trx, submission, 'submission_pending'),
        );
      });
    },

    /**
     * Settled: the credits are gone, or it cannot be proved that they are not. The contacts are
     * held, or due once more if the settings allow to spend again.
     */
    async settleCharged(
      lease: Lease,
      submissionId: string,
      loss: Settled & { charged: number; afterwards: AfterLoss; detail: string },
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const closed = await closeSubmission(trx, submissionId, {
          state: 'charged',
          charged: loss.charged,
          closed_at: clock.now(),
        });
        await setBalance(trx, closed.partner_key, loss.balance);
        await tellInRun(trx, closed, loss.run, async (submission) => {
          if (loss.afterwards === 'hold') await holdUnanswered(trx, submission, loss.detail);
          else await makeDueAgain(trx, submission, loss.detail);
          await trx
            .updateTable('runs')
            .set((eb) => ({ spent_enhancements: eb('spent_enhancements', '+', loss.charged) }))
            .where('id', '=', submission.run_id)
            .execute();
        });
      });
    },
  };
}

/** Tells of the contacts of a submission in the run that settled it, or in its own, also if that is over. */
async function tellInRun(
  trx: Trx,
  closed: ClosedSubmission,
  settledBy: string | null,
  settle: (submission: ClosedSubmission) => Promise<void>,
): Promise<void> {
  const submission = { ...closed, run_id: settledBy ?? closed.run_id };
  await settle(submission);
  if (settledBy === null) await rewriteRunRows(trx, submission.run_id);
}

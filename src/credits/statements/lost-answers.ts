/** A submission without a known answer, and how it is settled. */
import { findOpenSubmissions, lockKey } from '../../contacts/open-submissions.ts';
import type {
  Lease,
  LeasedTransaction,
  LeaseQueries,
  RunTransaction,
} from '../../database/leases.ts';
import { countInRun } from '../../sync/statements/run-counts.ts';
import { rewriteRunRows } from '../../sync/statements/run-rows.ts';
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

/** How a submission whose answer was lost is settled. */
export interface LostEnd {
  id: string;
  /**
   * The run that settles it, and whose report tells of its contacts; null if they are another
   * integration's: then they stay with the run that submitted them.
   */
  run: string | null;
  /** Null if it was not charged; otherwise its credits are gone, or that cannot be ruled out. */
  loss: { charged: number; afterwards: AfterLoss; detail: string } | null;
}

/** What the balance says of all that is open of a key. */
export interface Settlement {
  partnerKey: string;
  /** The place of the key in its sequence when it was looked at. */
  sequence: number;
  /** What the service says now. */
  balance: number;
  /** All that is open of the key: one balance says it of all, or of none. */
  ends: readonly LostEnd[];
}

/** No answer came, and the request may have been charged: the key waits for settlement. */
export async function recordLostSubmission(
  trx: RunTransaction,
  submissionId: string,
): Promise<void> {
  const lost = await trx
    .selectFrom('submissions')
    .select('partner_key')
    .where('id', '=', submissionId)
    .executeTakeFirst();
  if (lost) await lockKey(trx, lost.partner_key);
  await trx
    .updateTable('submissions')
    .set({ state: 'lost', lost_at: trx.clock.now() })
    .where('id', '=', submissionId)
    .where('state', '=', 'intended')
    .execute();
}

/**
 * Settles all that is open of a key by one balance, under the leases of the integrations that it
 * belongs to; those `beside` are of others, whose runs have marked it as lost. False, with nothing settled,
 * if anything of the key was opened or closed since it was looked at.
 */
export async function settleLostSubmissions(
  { checkpointAll }: Pick<LeaseQueries, 'checkpointAll'>,
  leases: readonly Lease[],
  settlement: Settlement,
  beside: readonly string[] = [],
): Promise<boolean> {
  try {
    await checkpointAll(leases, beside, (trx) => settleAll(trx, leases, beside, settlement));
    return true;
  } catch (error) {
    if (error instanceof LookedAtTooEarly) return false;
    throw error;
  }
}

async function settleAll(
  trx: LeasedTransaction,
  leases: readonly Lease[],
  beside: readonly string[],
  { partnerKey, sequence, balance, ends }: Settlement,
): Promise<void> {
  const key = await lockKey(trx, partnerKey);
  const open = await findOpenSubmissions(trx, partnerKey);
  const ids = new Set(ends.map(({ id }) => id));
  const owners = new Set(leases.map(({ integrationId }) => integrationId));
  const isSame = open.length === ids.size && open.every(({ id }) => ids.has(id));
  const isOurs = open.every(
    ({ integration_id: owner, state }) =>
      owners.has(owner) || (state === 'lost' && beside.includes(owner)),
  );
  if (!isSame || !isOurs || key?.sequence !== sequence) throw new LookedAtTooEarly();
  // One moment for all of them, as one balance says it: a process may stand still in between.
  const now = trx.clock.now();
  for (const end of ends) await settleOne(trx, end, now);
  await setBalance(trx, partnerKey, balance);
}

async function settleOne(
  trx: LeasedTransaction,
  { id, run, loss }: LostEnd,
  now: number,
): Promise<void> {
  const closed = await closeSubmission(trx, id, {
    state: loss === null ? 'not_charged' : 'charged',
    charged: loss?.charged ?? 0,
    closed_at: now,
  });
  await recordInRun(trx, closed, run, async (submission) => {
    if (loss === null) return returnToDue(trx, submission, 'submission_pending');
    if (loss.afterwards === 'hold') await holdUnanswered(trx, submission, loss.detail);
    else await makeDueAgain(trx, submission, loss.detail);
    await countInRun(trx, submission.run_id, { spent: loss.charged });
  });
}

/** Tells of the contacts of a submission in the run that settled it, or in its own, also if that is over. */
async function recordInRun(
  trx: LeasedTransaction,
  closed: ClosedSubmission,
  settledBy: string | null,
  settle: (submission: ClosedSubmission) => Promise<void>,
): Promise<void> {
  const submission = { ...closed, run_id: settledBy ?? closed.run_id };
  await settle(submission);
  if (settledBy === null) await rewriteRunRows(trx, submission.run_id);
}

/** Something of the key was opened or closed since. */
class LookedAtTooEarly extends Error {}

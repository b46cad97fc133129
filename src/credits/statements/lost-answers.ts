/** Records the results of submissions with a lost response. */
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
import { recountSpent } from './credit-spans.ts';
import {
  type ClosedSubmission,
  closeSubmission,
  holdUnanswered,
  makeDueAgain,
  returnToDue,
} from './submission-end.ts';

/** The handling of contacts whose response was lost but whose credit was charged. */
export type AfterLoss = 'hold' | 'resubmit';

export interface LostEnd {
  id: string;
  /**
   * The run that proves the result and reports its contacts. Null for another integration's contacts, because they
   * remain with the run that submitted them.
   */
  run: string | null;
  /**
   * The charge of the submission, or null if the submission was not charged. A submission with a value here was charged
   * or may have been charged.
   */
  loss: { charged: number; afterwards: AfterLoss; detail: string } | null;
}

/** The results of a key's open submissions, which the balance has proved. */
export interface Settlement {
  partnerKey: string;
  /** The sequence number of the key at the time of the proof. */
  sequence: number;
  /** The current balance according to the service. */
  balance: number;
  /**
   * All open submissions of the key. The results of a key's submissions are recorded together, because the submissions
   * share one balance.
   */
  ends: readonly LostEnd[];
}

/** Records that a response was lost. The key then waits until the result is proved. */
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
 * Records the results of all open submissions of a key. The caller has the leases of their integrations. `beside`
 * contains other integrations' submissions, which their runs have marked as lost. If a submission was sent or answered
 * since the proof, returns false and records nothing.
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
  // All submissions get the same time, because they share one balance.
  const now = trx.clock.now();
  for (const end of ends) await settleOne(trx, end, now);
  await setBalance(trx, partnerKey, balance);
  // The runs of the other submissions add them to the sums when they end.
  const ofOthers = new Set(ends.flatMap(({ id, run }) => (run === null ? id : [])));
  const firsts = open.flatMap((each): [string, number][] =>
    ofOthers.has(each.id) ? [[each.integration_id, each.intended_at]] : [],
  );
  await recountSpent(trx, new Map(firsts.toSorted(([, a], [, b]) => b - a)));
}

/**
 * Records the result of a submission whose key's balance is no longer read. Returns false if the result was already
 * recorded.
 */
export async function settleWithoutBalance(trx: RunTransaction, end: LostEnd): Promise<boolean> {
  const submission = await trx
    .selectFrom('submissions')
    .select('partner_key')
    .where('id', '=', end.id)
    .executeTakeFirst();
  if (submission === undefined) return false;
  await lockKey(trx, submission.partner_key);
  const open = await findOpenSubmissions(trx, submission.partner_key);
  if (!open.some(({ id }) => id === end.id)) return false;
  await settleOne(trx, end, trx.clock.now());
  return true;
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

/** Updates the report of the run that sent the submission or proved its result, even if the run has ended. */
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

/** Thrown if a submission was sent or answered since the proof. */
class LookedAtTooEarly extends Error {}

/**
 * A submission whose answer nobody read is settled by the balance, not guessed: after a quiet
 * time two equal readings decide. Until then nothing else of the same key is submitted.
 */
import type { Lease } from '../store/leases.ts';
import type { SubmissionRow } from '../store/submissions.ts';
import type { Run, SyncDeps } from './context.ts';

/** How often the balance is read before it counts as not provable. */
const MAX_READINGS = 10;

/** The pause between two readings is this part of the quiet time, within these bounds. */
const READING_GAP_PART = 0.1;
const MIN_READING_GAP_MS = 50;
const MAX_READING_GAP_MS = 5_000;

/** How often a submission of another living run is looked at. */
const OTHER_RUN_WAIT_MS = 250;

type SettleDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log' | 'takeLease'>;

/** What the balance says of a lost answer. */
export type Loss =
  | { charged: 0 }
  /** So many credits are gone, or nobody can prove that they are not. */
  | { charged: number; why: string };

/**
 * Compares the balance before a lost submission with the one after the quiet time and with those
 * seen `meanwhile`: a bucket that was charged and then topped up by as much shows the old balance.
 */
export function judgeLoss(
  submission: { balanceBefore: number; persons: number },
  balance: number,
  meanwhile: readonly number[] = [],
): Loss {
  const gone = submission.balanceBefore - Math.min(balance, ...meanwhile);
  if (gone === 0 && meanwhile.every((seen) => seen === balance)) return { charged: 0 };
  if (gone > 0 && gone <= submission.persons) {
    return { charged: gone, why: `${gone} credits left the bucket, and no job ids came back` };
  }
  return {
    charged: submission.persons,
    why: 'the balance changed by something else meanwhile, so that nothing can be proved',
  };
}

/**
 * Deals with the open submission of the run's key, if there is one. Answers `wait` as long as
 * nothing else of the key may be submitted; it has waited a little then.
 */
export async function settleOpenSubmission(deps: SettleDeps, run: Run): Promise<'clear' | 'wait'> {
  const open = await deps.store.submissions.findOpen(run.partnerKey);
  if (!open) return 'clear';
  if (open.integration_id === run.integration.id) {
    await settle(deps, run, open, run.lease, run.integration.onLostAnswer);
    return 'wait';
  }
  const attempt = await deps.takeLease(open.integration_id);
  if (!attempt.acquired) {
    await deps.clock.sleep(OTHER_RUN_WAIT_MS, run.control.stopping);
    return 'wait';
  }
  try {
    // Its settings are not known here: holding loses nothing.
    await settle(deps, run, open, attempt.lease, 'hold');
  } finally {
    await deps.store.leases.release(attempt.lease);
  }
  return 'wait';
}

/** Waits for the quiet time and decides; leaves everything as it is if the run stops meanwhile. */
async function settle(
  deps: SettleDeps,
  run: Run,
  open: SubmissionRow,
  lease: Lease,
  afterwards: 'hold' | 'resubmit',
): Promise<void> {
  const { store, clock, log } = deps;
  // A clock that was set back must not make the quiet time longer than it is.
  const lostAt = Math.min(open.lost_at ?? open.intended_at, clock.now());
  const quietAt = lostAt + run.integration.settleAfterMs;
  const facts = { run: run.id, submission: open.id };
  log.info({ ...facts, quietAt }, 'an answer was lost; its credits are settled by the balance');
  const meanwhile = await watchUntil(deps, run, lease, quietAt);
  const balance = await readTwice(deps, run, lease);
  if (balance === 'stopped') return;
  const loss: Loss =
    balance === 'restless'
      ? { charged: open.persons, why: 'the balance did not come to rest' }
      : judgeLoss(
          { balanceBefore: open.balance_before, persons: open.persons },
          balance,
          meanwhile,
        );
  const present = balance === 'restless' ? open.balance_before - open.persons : balance;
  if (loss.charged === 0) {
    await store.submissions.settleNotCharged(lease, open.id, present);
    log.info(facts, 'the lost submission was not charged; its contacts are submitted again');
    return;
  }
  const detail = 'why' in loss ? loss.why : '';
  await store.submissions.settleCharged(lease, open.id, {
    charged: loss.charged,
    balance: present,
    afterwards,
    detail,
  });
  log.warn(
    { ...facts, charged: loss.charged, afterwards },
    'the lost submission counts as charged',
  );
}

/** In the quiet time the balance is looked at this often, and a lease taken for it is renewed. */
const WATCH_MS = 10_000;

/** Sleeps until the instant and resolves with the balances seen on the way. */
async function watchUntil(
  { clock, store, partner }: SettleDeps,
  run: Run,
  lease: Lease,
  instant: number,
): Promise<number[]> {
  const seen: number[] = [];
  while (!run.control.stopping.aborted && clock.now() < instant) {
    // A service that is away now has until the end of the quiet time to come back.
    const credits = await partner.readCredits(run.control.stopping).catch(() => null);
    if (credits) seen.push(credits.enhancements);
    await clock.sleep(Math.min(instant - clock.now(), WATCH_MS), run.control.stopping);
    // The run's own lease is renewed by the run.
    if (lease !== run.lease) await store.leases.renew(lease);
  }
  return seen;
}

/** Reads the balance until two readings in a row agree. */
async function readTwice(
  { partner, clock, store }: SettleDeps,
  run: Run,
  lease: Lease,
): Promise<number | 'stopped' | 'restless'> {
  const gap = Math.min(
    MAX_READING_GAP_MS,
    Math.max(MIN_READING_GAP_MS, run.integration.settleAfterMs * READING_GAP_PART),
  );
  let before: number | null = null;
  for (let reading = 0; reading < MAX_READINGS; reading++) {
    if (run.control.stopping.aborted) return 'stopped';
    const { enhancements } = await partner.readCredits(run.control.ending);
    if (enhancements === before) return enhancements;
    before = enhancements;
    await clock.sleep(gap, run.control.stopping);
    if (lease !== run.lease) await store.leases.renew(lease);
  }
  return 'restless';
}

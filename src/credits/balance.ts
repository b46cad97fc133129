/** What may be spent: the balance as last read, carried forward by what each answer says. */
import type { CreditBalances } from '../partner/credits.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import type { SubmissionRecord } from '../store/credits/submissions.ts';
import type { Lease } from '../store/engine/leases.ts';
import { type Allowance, allowanceOf, startOfMonth } from './allowance.ts';
import { findLoss } from './loss.ts';
import type { Proof } from './spend.ts';

/**
 * A reading older than this is repeated before credits are spent: credits that were bought, or spent
 * elsewhere, would make a lost answer look like something else.
 */
export const MAX_READING_AGE_MS = 10_000;

/** Nearer than this to an empty bucket each submission has a fresh reading. */
const NEAR_EMPTY = 1_000;

/**
 * What another spender can take by the limit of the service until a reading is too old: a burst of ten
 * submissions, and ten in each second, of a hundred persons each.
 */
const TAKEN_BY_OTHERS = 1_000 + (MAX_READING_AGE_MS / 1_000) * 1_000;

/** A balance as it is known before credits are spent. */
export interface KnownBalance {
  /** As last read, less what was spent since; null if it was never read. */
  balance: number | null;
  /** How long ago it was read. */
  ageMs: number;
  /** Credits of this key that are to be kept. */
  keep: number;
  /** Credits that submissions under way may cost. */
  underWay: number;
}

/**
 * Pure: whether the balance is read (free) before credits are spent. Others may spend from the same
 * bucket: where what they can have taken since the reading would reach the credits to keep, nothing
 * but a fresh reading will do. So what they can take from those is at most what is under way.
 */
export function mustReadBalance({ balance, ageMs, keep, underWay }: KnownBalance): boolean {
  if (balance === null || ageMs >= MAX_READING_AGE_MS) return true;
  return balance - keep - underWay < (keep > 0 ? TAKEN_BY_OTHERS : NEAR_EMPTY);
}

type BalanceDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock'>;

/**
 * Asks the service for the balances (free) and notes that of the enhancements bucket, unless a
 * submission of the key is open or was closed meanwhile: then the reading may be older than that.
 */
export async function readBalance(
  { store, partner }: Pick<BalanceDeps, 'store' | 'partner'>,
  run: Run,
): Promise<CreditBalances> {
  const { sequence } = await store.submissions.findBalance(run.partnerKey);
  const credits = await partner.readCredits(run.control.ending);
  await store.submissions.recordBalance(run.partnerKey, sequence, credits.enhancements);
  return credits;
}

/** What this run may spend now. */
export async function findAllowance(deps: BalanceDeps, run: Run): Promise<Allowance> {
  const { store, clock } = deps;
  const { balance, readAt } = await store.submissions.findBalance(run.partnerKey);
  const open = await store.submissions.findOpen(run.partnerKey);
  const { budget, schedule } = run.integration;
  const known = {
    balance,
    // A reading from the future is one from before the clock was set back: its age is unknown.
    ageMs: Math.abs(clock.now() - readAt),
    keep: budget.keep,
    underWay: open?.persons ?? 0,
  };
  const isStale = balance === null || mustReadBalance(known);
  const spent = await store.submissions.spentByRun(run.id);
  const limits = { ...budget, limit: run.limit };
  return allowanceOf(limits, {
    balance: isStale ? (await readBalance(deps, run)).enhancements : balance,
    // What is open may have been charged.
    thisRun: spent + (open?.runId === run.id ? open.persons : 0),
    thisMonth:
      budget.perMonth === null
        ? 0
        : await store.submissions.spentSince(
            run.integration.id,
            startOfMonth(clock.now(), schedule?.timezone ?? 'UTC'),
          ),
  });
}

type ProofDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings' | 'log'>;

/** A submission without a known answer is settled by the balance: its credits left, or they did not. */
export function submissionProof(deps: ProofDeps, run: Run): Proof<SubmissionRecord> {
  return {
    findOpen: () => deps.store.submissions.findOpen(run.partnerKey),
    prove: (open, lease) => proveSubmission(deps, run, open, lease),
  };
}

/** Waits for the quiet time and decides; leaves everything as it is if the run stops meanwhile. */
async function proveSubmission(
  deps: ProofDeps,
  run: Run,
  open: SubmissionRecord,
  lease: Lease,
): Promise<void> {
  const isOwn = open.integrationId === run.integration.id;
  // The settings of another integration are not known here: holding loses nothing.
  const afterwards = isOwn ? run.integration.onLostAnswer : 'hold';
  const { store, log } = deps;
  const facts = { run: run.id, submission: open.id };
  log.info(facts, 'an answer was lost; its credits are settled by the balance');
  const request = {
    id: open.id,
    bucket: 'enhancements',
    balanceBefore: open.balanceBefore,
    items: open.persons,
  } as const;
  const found = await findLoss(deps, run, request, lease);
  if (found === 'stopped') return;
  const { loss, balance } = found;
  const settledBy = isOwn ? run.id : null;
  if (loss.charged === 0) {
    await store.submissions.settleNotCharged(lease, open.id, { balance, run: settledBy });
    log.info(facts, 'the lost submission was not charged; its contacts are submitted again');
    return;
  }
  const detail = 'why' in loss ? loss.why : '';
  await store.submissions.settleCharged(lease, open.id, {
    charged: loss.charged,
    balance,
    run: settledBy,
    afterwards,
    detail,
  });
  log.warn(
    { ...facts, charged: loss.charged, afterwards },
    'the lost submission counts as charged',
  );
}

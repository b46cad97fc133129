/** What may be spent: the balance as last read, carried forward by what each answer says. */
import type { CreditBalances } from '../partner/credits.ts';
import { type Allowance, allowanceOf, startOfMonth } from '../run/budget.ts';
import type { Run, SyncDeps } from '../run/context.ts';

/**
 * A reading older than this is repeated before credits are spent: credits that somebody buys, or
 * spends elsewhere, would make a lost answer look like something else.
 */
const MAX_READING_AGE_MS = 60_000;

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
  // A reading from the future is one from before the clock was set back: nobody knows how old.
  const isKnown = balance !== null && Math.abs(clock.now() - readAt) < MAX_READING_AGE_MS;
  const { budget, schedule } = run.integration;
  return allowanceOf(budget, {
    balance: isKnown ? balance : (await readBalance(deps, run)).enhancements,
    thisRun: await store.submissions.spentByRun(run.id),
    thisMonth:
      budget.perMonth === null
        ? 0
        : await store.submissions.spentSince(
            run.integration.id,
            startOfMonth(clock.now(), schedule?.timezone ?? 'UTC'),
          ),
  });
}

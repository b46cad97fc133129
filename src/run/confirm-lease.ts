import { RetriableError } from '../core/errors.ts';
import { LEASE_MS } from '../store/engine/leases.ts';
import { confirmClock } from './confirm-clock.ts';
import type { Run, SyncDeps } from './context.ts';

/**
 * Asked before a request that spends credits leaves, and again before it leaves once more: is what it
 * brings still ours to write down, and will that be found again? A process that was stopped for
 * longer than its lease lasts must not send: another may have taken its work over, settled what was
 * open and sent something of its own. Nor one whose database file was taken away, or whose clock is
 * wrong.
 */
export async function confirmLease(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner'>,
  run: Pick<Run, 'lease' | 'control'>,
): Promise<void> {
  // First, because it may take its time.
  await confirmClock(deps, run);
  const { store, clock } = deps;
  const asked = { at: clock.now(), atMs: clock.monotonicMs() };
  await store.leases.renew(run.lease);
  // A machine that was suspended shows it by one of the two: not every monotonic clock counts that.
  const tookMs = Math.max(clock.now() - asked.at, clock.monotonicMs() - asked.atMs);
  if (tookMs > LEASE_MS / 2) {
    throw new RetriableError('It took too long to find out whether the lease is still held.', {
      code: 'lease_doubtful',
    });
  }
  await store.requireInPlace();
}

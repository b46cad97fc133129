import { RetriableError } from '../core/errors.ts';
import { LEASE_MS } from '../store/leases.ts';
import type { Run, SyncDeps } from './context.ts';

/**
 * Asked before a request that spends credits leaves. A process that was stopped for longer than its
 * lease lasts must not send, nor send again after a wait: another may have taken its work over,
 * settled what was open and sent something of its own.
 */
export async function confirmLease(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  { lease }: Pick<Run, 'lease'>,
): Promise<void> {
  const askedAt = clock.now();
  await store.leases.renew(lease);
  if (clock.now() - askedAt > LEASE_MS / 2) {
    throw new RetriableError('It took too long to find out whether the lease is still held.', {
      code: 'lease_doubtful',
    });
  }
}

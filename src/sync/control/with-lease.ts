import { RetriableError } from '../../core/errors.ts';
import { ownerWords } from '../../core/owner.ts';
import type { Lease } from '../../database/leases.ts';
import { isPassing, isUnconfirmed } from '../../database/store-error.ts';
import { LEASE_MS } from '../../database/transact.ts';
import type { Store } from '../../store.ts';
import type { SyncDeps } from './context.ts';

interface LeaseDeps extends Pick<SyncDeps, 'clock' | 'takeLease'> {
  store: { leases: Pick<Store['leases'], 'renew' | 'release'> };
}

/** Thrown if a different process is working on this integration. The caller has not done any work. */
export class AlreadyRunning extends RetriableError {}

/**
 * Creates the error for an integration whose lease a different process has. `cause` is the error that revealed the
 * other process, if any.
 */
export function alreadyRunning(
  integrationId: string,
  by = 'another process',
  cause?: unknown,
): AlreadyRunning {
  return new AlreadyRunning(
    `"${integrationId}" is currently being synced by ${by}. Nothing was done. Try again when that sync has ended.`,
    { code: 'already_running', cause, details: { integration: integrationId } },
  );
}

/**
 * Runs work that only one process at a time may do for an integration: a run or an undo. Renews the lease during the
 * work. Aborts `lost` with an error once the lease is lost or may have expired. If a different process has the lease,
 * throws AlreadyRunning and does nothing.
 */
export async function withLease<Result>(
  deps: LeaseDeps,
  integrationId: string,
  work: (lease: Lease, lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const attempt = await deps.takeLease(integrationId);
  if (!attempt.acquired) {
    throw alreadyRunning(integrationId, ownerWords(attempt.owner));
  }
  const done = new AbortController();
  const lost = new AbortController();
  const keeping = keepLease(deps, attempt.lease, done.signal, lost);
  try {
    return await work(attempt.lease, lost.signal);
  } finally {
    done.abort();
    await keeping;
    await deps.store.leases.release(attempt.lease);
  }
}

async function keepLease(
  { store, clock }: LeaseDeps,
  lease: Lease,
  done: AbortSignal,
  lost: AbortController,
): Promise<void> {
  let keptMs = clock.monotonicMs();
  while (!lost.signal.aborted) {
    await clock.sleep(LEASE_MS / 3, done);
    if (done.aborted) return;
    const askedMs = clock.monotonicMs();
    try {
      await store.leases.renew(lease);
      keptMs = askedMs;
    } catch (error) {
      // If the database is briefly unavailable, other processes cannot acquire the lease either.
      const isOutage = isPassing(error) || isUnconfirmed(error);
      const mayHold = isOutage && clock.monotonicMs() - keptMs < LEASE_MS;
      if (!mayHold) lost.abort(error);
    }
  }
}

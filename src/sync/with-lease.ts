import { LEASE_MS, type Lease } from '../store/leases.ts';
import type { SyncDeps } from './context.ts';
import { AlreadyRunning } from './run.ts';

type LeaseDeps = Pick<SyncDeps, 'store' | 'clock' | 'takeLease'>;

/**
 * Does something to an integration that no run may do at the same time, such as undoing one.
 * Throws AlreadyRunning, with nothing done, if somebody else is at work.
 */
export async function withLease<Result>(
  deps: LeaseDeps,
  integrationId: string,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const attempt = await deps.takeLease(integrationId);
  if (!attempt.acquired) {
    throw new AlreadyRunning(
      `"${integrationId}" is being synced right now by another process (${attempt.owner}). Nothing was done; try again when it has ended.`,
      { code: 'already_running', details: { integration: integrationId } },
    );
  }
  const done = new AbortController();
  const keeping = keep(deps, attempt.lease, done.signal);
  try {
    return await work(attempt.lease);
  } finally {
    done.abort();
    await keeping;
    await deps.store.leases.release(attempt.lease);
  }
}

/** Renews the lease until the work is done. One that is lost shows at the work's own checkpoint. */
async function keep({ store, clock }: LeaseDeps, lease: Lease, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await clock.sleep(LEASE_MS / 3, done);
    if (done.aborted) return;
    const isKept = await store.leases.renew(lease).then(
      () => true,
      () => false,
    );
    if (!isKept) return;
  }
}

import { describe, expect, it } from 'vitest';
import { FatalError, RetriableError } from '../../src/core/errors.ts';
import { LeaseLost } from '../../src/database/leases.ts';
import { LEASE_MS } from '../../src/database/transact.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const AWAY = new RetriableError('The database is away.', { code: 'database_unavailable' });
const UNKNOWN = new FatalError('It is not known.', { code: 'database_commit_unconfirmed' });

/**
 * Starts work under a lease. The first renewals of the lease fail with the given errors, one after the other. Later
 * renewals succeed.
 */
function work(...failures: (Error | null)[]) {
  const clock = createFakeClock(1_000);
  const lease = { integrationId: 'riverside', epoch: 1 };
  const released: unknown[] = [];
  const mayEnd = Promise.withResolvers<void>();
  let lost: AbortSignal | undefined;
  const leases = {
    async renew() {
      const failure = failures.shift();
      if (failure) throw failure;
    },
    async release(given: unknown) {
      released.push(given);
    },
  };
  const takeLease = async () => ({ acquired: true, lease }) as const;
  const ended = withLease(
    { store: { leases }, clock, takeLease },
    'riverside',
    async (_, signal) => {
      lost = signal;
      await mayEnd.promise;
    },
  );
  return {
    /** Waits until this many renewals have happened. */
    renewals: (count: number) => clock.advance((count * LEASE_MS) / 3),
    lost: () => lost,
    async end() {
      mayEnd.resolve();
      await clock.advance(LEASE_MS);
      await ended;
      expect(released).toEqual([lease]);
    },
  };
}

describe('work under a lease', () => {
  it.each([
    ['the database was away for once', [AWAY]],
    ['the database was away twice, and the lease may hold', [null, AWAY, AWAY]],
    ['it is unknown whether it was renewed', [UNKNOWN]],
  ])('goes on if %s', async (_, failures) => {
    const { renewals, lost, end } = work(...failures);
    await renewals(6);
    expect(lost()?.aborted).toBe(false);
    await end();
  });

  it('ends once the lease cannot hold any more', async () => {
    const { renewals, lost, end } = work(null, AWAY, AWAY, AWAY, AWAY);
    await renewals(3);
    expect(lost()?.aborted).toBe(false);
    await renewals(1);
    expect(lost()?.reason).toBe(AWAY);
    await end();
  });

  it.each([
    ['another has the lease', new LeaseLost('riverside')],
    ['the disk has failed', new FatalError('The disk failed.', { code: 'database_io_failed' })],
  ])('ends at once if %s', async (_, failure) => {
    const { renewals, lost, end } = work(failure);
    await renewals(1);
    expect(lost()?.reason).toBe(failure);
    await end();
  });
});

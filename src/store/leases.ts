import type { Clock } from '../core/clock.ts';
import { FatalError } from '../core/errors.ts';
import type { Database, Trx } from './tables.ts';

/** How long a lease lasts without a checkpoint or renewal. */
export const LEASE_MS = 30_000;

/** The right to run one integration; every checkpoint checks the epoch first. */
export interface Lease {
  integrationId: string;
  epoch: number;
}

export type LeaseAttempt =
  | { acquired: true; lease: Lease }
  | { acquired: false; owner: string; until: number };

/** Runs a transaction that fails if the lease is no longer ours. */
export type Checkpoint = <T>(lease: Lease, work: (trx: Trx) => Promise<T>) => Promise<T>;

/** Our lease was taken over: somebody else runs this integration now. */
export class LeaseLost extends FatalError {
  constructor(integrationId: string) {
    super(`Another process has taken over the sync of "${integrationId}"; this one stops.`, {
      code: 'lease_lost',
    });
  }
}

/** Who may run an integration; at most one at a time. */
export function leaseQueries(db: Database, clock: Clock) {
  return {
    /**
     * Takes the lease of an integration and raises its epoch, unless a living owner has it.
     * `isGone` tells whether an owner is known to be dead before its lease ends.
     */
    acquire(
      integrationId: string,
      owner: string,
      isGone: (owner: string) => boolean,
    ): Promise<LeaseAttempt> {
      return db.transaction().execute(async (trx) => {
        await trx
          .insertInto('integrations')
          .values({ id: integrationId, run_epoch: 0 })
          .onConflict((c) => c.doNothing())
          .execute();
        const row = await trx
          .selectFrom('integrations')
          .select(['run_epoch', 'lease_owner', 'lease_until'])
          .where('id', '=', integrationId)
          .executeTakeFirstOrThrow();
        const { lease_owner: holder, lease_until: until } = row;
        if (holder !== null && until !== null && until > clock.now() && !isGone(holder)) {
          return { acquired: false, owner: holder, until } as const;
        }
        const epoch = row.run_epoch + 1;
        // On Postgres two transactions may have read the same row: only one raises the epoch.
        const raised = await trx
          .updateTable('integrations')
          .set({ run_epoch: epoch, lease_owner: owner, lease_until: clock.now() + LEASE_MS })
          .where('id', '=', integrationId)
          .where('run_epoch', '=', row.run_epoch)
          .executeTakeFirst();
        if (raised.numUpdatedRows === 0n) {
          return { acquired: false, owner: holder ?? owner, until: clock.now() } as const;
        }
        return { acquired: true, lease: { integrationId, epoch } } as const;
      });
    },

    checkpoint,

    /** Keeps the lease while nothing else is written. */
    async renew(lease: Lease): Promise<void> {
      await checkpoint(lease, async () => undefined);
    },

    async release(lease: Lease): Promise<void> {
      await db
        .updateTable('integrations')
        .set({ lease_owner: null, lease_until: null })
        .where('id', '=', lease.integrationId)
        .where('run_epoch', '=', lease.epoch)
        .execute();
    },

    /** Who holds the lease of an integration, if anybody does. */
    async holder(
      integrationId: string,
    ): Promise<{ owner: string; until: number; epoch: number } | null> {
      const row = await db
        .selectFrom('integrations')
        .select(['lease_owner', 'lease_until', 'run_epoch'])
        .where('id', '=', integrationId)
        .executeTakeFirst();
      if (!row?.lease_owner || row.lease_until === null) return null;
      return { owner: row.lease_owner, until: row.lease_until, epoch: row.run_epoch };
    },
  };

  function checkpoint<T>(lease: Lease, work: (trx: Trx) => Promise<T>): Promise<T> {
    return db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('integrations')
        .set({ lease_until: clock.now() + LEASE_MS })
        .where('id', '=', lease.integrationId)
        .where('run_epoch', '=', lease.epoch)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new LeaseLost(lease.integrationId);
      return work(trx);
    });
  }
}

import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { FatalError } from '../../core/errors.ts';
import { databaseTime, isPostgres } from './database-time.ts';
import type { Database, Tables, Trx } from './tables.ts';
import { again, type TransactionId, transact, transactionId } from './transact.ts';

/** How long a lease lasts without a checkpoint or renewal. */
export const LEASE_MS = 30_000;

/**
 * A lease that ends later than this from now was written by a clock that was wrong, and is none: it
 * must not keep an integration from running for days. The margin is for a clock that is put right
 * by some seconds while a lease is held.
 */
const LATEST_END_MS = LEASE_MS + 5_000;

/** The right to run one integration; every checkpoint checks the epoch first. */
export interface Lease {
  integrationId: string;
  epoch: number;
}

export type LeaseAttempt =
  | { acquired: true; lease: Lease }
  | { acquired: false; owner: string; until: number };

/**
 * Runs a transaction that fails if the lease is no longer ours. While the database is away for some
 * seconds it is tried again, for as long as the lease may hold: `work` may run more than once, and
 * must leave nothing behind outside the transaction.
 */
export type Checkpoint = <T>(lease: Lease, work: (trx: Trx) => Promise<T>) => Promise<T>;

/** Our lease was taken over: another process runs this integration now. */
export class LeaseLost extends FatalError {
  constructor(integrationId: string) {
    super(`Another process has taken over the sync of "${integrationId}"; this one stops.`, {
      code: 'lease_lost',
    });
  }
}

export type LeaseQueries = ReturnType<typeof leaseQueries>;

/** Who may run an integration; at most one at a time. All instants are of the database's clock. */
export function leaseQueries(db: Database, clock: Pick<Clock, 'now'>) {
  const fromNow = databaseTime(db, clock);

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
      return transact(db, LEASE_MS, async (trx, name) => {
        await trx
          .insertInto('integrations')
          .values({ id: integrationId, run_epoch: 0 })
          .onConflict((c) => c.doNothing())
          .execute();
        const row = await trx
          .selectFrom('integrations')
          .select(['run_epoch', 'lease_owner', 'lease_until'])
          .select((eb) => eb.case().when(isInForce(eb)).then(1).else(0).end().as('in_force'))
          .where('id', '=', integrationId)
          // Two that ask at once, or one that asks while the owner renews, go one after the other. On SQLite
          // transactions do so by themselves.
          .$if(isPostgres(db), (query) => query.forUpdate())
          .executeTakeFirstOrThrow();
        const { lease_owner: holder, lease_until: until } = row;
        if (holder !== null && until !== null && row.in_force === 1 && !isGone(holder)) {
          return { acquired: false, owner: holder, until } as const;
        }
        const epoch = row.run_epoch + 1;
        const raised = await trx
          .updateTable('integrations')
          .set({
            run_epoch: epoch,
            slots_epoch: epoch,
            lease_owner: owner,
            lease_until: fromNow(LEASE_MS),
          })
          .where('id', '=', integrationId)
          .returning(transactionId(db).as('transaction_id'))
          .executeTakeFirst();
        name(raised?.transaction_id ?? null);
        return { acquired: true, lease: { integrationId, epoch } } as const;
      });
    },

    checkpoint,

    /** A checkpoint of several integrations at once: it fails if any of the leases is not ours. */
    checkpointAll<T>(leases: readonly Lease[], work: (trx: Trx) => Promise<T>): Promise<T> {
      // In one order for all, so that no two wait for each other.
      const [first, ...others] = leases.toSorted((a, b) =>
        a.integrationId < b.integrationId ? -1 : 1,
      );
      if (first === undefined) throw new RangeError('No lease was given');
      return checkpoint(first, async (trx) => {
        for (const lease of others) await extend(trx, lease);
        return work(trx);
      });
    },

    /** Keeps the lease while nothing else is written. */
    async renew(lease: Lease): Promise<void> {
      await checkpoint(lease, async () => undefined);
    },

    /** True while a version that knows no slots may hold the lease of any integration. */
    async isOlderAtWork(trx: Trx): Promise<boolean> {
      const older = await trx
        .selectFrom('integrations')
        .select('id')
        .where((eb) => isInForce(eb))
        .where('lease_owner', 'is not', null)
        .where((eb) =>
          eb.or([eb('slots_epoch', 'is', null), eb('slots_epoch', '<>', eb.ref('run_epoch'))]),
        )
        .limit(1)
        .executeTakeFirst();
      return older !== undefined;
    },

    /** Takes a lease of this epoch from its owner, whose next checkpoint finds it lost. */
    async revoke({ integrationId, epoch }: Lease): Promise<void> {
      await db
        .updateTable('integrations')
        .set({ run_epoch: epoch + 1, lease_owner: null, lease_until: null })
        .where('id', '=', integrationId)
        .where('run_epoch', '=', epoch)
        .execute();
    },

    async release(lease: Lease): Promise<void> {
      // Released twice is released: a later owner has another epoch.
      await again(LEASE_MS, () =>
        db
          .updateTable('integrations')
          .set({ lease_owner: null, lease_until: null })
          .where('id', '=', lease.integrationId)
          .where('run_epoch', '=', lease.epoch)
          .execute(),
      );
    },

    /** Who holds the lease of an integration; null if no lease is in force. */
    async holder(
      integrationId: string,
    ): Promise<{ owner: string; until: number; epoch: number } | null> {
      const row = await db
        .selectFrom('integrations')
        .select(['lease_owner', 'lease_until', 'run_epoch'])
        .where('id', '=', integrationId)
        .where((eb) => isInForce(eb))
        .executeTakeFirst();
      if (!row?.lease_owner || row.lease_until === null) return null;
      return { owner: row.lease_owner, until: row.lease_until, epoch: row.run_epoch };
    },
  };

  /** True of a lease that has not run out, and that ends no later than a lease can. */
  function isInForce(
    eb: ExpressionBuilder<Tables, 'integrations'>,
  ): ExpressionWrapper<Tables, 'integrations', SqlBool> {
    return eb.and([
      eb('lease_until', '>', fromNow(0)),
      eb('lease_until', '<=', fromNow(LATEST_END_MS)),
    ]);
  }

  function checkpoint<T>(lease: Lease, work: (trx: Trx) => Promise<T>): Promise<T> {
    return transact(db, LEASE_MS, async (trx, name) => {
      name(await extend(trx, lease));
      return work(trx);
    });
  }

  async function extend(trx: Trx, lease: Lease): Promise<TransactionId> {
    const kept = await trx
      .updateTable('integrations')
      .set({ lease_until: fromNow(LEASE_MS) })
      .where('id', '=', lease.integrationId)
      .where('run_epoch', '=', lease.epoch)
      .returning(transactionId(db).as('transaction_id'))
      .executeTakeFirst();
    if (!kept) throw new LeaseLost(lease.integrationId);
    return kept.transaction_id;
  }
}

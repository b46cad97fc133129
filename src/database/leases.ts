import {
  type Expression,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { FatalError } from '../core/errors.ts';
import { type WriteContext, withContext } from './actor-transaction.ts';
import { databaseTime, isPostgres, serverTime } from './database-time.ts';
import { prepared, type Slots } from './prepared.ts';
import type { TimedReader } from './reader.ts';
import type { Database, Tables, Trx } from './tables/tables.ts';
import { again, LEASE_MS, type TransactionId, transact, transactionId } from './transact.ts';

/**
 * The latest valid end of a lease. A later end comes from a wrong clock and is ignored, because it could block an
 * integration for days. The limit allows for clock corrections of some seconds.
 */
const LATEST_END_MS = LEASE_MS + 5_000;

/**
 * The right of a process to run an integration. Every checkpoint first compares the lease's epoch with the stored
 * epoch.
 */
export interface Lease {
  integrationId: string;
  epoch: number;
}

export type LeaseAttempt =
  | { acquired: true; lease: Lease }
  | { acquired: false; owner: string; until: number };

/**
 * Runs a transaction under a lease. Fails if this process no longer has the lease. While the database is unavailable,
 * the transaction is retried until the lease may have ended. Therefore, `work` can run several times and must have no
 * other effects.
 */
export type Checkpoint = <T>(lease: Lease, work: (trx: RunTransaction) => Promise<T>) => Promise<T>;

/** Runs a transaction under several leases. Fails if this process has lost any of them. */
export type CheckpointAll = <T>(
  leases: readonly Lease[],
  beside: readonly string[],
  work: (trx: LeasedTransaction) => Promise<T>,
) => Promise<T>;

/**
 * A transaction whose first statements have confirmed the leases. Functions that store results require this type, so
 * they can only be called within a checkpoint.
 */
export type LeasedTransaction = Trx & WriteContext & { readonly [UNDER_LEASE]: true };

/** A transaction of one run, which contains the confirmed lease. */
export type RunTransaction = LeasedTransaction & { readonly lease: Lease };

/** Exists only in the types. At runtime, no transaction has this property. */
declare const UNDER_LEASE: unique symbol;

/** Thrown if another process has taken over the lease. */
export class LeaseLost extends FatalError {
  constructor(integrationId: string) {
    super(`Another process has taken over the sync of "${integrationId}"; this one stops.`, {
      code: 'lease_lost',
    });
  }
}

export function leaseInForce(reader: TimedReader) {
  const fromNow = databaseTime(reader, reader.clock);
  return (until: RawBuilder<unknown>) =>
    sql<SqlBool>`(${until} > ${fromNow(0)} and ${until} <= ${fromNow(LATEST_END_MS)})`;
}
/** Extends the lease. Extending the lease is the first statement of each checkpoint. */
const extendLease = prepared(
  (
    db,
    { integrationId, epoch, until }: Slots<{ integrationId: string; epoch: number; until: number }>,
  ) =>
    db
      .updateTable('integrations')
      .set({ lease_until: isPostgres(db) ? serverTime(LEASE_MS) : until })
      .where('id', '=', integrationId)
      .where('run_epoch', '=', epoch)
      .returning(transactionId(db).as('transaction_id'))
      .compile(),
);

const insertIntegration = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .insertInto('integrations')
    .values({ id: integrationId, run_epoch: 0 })
    .onConflict((c) => c.doNothing())
    .compile(),
);

const lockIntegration = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('integrations')
    .select('id')
    .where('id', '=', integrationId)
    .$if(isPostgres(db), (query) => query.forUpdate())
    .compile(),
);

/**
 * Locks the lease, so that simultaneous attempts to acquire or renew it run one after the other. SQLite needs no lock.
 */
const lockLease = prepared(
  (db, slots: Slots<{ integrationId: string; now: number; latest: number }>) => {
    const [now, latest] = isPostgres(db)
      ? [serverTime(0), serverTime(LATEST_END_MS)]
      : [slots.now, slots.latest];
    return db
      .selectFrom('integrations')
      .select(['run_epoch', 'lease_owner', 'lease_until'])
      .select((eb) =>
        eb
          .case()
          .when(isBetween(eb, now, latest))
          .then(1)
          .else(0)
          .end()
          .as('in_force'),
      )
      .where('id', '=', slots.integrationId)
      .$if(isPostgres(db), (query) => query.forUpdate())
      .compile();
  },
);

const raiseEpoch = prepared(
  (db, slots: Slots<{ integrationId: string; epoch: number; owner: string; until: number }>) =>
    db
      .updateTable('integrations')
      .set({
        run_epoch: slots.epoch,
        lease_owner: slots.owner,
        lease_until: isPostgres(db) ? serverTime(LEASE_MS) : slots.until,
      })
      .where('id', '=', slots.integrationId)
      .returning(transactionId(db).as('transaction_id'))
      .compile(),
);

const endLease = prepared(
  (db, { integrationId, epoch }: Slots<{ integrationId: string; epoch: number }>) =>
    db
      .updateTable('integrations')
      .set({ lease_owner: null, lease_until: null })
      .where('id', '=', integrationId)
      .where('run_epoch', '=', epoch)
      .compile(),
);

/** Selects leases that are valid at `now` and do not end too late. */
function isBetween(
  eb: ExpressionBuilder<Tables, 'integrations'>,
  now: Expression<number>,
  latest: Expression<number>,
): ExpressionWrapper<Tables, 'integrations', SqlBool> {
  return eb.and([eb('lease_until', '>', now), eb('lease_until', '<=', latest)]);
}

export type LeaseQueries = ReturnType<typeof leaseQueries>;

/**
 * Returns the functions for leases. A lease gives one process the right to run an integration. All times in leases come
 * from the database's clock.
 */
export function leaseQueries(db: Database, context: WriteContext) {
  const { clock } = context;
  const fromNow = databaseTime(db, clock);

  return {
    /** Acquires a lease. Fails while another running process has the lease. */
    acquire(
      integrationId: string,
      owner: string,
      isGone: (owner: string) => boolean,
    ): Promise<LeaseAttempt> {
      return transact(db, LEASE_MS, async (trx, name) => {
        const now = clock.now();
        await insertIntegration(trx, { integrationId });
        const { rows } = await lockLease(trx, { integrationId, now, latest: now + LATEST_END_MS });
        const [row] = rows;
        if (row === undefined) throw new Error('An integration that was just there is gone.');
        const { lease_owner: holder, lease_until: until } = row;
        if (holder !== null && until !== null && row.in_force === 1 && !isGone(holder)) {
          return { acquired: false, owner: holder, until } as const;
        }
        const epoch = row.run_epoch + 1;
        const raised = await raiseEpoch(trx, {
          integrationId,
          epoch,
          owner,
          until: now + LEASE_MS,
        });
        name(raised.rows[0]?.transaction_id ?? null);
        return { acquired: true, lease: { integrationId, epoch } } as const;
      });
    },

    checkpoint,

    /**
     * Runs a transaction under several leases. `isGone` recognises a process that has ended early. Another process may
     * have the leases in `beside`. The checkpoints of the process with these leases wait until this transaction has
     * ended.
     */
    checkpointAll<T>(
      leases: readonly Lease[],
      beside: readonly string[],
      work: (trx: LeasedTransaction) => Promise<T>,
    ): Promise<T> {
      if (leases.length === 0) throw new RangeError('No lease was granted');
      const locked = beside.map((integrationId) => ({ integrationId, epoch: null }));
      // The leases are always locked in the same order, which prevents deadlocks.
      const inOrder = [...leases, ...locked].toSorted((a, b) =>
        a.integrationId < b.integrationId ? -1 : 1,
      );
      return transact(db, LEASE_MS, async (trx, name) => {
        for (const { integrationId, epoch } of inOrder) {
          if (epoch === null) await lockIntegration(trx, { integrationId });
          else name(await extend(trx, { integrationId, epoch }));
        }
        return work(underLease(trx));
      });
    },

    /** Renews the lease. A process must renew the lease while it writes nothing else. */
    async renew(lease: Lease): Promise<void> {
      await checkpoint(lease, async () => undefined);
    },

    /** Revokes the lease with this epoch. The next checkpoint of its process then fails, because the lease is lost. */
    async revoke({ integrationId, epoch }: Lease): Promise<void> {
      await db
        .updateTable('integrations')
        .set({ run_epoch: epoch + 1, lease_owner: null, lease_until: null })
        .where('id', '=', integrationId)
        .where('run_epoch', '=', epoch)
        .execute();
    },

    async release(lease: Lease): Promise<void> {
      // Releasing a lease twice is harmless, because the next process has a different epoch.
      const { integrationId, epoch } = lease;
      await again(LEASE_MS, () => endLease(db, { integrationId, epoch }));
    },

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

    /** Returns the number of valid leases for each host. */
    async countByHost(): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('integrations')
        .select('lease_owner')
        .where('lease_owner', 'is not', null)
        .where((eb) => isInForce(eb))
        .execute();
      const hosts = Map.groupBy(
        rows,
        ({ lease_owner: owner }) => (owner ?? '').split('/')[0] ?? '',
      );
      return new Map([...hosts].map(([host, leases]) => [host, leases.length]));
    },
  };

  function isInForce(
    eb: ExpressionBuilder<Tables, 'integrations'>,
  ): ExpressionWrapper<Tables, 'integrations', SqlBool> {
    return isBetween(eb, fromNow(0), fromNow(LATEST_END_MS));
  }

  function checkpoint<T>(lease: Lease, work: (trx: RunTransaction) => Promise<T>): Promise<T> {
    return transact(db, LEASE_MS, async (trx, name) => {
      name(await extend(trx, lease));
      return work(Object.assign(underLease(trx), { lease }));
    });
  }

  /** Marks the transaction as leased. Called only after the transaction has extended the leases. */
  function underLease(trx: Trx): LeasedTransaction {
    return withContext(trx, context) as LeasedTransaction;
  }

  async function extend(trx: Trx, lease: Lease): Promise<TransactionId> {
    const { integrationId, epoch } = lease;
    const { rows } = await extendLease(trx, {
      integrationId,
      epoch,
      until: clock.now() + LEASE_MS,
    });
    const [kept] = rows;
    if (!kept) throw new LeaseLost(lease.integrationId);
    return kept.transaction_id;
  }
}

/**
 * Acquires the first lock of each checkpoint, so that a second process waits here. A run that decides about a page
 * therefore knows all earlier decisions about erased people.
 */
export async function waitForCheckpoint(trx: Trx, integrationId: string): Promise<void> {
  await trx
    .updateTable('integrations')
    .set((eb) => ({ run_epoch: eb.ref('run_epoch') }))
    .where('id', '=', integrationId)
    .execute();
}

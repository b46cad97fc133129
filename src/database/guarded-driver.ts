import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AbortableOperationOptions,
  CompiledQuery,
  DatabaseConnection,
  Driver,
  QueryResult,
} from 'kysely';
import { type DonorSyncError, FatalError, isDonorSyncError } from '../core/errors.ts';
import { commitError, databaseClosed, isAway, storeError } from './store-error.ts';

/** The longest wait for an unavailable server. Longer than a restart and shorter than a lease. */
const AWAY_PATIENCE_MS = 20_000;

/** The pause between attempts. Afterwards, a stopping server has closed its old connections. */
export const RECONNECT_PAUSE_MS = 250;

/** How often one read is sent to an unavailable server. */
const MAX_READS = 5;

/** A transaction, as seen by the code that runs inside it. */
interface TransactionScope {
  open: boolean;
}

/** Null after the connection was returned. */
interface Guarded {
  readonly outer: DatabaseConnection;
  inner: DatabaseConnection | null;
}

/**
 * Translates failures (`store-error.ts`), waits for an unavailable server, and repeats reads after a lost connection.
 * It refuses three things:
 *
 * - a second connection inside a transaction. With `db` in place of `trx`, SQLite would wait forever, and Postgres
 *   would leave the transaction;
 * - any connection after the disk has failed. Only a restart shows whether the last commit succeeded, so this process
 *   stops;
 * - any connection after closing, because all work should have ended before.
 *
 * Writes are sent once. `transact.ts` decides about retries.
 */
export function guardDriver(
  driver: Driver,
  { patienceMs = AWAY_PATIENCE_MS }: { patienceMs?: number } = {},
): Driver {
  const scopes = new AsyncLocalStorage<TransactionScope>();
  const scopeByConnection = new WeakMap<DatabaseConnection, TransactionScope>();
  const guardedByInner = new WeakMap<DatabaseConnection, Guarded>();
  const guardedByOuter = new WeakMap<DatabaseConnection, Guarded>();
  let diskFailure: DonorSyncError | undefined;
  let closing: Promise<void> | null = null;

  /** Returns the failure in our own words. A disk failure is remembered. */
  function translated(error: unknown): unknown {
    const failure = storeError(error);
    if (isDonorSyncError(failure) && failure.code === 'database_io_failed') {
      diskFailure = failure;
    }
    return failure;
  }

  function rethrow(error: unknown): never {
    throw translated(error);
  }

  /** Uses real time, because the server is real. */
  async function acquire(
    options: AbortableOperationOptions | undefined,
  ): Promise<DatabaseConnection> {
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        return await driver.acquireConnection(options);
      } catch (error) {
        const failure = translated(error);
        if (!isAway(failure) || closing !== null || performance.now() >= until) throw failure;
      }
      await sleep(RECONNECT_PAUSE_MS);
    }
  }

  function guard(inner: DatabaseConnection): DatabaseConnection {
    const known = guardedByInner.get(inner);
    if (known) {
      known.inner = inner;
      return known.outer;
    }
    const outer: DatabaseConnection = {
      executeQuery: (query, options) => execute(guarded, query, options),
      streamQuery: (query, chunkSize, options) =>
        getInner(outer).streamQuery(query, chunkSize, options),
    };
    const guarded: Guarded = { outer, inner };
    guardedByInner.set(inner, guarded);
    guardedByOuter.set(outer, guarded);
    return outer;
  }

  function getInner(outer: DatabaseConnection): DatabaseConnection {
    const inner = guardedByOuter.get(outer)?.inner;
    if (!inner) throw new FatalError(LOST, { code: 'database_connection_lost' });
    return inner;
  }

  async function execute<Row>(
    guarded: Guarded,
    query: CompiledQuery,
    options: AbortableOperationOptions | undefined,
  ): Promise<QueryResult<Row>> {
    const isLoneRead =
      query.query.kind === 'SelectQueryNode' && !scopeByConnection.get(guarded.outer)?.open;
    for (let read = 1; ; read++) {
      try {
        return await getInner(guarded.outer).executeQuery<Row>(query, options);
      } catch (error) {
        const failure = translated(error);
        if (!isLoneRead || !isAway(failure) || read === MAX_READS) throw failure;
      }
      await sleep(RECONNECT_PAUSE_MS);
      await replaceInner(guarded, options);
    }
  }

  /**
   * A lost connection is released first, because all connections of the pool may be lost. Otherwise the pool might have
   * none left.
   */
  async function replaceInner(
    guarded: Guarded,
    options: AbortableOperationOptions | undefined,
  ): Promise<void> {
    const lost = getInner(guarded.outer);
    guarded.inner = null;
    await driver.releaseConnection(lost, options);
    guarded.inner = await acquire(options);
  }

  function closeScope(connection: DatabaseConnection): void {
    const scope = scopeByConnection.get(connection);
    // Work that outlives the transaction may use the database again.
    if (scope) scope.open = false;
  }

  return {
    init: (options) => driver.init(options),

    async acquireConnection(options) {
      if (scopes.getStore()?.open) throw usedInsideTransaction();
      if (diskFailure) throw diskFailure;
      if (closing !== null) throw databaseClosed(undefined);
      return guard(await acquire(options));
    },

    beginTransaction(connection, settings) {
      const scope = { open: true };
      scopeByConnection.set(connection, scope);
      // Entered before the first await, so it covers only Kysely's callback.
      scopes.enterWith(scope);
      return driver.beginTransaction(getInner(connection), settings).catch((error: unknown) => {
        scope.open = false;
        rethrow(error);
      });
    },

    async commitTransaction(connection) {
      await driver.commitTransaction(getInner(connection)).catch((error: unknown) => {
        throw commitError(translated(error));
      });
      closeScope(connection);
    },

    async rollbackTransaction(connection) {
      closeScope(connection);
      // The rollback's reason is more informative than the rollback's own failure. SQLite has already rolled back, or
      // the lost Postgres connection is discarded.
      await driver.rollbackTransaction(getInner(connection)).catch(() => undefined);
    },

    async releaseConnection(connection, options) {
      const inner = guardedByOuter.get(connection)?.inner;
      if (inner) await driver.releaseConnection(inner, options);
    },

    destroy(options) {
      closing ??= driver.destroy(options);
      return closing;
    },
  };
}

const LOST = 'The connection to the database was lost, and a new one could not be opened.';

function usedInsideTransaction(): FatalError {
  return new FatalError(
    'The database was used outside the transaction that is open here. Use the transaction’s own object ("trx") for every query inside it.',
    { code: 'database_used_inside_transaction' },
  );
}

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

/**
 * The longest wait for an unavailable server. This time is longer than a restart of the server and shorter than a
 * lease.
 */
const AWAY_PATIENCE_MS = 20_000;

/** The pause between two attempts to connect. During this time, a stopping server closes its old connections. */
export const RECONNECT_PAUSE_MS = 250;

/** The maximum number of times that one query is sent to an unavailable server. */
const MAX_READS = 5;

/** The state of a transaction for the code that runs inside it. */
interface TransactionScope {
  open: boolean;
}

/** A connection. Null after the connection was returned. */
interface Guarded {
  readonly outer: DatabaseConnection;
  inner: DatabaseConnection | null;
}

/**
 * Wraps a database driver. Translates failures (`store-error.ts`), waits for an unavailable server, and repeats queries
 * after a lost connection. The wrapper refuses three things:
 *
 * - a second connection inside a transaction. With `db` in place of `trx`, SQLite would wait forever, and Postgres
 *   would leave the transaction;
 * - any connection after the disk has failed. Only a restart shows whether the last commit succeeded, so this process
 *   stops;
 * - any connection after closing, because all work should have ended before.
 *
 * A write is sent only once. `transact.ts` decides whether to repeat it.
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

  /** Returns a failure as donor-sync's own error. Remembers a failure of the disk. */
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

  /** Gets a connection. The wait uses real time, because the server is real even in tests. */
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
   * Replaces a lost connection. The lost connection is released before a new connection is acquired. All connections in
   * the pool may be lost, and the pool might otherwise have none left.
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
    // Code that continues after the transaction may use the database again.
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
      // This must come before the first `await`, so that it applies only to Kysely's callback.
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
      // The reason for the rollback is more informative than a failure of the rollback itself. SQLite has already
      // rolled back, or the lost Postgres connection is discarded.
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

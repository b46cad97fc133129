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
 * How long to wait for a connection while the server is unavailable. It is longer than a restart takes, and
 * shorter than a lease lasts.
 */
const AWAY_PATIENCE_MS = 20_000;

/** The pause between two attempts. After it, a server that shuts down has closed its old connections. */
export const RECONNECT_PAUSE_MS = 250;

/** How often one read is sent if the server becomes unavailable repeatedly. */
const MAX_READS = 5;

/** A transaction, as seen by the code that runs inside it. */
interface TransactionScope {
  open: boolean;
}

/**
 * A connection as callers see it, and the real connection behind it. The real connection is null once it was returned.
 */
interface Guarded {
  readonly outer: DatabaseConnection;
  inner: DatabaseConnection | null;
}

/**
 * Returns a driver that translates failures (`store-error.ts`), waits for a server that is unavailable, repeats a read
 * whose connection was lost, and rejects three things:
 *
 * - a second connection for code inside a transaction. Using `db` in place of `trx` there would wait forever on
 *   SQLite, which has one connection, and would run outside the transaction on Postgres;
 * - any connection after the disk has failed. Only recovery, when the database is next opened, shows whether the last
 *   commit succeeded, so nothing continues in this process;
 * - any connection after closing, because code that still runs then has outlived its program.
 *
 * Writes are sent only once. `transact.ts` decides whether they may be sent again.
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

  /** Uses the machine's own time, because it waits for a real server. */
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
   * Replaces a lost connection. It is released first, because the pool has no other connection if all of them are lost
   * together.
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
    // Work that was started inside the transaction and outlives it may use the database again.
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
      // Entered before the first await, so it applies to Kysely's callback and not beyond it.
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
      // The reason for the rollback is more informative than a failure of the rollback itself. In that case,
      // SQLite has already rolled back, and a lost Postgres connection is discarded.
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

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
 * A connection is waited for so long while the server is away: longer than a restart takes, and
 * shorter than a lease lasts.
 */
const AWAY_PATIENCE_MS = 20_000;

/** Between two tries; a server that shuts down has dropped its old connections by then. */
export const RECONNECT_PAUSE_MS = 250;

/** How often one read is sent at most, should the server go away again and again. */
const MAX_READS = 5;

/** A transaction as the code that runs inside it sees it. */
interface TransactionScope {
  open: boolean;
}

/** A connection as it is handed out, and the one behind it; null once that is given back. */
interface Guarded {
  readonly outer: DatabaseConnection;
  inner: DatabaseConnection | null;
}

/**
 * A driver that translates failures (`store-error.ts`), waits for a server that is away, asks a read
 * again whose connection was lost, and refuses three things:
 *
 * - a second connection to code that runs inside a transaction. There, `db` in place of `trx`
 *   would wait for ever on SQLite, which has one connection, and would step out of the
 *   transaction on Postgres;
 * - any connection after the disk has failed. What the last commit left is only known after
 *   recovery, which the next opening does, so nothing goes on in place;
 * - any connection once it is closed: what goes on then has outlived its program.
 *
 * What writes is sent once: whether it may be sent again is known by `transact.ts`.
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

  /** The failure in our words; one of the disk is remembered. */
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

  /** The machine's own time counts: it is a real server that is waited for. */
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

  /** The lost connection goes first: should all be lost at once, the pool has no other to give. */
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
    // Work that was started inside and outlives the transaction may use the database again.
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
      // Entered before the first await, so that it holds for Kysely's callback and not beyond.
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
      // What made it necessary says more than its own failure: SQLite has then rolled back by
      // itself, and a lost Postgres connection is discarded.
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

const LOST = 'The connection to the database was lost, and no other could be had.';

function usedInsideTransaction(): FatalError {
  return new FatalError(
    'The database was used beside the transaction that is open here. Use the transaction’s own object ("trx") for every query inside it.',
    { code: 'database_used_inside_transaction' },
  );
}

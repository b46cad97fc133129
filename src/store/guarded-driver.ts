import { AsyncLocalStorage } from 'node:async_hooks';
import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, Driver } from 'kysely';
import { DonorSyncError, FatalError } from '../core/errors.ts';
import { commitError, storeError } from './store-error.ts';

/** A transaction as the code that runs inside it sees it. */
interface TransactionScope {
  open: boolean;
}

/**
 * A driver that translates failures (`store-error.ts`) and refuses two things:
 *
 * - a second connection to code that runs inside a transaction. There, `db` in place of `trx`
 *   would wait for ever on SQLite, which has one connection, and would step out of the
 *   transaction on Postgres;
 * - any connection after the disk has failed. What the last commit left is only known after
 *   recovery, which the next opening does, so nothing goes on in place.
 */
export function guardDriver(driver: Driver): Driver {
  const scopes = new AsyncLocalStorage<TransactionScope>();
  const scopeByConnection = new WeakMap<DatabaseConnection, TransactionScope>();
  const translated = new WeakSet<DatabaseConnection>();
  let diskFailure: DonorSyncError | undefined;

  function rethrow(error: unknown): never {
    const failure = storeError(error);
    if (failure instanceof DonorSyncError && failure.code === 'database_io_failed') {
      diskFailure = failure;
    }
    throw failure;
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
      const connection = await driver.acquireConnection(options).catch(rethrow);
      if (!translated.has(connection)) {
        translateFailures(connection, rethrow);
        translated.add(connection);
      }
      return connection;
    },

    beginTransaction(connection, settings) {
      const scope = { open: true };
      scopeByConnection.set(connection, scope);
      // Entered before the first await, so that it holds for Kysely's callback and not beyond.
      scopes.enterWith(scope);
      return driver.beginTransaction(connection, settings).catch((error: unknown) => {
        scope.open = false;
        throw error;
      });
    },

    async commitTransaction(connection) {
      await driver.commitTransaction(connection).catch((error: unknown) => {
        throw commitError(error);
      });
      closeScope(connection);
    },

    async rollbackTransaction(connection) {
      closeScope(connection);
      // What made it necessary says more than its own failure: SQLite has then rolled back by
      // itself, and a lost Postgres connection is discarded.
      await driver.rollbackTransaction(connection).catch(() => undefined);
    },

    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    destroy: (options) => driver.destroy(options),
  };
}

function translateFailures(
  connection: DatabaseConnection,
  rethrow: (error: unknown) => never,
): void {
  const executeQuery = connection.executeQuery.bind(connection);
  connection.executeQuery = <Row>(query: CompiledQuery, options?: AbortableOperationOptions) =>
    executeQuery<Row>(query, options).catch(rethrow);
}

function usedInsideTransaction(): FatalError {
  return new FatalError(
    'The database was used beside the transaction that is open here. Use the transaction’s own object ("trx") for every query inside it.',
    { code: 'database_used_inside_transaction' },
  );
}

/**
 * Gives a process access to the database through its own driver. Before and after each statement, a fault can stop
 * the process.
 */
import type Sqlite from 'better-sqlite3';
import {
  type CompiledQuery,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import type { OpenDatabase } from '../../../src/database/database.ts';
import { guardDriver } from '../../../src/database/guarded-driver.ts';
import { createConnectionQueue } from '../../../src/database/sqlite/connection-queue.ts';
import { StoreReplaced } from '../../../src/database/sqlite/database-file.ts';
import { SqliteCompiler } from '../../../src/database/sqlite/sqlite-compiler.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { never } from '../processes/process.ts';
import type { DatabaseFile } from './database-file.ts';
import { type NamedStatement, namedOf } from './labels.ts';
import { fullDisk, lostConnection, type Outages } from './outages.ts';
import type { RealPostgres } from './real-postgres.ts';
import type { KnownStatement, Statements } from './statements.ts';
import { type Client, isServer, losesCommit, type Present } from './store-night.ts';
import type { Transactions } from './transactions.ts';

export interface DriverParts {
  present: Present;
  statements: Statements;
  transactions: Transactions;
  outages: Outages;
  file: DatabaseFile;
  /** Called when a statement starts, with the event that it applies to contacts, or null for any other statement. */
  onEvent(event: string | null): void;
}

/** Returns a function that opens the database for a process, as the product does. */
export function createOpening(parts: DriverParts): (client: Client) => OpenDatabase<Tables> {
  const { present, file } = parts;
  // All processes share one SQL compiler. A compiler keeps no state between statements, and is expensive to create.
  const compiler = new SqliteCompiler();
  return (client) => {
    file.open(client.name);
    const kind = isServer(present) ? 'server' : 'machine';
    const driver = guardDriver(createClientDriver(parts, client));
    const dialect: Dialect = {
      createDriver: () => driver,
      createAdapter: () => (kind === 'server' ? new PostgresAdapter() : new TransactionalAdapter()),
      createQueryCompiler: () => compiler,
      createIntrospector: (db) => new SqliteIntrospector(db),
      ...present.server?.dialect,
    };
    const db = new Kysely<Tables>({ dialect });
    return {
      db,
      kind: kind === 'server' ? 'postgres' : 'sqlite',
      async requireInPlace() {
        if (file.replacedAt(client.name) !== null) throw new StoreReplaced('/simulated');
      },
      close: () => driver.destroy(),
    };
  };
}

function createClientDriver(parts: DriverParts, client: Client): Driver {
  const { present, statements, transactions, outages } = parts;
  const queue = createConnectionQueue();
  let isClosed = false;
  const connection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      requireOpen();
      return execute<R>(sql, parameters);
    },
    streamQuery(): AsyncIterableIterator<QueryResult<never>> {
      throw new Error('nothing is streamed');
    },
  };
  return {
    async init() {},
    async acquireConnection() {
      await queue.enter();
      if (isServer(present) && outages.isAway()) {
        queue.leave();
        throw lostConnection('ECONNREFUSED');
      }
      return connection;
    },
    async beginTransaction() {
      await client.point('begin');
      do await transactions.access(client);
      while (transactions.isTaken(client));
      if (client.state === 'gone') await never();
      requireOpen();
      const begun = transactions.open(client);
      if (begun !== null) await begun;
    },
    async commitTransaction() {
      await client.point('commit');
      requireOpen();
      transactions.requireHeld(client);
      if (isServer(present) && outages.isAway()) {
        transactions.rollBack(client);
        throw lostConnection('ECONNRESET');
      }
      if (outages.isFull()) {
        transactions.rollBack(client);
        throw fullDisk();
      }
      await transactions.commit(client);
      await client.point('committed');
      const isLost = isServer(present) && losesCommit(present);
      if (isLost || (isServer(present) && outages.isAway())) throw lostConnection('ECONNRESET');
    },
    async rollbackTransaction() {
      await client.point('rollback');
      transactions.rollBack(client);
      transactions.forgive(client);
    },
    async releaseConnection() {
      queue.leave();
    },
    /** Closing a file discards the open transaction. Connections to a server end separately. */
    async destroy() {
      isClosed = !isServer(present);
      if (isClosed) transactions.rollBack(client);
    },
  };

  function requireOpen(): void {
    if (isClosed) throw new TypeError('The database connection is not open');
  }

  async function execute<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const { server } = present;
    const own = server === null ? statements.knownOf(sql) : null;
    const known = own ?? namedOf(sql);
    statements.count();
    await client.point(known.label);
    do await transactions.access(client);
    while (transactions.isTaken(client));
    if (client.state === 'gone') await never();
    if (known.isCheckpoint) {
      transactions.check(String(parameters.find((each) => typeof each === 'string')));
    }
    const answer =
      server === null
        ? run<R>(own ?? statements.knownOf(sql), parameters)
        : ask<R>(server, known, sql, parameters);
    const result = answer instanceof Promise ? await answer : answer;
    if (server !== null && transactions.holder === null) transactions.letNextIn();
    if (!known.isRead) await client.point(known.done);
    return result;
  }

  function run<R>(known: KnownStatement, parameters: readonly unknown[]): QueryResult<R> {
    if (known.statement.reader) {
      parts.onEvent(known.event);
      return { rows: readRows<R>(known.statement, parameters) };
    }
    outages.requireRoom();
    if (known.isVacuum) return { rows: [] };
    parts.onEvent(known.event);
    const { changes } = known.statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  function ask<R>(
    { run: send }: RealPostgres,
    { isRead }: NamedStatement,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    if (!isRead) outages.requireRoom();
    return send<R>(sql, parameters);
  }
}

/** Works like the product's own adapter (`sqlite.ts`). */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function readRows<R>(statement: Sqlite.Statement, parameters: readonly unknown[]): R[] {
  const rows: R[] = [];
  for (const row of statement.all(...parameters)) rows.push(Object(row));
  return rows;
}

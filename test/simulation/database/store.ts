/**
 * The database that all hosts share: one SQLite database in memory. Each process has its own driver with the product's
 * own guard. Like a Postgres server, the database has its own clock and numbers its transactions.
 */
import Sqlite from 'better-sqlite3';
import type { OpenDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { type Backup, createContents, type Row } from './contents.ts';
import { createDatabaseFile } from './database-file.ts';
import { createOpening } from './driver.ts';
import { createOutages, type Outage } from './outages.ts';
import { createQueue, type OpenTurn, type QueueDatabase } from './queue.ts';
import type { RealPostgres } from './real-postgres.ts';
import { createStatements } from './statements.ts';
import { type Client, type Present, type StoreNight, serverNow } from './store-night.ts';
import { createTransactions } from './transactions.ts';

export interface SharedStore {
  /** Empties the database for the next night. */
  begin(night: StoreNight): void;
  open(client: Client): OpenDatabase<Tables>;
  /**
   * Opens the connection that a process's engine uses. The engine's connection has other faults than the store's
   * connection.
   */
  openQueue(client: Client): QueueDatabase;
  /** Returns the waiting and active claims on a real server, or null while a process writes. */
  openTurns(): Promise<readonly OpenTurn[] | null>;
  /** The time since which the database has been available and no process has blocked it. */
  readonly wellSince: number;
  /** Rolls back a dead process's open transaction. */
  drop(client: Client): void;
  /** Makes the database unavailable for this time. A database server then loses its connections. */
  goAway(ms: number): void;
  fillDisk(ms: number): void;
  /** Replaces the file with a copy. Processes that have the file open continue to use the old file. */
  replaceFile(): void;
  /** Migrates the schema as a newer version of the program does, so this version can no longer start. */
  bringFurther(): void;
  takeBack(): void;
  /** The time since which the schema has belonged to a newer version, or null. */
  readonly newerSince: number | null;
  /** Returns the time when the file that a process has open was replaced, or null if it was not replaced. */
  replacedAt(client: string): number | null;
  /** The longest time in this night for which the database was unavailable. */
  readonly longestAwayMs: number;
  /** The times at which no process could write to the database. */
  readonly outages: readonly Outage[];
  /** Copies the content of a real server to the place from which `rows`, `bytes` and `backUp` read it. */
  mirror(): Promise<void>;
  backUp(): Backup;
  restore(backup: Backup): void;
  /**
   * From now on, reports each transition of a contact with the states before and after it. The report includes the
   * event if the statement contains the event. A contact's first state is `unknown`.
   */
  watchContacts(moved: (event: string | null, from: string, to: string) => void): void;
  /** Returns raw rows for the invariants. */
  rows(sql: string, ...parameters: unknown[]): Row[];
  /** Returns the whole content of the database as bytes. */
  bytes(): Buffer;
  /** Returns a promise for a real server's outstanding response, or null if there is none. */
  underWay(): Promise<unknown> | null;
  /** Returns true if a living process has an open transaction. */
  isBusy(): boolean;
}

export async function createSharedStore(
  prepare: (open: (client: Client) => OpenDatabase<Tables>) => Promise<void>,
  real: RealPostgres | null = null,
): Promise<SharedStore> {
  const database = new Sqlite(':memory:');
  database.pragma('foreign_keys = ON');
  // SQLite overwrites deleted rows and data of earlier nights in the file. The product opens a database file with the
  // same setting.
  database.pragma('secure_delete = ON');
  const present: Present = { night: null, server: null };
  const statements = createStatements(database, present);
  const outages = createOutages(present);
  const transactions = createTransactions(database, statements, present, outages);
  const file = createDatabaseFile(present, (sql) => {
    if (present.server === null) statements.prepared(sql).run();
    else present.server.send(sql);
  });
  const queue = createQueue(present, statements, transactions, outages);
  /** The event that the running statement applies to contacts. */
  let event: string | null = null;
  const open = createOpening({
    ...{ present, statements, transactions, outages, file },
    onEvent(next) {
      event = next;
    },
  });

  database.function('simulated_now', () => serverNow(present));

  await prepare(open);
  const contents = createContents(database, statements);
  const template = contents.backUp();
  if (real !== null) {
    // From now on, each night starts with the content of this SQLite database.
    present.server = real;
    await prepare(open);
    real.now = () => serverNow(present);
  }
  return {
    begin(next) {
      transactions.begin();
      present.night = next;
      file.begin();
      outages.begin();
      statements.begin();
      restore(template);
      present.server?.renew();
    },
    open,
    openQueue: queue.open,
    openTurns: queue.openTurns,
    drop(client) {
      transactions.leave(client);
      transactions.rollBack(client);
    },
    goAway(ms) {
      outages.goAway(ms);
      if (present.night?.kind === 'server' && transactions.holder !== null) transactions.cut();
    },
    fillDisk: outages.fillDisk,
    replaceFile: file.replace,
    bringFurther() {
      if (transactions.holder === null) file.bringFurther();
    },
    takeBack: file.takeBack,
    get newerSince() {
      return file.newerSince;
    },
    replacedAt: file.replacedAt,
    get outages() {
      return outages.outages;
    },
    get longestAwayMs() {
      return outages.longestAwayMs;
    },
    get wellSince() {
      return Math.max(outages.awayUntil, outages.fullUntil, transactions.cutAt);
    },
    async mirror() {
      if (present.server !== null) contents.put(await present.server.read(contents.names));
    },
    backUp: contents.backUp,
    restore,
    watchContacts: (moved) => contents.watchContacts((from, to) => moved(event, from, to)),
    rows: contents.rows,
    bytes: () => database.serialize(),
    underWay: () => present.server?.underWay() ?? null,
    isBusy: () => transactions.holder?.state === 'alive',
  };

  function restore(backup: Backup): void {
    contents.put(backup);
    present.server?.fill(backup);
  }
}

/**
 * The database that all hosts share: one SQLite database in memory. Each life has a separate driver for it, with the
 * product's own guard. As a server, it has its own clock and numbers its transactions, as the Postgres dialect expects.
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
  /** Empties it for the next night. */
  begin(night: StoreNight): void;
  open(client: Client): OpenDatabase<Tables>;
  /** The connection of a process's engine, in addition to the store's connection, with its own faults. */
  openQueue(client: Client): QueueDatabase;
  /** The waiting or active turns on a real server, by integration, or null while a process writes. */
  openTurns(): Promise<readonly OpenTurn[] | null>;
  /** The time since which it has responded and accepted writes, and no process has blocked it for others. */
  readonly wellSince: number;
  /** Rolls back the open transaction of a dead client. */
  drop(client: Client): void;
  /** The database does not respond for this time. A server loses its connections. */
  goAway(ms: number): void;
  fillDisk(ms: number): void;
  /** The file is replaced with a copy of itself. Processes that have it open keep another file. */
  replaceFile(): void;
  /** A newer version of the program migrates the schema, so this version may no longer start. */
  bringFurther(): void;
  /** The newer version and its schema are removed again. */
  takeBack(): void;
  /** The time since which the schema has been a newer version's, or null if it is not. */
  readonly newerSince: number | null;
  /** When that happened to the file of a process, or null if its file is still the right one. */
  replacedAt(client: string): number | null;
  /** The longest time in this night during which it was unavailable. */
  readonly longestAwayMs: number;
  /** The times at which nothing could be written to it. */
  readonly outages: readonly Outage[];
  /** Copies the content of a real server to where `rows`, `bytes` and `backUp` read it. */
  mirror(): Promise<void>;
  backUp(): Backup;
  restore(backup: Backup): void;
  /**
   * From now on, reports each transition of a contact: the event, if the statement names it, and the states before and
   * after. The state before the first one is `unknown`.
   */
  watchContacts(moved: (event: string | null, from: string, to: string) => void): void;
  /** For the invariants: the raw rows. */
  rows(sql: string, ...parameters: unknown[]): Row[];
  /** The whole content, as bytes. */
  bytes(): Buffer;
  /** Resolves once a real server has responded, or null if no response is outstanding. */
  underWay(): Promise<unknown> | null;
  /** True if a living process has a transaction open. */
  isBusy(): boolean;
}

export async function createSharedStore(
  prepare: (open: (client: Client) => OpenDatabase<Tables>) => Promise<void>,
  real: RealPostgres | null = null,
): Promise<SharedStore> {
  const database = new Sqlite(':memory:');
  database.pragma('foreign_keys = ON');
  // As when the product opens a file: nothing remains of deleted rows, or of earlier nights.
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
  /** The effect of the running statement on contacts. */
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
    // From here on, this SQLite database is the starting state of its nights.
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

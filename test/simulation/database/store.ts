/**
 * The database that all hosts share: one SQLite in memory. Each life has a driver of its own over it, with
 * the product's own guard. As a server it has its own clock and numbers its transactions, in the dialect's words
 * for Postgres.
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
  /** The connection of a process's engine: beside that of its store, with faults of its own. */
  openQueue(client: Client): QueueDatabase;
  /** The turns that wait or are active on a real server, by integration; null while a process writes. */
  openTurns(): Promise<readonly OpenTurn[] | null>;
  /** Since when it has answered, taken what was written, and none has kept it from others. */
  readonly wellSince: number;
  /** Rolls back what a dead client has left open. */
  drop(client: Client): void;
  /** The database does not answer for so long; a server loses its connections. */
  goAway(ms: number): void;
  fillDisk(ms: number): void;
  /** The file is replaced by a copy of itself: who has it open has another one. */
  replaceFile(): void;
  /** A newer version of the program brings the schema further: this one may not begin any more. */
  bringFurther(): void;
  /** The newer version is taken back, and its schema with it. */
  takeBack(): void;
  /** Since when the schema is that of a newer version; null if it is not. */
  readonly newerSince: number | null;
  /** When that happened to the file of a process; null if it is still the right one. */
  replacedAt(client: string): number | null;
  /** How long it was away at most in this night. */
  readonly longestAwayMs: number;
  /** When nothing could be written into it. */
  readonly outages: readonly Outage[];
  /** Brings what a real server holds to where `rows`, `bytes` and `backUp` find it. */
  mirror(): Promise<void>;
  backUp(): Backup;
  restore(backup: Backup): void;
  /**
   * Says from now on what happens to contacts: by which event, if the statement names it, from which state to
   * which. `unknown` comes before the first state.
   */
  watchContacts(moved: (event: string | null, from: string, to: string) => void): void;
  /** For the invariants: rows as they are. */
  rows(sql: string, ...parameters: unknown[]): Row[];
  /** Everything that stands in it, as bytes. */
  bytes(): Buffer;
  /** Resolves once a real server has answered; null if it has nothing to answer. */
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
  // As the product opens a file: nothing is left of what was deleted, nor of the nights before.
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
  /** What the statement that runs does to contacts. */
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
    // From here on this SQLite is what its nights begin with.
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

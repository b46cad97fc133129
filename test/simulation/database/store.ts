/**
 * The database that all hosts share: one SQLite in memory. Each life has a driver of its own over it, with
 * the product's own guard, and passes a point before and after each statement. As a server it has its own
 * clock and numbers its transactions, in the dialect's words for Postgres.
 */
import Sqlite from 'better-sqlite3';
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
import type { Owner } from '../../../src/core/owner.ts';
import type { OpenDatabase } from '../../../src/database/database.ts';
import { guardDriver } from '../../../src/database/guarded-driver.ts';
import { createConnectionQueue } from '../../../src/database/sqlite/connection-queue.ts';
import { StoreReplaced } from '../../../src/database/sqlite/database-file.ts';
import { SqliteCompiler } from '../../../src/database/sqlite/sqlite-compiler.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { never } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { RealPostgres } from './real-postgres.ts';

/** Who uses the database. */
export interface Client {
  readonly name: string;
  readonly owner: Pick<Owner, 'start'>;
  readonly state: 'alive' | 'frozen' | 'gone';
  point(name: string): Promise<void>;
}

export type StoreKind = 'machine' | 'server';

export type Row = Record<string, unknown>;

export interface Outage {
  from: number;
  until: number;
}

/** All rows of all tables. */
export type Backup = ReadonlyMap<string, readonly Row[]>;

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

/** What pg-boss asks for statements. */
export interface QueueDatabase {
  executeSql(sql: string, parameters?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface OpenTurn {
  integration: string;
  state: string;
  /** How long nothing was heard of the process that has it (ms); null if none has. */
  silentMs: number | null;
}

export interface StoreNight {
  kind: StoreKind;
  timeline: Timeline;
  random: Random;
  /** How likely a server's connection breaks under the answer to a commit. */
  lostCommits(): number;
  /** By how much a server's clock is off (ms). */
  clockOffsetMs: number;
  say(who: string, what: string): void;
  /** A client commits what belongs to the run of an integration, whose lease has this owner. */
  onCheckpoint(client: Client, integration: string, owner: string | null): void;
}

/** So many statements without any other event mean that a process asks again and again and never waits. */
const MOST_AT_ONCE = 50_000;

/** SQLite waits so long for another process, then it is busy. */
const BUSY_MS = 5_000;

/** A step of the schema that this version of the program does not know. */
const FURTHER = '9999-further';

const LEASE = 'select lease_owner from integrations where id = ?';

const CHECKPOINT = /^update "integrations" set "lease_until" = (?!null)/;

/** What a statement of the engine writes, wherever that stands in it. */
const OF_QUEUE = /\b(insert into|update|delete from) donor_sync_jobs\.(\w+)/i;

const OPEN_TURNS = `
  select singleton_key as integration, state::text,
    (extract(epoch from donor_sync_jobs.job_now() - heartbeat_on) * 1000)::bigint as "silentMs"
  from donor_sync_jobs.job where state <= 'active' order by 1, 2`;

/** Not carried out: there is no file to pack, and SQLite would prepare each statement anew afterwards. */
const VACUUM = 'vacuum';

const EVENT = /^update contacts \/\* (\w+) \*\//;

/** A server ends transactions that stand still for so long. */
const IDLE_MS = 15_000;

export async function createSharedStore(
  prepare: (open: (client: Client) => OpenDatabase<Tables>) => Promise<void>,
  real: RealPostgres | null = null,
): Promise<SharedStore> {
  const database = new Sqlite(':memory:');
  database.pragma('foreign_keys = ON');
  // As the product opens a file: nothing is left of what was deleted, nor of the nights before.
  database.pragma('secure_delete = ON');
  const statements = new Map<string, Sqlite.Statement>();
  const compiler = new SqliteCompiler();
  const ofMachine = new Map<string, KnownStatement>();
  const ofServer = new Map<string, KnownStatement>();
  let night: StoreNight | null = null;
  let holder: Client | null = null;
  let waiting: { client: Client; go: () => void }[] = [];
  let transactions = 0;
  let current: string | null = null;
  /** The integration whose lease the open transaction has checked. */
  let checkpoint: string | null = null;
  /** Of the transactions of a server. */
  const ends = new Map<string, 'committed' | 'aborted'>();
  /** Clients whose transaction was ended for them. */
  const cutOff = new WeakSet<Client>();
  /** Processes by name, and when their file was replaced. */
  const opened = new Set<string>();
  const replaced = new Map<string, number>();
  let newerSince: number | null = null;
  let awaySince = 0;
  let isRestoring = false;
  /** What the statement that runs does to contacts. */
  let event: string | null = null;
  let awayUntil = 0;
  let longestAwayMs = 0;
  let outages: Outage[] = [];
  let fullUntil = 0;
  /** When a transaction was ended for its process. */
  let cutAt = 0;
  /** Statements since the last event of the night. */
  let atOnce = 0;
  let lastStep = -1;

  database.function('simulated_now', () => (night === null ? 0 : serverNow(night)));
  database.function('simulated_transaction', () => current);
  database.function('simulated_status', (id) => ends.get(String(id)) ?? 'aborted');

  /** A real server, once this SQLite is what its nights begin with. */
  let server: RealPostgres | null = null;
  await prepare(open);
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map((row) => String(Reflect.get(Object(row), 'name')));
  const template = backUp();
  if (real !== null) {
    server = real;
    await prepare(open);
    real.now = () => (night === null ? 0 : serverNow(night));
  }
  return {
    begin(next) {
      if (database.inTransaction) database.exec('rollback');
      if (server !== null && holder !== null) server.send('rollback');
      night = next;
      holder = null;
      waiting = [];
      transactions = 0;
      current = null;
      ends.clear();
      opened.clear();
      replaced.clear();
      newerSince = null;
      awayUntil = 0;
      outages = [];
      longestAwayMs = 0;
      fullUntil = 0;
      cutAt = 0;
      atOnce = 0;
      restore(template);
      server?.renew();
    },
    open,
    openQueue,
    async openTurns() {
      if (server === null) return [];
      if (holder !== null) return null;
      const { rows } = await server.run<OpenTurn>(OPEN_TURNS);
      return rows;
    },
    drop(client) {
      waiting = waiting.filter((waiter) => waiter.client.name !== client.name);
      if (holder === client) endTransaction('rollback');
    },
    goAway(ms) {
      if (night === null) return;
      if (!isAway()) awaySince = night.timeline.now();
      awayUntil = Math.max(awayUntil, night.timeline.now() + ms);
      longestAwayMs = Math.max(longestAwayMs, awayUntil - awaySince);
      outages.push({ from: night.timeline.now(), until: awayUntil });
      night.say('the database', `is away for ${Math.round(ms / 100) / 10} s`);
      if (night.kind === 'server' && holder !== null) cutTransaction();
    },
    fillDisk(ms) {
      if (night === null) return;
      fullUntil = night.timeline.now() + ms;
      outages.push({ from: night.timeline.now(), until: fullUntil });
      night.say('the disk', `of the database is full for ${Math.round(ms / 1000)} s`);
    },
    replaceFile() {
      if (night === null) return;
      for (const name of opened) if (!replaced.has(name)) replaced.set(name, night.timeline.now());
      night.say('the file', 'of the database is replaced by a copy');
    },
    bringFurther() {
      if (night === null || holder !== null || newerSince !== null) return;
      newerSince = night.timeline.now();
      change(`insert into donor_sync_migration (name, timestamp) values ('${FURTHER}', '')`);
      night.say('a newer version', 'brings the schema further');
    },
    takeBack() {
      if (newerSince === null) return;
      newerSince = null;
      change(`delete from donor_sync_migration where name = '${FURTHER}'`);
      night?.say('the newer version', 'is taken back');
    },
    get newerSince() {
      return newerSince;
    },
    replacedAt: (client) => replaced.get(client) ?? null,
    get outages() {
      return outages;
    },
    get longestAwayMs() {
      return longestAwayMs;
    },
    get wellSince() {
      return Math.max(awayUntil, fullUntil, cutAt);
    },
    async mirror() {
      if (server !== null) put(await server.read(names));
    },
    backUp,
    restore,
    watchContacts(moved) {
      database.function('simulated_moved', (from, to) => {
        if (!isRestoring) moved(event, String(from), String(to));
        return null;
      });
      database.exec(`
        create temp trigger simulated_update after update on main.contacts
          begin select simulated_moved(old.state, new.state); end;
        create temp trigger simulated_insert after insert on main.contacts
          begin select simulated_moved('unknown', new.state); end;`);
    },
    rows: rowsOf,
    bytes: () => database.serialize(),
    underWay: () => server?.underWay() ?? null,
    isBusy: () => holder !== null && holder.state === 'alive',
  };

  function backUp(): Backup {
    return new Map(
      names.map((name) => [
        name,
        prepared(`select * from "${name}"`)
          .all()
          .map((row) => Object(row)),
      ]),
    );
  }

  function restore(backup: Backup): void {
    put(backup);
    server?.fill(backup);
  }

  function put(backup: Backup): void {
    // Switching foreign keys off and on would throw all prepared statements away: tables are made after
    // those that they refer to.
    prepared('begin').run();
    isRestoring = true;
    for (const name of names.toReversed()) prepared(`delete from "${name}"`).run();
    for (const name of names) {
      const rows = backup.get(name) ?? [];
      const [first] = rows;
      if (first === undefined) continue;
      const columns = Object.keys(first);
      const insert = prepared(
        `insert into "${name}" (${columns.map((column) => `"${column}"`).join()}) values (${columns.map(() => '?').join()})`,
      );
      for (const row of rows) insert.run(...Object.values(row));
    }
    prepared('commit').run();
    isRestoring = false;
  }

  function rowsOf(sql: string, ...parameters: unknown[]): Row[] {
    return prepared(sql)
      .all(...parameters)
      .map((row) => Object(row));
  }

  /** Something that is done to the database by others than the product. */
  function change(sql: string): void {
    if (server === null) prepared(sql).run();
    else server.send(sql);
  }

  function prepared(sql: string): Sqlite.Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  function open(client: Client): OpenDatabase<Tables> {
    opened.add(client.name);
    const kind = isServer() ? 'server' : 'machine';
    const driver = guardDriver(driverOf(client));
    const dialect: Dialect = {
      createDriver: () => driver,
      createAdapter: () => (kind === 'server' ? new PostgresAdapter() : new TransactionalAdapter()),
      // One for all: it holds nothing between two statements, and making it takes a function for each kind of node.
      createQueryCompiler: () => compiler,
      createIntrospector: (db) => new SqliteIntrospector(db),
      ...server?.dialect,
    };
    const db = new Kysely<Tables>({ dialect });
    return {
      db,
      kind: kind === 'server' ? 'postgres' : 'sqlite',
      async requireInPlace() {
        if (replaced.has(client.name)) throw new StoreReplaced('/simulated');
      },
      close: () => driver.destroy(),
    };
  }

  function openQueue(client: Client): QueueDatabase {
    const { name, owner } = client;
    // Not the client itself, whose open transaction it does not belong to.
    const apart: Client = {
      ...{ name, owner, point: (at) => client.point(at) },
      get state() {
        return client.state;
      },
    };
    return {
      async executeSql(sql, parameters = []) {
        if (server === null) throw new Error('only a real server has a queue');
        const { label, done, isRead } = namedOf(sql);
        countAtOnce();
        await apart.point(label);
        do await access(apart);
        while (isTaken(apart));
        if (apart.state === 'gone') await never();
        if (!isRead) requireRoom();
        const answer = await server.runApart(sql, parameters);
        if (holder === null) letNextIn();
        if (isRead) return answer;
        await apart.point(done);
        if (isAway() || night?.random.chance(night.lostCommits())) {
          throw lostConnection('ECONNRESET');
        }
        return answer;
      },
    };
  }

  function driverOf(client: Client): Driver {
    const queue = createConnectionQueue();
    let isClosed = false;
    const connection = {
      async executeQuery<R>({ sql, parameters }: CompiledQuery) {
        requireOpen();
        return execute<R>(client, sql, parameters);
      },
      streamQuery(): AsyncIterableIterator<QueryResult<never>> {
        throw new Error('nothing is streamed');
      },
    };
    return {
      async init() {},
      async acquireConnection() {
        await queue.enter();
        if (isServer() && isAway()) {
          queue.leave();
          throw lostConnection('ECONNREFUSED');
        }
        return connection;
      },
      async beginTransaction() {
        await client.point('begin');
        do await access(client);
        while (isTaken(client));
        if (client.state === 'gone') await never();
        requireOpen();
        holder = client;
        if (server !== null) {
          await server.run('begin');
          return;
        }
        prepared('begin immediate').run();
        transactions += 1;
        current = String(transactions);
      },
      async commitTransaction() {
        await client.point('commit');
        requireOpen();
        requireHeld(client);
        if (isServer() && isAway()) {
          endTransaction('rollback');
          throw lostConnection('ECONNRESET');
        }
        if (isFull()) {
          endTransaction('rollback');
          throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
        }
        await commit(client);
        await client.point('committed');
        const isLost = isServer() && night?.random.chance(night.lostCommits());
        if (isLost || (isServer() && isAway())) throw lostConnection('ECONNRESET');
      },
      async rollbackTransaction() {
        await client.point('rollback');
        if (holder === client) endTransaction('rollback');
        cutOff.delete(client);
      },
      async releaseConnection() {
        queue.leave();
      },
      /** A file goes with the transaction that is open; the connections of a server end by themselves. */
      async destroy() {
        isClosed = !isServer();
        if (isClosed && holder === client) endTransaction('rollback');
      },
    };

    function requireOpen(): void {
      if (isClosed) throw new TypeError('The database connection is not open');
    }
  }

  async function execute<R>(
    client: Client,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    const own = server === null ? knownOf(sql) : null;
    const known = own ?? namedOf(sql);
    countAtOnce();
    await client.point(known.label);
    do await access(client);
    while (isTaken(client));
    if (client.state === 'gone') await never();
    if (known.isCheckpoint) {
      checkpoint = String(parameters.find((each) => typeof each === 'string'));
    }
    const answer =
      server === null
        ? run<R>(own ?? knownOf(sql), parameters)
        : ask<R>(server, known, sql, parameters);
    const result = answer instanceof Promise ? await answer : answer;
    if (server !== null && holder === null) letNextIn();
    if (!known.isRead) await client.point(known.done);
    return result;
  }

  function countAtOnce(): void {
    const steps = night?.timeline.steps ?? 0;
    atOnce = steps === lastStep ? atOnce + 1 : 0;
    lastStep = steps;
    if (atOnce > MOST_AT_ONCE)
      throw new Error('the database is asked again and again at one moment');
  }

  function run<R>(known: KnownStatement, parameters: readonly unknown[]): QueryResult<R> {
    if (known.statement.reader) {
      event = known.event;
      return { rows: readRows<R>(known.statement, parameters) };
    }
    requireRoom();
    if (known.isVacuum) return { rows: [] };
    event = known.event;
    const { changes } = known.statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  function ask<R>(
    { run: send }: RealPostgres,
    { isRead }: NamedStatement,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    if (!isRead) requireRoom();
    return send<R>(sql, parameters);
  }

  function requireRoom(): void {
    if (isFull()) throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
  }

  /** Resolves when the client may use the database; the one that runs first then may take it. */
  async function access(client: Client): Promise<void> {
    await turn(client);
    requireHeld(client);
    await requireThere(client);
  }

  function isTaken(client: Client): boolean {
    return holder !== null && holder !== client;
  }

  /** Resolves once no other client has a transaction open. */
  async function turn(client: Client): Promise<void> {
    for (let owner = holder; owner !== null && owner !== client; owner = holder) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push({ client, go: () => resolve(true) });
      // A frozen owner keeps SQLite until the waiting process gives up, a server only for so long.
      const limit = night?.timeline.after(isServer() ? IDLE_MS : BUSY_MS, () => resolve(false));
      const isFree = await promise;
      limit?.cancel();
      await client.point('its turn');
      if (isFree || holder !== owner) continue;
      if (!isServer()) throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY');
      cutTransaction();
    }
  }

  async function commit(client: Client): Promise<void> {
    const integration = checkpoint;
    if (server === null) {
      if (integration !== null) lookAtLease(client, integration, rowsOf(LEASE, integration));
      endTransaction('commit');
      return;
    }
    // Both are sent before anything else can be.
    const lease =
      integration === null ? null : server.run<Row>(`${LEASE.slice(0, -1)}$1`, [integration]);
    const committed = server.run('commit');
    endTransaction('commit');
    if (integration !== null && lease !== null) {
      lookAtLease(client, integration, (await lease).rows);
    }
    await committed;
  }

  function lookAtLease(client: Client, integration: string, [row]: readonly Row[]): void {
    const owner = row?.['lease_owner'];
    night?.onCheckpoint(client, integration, typeof owner === 'string' ? owner : null);
  }

  function cutTransaction(): void {
    if (holder !== null) cutOff.add(holder);
    cutAt = night?.timeline.now() ?? 0;
    endTransaction('rollback');
  }

  function endTransaction(how: 'commit' | 'rollback'): void {
    if (database.inTransaction) prepared(how).run();
    if (server !== null && how === 'rollback' && holder !== null) server.send('rollback');
    if (current !== null) ends.set(current, how === 'commit' ? 'committed' : 'aborted');
    current = null;
    checkpoint = null;
    holder = null;
    letNextIn();
  }

  function letNextIn(): void {
    const index =
      waiting.length > 1 && night !== null ? night.random.int(0, waiting.length - 1) : 0;
    const [next] = waiting.splice(index, 1);
    next?.go();
  }

  function requireHeld(client: Client): void {
    if (!cutOff.has(client)) return;
    cutOff.delete(client);
    throw lostConnection('ECONNRESET');
  }

  /** SQLite waits for who keeps it, up to a limit; the connections of a server are gone. */
  async function requireThere(client: Client): Promise<void> {
    if (!isAway() || night === null) return;
    if (isServer()) {
      if (holder === client) endTransaction('rollback');
      throw lostConnection('ECONNRESET');
    }
    const leftMs = awayUntil - night.timeline.now();
    await night.timeline.pass(Math.min(leftMs, BUSY_MS));
    await client.point('its turn');
    if (leftMs <= BUSY_MS) return;
    throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY');
  }

  function isServer(): boolean {
    return server !== null || night?.kind === 'server';
  }

  function isAway(): boolean {
    return night !== null && night.timeline.now() < awayUntil;
  }

  function isFull(): boolean {
    return night !== null && night.timeline.now() < fullUntil;
  }

  /** What is known of a statement is worked out once for all nights. */
  function knownOf(sql: string): KnownStatement {
    const seen = isServer() ? ofServer : ofMachine;
    let known = seen.get(sql);
    if (known === undefined) {
      const statement = prepared(isServer() ? inSqlite(sql) : sql);
      known = { ...namedOf(sql), statement };
      // Before the schema is there, nothing is known for good.
      if (night !== null) seen.set(sql, known);
    }
    return known;
  }
}

interface NamedStatement {
  /** `update contacts`, for points and coverage. */
  label: string;
  done: string;
  isRead: boolean;
  /** True if it checks a lease for the rest of its transaction. */
  isCheckpoint: boolean;
  /** True if it packs a file, and changes no row. */
  isVacuum: boolean;
  /** The event that it applies to contacts. */
  event: string | null;
}

interface KnownStatement extends NamedStatement {
  statement: Sqlite.Statement;
}

function namedOf(sql: string): NamedStatement {
  const label = labelOf(sql);
  return {
    ...{ label, done: `${label} done`, isRead: label.startsWith('select') },
    isCheckpoint: CHECKPOINT.test(sql),
    isVacuum: sql === VACUUM,
    event: EVENT.exec(sql)?.[1] ?? null,
  };
}

function labelOf(sql: string): string {
  const [, write = '', ofQueue = ''] = OF_QUEUE.exec(sql) ?? [];
  if (ofQueue !== '') return `${write.toLowerCase()} ${ofQueue}${setOf(sql)}`;
  const [, verb = sql.slice(0, 20), table = ''] =
    /^\s*(select|insert into|update|delete from|with)\b(?:\s+"?([a-z_]+)"?)?/i.exec(sql) ?? [];
  const read = /\bfrom "?([a-z_]+)"?/i.exec(sql)?.[1];
  const isRead = /^(select|with)$/i.test(verb);
  return isRead ? `select ${read ?? ''}` : `${verb.toLowerCase()} ${table}`;
}

/** The first column that an update of the engine sets: a turn is taken, kept or ended. */
function setOf(sql: string): string {
  const column = /^\s*(?:with|update)\b.*?\bset\s+(\w+)/is.exec(sql)?.[1];
  return column === undefined ? '' : ` ${column}`;
}

/** As the product's own; see `sqlite.ts`. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function serverNow({ timeline, clockOffsetMs }: StoreNight): number {
  return Math.round(timeline.now() + clockOffsetMs);
}

/** What the product says in Postgres's own words. */
function inSqlite(sql: string): string {
  return sql
    .replaceAll('(extract(epoch from clock_timestamp()) * 1000)::bigint', 'simulated_now()')
    .replaceAll('pg_current_xact_id()::text', 'simulated_transaction()')
    .replaceAll('greatest(', 'max(')
    .replaceAll('least(', 'min(')
    .replaceAll('to_regclass(?) is not null', 'exists (select 1 from sqlite_master where name = ?)')
    .replaceAll(/pg_xact_status\(\?::xid8\)/g, 'simulated_status(?)')
    .replaceAll(/ for update\b/g, '');
}

function lostConnection(code: string): Error {
  return Object.assign(new Error(`the connection to the database is lost (${code})`), { code });
}

function readRows<R>(statement: Sqlite.Statement, parameters: readonly unknown[]): R[] {
  // Rows are objects made by the driver; their columns are what the statement says.
  const rows: R[] = [];
  for (const row of statement.all(...parameters)) rows.push(Object(row));
  return rows;
}

/** The only transaction that can be open at a time. Defines who owns it, who waits for it, and how it ends. */
import Sqlite from 'better-sqlite3';
import { lostConnection, type Outages } from './outages.ts';
import type { Statements } from './statements.ts';
import { type Client, isServer, type Present } from './store-night.ts';

export interface Transactions {
  begin(): void;
  /** The process that has opened the current transaction. */
  readonly holder: Client | null;
  /** The last time when a process lost its transaction. */
  readonly cutAt: number;
  /**
   * Waits until the client can use the database. If several clients wait, the client that is first active again gets
   * access.
   */
  access(client: Client): Promise<void>;
  isTaken(client: Client): boolean;
  /** Opens a transaction for this client, which must have access. */
  open(client: Client): Promise<unknown> | null;
  /** Records that the open transaction checks a client's lease. */
  check(integration: string): void;
  commit(client: Client): Promise<void>;
  rollBack(client: Client): void;
  /** Throws an error if the client's transaction has ended unexpectedly. */
  requireHeld(client: Client): void;
  /** Records that the client knows that its transaction has ended. */
  forgive(client: Client): void;
  /** Records that a client no longer waits for a transaction. */
  leave(client: Client): void;
  /** Ends the open transaction although the transaction's process has not ended it. */
  cut(): void;
  letNextIn(): void;
}

/** The time (ms) that SQLite waits for another process before it reports that it is busy. */
const BUSY_MS = 5_000;

/** The time (ms) after which a server ends an idle transaction. */
const IDLE_MS = 15_000;

const LEASE = 'select lease_owner from integrations where id = ?';

export function createTransactions(
  database: Sqlite.Database,
  { prepared }: Statements,
  present: Present,
  outages: Outages,
): Transactions {
  let holder: Client | null = null;
  let waiting: { client: Client; go: () => void }[] = [];
  let transactions = 0;
  let current: string | null = null;
  /** The client whose lease the open transaction has checked. */
  let checkpoint: string | null = null;
  /** The results of a server's transactions. */
  const ends = new Map<string, 'committed' | 'aborted'>();
  /** Clients whose transaction has ended unexpectedly. */
  const cutOff = new WeakSet<Client>();
  let cutAt = 0;

  database.function('simulated_transaction', () => current);
  database.function('simulated_status', (id) => ends.get(String(id)) ?? 'aborted');

  return {
    begin() {
      if (database.inTransaction) database.exec('rollback');
      if (present.server !== null && holder !== null) present.server.send('rollback');
      holder = null;
      waiting = [];
      transactions = 0;
      current = null;
      ends.clear();
      cutAt = 0;
    },
    get holder() {
      return holder;
    },
    get cutAt() {
      return cutAt;
    },
    access,
    isTaken: (client) => holder !== null && holder !== client,
    open(client) {
      holder = client;
      if (present.server !== null) return present.server.run('begin');
      prepared('begin immediate').run();
      transactions += 1;
      current = String(transactions);
      return null;
    },
    check(integration) {
      checkpoint = integration;
    },
    commit,
    rollBack(client) {
      if (holder === client) end('rollback');
    },
    requireHeld,
    forgive: (client) => cutOff.delete(client),
    leave(client) {
      waiting = waiting.filter((waiter) => waiter.client.name !== client.name);
    },
    cut,
    letNextIn,
  };

  async function access(client: Client): Promise<void> {
    await turn(client);
    requireHeld(client);
    await requireThere(client);
  }

  /** Waits until no other client has a transaction open. */
  async function turn(client: Client): Promise<void> {
    for (let owner = holder; owner !== null && owner !== client; owner = holder) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push({ client, go: () => resolve(true) });
      // If the owner of the transaction is frozen, SQLite blocks other processes until they give up. On a server, it
      // blocks others only for this time.
      const longestMs = isServer(present) ? IDLE_MS : BUSY_MS;
      const limit = present.night?.timeline.after(longestMs, () => resolve(false));
      const isFree = await promise;
      limit?.cancel();
      await client.point('its turn');
      if (isFree || holder !== owner) continue;
      if (!isServer(present)) throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY');
      cut();
    }
  }

  /**
   * Waits until the database is available. SQLite waits for the process that blocks it, up to a limit. A server's
   * connections are lost.
   */
  async function requireThere(client: Client): Promise<void> {
    const { night } = present;
    if (!outages.isAway() || night === null) return;
    if (isServer(present)) {
      if (holder === client) end('rollback');
      throw lostConnection('ECONNRESET');
    }
    const leftMs = outages.awayUntil - night.timeline.now();
    await night.timeline.pass(Math.min(leftMs, BUSY_MS));
    await client.point('its turn');
    if (leftMs <= BUSY_MS) return;
    throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY');
  }

  function requireHeld(client: Client): void {
    if (!cutOff.has(client)) return;
    cutOff.delete(client);
    throw lostConnection('ECONNRESET');
  }

  async function commit(client: Client): Promise<void> {
    const integration = checkpoint;
    const { server } = present;
    if (server === null) {
      if (integration !== null) {
        lookAtLease(client, integration, prepared(LEASE).all(integration));
      }
      end('commit');
      return;
    }
    // Sends the two statements before any other statement.
    const lease =
      integration === null ? null : server.run(`${LEASE.slice(0, -1)}$1`, [integration]);
    const committed = server.run('commit');
    end('commit');
    if (integration !== null && lease !== null) {
      lookAtLease(client, integration, (await lease).rows);
    }
    await committed;
  }

  function lookAtLease(client: Client, integration: string, [row]: readonly unknown[]): void {
    const owner: unknown = Reflect.get(Object(row), 'lease_owner');
    present.night?.onCheckpoint(client, integration, typeof owner === 'string' ? owner : null);
  }

  function cut(): void {
    if (holder !== null) cutOff.add(holder);
    cutAt = present.night?.timeline.now() ?? 0;
    end('rollback');
  }

  function end(how: 'commit' | 'rollback'): void {
    if (database.inTransaction) prepared(how).run();
    if (present.server !== null && how === 'rollback' && holder !== null)
      present.server.send('rollback');
    if (current !== null) ends.set(current, how === 'commit' ? 'committed' : 'aborted');
    current = null;
    checkpoint = null;
    holder = null;
    letNextIn();
  }

  function letNextIn(): void {
    const { night } = present;
    const index =
      waiting.length > 1 && night !== null ? night.random.int(0, waiting.length - 1) : 0;
    const [next] = waiting.splice(index, 1);
    next?.go();
  }
}

/**
 * Uses the tests' real Postgres as the database of a simulated night. All requests use one connection, and their
 * statements are sent in order, so the same seed produces the same night. The server uses the simulated clock.
 * Simulated time does not pass while a request waits for its response.
 */
import {
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { getTypeParser } from '../../../src/database/postgres.ts';
import { startPostgresServer } from '../../helpers/postgres-server.ts';
import type { Backup, Row } from './contents.ts';

export interface RealPostgres {
  /** Returns the time of the server's clock (epoch ms). */
  now: () => number;
  /** All parts of a dialect except its driver. */
  readonly dialect: Omit<Dialect, 'createDriver'>;
  run<R>(sql: string, parameters?: readonly unknown[]): Promise<QueryResult<R>>;
  /**
   * Runs statements in one message, as if a separate connection sent them. The statements must end every transaction
   * that they open.
   */
  runApart(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult>;
  /** Sends SQL and does not wait for the response. The simulation ignores errors of this SQL. */
  send(sql: string): void;
  read(names: readonly string[]): Promise<Backup>;
  /** Replaces the content of all tables with these rows. */
  fill(rows: Backup): void;
  /** Declares the current state of this schema's tables to be the state of a new queue. */
  takeAsNew(schema: string): Promise<void>;
  /** Resets the tables to the state of a new queue. */
  renew(): void;
  readonly url: string;
  /** Returns a promise for the last response that has not been received. Returns null if there is none. */
  underWay(): Promise<unknown> | null;
  stop(): Promise<void>;
}

/** The expression with which the product reads the server's clock. pg-boss uses its own function for it. */
const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const QUEUE_CLOCK = /\b\w+\.job_now\(\)/g;

/**
 * The duration of a statement, which decides how often pg-boss polls. The simulation replaces this expression, so that
 * the duration is the same in each replay.
 */
const ELAPSED = 'clock_timestamp() - transaction_timestamp()';

/** Creates IDs that are the same in each replay. The product must not rely on the order of the IDs. */
const NEXT_ID = 'world.next_id()';
const WORLD = `
  create schema world;
  create sequence world.ids;
  create function world.next_id() returns uuid language sql volatile
    as $$ select md5(nextval('world.ids')::text)::uuid $$`;

/** Statements that change rows and report the number of changed rows. */
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

export async function startRealPostgres(): Promise<RealPostgres> {
  const server = await startPostgresServer();
  const client = new pg.Client({ connectionString: server.url, types: { getTypeParser } });
  await client.connect();
  // Automatic vacuuming is switched off, because it would run at a different moment in each replay.
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  await client.query(WORLD);
  let pending = 0;
  let last: Promise<unknown> = Promise.resolve();
  let asNew = '';
  const real: RealPostgres = {
    now: Date.now,
    url: server.url,
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    async run<R>(sql: string, parameters: readonly unknown[] = []): Promise<QueryResult<R>> {
      const text = inWorld(sql);
      const answer = inTurn(() => client.query<Row & R>(text, [...parameters]));
      const { command, rowCount, rows } = await answer;
      if (!CHANGES.has(command)) return { rows };
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    },
    runApart(sql, parameters) {
      const text = inWorld(sql);
      return inTurn(async () => {
        try {
          return await client.query(text, [...parameters]);
        } catch (error) {
          await client.query('rollback');
          throw error;
        }
      });
    },
    send(sql: string): void {
      void real.run(sql).catch(() => undefined);
    },
    async read(names: readonly string[]): Promise<Backup> {
      const all = new Map<string, readonly Row[]>();
      for (const name of names) {
        const { rows } = await real.run<Row>(`select * from "${name}"`);
        all.set(name, rows);
      }
      return all;
    },
    fill(rows: Backup): void {
      const names = [...rows.keys()].map((name) => `"${name}"`).join();
      real.send(`truncate ${names}`);
      for (const [name, each] of rows) {
        for (const row of each) {
          const columns = Object.keys(row);
          const places = columns.map((_, index) => `$${index + 1}`).join();
          const quoted = columns.map((column) => `"${column}"`).join();
          const sql = `insert into "${name}" (${quoted}) values (${places})`;
          void real.run(sql, Object.values(row)).catch((error: unknown) => {
            process.stderr.write(`a row of ${name} was not taken: ${error}\n`);
          });
        }
      }
    },
    async takeAsNew(schema: string): Promise<void> {
      const { rows } = await client.query<{ name: string }>(
        'select tablename as name from pg_tables where schemaname = $1 order by 1',
        [schema],
      );
      const names = rows.map(({ name }) => name);
      const statements = [`truncate ${names.map((name) => `${schema}."${name}"`).join()}`];
      for (const name of names) {
        await client.query(`create table world."${name}" as table ${schema}."${name}"`);
        const { rowCount } = await client.query(`select from world."${name}" limit 1`);
        if (rowCount === 0) continue;
        statements.push(`insert into ${schema}."${name}" select * from world."${name}"`);
      }
      asNew = [...statements, 'alter sequence world.ids restart'].join(';');
    },
    renew: () => real.send(asNew),
    underWay: () => (pending > 0 ? last : null),
    async stop(): Promise<void> {
      await client.end();
      await server.stop();
    },
  };
  return real;

  function inWorld(sql: string): string {
    const now = Math.round(real.now());
    return sql
      .replaceAll(CLOCK, () => `${now}::bigint`)
      .replaceAll(QUEUE_CLOCK, () => `to_timestamp(${now} / 1000.0)`)
      .replaceAll('gen_random_uuid()', NEXT_ID)
      .replaceAll(ELAPSED, "interval '1 millisecond'");
  }

  /** Sends the database requests one after the other. */
  function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    pending += 1;
    const answer = last.then(ask).finally(() => {
      pending -= 1;
    });
    last = answer.catch(() => undefined);
    return answer;
  }
}

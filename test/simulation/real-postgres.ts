/**
 * The tests' real Postgres as the database of a night, over one connection: statements go one after the
 * other in the order in which they are asked for, so that the same seed brings the same night. Its clock is
 * the world's. Virtual time stands still while an answer is under way.
 */
import {
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { getTypeParser } from '../../src/store/engine/postgres.ts';
import { startPostgresServer } from '../helpers/postgres-server.ts';
import type { Backup, Row } from './store.ts';

export interface RealPostgres {
  /** What the server's clock says (epoch ms). */
  now: () => number;
  /** All that a dialect needs but its driver. */
  readonly dialect: Omit<Dialect, 'createDriver'>;
  run<R>(sql: string, parameters?: readonly unknown[]): Promise<QueryResult<R>>;
  /** Sends it without waiting; whether it fails is of no account. */
  send(sql: string): void;
  /** All rows of these tables. */
  read(names: readonly string[]): Promise<Backup>;
  /** Puts these rows in the place of all that stands in the tables. */
  fill(rows: Backup): void;
  /** Resolves with the last answer that is under way; null if none is. */
  underWay(): Promise<unknown> | null;
  stop(): Promise<void>;
}

const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Statements that change rows, whose number is said. */
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

export async function startRealPostgres(): Promise<RealPostgres> {
  const server = await startPostgresServer();
  const client = new pg.Client({ connectionString: server.url, types: { getTypeParser } });
  await client.connect();
  // What it does by itself would come at another moment in each replay.
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  let pending = 0;
  let last: Promise<unknown> = Promise.resolve();
  const real: RealPostgres = {
    now: Date.now,
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    async run<R>(sql: string, parameters: readonly unknown[] = []): Promise<QueryResult<R>> {
      const text = sql.replaceAll(CLOCK, () => `${Math.round(real.now())}::bigint`);
      pending += 1;
      const answer = last
        .then(() => client.query<Row & R>(text, [...parameters]))
        .finally(() => {
          pending -= 1;
        });
      last = answer.catch(() => undefined);
      const { command, rowCount, rows } = await answer;
      if (!CHANGES.has(command)) return { rows };
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
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
    underWay: () => (pending > 0 ? last : null),
    async stop(): Promise<void> {
      await client.end();
      await server.stop();
    },
  };
  return real;
}

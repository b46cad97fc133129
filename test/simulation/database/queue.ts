/** The queue of the product's engine on a real server, with a separate connection and separate claims. */
import { never } from '../processes/process.ts';
import type { Row } from './contents.ts';
import { namedOf } from './labels.ts';
import { lostConnection, type Outages } from './outages.ts';
import type { Statements } from './statements.ts';
import { type Client, losesCommit, type Present } from './store-night.ts';
import type { Transactions } from './transactions.ts';

/** The connection through which pg-boss runs statements. */
export interface QueueDatabase {
  executeSql(sql: string, parameters?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export interface OpenTurn {
  integration: string;
  state: string;
  /** The time (ms) since the last sign of the process with the claim, or null if no process has the claim. */
  silentMs: number | null;
}

export interface Queue {
  open(client: Client): QueueDatabase;
  openTurns(): Promise<readonly OpenTurn[] | null>;
}

const OPEN_TURNS = `
  select singleton_key as integration, state::text,
    (extract(epoch from donor_sync_jobs.job_now() - heartbeat_on) * 1000)::bigint as "silentMs"
  from donor_sync_jobs.job where state <= 'active' order by 1, 2`;

export function createQueue(
  present: Present,
  statements: Statements,
  transactions: Transactions,
  outages: Outages,
): Queue {
  return {
    open(client) {
      const { name, owner } = client;
      // The queue uses a separate client, because its statements do not belong to the process's open transaction.
      const apart: Client = {
        ...{ name, owner, point: (at) => client.point(at) },
        get state() {
          return client.state;
        },
      };
      return {
        async executeSql(sql, parameters = []) {
          const { server } = present;
          if (server === null) throw new Error('only a real server has a queue');
          const { label, done, isRead } = namedOf(sql);
          statements.count();
          await apart.point(label);
          do await transactions.access(apart);
          while (transactions.isTaken(apart));
          if (apart.state === 'gone') await never();
          if (!isRead) outages.requireRoom();
          const answer = await server.runApart(sql, parameters);
          if (transactions.holder === null) transactions.letNextIn();
          if (isRead) return answer;
          await apart.point(done);
          if (outages.isAway() || losesCommit(present)) throw lostConnection('ECONNRESET');
          return answer;
        },
      };
    },
    async openTurns() {
      const { server } = present;
      if (server === null) return [];
      if (transactions.holder !== null) return null;
      const { rows } = await server.run<OpenTurn>(OPEN_TURNS);
      return rows;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';

/** A sync that is repeatedly killed until it is complete. */
export interface KilledSync {
  /** The program file, which is `src/main.ts` or `dist/src/main.js`. */
  program: string;
  settings: string;
  /** The SQLite file that the settings name. */
  database: string;
  /** Returns a number that is at least 0 and less than 1. */
  random: () => number;
  /** The latest time of a kill after the process has started (ms). */
  latestKillMs: number;
}

/** A sync that needs more starts than this is stuck. */
const MAX_STARTS = 500;

/** Starts the sync and kills it with SIGKILL at a random moment. Repeats this until the sync finishes before a kill. */
export async function killUntilDone(sync: KilledSync, mostKills: number): Promise<number> {
  let kills = 0;
  for (let start = 0; start < MAX_STARTS; start++) {
    const child = spawn(
      process.execPath,
      [sync.program, 'sync', '--json', '--config', sync.settings],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const output: string[] = [];
    child.stdout.on('data', (data) => output.push(String(data)));
    child.stderr.on('data', (data) => output.push(String(data)));
    const exited = once(child, 'exit');
    if (kills < mostKills) {
      await Promise.race([sleep(sync.random() * sync.latestKillMs), exited]);
      child.kill('SIGKILL');
    }
    const [code, signal] = await exited;
    if (signal === 'SIGKILL') kills += 1;
    else if (code === 0) return kills;
    else throw new Error(`The sync ended with code ${code}: ${output.join('')}`);
  }
  throw new Error(`The sync was started ${MAX_STARTS} times and never came to its end`);
}

/** The credits that the store has recorded after all syncs are complete. */
export interface Books {
  /** The number of contacts by outcome reason. */
  outcomes: Map<string, number>;
  paidJobs: number;
  /** Contacts for which more than one job cost a credit. */
  paidTwice: string[];
  /** The number of submissions that are still open. */
  openSubmissions: number;
  /** The credits that the submissions cost. Several lost submissions in one hold count once. */
  charged: number;
  /** The maximum number of submissions that were open at the same time. */
  mostOpen: number;
}

const countSchema = z.object({ count: z.number() });
const outcomeSchema = z.object({ outcome_reason: z.string(), count: z.number() });
const idSchema = z.object({ crm_id: z.string() });

/** A job that shares another contact's credit did not cost a credit itself. */
const IS_PAID = "state <> 'unpaid' and shared_from is null";

/** Reads the payments from a store after all processes have stopped writing. */
export function readBooks(database: string): Books {
  const db = new Sqlite(database, { readonly: true });
  const count = (sql: string) => countSchema.parse(db.prepare(sql).get()).count;
  try {
    const outcomes = db
      .prepare('select outcome_reason, count(*) as count from contacts group by outcome_reason')
      .all()
      .map((row) => outcomeSchema.parse(row));
    return {
      outcomes: new Map(outcomes.map((row) => [row.outcome_reason, row.count])),
      paidJobs: count(`select count(*) as count from jobs where ${IS_PAID}`),
      paidTwice: db
        .prepare(`select crm_id from jobs where ${IS_PAID} group by crm_id having count(*) > 1`)
        .all()
        .map((row) => idSchema.parse(row).crm_id),
      openSubmissions: count(
        "select count(*) as count from submissions where state in ('intended', 'lost')",
      ),
      charged: count('select coalesce(sum(charged), 0) as count from submissions'),
      mostOpen: count('select coalesce(max(slot), 0) as count from submissions'),
    };
  } finally {
    db.close();
  }
}

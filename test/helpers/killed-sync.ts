import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';

/** A sync that the test kills again and again until it is complete. */
export interface KilledSync {
  /** The path of the program, which is `src/main.ts` or `dist/src/main.js`. */
  program: string;
  settings: string;
  /** The SQLite file that the settings name. */
  database: string;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
  /** The maximum time (ms) from the start of the process to the kill. */
  latestKillMs: number;
}

/** The maximum number of starts. A sync with more starts makes no progress. */
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
  /** The number of contacts for each reason of their outcome. */
  outcomes: Map<string, number>;
  paidJobs: number;
  /** The contacts for which credits were spent more than once. */
  paidTwice: string[];
  /** The number of submissions that are still open. */
  openSubmissions: number;
  /**
   * The number of credits that the submissions cost. If a hold contains several lost submissions, they count only once.
   */
  charged: number;
  /** The maximum number of submissions that were open at the same time. */
  mostOpen: number;
}

const countSchema = z.object({ count: z.number() });
const outcomeSchema = z.object({ outcome_reason: z.string(), count: z.number() });
const idSchema = z.object({ crm_id: z.string() });

/** A job that shares the profile of another contact has cost no credit. */
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

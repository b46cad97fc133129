import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';

/** A simulated machine. It has the properties of a separate machine that a process can simulate. */
export interface Host {
  name: string;
  clockAheadMs: number;
}

/** The program and the data that the hosts share. */
export interface HostedSync {
  /** The path of the program, which is `src/main.ts` or `dist/src/main.js`. */
  program: string;
  settings: string;
  env?: Record<string, string>;
}

const AS_ANOTHER_HOST = join(import.meta.dirname, 'as-another-host.ts');

/** The maximum number of starts. A sync with more starts makes no progress. */
const MAX_STARTS = 120;
const PAUSE_MS = 500;

export function startOn(
  { name, clockAheadMs }: Host,
  { program, settings, env = {} }: HostedSync,
  command: readonly string[] = ['sync', '--json'],
): ChildProcess {
  return spawn(
    process.execPath,
    ['--import', AS_ANOTHER_HOST, program, ...command, '--config', settings],
    {
      stdio: 'ignore',
      env: { ...process.env, ...env, HOST_NAME: name, HOST_CLOCK_AHEAD_MS: String(clockAheadMs) },
    },
  );
}

/** Starts the sync on a host again and again until it finishes. Returns the exit codes in order. */
export async function syncOn(host: Host, sync: HostedSync): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  for (let start = 0; start < MAX_STARTS; start++) {
    const [code] = await once(startOn(host, sync), 'exit');
    codes.push(code);
    if (code === 0) return codes;
    // The exit code 3 means that another host is running the sync.
    if (code !== 3) throw new Error(`The sync on ${host.name} ended with code ${code}`);
    await sleep(PAUSE_MS);
  }
  throw new Error(`The sync on ${host.name} never came to its end`);
}

/** The credits recorded in a database. */
export interface HostedBooks {
  /** The number of jobs that cost a credit. */
  paid: number;
  /** The number of submissions that have not been completed. */
  open: number;
}

/** Reads a database's records of credits, even while other processes write to the database. */
export async function readHostedBooks(url: string): Promise<HostedBooks> {
  const { db, close } = await openDatabase<Tables>(url);
  try {
    const count = sql<number>`count(*)`.as('count');
    const paid = await db
      .selectFrom('jobs')
      .select(count)
      .where('state', '<>', 'unpaid')
      .where('shared_from', 'is', null)
      .executeTakeFirstOrThrow();
    const open = await db
      .selectFrom('submissions')
      .select(count)
      .where('state', 'in', ['intended', 'lost'])
      .executeTakeFirstOrThrow();
    return { paid: paid.count, open: open.count };
  } finally {
    await close();
  }
}

const LOOK_MS = 100;
const MAX_LOOKS = 300;
/** The maximum time (ms) between storing an intent and sending its request. */
const LEAVES_WITHIN_MS = 300;

/** Waits until a submission has been sent. */
export async function untilSubmitting(url: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    // The first process may still be creating the tables.
    const { open } = await readHostedBooks(url).catch(() => ({ open: 0 }));
    if (open > 0) return sleep(LEAVES_WITHIN_MS);
    await sleep(LOOK_MS);
  }
  throw new Error('Nothing was submitted');
}

/** Kills a process with SIGKILL, as in a power failure, and waits until it has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/**
 * Measures the nightly syncs of many clients with real workers and one Postgres server. The measurement starts after a
 * short series of syncs, so it does not include the one-time costs of each process. In normal operation, the same
 * process of a worker runs for weeks.
 */

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../../test/helpers/hosts.ts';
import { type Machine, numberOf, openPark, PAID_TWICE, query, SETTLED } from '../machine-park.ts';

export interface NightOptions {
  integrations: number;
  /** The number of each client's contacts. The service has no jobs for these contacts yet. */
  contacts: number;
  workers: number;
  /** The maximum number of runs that a worker executes at one time. */
  runsAtOnce: number;
  /** The latency of each request to the service (ms). */
  latencyMs: number;
  jobTimeMs: number;
}

/** The costs of a night, summed over all workers. */
export interface Night extends Spent {
  /** The time from the start of the first run to the end of the last run. */
  seconds: number;
  paidTwice: number;
  /** The size (bytes) of donor-sync's tables and indexes after the night, divided by the number of contacts. */
  bytesAContact: number;
}

interface Spent {
  workerMs: number;
  databaseMs: number;
  commits: number;
  /** The size of Postgres's write-ahead log. */
  loggedBytes: number;
}

/** The service's documented rate limit for a key (requests per second). */
export const RATE = 10;
/**
 * The time (ms) between the start of the processes and the first series. By then, all processes have loaded their code.
 */
const READY_MS = 20_000;
/** The number of minutes between the first night and the measured night. */
const NIGHT_EVERY_MINUTES = 3;
/**
 * The number of contacts of each client in the first series, for each worker. The number is multiplied by the number of
 * workers, so that all workers have done the same amount of work before the measurement.
 */
const CONTACTS_AT_FIRST = 20;
const NIGHT_LIMIT_MS = 15 * 60_000;

/** Measures a night in which every client has a separate key. */
export async function measureNight(options: NightOptions): Promise<Night> {
  const { integrations, contacts, workers, runsAtOnce, latencyMs, jobTimeMs } = options;
  const ids = Array.from({ length: integrations }, (_, place) => `client-${place + 1}`);
  const atFirst = CONTACTS_AT_FIRST * workers;
  const all = integrations * (atFirst + contacts);
  const firstAt = nextMinute();
  const beginsAt = firstAt + NIGHT_EVERY_MINUTES * 60_000;
  const park = await openPark({
    ...{ ids, hasOwnKeys: true, contacts: all },
    // All schedules start at the same time. If they started one after another, some places would be free at first.
    schedule: { cron: cronOf([firstAt, beginsAt]), jitterMs: 0 },
    neighbour: { rate: RATE, burst: RATE, jobTimeMs, latencyMs },
  });
  const machines: Machine[] = [];
  try {
    await park.grow(atFirst);
    for (let place = 0; place < workers; place++) {
      const host: Host = { name: `worker-${place + 1}`, clockAheadMs: 0 };
      machines.push(park.start(host, ['worker', '--runs', `${runsAtOnce}`, '--json']));
    }
    const web: Host = { name: 'web', clockAheadMs: 0 };
    machines.push(park.start(web, ['serve', '--no-work', '--port', '0', '--json']));
    if (Date.now() > firstAt - 3_000) throw new Error('The machines were not ready in time');
    await untilSettled(park.database, integrations, integrations * atFirst);
    await park.grow(contacts);
    if (Date.now() > beginsAt) throw new Error('The first night took too long');
    await sleep(beginsAt - Date.now());

    const working = machines.slice(0, workers);
    const before = await readSpent(park.database, working);
    await untilSettled(park.database, 2 * integrations, all);
    const after = await readSpent(park.database, working);
    const ms = await numberOf(
      park.database,
      `select max(finished_at) - min(started_at) as ms from runs where started_at >= ${beginsAt}`,
    );
    return {
      seconds: ms / 1_000,
      workerMs: after.workerMs - before.workerMs,
      databaseMs: after.databaseMs - before.databaseMs,
      commits: after.commits - before.commits,
      loggedBytes: after.loggedBytes - before.loggedBytes,
      paidTwice: await numberOf(park.database, PAID_TWICE),
      bytesAContact: (await numberOf(park.database, STORED_BYTES)) / all,
    };
  } finally {
    await park.close(machines);
  }
}

/** Returns the start (epoch ms) of the first minute in which all processes can be ready. */
function nextMinute(): number {
  return Math.ceil((Date.now() + READY_MS) / 60_000) * 60_000;
}

/** Returns a cron expression for the two given minutes of each hour. The measurement ends before the next hour. */
function cronOf(times: readonly number[]): string {
  const minutes = times.map((at) => new Date(at).getUTCMinutes());
  return `${minutes.toSorted((a, b) => a - b).join(',')} * * * *`;
}

async function untilSettled(database: string, runs: number, contacts: number): Promise<void> {
  const limit = Date.now() + NIGHT_LIMIT_MS;
  while (Date.now() < limit) {
    const ended = await numberOf(database, SUCCEEDED).catch(() => 0);
    if (ended === runs && (await numberOf(database, SETTLED)) === contacts) return;
    await sleep(500);
  }
  throw new Error('The night did not end');
}

async function readSpent(database: string, workers: readonly Machine[]): Promise<Spent> {
  const [row] = await query<{ postmaster: string; commits: string; logged: string }>(
    database,
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as postmaster,
       (select xact_commit from pg_stat_database where datname = current_database()) as commits,
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as logged`,
  );
  const processes = await readProcesses();
  const postmaster = Number(row?.postmaster);
  const pids = new Set(workers.map(({ child }) => child.pid));
  return {
    workerMs: sum(processes, ({ pid, ms }) => (pids.has(pid) ? ms : 0)),
    databaseMs: sum(processes, (one) => {
      if (one.pid === postmaster) return one.ms + one.endedChildrenMs;
      return one.parent === postmaster ? one.ms : 0;
    }),
    commits: Number(row?.commits),
    loggedBytes: Number(row?.logged),
  };
}

function sum<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

interface Process {
  pid: number;
  parent: number;
  /** The processor time (ms) that the process and its ended child processes have used so far. */
  ms: number;
  endedChildrenMs: number;
}

/** The unit in which Linux counts processor time (ms). */
const TICK_MS = 10;

/** Returns all processes on this machine with the figures that the system reports. */
async function readProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    pids.map(async (pid): Promise<Process[]> => {
      // The process may have ended after the folder was read.
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The name of the program may contain spaces, so the line is split after the name.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [, parent, , , , , , , , , , user, system, childUser, childSystem] = fields;
      if (parent === undefined || user === undefined || system === undefined) return [];
      const endedChildrenMs = ((childUser ?? 0) + (childSystem ?? 0)) * TICK_MS;
      return [{ pid: Number(pid), parent, ms: (user + system) * TICK_MS, endedChildrenMs }];
    }),
  );
  return all.flat();
}

const SUCCEEDED = "select count(*) from runs where status = 'succeeded'";

const STORED_BYTES = `select sum(pg_total_relation_size(oid)) from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace`;

/**
 * Runs workers on several hosts with wrong clocks and one Postgres server. The scenario kills, stops and updates
 * workers, and makes the database unavailable for a while.
 */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, kill } from '../../test/helpers/hosts.ts';
import { atLeast, atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import {
  type Machine,
  numberOf,
  openPark,
  PAID_TWICE,
  type Park,
  query,
  SETTLED,
} from '../machine-park.ts';

export const machines: Scenario = {
  name: 'machines',
  title:
    '3 workers on one Postgres: SIGKILL, SIGSTOP, clocks 4 minutes apart, Postgres away, an update',
  measure: ({ minutes = DEFAULT_MINUTES } = {}) => measureMachines(minutes),
};

const DEFAULT_MINUTES = 10;
const MINUTE_MS = 60_000;

const INTEGRATIONS = ['one', 'two', 'three', 'four', 'five', 'six'];

/**
 * The number of new people of each client before the first run. A run takes a minute, and each minute adds new people.
 * The key's limit leaves little time between the runs.
 */
const PEOPLE_AT_FIRST = 300;
const PEOPLE_A_MINUTE = 80;

const WORKERS: readonly Host[] = [
  { name: 'worker-behind', clockAheadMs: -120_000 },
  { name: 'worker-right', clockAheadMs: 0 },
  { name: 'worker-ahead', clockAheadMs: 120_000 },
];

/** The two servers that plan the scheduled runs. Each server plans all of the scheduled runs. */
const SERVERS: readonly Host[] = [
  { name: 'web-right', clockAheadMs: 0 },
  { name: 'web-ahead', clockAheadMs: 90_000 },
];

const LOOK_MS = 200;
/** The maximum time (ms) for the remaining work before the scenario compares the records. */
const QUIET_LIMIT_MS = 5 * MINUTE_MS;

interface World {
  park: Park;
  workers: Machine[];
  servers: Machine[];
  watched: Watched & { stop(): void };
}

async function measureMachines(minutes: number): Promise<Figure[]> {
  const contacts = INTEGRATIONS.length * (PEOPLE_AT_FIRST + PEOPLE_A_MINUTE * minutes);
  const park = await openPark({
    ...{ ids: INTEGRATIONS, hasOwnKeys: false, schedule: { cron: '* * * * *' }, contacts },
    neighbour: { rate: 10, burst: 10, jobTimeMs: 4_000 },
  });
  const watched = watch(park.database);
  const world: World = { park, workers: [], servers: [], watched };
  try {
    await park.grow(PEOPLE_AT_FIRST);
    for (const host of SERVERS) {
      world.servers.push(park.start(host, ['serve', '--no-work', '--port', '0', '--json']));
    }
    for (const host of WORKERS) {
      world.workers.push(park.start(host, ['worker', '--runs', '8', '--json']));
    }
    const done = await disturb(world, minutes);
    await untilQuiet(park.database, contacts);
    return await figuresOf(world, done, contacts);
  } finally {
    watched.stop();
    await park.close([...world.workers, ...world.servers]);
  }
}

/** The faults that the scenario has caused, with their times (ms) by the clock of this process. */
interface Disturbances {
  /** Workers that were killed, or that were paused until their leases expired. */
  lost: { at: number; owner: string }[];
  /** The periods in which the database was unavailable. */
  outages: { from: number; to: number }[];
  counts: Record<'kills' | 'stops' | 'updates' | 'restarts', number>;
}

/** Adds new contacts every minute, and causes faults on the machines. */
async function disturb(world: World, minutes: number): Promise<Disturbances> {
  const done: Disturbances = {
    lost: [],
    outages: [],
    counts: { kills: 0, stops: 0, updates: 0, restarts: 0 },
  };
  const steps = [killOne, stopOne, killOne, restartDatabase, stopOne, updateAll, killOne, stopOne];
  for (let minute = 0; minute < minutes; minute++) {
    const began = Date.now();
    await world.park.grow(PEOPLE_A_MINUTE);
    await sleep(5_000 + Math.random() * 20_000);
    const step = minute === Math.floor(minutes / 2) ? loseDatabase : steps[minute % steps.length];
    await step?.(world, done);
    await sleep(Math.max(0, MINUTE_MS - (Date.now() - began)));
  }
  return done;
}

async function killOne(world: World, done: Disturbances): Promise<void> {
  const [place, machine] = drawWorker(world);
  done.lost.push({ at: Date.now(), owner: ownerOf(machine) });
  await kill(machine.child);
  done.counts.kills += 1;
  await sleep(20_000);
  world.workers[place] = world.park.start(machine.host, machine.command);
}

async function stopOne(world: World, done: Disturbances): Promise<void> {
  const [, machine] = drawWorker(world);
  done.lost.push({ at: Date.now(), owner: ownerOf(machine) });
  machine.child.kill('SIGSTOP');
  done.counts.stops += 1;
  await sleep(16_000 + Math.random() * 44_000);
  machine.child.kill('SIGCONT');
}

/** Updates the workers one after another, as an operator does when installing a new version. */
async function updateAll(world: World, done: Disturbances): Promise<void> {
  for (const machines of [world.workers, world.servers]) {
    for (const [place, machine] of machines.entries()) {
      const exited = once(machine.child, 'exit');
      machine.child.kill('SIGTERM');
      await exited;
      machines[place] = world.park.start(machine.host, machine.command);
      await sleep(2_000);
    }
  }
  done.counts.updates += 1;
}

function restartDatabase(world: World, done: Disturbances): Promise<void> {
  return withoutDatabase(world, done, 2);
}

function loseDatabase(world: World, done: Disturbances): Promise<void> {
  return withoutDatabase(world, done, 60);
}

async function withoutDatabase(world: World, done: Disturbances, seconds: number): Promise<void> {
  const from = Date.now();
  world.park.server.restart(seconds);
  done.counts.restarts += 1;
  await sleep(seconds * 1_000 + 3_000);
  done.outages.push({ from, to: Date.now() });
}

/** Returns a random worker that is executing a run. */
function drawWorker({ workers, watched }: World): [place: number, machine: Machine] {
  const owners = INTEGRATIONS.map((id) => lastOf(watched.timeline, id)?.owner ?? '');
  const all = [...workers.entries()];
  const busy = all.filter(([, one]) => owners.some((owner) => owner.startsWith(ownerOf(one))));
  const choice = busy.length > 0 ? busy : all;
  const drawn = choice[Math.floor(Math.random() * choice.length)];
  if (drawn === undefined) throw new Error('there is no worker');
  return drawn;
}

function lastOf(
  timeline: readonly Held[],
  integration: string,
  until = Infinity,
): Held | undefined {
  return timeline.findLast((one) => one.integration === integration && one.at <= until);
}

/** Returns the beginning of the names with which this machine owns leases. */
function ownerOf({ host, child }: Machine): string {
  return `${host.name}/${child.pid}/`;
}

/**
 * The owner of a client's lease, and the time at which the ownership started. The time comes from the clock of this
 * process.
 */
interface Held {
  at: number;
  integration: string;
  epoch: number;
  owner: string | null;
}

interface Watched {
  timeline: Held[];
  /** For each client, the times of its planned runs (epoch ms), in the order of planning. */
  nights: Map<string, number[]>;
}

/** Reads leases and schedules again and again, and records their changes. */
function watch(database: string): Watched & { stop(): void } {
  const ended = new AbortController();
  const timeline: Held[] = [];
  const nights = new Map<string, number[]>();
  const known = new Map<string, string>();
  void look();
  return { timeline, nights, stop: () => ended.abort() };

  async function look(): Promise<void> {
    while (!ended.signal.aborted) {
      const rows = await query<WatchedRow>(database, WATCHED).catch(() => []);
      for (const { id, run_epoch, lease_owner: owner, next_run_at: next } of rows) {
        const planned = nights.get(id) ?? [];
        if (next !== null && planned.at(-1) !== Number(next)) planned.push(Number(next));
        nights.set(id, planned);
        const state = `${run_epoch} ${owner}`;
        if (known.get(id) === state) continue;
        known.set(id, state);
        timeline.push({ at: Date.now(), integration: id, epoch: Number(run_epoch), owner });
      }
      await sleep(LOOK_MS);
    }
  }
}

interface WatchedRow {
  id: string;
  run_epoch: string;
  lease_owner: string | null;
  next_run_at: string | null;
}

const WATCHED = `select id, run_epoch, lease_owner, next_run_at
  from integrations left join schedules on integration_id = id`;

/** Waits until every contact has an outcome or the time limit is reached. */
async function untilQuiet(database: string, contacts: number): Promise<void> {
  const limit = Date.now() + QUIET_LIMIT_MS;
  while (Date.now() < limit) {
    if ((await numberOf(database, SETTLED)) === contacts) return;
    await sleep(1_000);
  }
}

async function figuresOf(
  { park: { database, service }, watched: { timeline, nights } }: World,
  { lost, outages, counts }: Disturbances,
  contacts: number,
): Promise<Figure[]> {
  const takeovers = lost.flatMap(({ at, owner }) => takeoversOf(timeline, outages, at, owner));
  const requests = await service.requests();
  const long = outages.filter(({ from, to }) => to - from > MINUTE_MS / 2).length;
  const paid = await numberOf(
    database,
    "select count(*) from jobs where state <> 'unpaid' and shared_from is null",
  );
  return [
    ...Object.entries(counts).map(([what, count]) => plain(what, count, '')),
    plain('takeovers', takeovers.length, ''),
    atMost('takeover, p95', round(percentile(takeovers, 0.95) / 1_000), 's', 15),
    exactly('runs that overlapped', await countOverlaps(database, timeline), '', 0),
    exactly('credits without explanation', (await service.spent()) - paid, '', 0),
    exactly('contacts paid for twice', await numberOf(database, PAID_TWICE), '', 0),
    exactly('submissions left open', await numberOf(database, LEFT_OPEN), '', 0),
    atLeast('contacts settled', await numberOf(database, SETTLED), '', contacts),
    exactly('answers with 429', requests.filter(({ status }) => status === 429).length, '', 0),
    plain(
      'nights planned',
      countNights(nights, () => true),
      '',
    ),
    // While the database is unavailable, no run can start. All runs that were planned in that time count as one.
    atMost(
      'nights missed',
      countNights(nights, (ms) => ms > MINUTE_MS),
      '',
      INTEGRATIONS.length * long,
    ),
    exactly(
      'nights requested twice',
      countNights(nights, (ms) => ms < MINUTE_MS),
      '',
      0,
    ),
  ];
}

const LEFT_OPEN = "select count(*) from submissions where state in ('intended', 'lost')";

/**
 * Returns the times for which the clients of a lost worker waited for another worker. The periods without a database
 * are not included.
 */
function takeoversOf(
  timeline: readonly Held[],
  outages: Disturbances['outages'],
  at: number,
  owner: string,
): number[] {
  return INTEGRATIONS.flatMap((integration) => {
    if (lastOf(timeline, integration, at)?.owner?.startsWith(owner) !== true) return [];
    const next = timeline.find(
      (one) =>
        one.integration === integration &&
        one.at > at &&
        one.owner !== null &&
        !one.owner.startsWith(owner),
    );
    if (next === undefined) return [];
    const outage = outages.find(({ from, to }) => from < next.at && to > at);
    return [next.at - (outage?.to ?? at)];
  });
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
}

/** Counts the pairs of consecutive runs whose time difference meets the condition. */
function countNights(nights: Watched['nights'], isCounted: (stepMs: number) => boolean): number {
  return [...nights.values()]
    .flatMap((planned) => planned.slice(1).map((next, place) => next - (planned[place] ?? next)))
    .filter(isCounted).length;
}

/**
 * Counts runs that ended normally after the next run of the same client had started. Runs without a known host are left
 * out, because the times of a run depend on its host's clock. If a run was interrupted, the next run records its end.
 */
async function countOverlaps(database: string, timeline: readonly Held[]): Promise<number> {
  const rows = await query<{
    integration_id: string;
    epoch: string;
    started_at: string;
    finished_at: string;
  }>(
    database,
    `select integration_id, epoch, started_at, finished_at from runs
     where status in ('succeeded', 'incomplete') and coalesce(reason_message, '') not like '%The next run continued.'
     order by integration_id, epoch`,
  );
  const runs = rows.flatMap((row) => {
    const host = hostOf(timeline, row.integration_id, Number(row.epoch));
    if (host === undefined) return [];
    return {
      integration: row.integration_id,
      host: host.name,
      startedAt: Number(row.started_at) - host.clockAheadMs,
      finishedAt: Number(row.finished_at) - host.clockAheadMs,
    };
  });
  const overlaps = runs.filter(({ integration, finishedAt }, place) => {
    const next = runs[place + 1];
    return next?.integration === integration && next.startedAt < finishedAt;
  });
  for (const run of overlaps) process.stderr.write(`${JSON.stringify(run)}\n`);
  return overlaps.length;
}

/** Returns the host that owned the lease in this epoch, or undefined if the host is unknown. */
function hostOf(timeline: readonly Held[], integration: string, epoch: number): Host | undefined {
  const held = timeline.find(
    (one) => one.integration === integration && one.epoch === epoch && one.owner !== null,
  );
  return WORKERS.find(({ name }) => held?.owner?.startsWith(`${name}/`));
}

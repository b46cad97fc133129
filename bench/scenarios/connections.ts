/** Requests the connections of a million donors over HTTP, as a client does. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import { readTies } from '../../service/connections/tie-store.ts';
import { at, type TieTable } from '../../service/connections/tie-table.ts';
import { openDatabase } from '../../service/database.ts';
import { atMost, type Figure, plain, quantile, round, type Scenario } from '../figure.ts';
import { SEED, type Service, startService } from '../service-process.ts';

export const connections: Scenario = {
  name: 'connections',
  title: 'the connections of 1,000,000 donors with 10,000,000 roles and gifts',
  measure: measureMillion,
};

async function measureMillion(): Promise<Figure[]> {
  const measured = await measureConnections(1_000_000);
  const { lookupMs, bestConnectedLookupMs } = measured;
  const lookups = [...lookupMs, ...bestConnectedLookupMs];
  return [
    plain('time to build the world', round(measured.buildSeconds), 's'),
    plain('peak resident memory, building', measured.buildMegabytes ?? 0, 'MB'),
    plain('time to open it again', round(measured.reopenSeconds), 's'),
    plain('people around the best-connected donor', measured.mostShared, ''),
    atMost('lookup, p50', quantile(lookups, 0.5), 'ms', 20),
    atMost('lookup, p99', quantile(lookups, 0.99), 'ms', 200),
    atMost(
      'lookup of the best-connected donor, p99',
      quantile(bestConnectedLookupMs, 0.99),
      'ms',
      200,
    ),
    atMost('single add, p99', quantile(measured.singleAddMs, 0.99), 'ms', 300),
    atMost('bulk add of 100', round(measured.bulkAddSeconds), 's', 10),
    atMost('discover, 500 members, p99', quantile(measured.discoverMs, 0.99), 'ms', 100),
    atMost('compare of 100 prospects, p99', quantile(measured.compareMs, 0.99), 'ms', 50),
    atMost('peak resident memory, serving', measured.servingMegabytes ?? 0, 'MB', 1_000),
  ];
}

/** Times in seconds, times in milliseconds per request, and memory in megabytes. */
interface ConnectionMeasurement {
  buildSeconds: number;
  reopenSeconds: number;
  buildMegabytes: number | null;
  servingMegabytes: number | null;
  lookupMs: number[];
  bestConnectedLookupMs: number[];
  singleAddMs: number[];
  bulkAddSeconds: number;
  discoverMs: number[];
  compareMs: number[];
  /**
   * The number of people who share an organisation with a donor, for the donor with the lowest number among the
   * best-connected donors.
   */
  mostShared: number;
}

const RANDOM_LOOKUPS = 1_000;
const BEST_CONNECTED = 100;
const BULK = 100;
/**
 * The number of members that are added one after another. Together with a bulk add, the network then has 500 members.
 */
const SINGLE_ADDS = 400;
const SEARCHES = 100;
const POLL_EVERY_MS = 20;
const MAX_POLLS = 3_000;

/** Builds a database with this number of donors, opens it again, and queries its connections. */
async function measureConnections(donors: number): Promise<ConnectionMeasurement> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-connections-'));
  const file = join(folder, 'world.db');
  try {
    const building = await startService(file, donors);
    const buildMegabytes = await building.stop();
    const sample = chooseSample(file, donors);
    const service = await startService(file, donors);
    const answers = await askAll(service, sample).catch(async (error: unknown) => {
      await service.stop();
      throw error;
    });
    return {
      buildSeconds: building.seconds,
      reopenSeconds: service.seconds,
      buildMegabytes,
      servingMegabytes: await service.stop(),
      mostShared: sample.mostShared,
      ...answers,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The IDs of the donors that the benchmark requests. */
export interface Sample {
  random: string[];
  bestConnected: string[];
  mostShared: number;
}

/** Chooses the donors. The best-connected donors belong to organisations with the largest numbers of people. */
export function chooseSample(file: string, donors: number): Sample {
  const db = openDatabase(file);
  const world = createWorld({ seed: SEED, donors });
  const shared = countShared(readTies(db));
  db.close();
  const bestConnected = [...shared.keys()]
    .sort((a, b) => at(shared, b) - at(shared, a))
    .slice(0, BEST_CONNECTED);
  // A step close to the golden ratio reaches every donor without repetition.
  const random = Array.from(
    { length: RANDOM_LOOKUPS },
    (_, index) => Math.floor(index * donors * 0.618033988749895) % donors,
  );
  return {
    random: random.map((number) => world.donor(number).id),
    bestConnected: bestConnected.map((number) => world.donor(number).id),
    mostShared: at(shared, bestConnected[0] ?? 0),
  };
}

function countShared({ donorStarts, tieCircles, circleStarts }: TieTable): Uint32Array {
  const shared = new Uint32Array(donorStarts.length - 1);
  for (let donor = 0; donor < shared.length; donor++) {
    const ties = tieCircles.subarray(at(donorStarts, donor), at(donorStarts, donor + 1));
    let people = 0;
    for (const circle of new Set(ties)) {
      people += at(circleStarts, circle + 1) - at(circleStarts, circle) - 1;
    }
    shared[donor] = people;
  }
  return shared;
}

async function askAll({ ask }: Service, { random, bestConnected }: Sample) {
  const timeEach = async (path: string, bodies: readonly unknown[]) => {
    const times: number[] = [];
    for (const body of bodies) times.push((await ask(path, body)).ms);
    return times;
  };
  const lookup = (donor_id: string) => ({ donor_id });
  const lookupMs = await timeEach('/networks/lookup', random.map(lookup));
  const bestConnectedLookupMs = await timeEach('/networks/lookup', bestConnected.map(lookup));

  const network = z
    .object({ network_id: z.string() })
    .parse((await ask('/networks', { name: 'Board', color: 'teal' })).body).network_id;
  const singles = [...bestConnected, ...random].slice(0, SINGLE_ADDS);
  const singleAddMs = await timeEach(`/networks/${network}/members`, singles.map(lookup));
  const bulk = random.slice(SINGLE_ADDS, SINGLE_ADDS + BULK);
  const bulkAddSeconds = await addInBulk(ask, network, bulk);

  const discover = { network_ids: [network] };
  const discoverMs = await timeEach('/networks/discover', Array(SEARCHES).fill(discover));
  const prospects = Array.from({ length: SEARCHES }, (_, index) => ({
    donor_ids: random.slice(index, index + 100),
  }));
  const compareMs = await timeEach('/networks/connections', prospects);
  return { lookupMs, bestConnectedLookupMs, singleAddMs, bulkAddSeconds, discoverMs, compareMs };
}

async function addInBulk(ask: Service['ask'], network: string, ids: string[]): Promise<number> {
  const begun = performance.now();
  const { body } = await ask(`/networks/${network}/members/batch`, { donor_ids: ids });
  const { job_id } = z.object({ job_id: z.string() }).parse(body);
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const job = await ask(`/networks/jobs/${job_id}`);
    const { status } = z.object({ status: z.string() }).parse(job.body);
    if (status === 'completed') return (performance.now() - begun) / 1_000;
    await wait(POLL_EVERY_MS);
  }
  throw new Error(`The bulk add ${job_id} does not end.`);
}

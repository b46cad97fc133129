/** Measures the service's promises about speed and memory. The service's file contains a million donors. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { readPublicRecord } from '../../people/public-record.ts';
import { createWorld } from '../../people/world.ts';
import { MAX_EXPORTED_DONORS } from '../../service/exports/export-api.ts';
import { EXPORT_FIELDS } from '../../service/exports/export-fields.ts';
import { atMost, type Figure, plain, quantile, round, type Scenario } from '../figure.ts';
import { SEED, type Service, startService } from '../service-process.ts';
import { chooseSample } from './connections.ts';
import { drawPersons } from './matching/persons.ts';

export const serviceSpeed: Scenario = {
  name: 'service-speed',
  title: 'start, matches, searches by name and lookups of 1,000,000 donors; one request at a time',
  measure: () => withManyDonors(measureSpeed),
};

export const serviceBounds: Scenario = {
  name: 'service-bounds',
  title:
    'the delay that the most expensive requests of one key cause for another, with 1,000,000 donors',
  measure: () => withManyDonors(measureBounds),
};

const DONORS = 1_000_000;
const STARTS = 5;
const ROUNDS = 600;
/** The number of rounds before the measurement. The first rounds are slower, because the service reads its data. */
const WARM_UP = 100;
const FACT_SEARCHES = 20;
/** The pause (ms) between two requests of a client that keeps to the rate limit. */
const PAUSE_MS = 10;

async function withManyDonors(measure: (file: string) => Promise<Figure[]>): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-service-'));
  try {
    const file = join(folder, 'world.db');
    await (await startService(file, DONORS)).stop();
    return await measure(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureSpeed(file: string): Promise<Figure[]> {
  const record = fileURLToPath(new URL('../../people/data/public-record', import.meta.url));
  const realPeople = readPublicRecord(record);
  const world = createWorld({ seed: SEED, donors: DONORS, realPeople });
  const persons = drawPersons(world, DONORS, WARM_UP + ROUNDS).list;
  const donorAt = (index: number) => world.donor(Math.floor(index * DONORS * 0.618034) % DONORS);
  const nameOf = (index: number) => `${donorAt(index).name.first} ${donorAt(index).name.last}`;
  const search = (service: Service, index: number) =>
    service.ask('/search', { filters: { name: nameOf(index) } });
  const lookUp = (service: Service, index: number) =>
    service.ask('/networks/lookup', { donor_id: donorAt(index).id });

  const ready: number[] = [];
  const answered: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const begun = performance.now();
    const service = await startService(file, DONORS);
    ready.push(service.seconds);
    // Sends a request of each kind at one time. The start of the service ends when each first request has received its
    // response.
    await Promise.all([search(service, 1), lookUp(service, 2)]);
    answered.push((performance.now() - begun) / 1_000);
    await service.stop();
  }

  const service = await startService(file, DONORS);
  const times: Record<'match' | 'search' | 'lookup', number[]> = {
    match: [],
    search: [],
    lookup: [],
  };
  let begun = performance.now();
  // The people are in random order, because people of the same kind would otherwise follow one another.
  for (const [index, person] of shuffled(persons).entries()) {
    if (index === WARM_UP) {
      begun = performance.now();
      for (const kind of Object.values(times)) kind.length = 0;
    }
    const { first, last, addresses, employers } = person;
    const sought = { name: { first, last }, addresses, employers };
    times.match.push((await service.ask('/enhancements', { persons: [sought] })).ms);
    await wait(PAUSE_MS);
    times.search.push((await search(service, index)).ms);
    await wait(PAUSE_MS);
    times.lookup.push((await lookUp(service, index)).ms);
    await wait(PAUSE_MS);
  }
  const seconds = (performance.now() - begun) / 1_000;
  for (let index = 0; index < FACT_SEARCHES; index++) {
    await service.ask('/search', {
      filters: { min_age: 40 + index, ties: [{ title: 'director' }] },
    });
  }
  const megabytes = (await service.stop()) ?? 0;
  return [
    plain('load of the machine', round(loadavg()[0] ?? 0), ''),
    plain('start until it serves, median', quantile(ready, 0.5), 's'),
    atMost('start, first search and lookup, median', quantile(answered, 0.5), 's', 1),
    plain('start, the slowest of five', quantile(answered, 1), 's'),
    plain('requests a second', round((3 * ROUNDS) / seconds), ''),
    plain('match, p50', quantile(times.match, 0.5), 'ms'),
    atMost('match, p99', quantile(times.match, 0.99), 'ms', 20),
    plain('search by name, p50', quantile(times.search, 0.5), 'ms'),
    atMost('search by name, p99', quantile(times.search, 0.99), 'ms', 50),
    plain('lookup, p50', quantile(times.lookup, 0.5), 'ms'),
    atMost('lookup, p99', quantile(times.lookup, 0.99), 'ms', 25),
    atMost('peak resident memory', megabytes, 'MB', 650),
  ];
}

/** Returns the list in an order that looks random but is always equal. */
function shuffled<One>(list: readonly One[]): One[] {
  return list.map((_, place) => list[(place * STRIDE) % list.length]).flatMap((one) => one ?? []);
}

/** A number without a common divisor with the number of rounds. */
const STRIDE = 271;

const MEASURE_MS = 4_000;
/** The number of expensive requests that are in flight all the time. */
const AT_ONCE = 4;

async function measureBounds(file: string): Promise<Figure[]> {
  const { bestConnected, random } = chooseSample(file, DONORS);
  const service = await startService(file, DONORS);
  try {
    const other = await issueKey(service);
    const failures: number[] = [];
    await lightTimes(service, other, random, 1_000);
    const quiet = await lightTimes(service, other, random, MEASURE_MS);
    const figures = [
      plain('load of the machine', round(loadavg()[0] ?? 0), ''),
      plain('another key alone, p99', quantile(quiet, 0.99), 'ms'),
    ];
    for (const [name, path, bodies] of worstRequests(bestConnected)) {
      const heavy = startHeavy(service, path, bodies);
      const times = await lightTimes(service, other, random, MEASURE_MS);
      const { sent, failed } = await heavy.stop();
      failures.push(failed);
      const added = round(Math.max(0, quantile(times, 0.99) - quantile(quiet, 0.99)));
      figures.push(
        plain(`  ${name}: requests`, sent, ''),
        atMost(`${name}: added to p99`, added, 'ms', 50),
      );
    }
    const failed = failures.reduce((sum, count) => sum + count, 0);
    return [...figures, atMost('answers of 500 and more', failed, '', 0)];
  } finally {
    await service.stop();
  }
}

/** Returns the durations of small requests with another key. */
async function lightTimes(
  { baseUrl }: Service,
  key: string,
  ids: readonly string[],
  milliseconds: number,
): Promise<number[]> {
  const end = performance.now() + milliseconds;
  const times: number[] = [];
  for (let index = 0; performance.now() < end; index++) {
    const sent = performance.now();
    const path = `/donors/${ids[index % ids.length]}/metadata`;
    const response = await fetch(baseUrl + path, { headers: { 'x-api-key': key } });
    await response.arrayBuffer();
    times.push(performance.now() - sent);
    await wait(PAUSE_MS);
  }
  return times;
}

const heavyReport = z.object({ sent: z.number(), failed: z.number() });

/** Sends a request again and again from a separate thread. Therefore, this thread measures only the service. */
function startHeavy({ baseUrl, apiKey }: Service, path: string, bodies: readonly string[]) {
  const workerData = { url: baseUrl + path, apiKey, bodies, atOnce: AT_ONCE };
  const worker = new Worker(new URL('./service-heavy.ts', import.meta.url), { workerData });
  return {
    async stop() {
      worker.postMessage('stop');
      const [report] = await once(worker, 'message');
      return heavyReport.parse(report);
    },
  };
}

type Worst = [name: string, path: string, bodies: string[]];

/** Returns the most expensive requests of each kind, some of which the service refuses. */
function worstRequests(bestConnected: readonly string[]): Worst[] {
  const world = createWorld({ seed: SEED, donors: DONORS });
  const ties = (count: number) => Array(count).fill({ title: 'a' });
  const same = (body: unknown) => [JSON.stringify(body)];
  const person = {
    name: { first: 'Mary', last: 'Smith' },
    addresses: Array.from({ length: 100 }, (_, n) => `${n} Oak Street, Reno, NV 895${n % 10}1`),
    employers: Array.from({ length: 100 }, (_, n) => `Riverside Holdings ${n}`),
  };
  const exported = Array.from({ length: MAX_EXPORTED_DONORS }, (_, n) => world.donor(n).id);
  const order = { donor_ids: exported, fields: EXPORT_FIELDS };
  return [
    ['500 ties', '/search', same({ filters: { min_age: 18, ties: ties(500) } })],
    ['10 ties', '/search', same({ filters: { min_age: 18, ties: ties(10) } })],
    ['a first name alone', '/search', same({ filters: { name: 'Mary', min_age: 18 } })],
    ['20 MB', '/enhancements', same({ persons: [{ name: { first: 'x'.repeat(20_000_000) } }] })],
    ['100,000 levels', '/enhancements', ['['.repeat(100_000) + ']'.repeat(100_000)]],
    ['20 crowded names', '/enhancements', same({ persons: Array(20).fill(person) })],
    [
      'lookup of the best-connected donor',
      '/networks/lookup',
      bestConnected.map((donor_id) => JSON.stringify({ donor_id, limit: 500 })),
    ],
    ['CSV of 10,000', '/exports', same({ ...order, format: 'csv' })],
    ['XLSX of 10,000', '/exports', same({ ...order, format: 'xlsx' })],
  ];
}

async function issueKey({ baseUrl }: Service): Promise<string> {
  const response = await fetch(new URL('/_sandbox/keys', baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ team: 'other' }),
  });
  return z.object({ apiKey: z.string() }).parse(await response.json()).apiKey;
}

/**
 * Compares two versions of the service with 1,000,000 donors. The option `--beside FOLDER` chooses the second version.
 * The versions are measured in turn. The scenario compares building the database, memory and lookups. It also measures
 * how long other requests wait while this version handles large submissions and large Discover requests.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import {
  atMost,
  type Figure,
  median,
  plain,
  quantile,
  round,
  type Scenario,
  type Wanted,
} from '../figure.ts';
import { PROGRAM, programIn } from '../program.ts';
import { SEED, type Service, startService } from '../service-process.ts';

const DONORS = 1_000_000;
const PAIRS = 10;
/**
 * In each comparison, both versions of the service answer this number of lookups. With only 200 lookups, the 99th
 * percentile would be the second slowest lookup, and it would depend on chance.
 */
const LOOKUPS = 1_000;
const LARGE_SUBMITS = 5;
const SUBMIT_TURNS = 15;
const MEMBERS = 10_000;
const BULK = 100;
const QUIET_MS = 10_000;
const PAUSE_MS = 10;

export const serviceBeside: Scenario = {
  name: 'service-beside',
  title:
    '1,000,000 donors: large submits and Discover queries; build, memory and look-ups compared with --beside FOLDER',
  measure: measureBeside,
};

async function measureBeside({ beside, pairs = PAIRS }: Wanted = {}): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-service-'));
  const fileOf = (name: string) => join(folder, `${name}.db`);
  try {
    const figures: Figure[] = [];
    const build = (name: string, program: string) => measureBuild(fileOf(name), program);
    const mine = await build('this', PROGRAM);
    if (beside === undefined) {
      figures.push(plain('build, processor', mine.seconds, 's'), plain('memory', mine.peak, 'MB'));
    } else {
      const other = programIn(beside);
      const theirs = await build('other', other);
      figures.push(
        atMost('build: processor', ratio(mine.seconds, theirs.seconds), '×', 1),
        atMost('build: peak memory', ratio(mine.peak, theirs.peak), '×', 1),
        ...(await measureLookups(
          { file: fileOf('this'), program: PROGRAM },
          { file: fileOf('other'), program: other },
          pairs,
        )),
      );
    }
    const service = await startService(fileOf('this'), DONORS);
    try {
      figures.push(await measureSubmits(service), await measureDiscover(service));
    } finally {
      await service.stop();
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function ratio(mine: number, theirs: number): number {
  return round(mine / theirs);
}

async function measureBuild(file: string, program: string) {
  const service = await startService(file, DONORS, program);
  const seconds = await service.readProcessorTime();
  return { seconds, peak: (await service.stop()) ?? 0 };
}

interface Version {
  file: string;
  program: string;
}

/**
 * Measures lookups. Both versions of the service run all the time and answer lookups in turn, so other load on the
 * machine slows down both versions.
 */
async function measureLookups(mine: Version, theirs: Version, pairs: number): Promise<Figure[]> {
  const world = createWorld({ seed: SEED, donors: DONORS });
  const services = await Promise.all(
    [mine, theirs].map(({ file, program }) => startService(file, DONORS, program)),
  );
  const [ratios, processor]: [number[], number[]] = [[], []];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const times: number[][] = [[], []];
    const spent = await Promise.all(services.map((service) => service.readProcessorTime()));
    for (let index = 0; index < LOOKUPS; index += 1) {
      const number = Math.floor((pair * LOOKUPS + index) * DONORS * 0.618034) % DONORS;
      const donor_id = world.donor(number).id;
      for (const at of index % 2 === 0 ? [0, 1] : [1, 0]) {
        const found = await services[at]?.ask('/networks/lookup', { donor_id });
        times[at]?.push(found?.ms ?? Number.NaN);
      }
    }
    const after = await Promise.all(services.map((service) => service.readProcessorTime()));
    const [own = 0, other = 0] = after.map((seconds, at) => seconds - (spent[at] ?? 0));
    // The first round reads the tables, so it is not counted.
    if (pair === 0) continue;
    ratios.push(quantile(times[0] ?? [], 0.99) / quantile(times[1] ?? [], 0.99));
    processor.push(own / other);
  }
  const [own = 0, other = 0] = await Promise.all(services.map((service) => service.stop()));
  return [
    atMost('look-up: p99, median of pairs', round(median(ratios)), '×', 1),
    plain(
      'look-up: p99, the pairs',
      round(Math.min(...ratios)),
      `to ${round(Math.max(...ratios))}`,
    ),
    atMost('look-up: processor, median of pairs', round(median(processor)), '×', 1),
    atMost('serving: peak memory', ratio(own ?? 0, other ?? 0), '×', 1),
  ];
}

/** Returns the people whose matching takes the longest time, because they have many names and twenty addresses. */
function aLargeSubmit(round_: number): { persons: unknown[] } {
  return {
    persons: Array.from({ length: 100 }, (_, index) => ({
      tracking_id: `${round_}-${index}`,
      name: { first: 'Maria Jose Anna Luisa', last: 'Garcia Lopez Smith Johnson Williams' },
      addresses: Array.from(
        { length: 20 },
        (__, n) => `${100 * index + n} Oak Street, Springfield, IL 6270${n % 10}`,
      ),
    })),
  };
}

/**
 * Measures a single submission, and then several submissions at the same time. Before each measurement, the matching of
 * earlier submissions has ended.
 */
async function measureSubmits(service: Service): Promise<Figure> {
  // The bodies are prepared in advance, so that only the service is measured.
  const bodies = Array.from({ length: LARGE_SUBMITS }, (_, index) =>
    JSON.stringify(aLargeSubmit(index)),
  );
  const alone: number[] = [];
  const together: number[] = [];
  for (let turn = 0; turn <= SUBMIT_TURNS; turn += 1) {
    const [first] = await sendSubmits(service, bodies.slice(0, 1));
    const several = await sendSubmits(service, bodies);
    // The first turn reads the tables, so it is not counted.
    if (turn === 0) continue;
    alone.push(first ?? Number.NaN);
    together.push(Math.max(...several));
  }
  const times = round(median(together) / median(alone));
  return atMost(
    `${LARGE_SUBMITS} large submits at once, the last compared with a single submit`,
    times,
    '×',
    2,
  );
}

async function sendSubmits(service: Service, bodies: readonly string[]): Promise<number[]> {
  const answers = bodies.map((body) => service.ask('/enhancements', body));
  return (await Promise.all(answers)).map(({ ms }) => ms);
}

/**
 * Measures how long a small request with another key takes while the service executes a Discover request for a network
 * with many members.
 */
async function measureDiscover(service: Service): Promise<Figure> {
  const world = createWorld({ seed: SEED, donors: DONORS });
  const ids = Array.from({ length: MEMBERS }, (_, index) => world.donor(index * 97).id);
  const created = await service.ask('/networks', { name: 'Alumni', color: 'teal' });
  const { network_id } = z.object({ network_id: z.string() }).parse(created.body);
  const jobs: string[] = [];
  for (let from = 0; from < MEMBERS; from += BULK) {
    const { body } = await service.ask(`/networks/${network_id}/members/batch`, {
      donor_ids: ids.slice(from, from + BULK),
    });
    jobs.push(z.object({ job_id: z.string() }).parse(body).job_id);
  }
  for (const job of jobs) await untilCompleted(service, job);
  const other = await issueKey(service);
  const look = (until: () => boolean) => lightTimes(service, other, ids, until);
  await look(after(QUIET_MS / 4));
  const quiet = await look(after(QUIET_MS));
  let isOver = false;
  const discovers = async () => {
    const isLate = after(QUIET_MS);
    while (!isLate()) {
      await service.ask('/networks/discover', { network_ids: [network_id], limit: 500 });
    }
    isOver = true;
  };
  const [busy] = await Promise.all([look(() => isOver), discovers()]);
  const times = round(quantile(busy, 0.99) / quantile(quiet, 0.99));
  return atMost(`another key's p99 while Discover reads ${MEMBERS} members`, times, '×', 2);
}

async function untilCompleted(service: Service, job: string): Promise<void> {
  for (;;) {
    const { body } = await service.ask(`/networks/jobs/${job}`);
    if (z.object({ status: z.string() }).parse(body).status === 'completed') return;
    await wait(100);
  }
}

function after(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() > end;
}

async function lightTimes(
  { baseUrl }: Service,
  key: string,
  ids: readonly string[],
  isOver: () => boolean,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; !isOver(); index += 1) {
    const sent = performance.now();
    const response = await fetch(`${baseUrl}/donors/${ids[index % ids.length]}/metadata`, {
      headers: { 'x-api-key': key },
    });
    await response.arrayBuffer();
    times.push(performance.now() - sent);
    await wait(PAUSE_MS);
  }
  return times;
}

async function issueKey({ baseUrl }: Service): Promise<string> {
  const response = await fetch(new URL('/_sandbox/keys', baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ team: 'other' }),
  });
  return z.object({ apiKey: z.string() }).parse(await response.json()).apiKey;
}

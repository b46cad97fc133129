/**
 * Compares the processor time of each page in two versions of the program, which are measured in turn. Each version has
 * its own copy of the contacts, and has filled its own database with syncs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  atMost,
  type Figure,
  median,
  plain,
  round,
  type Scenario,
  type Wanted,
} from '../figure.ts';
import { type Neighbour, startNeighbour } from '../neighbour.ts';
import { PROGRAM, programIn } from '../program.ts';
import { NO_TRIAL, UNLIMITED } from '../with-workplace.ts';
import { createWorkplace, type Workplace } from '../workplace.ts';

const CONTACTS = 2_000;
const SYNCS = 5;
const OTHER_CLIENTS = 50;
const PAIRS = 10;

/** The number of requests before the measurement, after which all code is compiled. */
const WARM_UPS = 100;

/**
 * The processor time of a measurement (ms), and the minimum and maximum number of requests in it. A measurement
 * consists of many requests, because garbage collection takes longer than a single page.
 */
const MEASURED_MS = 600;
const LEAST_REQUESTS = 8;
const MOST_REQUESTS = 2_000;

/**
 * The number of times that the scenario switches versions in each pair. Frequent switches are necessary, because the
 * speed of the machine changes within seconds.
 */
const TURNS = 16;

/** A pause (ms) that is longer than the time for which viewers share the data of all clients. */
const APART_MS = 1_200;

const MOST_TIMES = 1.1;

export const pagesBeside: Scenario = {
  name: 'pages-beside',
  title: 'the processor time of each page, compared with the version in --beside FOLDER, in turns',
  measure: async ({ beside, pairs = PAIRS }: Wanted = {}) =>
    beside === undefined ? [] : measureBoth(beside, pairs),
};

/** Returns the paths of each page. The second path is for versions of the program without the first path. */
function listPages({ run, hold }: Ids): Readonly<Record<string, readonly string[]>> {
  return {
    home: ['/'],
    client: ['/clients/bench'],
    alerts: ['/clients/bench/alerts'],
    fields: ['/clients/bench/fields'],
    doctor: ['/clients/bench/doctor'],
    schedule: ['/clients/bench/schedule'],
    webhooks: ['/clients/bench/webhooks'],
    runs: ['/runs'],
    run: [`/runs/${run}`],
    'changes of a run': [`/runs/${run}/changes`],
    decisions: ['/decisions'],
    ...(hold !== null && { decision: [`/decisions/${hold}`] }),
    networks: ['/networks'],
    credits: ['/credits'],
    audit: ['/audit'],
    users: ['/users', '/people'],
    account: ['/account'],
    'set-up': ['/setup'],
    'sign-in': ['/sign-in'],
  };
}

async function measureBoth(beside: string, pairs: number): Promise<Figure[]> {
  const neighbour = await startNeighbour({ donors: CONTACTS, ...UNLIMITED });
  const opened: Served[] = [];
  try {
    for (const program of [PROGRAM, programIn(beside)]) {
      opened.push(await openServed(neighbour, program));
    }
    const [ours, theirs] = opened;
    if (ours === undefined || theirs === undefined) throw new Error('Both versions are needed.');
    return await compare(ours, theirs, pairs);
  } finally {
    for (const one of opened) await one.close();
    await neighbour.stop();
  }
}

async function compare(ours: Served, theirs: Served, pairs: number): Promise<Figure[]> {
  const pages = Object.keys(listPages(ours.ids)).filter((name) => name in listPages(theirs.ids));
  const figures: Figure[] = [];
  const ready: string[] = [];
  for (const page of pages) {
    const [here, there] = [await ours.find(page), await theirs.find(page)];
    if (here && there) ready.push(page);
    else
      figures.push({ ...plain(page, 0, ''), goal: `only in ${here ? 'this' : 'the other'} one` });
  }
  for (let time = 0; time < WARM_UPS; time += 1) {
    for (const page of ready) for (const one of [ours, theirs]) await one.measure(page, 1);
  }
  const requests = new Map<string, number>();
  for (const page of ready) {
    const wanted = Math.round(MEASURED_MS / (await theirs.measure(page, LEAST_REQUESTS)));
    requests.set(page, Math.max(LEAST_REQUESTS, Math.min(wanted, MOST_REQUESTS)));
  }
  const ratios = new Map(ready.map((page) => [page, [] as number[]]));
  const milliseconds = new Map(ready.map((page) => [page, [] as number[]]));
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const page of ready) {
      const atOnce = Math.ceil((requests.get(page) ?? LEAST_REQUESTS) / TURNS);
      let [here, there] = [0, 0];
      for (let turn = 0; turn < TURNS; turn += 1) {
        if (turn % 2 === 0) here += await ours.measure(page, atOnce);
        there += await theirs.measure(page, atOnce);
        if (turn % 2 === 1) here += await ours.measure(page, atOnce);
      }
      ratios.get(page)?.push(here / there);
      milliseconds.get(page)?.push(here / TURNS);
    }
    await sleep(APART_MS);
  }
  for (const [page, each] of ratios) {
    figures.push(atMost(`${page}: processor`, round(median(each)), '×', MOST_TIMES), {
      ...plain(`${page}: pairs from`, round(Math.min(...each)), '×'),
      goal: `to ${round(Math.max(...each))}`,
    });
    figures.push(plain(`${page}: processor`, round(median(milliseconds.get(page) ?? [])), 'ms'));
  }
  return figures;
}

interface Ids {
  run: string;
  /** The ID of a held contact, or null if no contact is held. */
  hold: string | null;
}

/** A version of the program that serves its own database. */
interface Served {
  ids: Ids;
  /** Returns true if this version has the page. */
  find(page: string): Promise<boolean>;
  /** Returns the mean processor time of this many requests (ms). */
  measure(page: string, requests: number): Promise<number>;
  close(): Promise<void>;
}

/** Code that makes a process print its processor time (µs) to stderr at each signal. */
const REPORT_CPU =
  'data:text/javascript,process.on("SIGUSR2",()=>{const{user,system}=process.cpuUsage();process.stderr.write("cpu "+(user+system)+"\\n")})';

const readySchema = z.object({ ready: z.literal(true), url: z.string() });
const tokenSchema = z.looseObject({ token: z.string() });
const runsSchema = z.looseObject({ runs: z.array(z.looseObject({ id: z.string() })) });
const holdsSchema = z.looseObject({ holds: z.array(z.looseObject({ id: z.string() })) });

async function openServed(neighbour: Neighbour, program: string): Promise<Served> {
  const place = await createWorkplace(neighbour, CONTACTS, `${NO_TRIAL}${otherClients()}`);
  try {
    for (let sync = 0; sync < SYNCS; sync += 1)
      await ask(program, ['sync', 'bench', '--json'], place);
    const words = ['tokens', 'create', '--role', 'owner', '--name', 'bench'];
    const { token } = tokenSchema.parse(await ask(program, [...words, '--json'], place));
    return await serve(place, program, token);
  } catch (error) {
    await place.remove();
    throw error;
  }
}

async function serve(place: Workplace, program: string, token: string): Promise<Served> {
  const words = ['serve', '--port', '0', '--json', '--config', place.settings];
  const child = spawn(process.execPath, ['--import', REPORT_CPU, program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url } = readySchema.parse(JSON.parse(String(line)));
  const said = createInterface(child.stderr);
  const signedIn = { authorization: `Bearer ${token}` };
  // Requests to the sign-in page have no session, because the page redirects signed-in users.
  const headersOf = (page: string) => (page === 'sign-in' ? {} : signedIn);
  const read = async (path: string) => (await fetch(url + path, { headers: signedIn })).json();
  const [run] = runsSchema.parse(await read('/v1/runs')).runs.slice(-1);
  const [hold] = holdsSchema.parse(await read('/v1/holds')).holds;
  if (run === undefined) throw new Error('There is no run.');
  const ids: Ids = { run: run.id, hold: hold?.id ?? null };
  const paths = new Map<string, string>();
  return { ids, find, measure, close };

  async function find(page: string): Promise<boolean> {
    for (const path of listPages(ids)[page] ?? []) {
      const response = await fetch(url + path, { headers: headersOf(page), redirect: 'manual' });
      await response.arrayBuffer();
      if (response.status === 200) {
        paths.set(page, path);
        return true;
      }
    }
    return false;
  }

  async function measure(page: string, requests: number): Promise<number> {
    const path = url + (paths.get(page) ?? '');
    const before = await readProcessorTime(child, said);
    for (let request = 0; request < requests; request += 1) {
      const response = await fetch(path, { headers: headersOf(page) });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
    }
    return ((await readProcessorTime(child, said)) - before) / 1_000 / requests;
  }

  async function close(): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    await place.remove();
  }
}

/** Returns the processor time (µs) that the process has used. */
async function readProcessorTime(child: ChildProcess, said: Interface): Promise<number> {
  const answered = new Promise<number>((resolve) => {
    said.on('line', listen);
    function listen(line: string): void {
      const microseconds = /^cpu (\d+)$/.exec(line)?.[1];
      if (microseconds === undefined) return;
      said.off('line', listen);
      resolve(Number(microseconds));
    }
  });
  child.kill('SIGUSR2');
  return answered;
}

/** Returns the document that a command prints with `--json`. */
async function ask(program: string, words: string[], { settings }: Workplace): Promise<unknown> {
  const child = spawn(process.execPath, [program, ...words, '--config', settings], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(await text(child.stdout));
}

/** Returns settings for clients that are never synced but appear in the lists of all clients. */
function otherClients(): string {
  return Array.from(
    { length: OTHER_CLIENTS },
    (_, place) => `  - id: client-${place}
    name: "Community Foundation ${place}"
    schedule: { cron: "0 2 1 1 *", timezone: America/Chicago }
    partner: { baseUrl: "https://service.example", apiKey: "key-${place}" }
    crm: { kind: csv, path: in-${place}.csv, output: out-${place}.csv, columns: { id: Id, firstName: First, lastName: Last, addresses: [Address] } }
`,
  ).join('');
}

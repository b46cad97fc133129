import { readFile, writeFile } from 'node:fs/promises';
import { killSyncs } from './kill.ts';
import { type Measurement, measureSync } from './measured-sync.ts';
import { type Neighbour, type NeighbourOptions, startNeighbour } from './neighbour.ts';
import { measureQuietNight } from './quiet-night.ts';
import { withOrg } from './salesforce.ts';
import { createWorkplace, type Workplace } from './workplace.ts';

/** One figure of a scenario, and what it has to keep. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** For example `>= 1500`. */
  goal: string;
  kept: boolean;
}

export interface Scenario {
  name: string;
  title: string;
  measure(): Promise<Figure[]>;
}

const UNLIMITED = { rate: 0, burst: 10, jobTimeMs: 0 };
const DOCUMENTED = { rate: 10, burst: 10 };

/** Everything that `npm run bench` measures. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'limit',
    title: "2,000 contacts at the service's limit, jobs of 5 s",
    measure: measureLimit,
  },
  {
    name: 'throughput',
    title: '20,000 contacts end to end, limits and job time off',
    measure: measureThroughput,
  },
  {
    name: 'again',
    title: '5,000 contacts, then again, then with 18 of them changed',
    measure: measureAgain,
  },
  {
    name: 'kill',
    title: '1,000 contacts, SIGKILL at 200 random moments',
    measure: measureKills,
  },
  {
    name: 'salesforce',
    title: 'the Salesforce connector alone: 100,000 contacts, 5 ms for each request',
    measure: measureSalesforce,
  },
  {
    name: 'night',
    title: 'a night without changes: 1,000,000 contacts in Salesforce, all of them enhanced',
    measure: measureNight,
  },
  {
    name: 'memory',
    title: '200,000 contacts end to end, limits and job time off',
    measure: measureMemory,
  },
];

async function measureLimit(): Promise<Figure[]> {
  const contacts = 2_000;
  const jobTimeMs = 5_000;
  return withWorkplace(contacts, { ...DOCUMENTED, jobTimeMs }, async (place) => {
    const { run, runSeconds } = await measureSync(place.settings);
    const requests = contacts / 100 + contacts / 10;
    const floor = requests / DOCUMENTED.rate + jobTimeMs / 1_000;
    return [
      atMost('time against the floor', round(runSeconds / floor), '×', 1.05),
      { ...plain('time', runSeconds, 's'), goal: `floor ${floor} s` },
      atMost('answers of 429', run.calls.throttled, '', 0),
      plain('requests to the service', run.calls.partner, ''),
    ];
  });
}

async function measureThroughput(): Promise<Figure[]> {
  const contacts = 20_000;
  return withWorkplace(contacts, UNLIMITED, async (place) => {
    const { runSeconds, wallSeconds, peakMegabytes } = await measureSync(place.settings);
    return [
      atLeast('contacts a second', Math.round(contacts / runSeconds), '/s', 1_500),
      plain('with start and end of the process', Math.round(contacts / wallSeconds), '/s'),
      plain('peak resident memory', peakMegabytes ?? 0, 'MB'),
    ];
  });
}

async function measureAgain(): Promise<Figure[]> {
  return withWorkplace(5_000, UNLIMITED, async (place) => {
    const first = await measureSync(place.settings);
    const second = await measureSync(place.settings);
    await editContacts(place, 18);
    const third = await measureSync(place.settings);
    return [
      plain('credits of the first run', spent(first), ''),
      exactly('credits of the second run', spent(second), '', 0),
      exactly('fields written by the second run', second.run.contacts['written'] ?? 0, '', 0),
      plain('time of the second run', second.runSeconds, 's'),
      exactly('credits after 18 changes', spent(third), '', 18),
    ];
  });
}

async function measureKills(): Promise<Figure[]> {
  const sums = await killSyncs(1_000, 200);
  return [
    plain('kills', sums.kills, ''),
    plain('syncs that they hit', sums.experiments, ''),
    exactly('contacts paid for twice', sums.paidTwice, '', 0),
    exactly('credits without explanation', sums.unexplained, '', 0),
    exactly('contacts without an outcome', sums.withoutOutcome, '', 0),
    exactly('delivered profiles not in the file', sums.missingInFile, '', 0),
    plain('contacts held as a lost answer', sums.heldAsLost, ''),
  ];
}

async function measureSalesforce(): Promise<Figure[]> {
  return withOrg(100_000, 5, async ({ measure }) => {
    const reading = await measure('read');
    const writing = await measure('write');
    const read = reading.steps.find(({ name }) => name === 'read');
    const write = writing.steps.find(({ name }) => name === 'write');
    return [
      exactly('contacts read', read?.contacts ?? 0, '', 100_000),
      atMost('time to read them', round(read?.seconds ?? 0), 's', 1.5),
      plain('requests to read them', read?.calls ?? 0, ''),
      plain('peak resident memory, reading', reading.peakMegabytes ?? 0, 'MB'),
      exactly('contacts written', write?.contacts ?? 0, '', 100_000),
      atMost('time to write two fields of each', round(write?.seconds ?? 0), 's', 2),
      atMost('requests to write them', write?.calls ?? 0, '', 10),
      atMost('peak resident memory, writing', writing.peakMegabytes ?? 0, 'MB', 200),
    ];
  });
}

async function measureNight(): Promise<Figure[]> {
  const contacts = 1_000_000;
  const { first, second } = await measureQuietNight(contacts);
  return [
    plain('contacts read by the first run', first.run.contacts['read'] ?? 0, ''),
    plain('time of the first run', first.runSeconds, 's'),
    atMost('API calls of the night, sign-in left out', second.run.calls.crm - 1, '', 3),
    atMost('time of the night', second.runSeconds, 's', 2),
    exactly('credits of the night', spent(second), '', 0),
    plain('peak resident memory of the night', second.peakMegabytes ?? 0, 'MB'),
  ];
}

async function measureMemory(): Promise<Figure[]> {
  const contacts = 200_000;
  return withWorkplace(contacts, UNLIMITED, async (place) => {
    const first = await measureSync(place.settings);
    const second = await measureSync(place.settings);
    return [
      atMost('peak resident memory', first.peakMegabytes ?? 0, 'MB', 200),
      atLeast('contacts a second', Math.round(contacts / first.runSeconds), '/s', 1_500),
      atMost('peak of a run without changes', second.peakMegabytes ?? 0, 'MB', 200),
      plain('time of a run without changes', second.runSeconds, 's'),
    ];
  });
}

async function withWorkplace(
  contacts: number,
  options: Omit<NeighbourOptions, 'donors'>,
  measure: (place: Workplace, neighbour: Neighbour) => Promise<Figure[]>,
): Promise<Figure[]> {
  const neighbour = await startNeighbour({ donors: contacts, ...options });
  const place = await createWorkplace(neighbour, contacts);
  try {
    return await measure(place, neighbour);
  } finally {
    await place.remove();
    await neighbour.stop();
  }
}

/** Gives the first contacts of the file that have all their names another employer. */
async function editContacts({ input }: Workplace, count: number): Promise<void> {
  const [header = '', ...rows] = (await readFile(input, 'utf8')).split('\n');
  let edited = 0;
  const changed = rows.map((row) => {
    const isWhole = /^[^,]+,[^,]+,[^,]+,/.test(row);
    if (!isWhole || edited === count) return row;
    edited += 1;
    return `${row.slice(0, row.lastIndexOf(','))},Changed Employer ${edited}`;
  });
  await writeFile(input, [header, ...changed].join('\n'));
}

function spent({ run }: Measurement): number {
  return run.credits.enhancements.spent;
}

function plain(name: string, value: number, unit: string): Figure {
  return { name, value, unit, goal: '', kept: true };
}

function atMost(name: string, value: number, unit: string, most: number): Figure {
  return { name, value, unit, goal: `<= ${most}`, kept: value <= most };
}

function atLeast(name: string, value: number, unit: string, least: number): Figure {
  return { name, value, unit, goal: `>= ${least}`, kept: value >= least };
}

function exactly(name: string, value: number, unit: string, wanted: number): Figure {
  return { name, value, unit, goal: `= ${wanted}`, kept: value === wanted };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

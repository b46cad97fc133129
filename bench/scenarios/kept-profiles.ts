/**
 * Measures what it costs to keep profiles: the processor time, compared with another version of the program, and the
 * disk space.
 */

import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
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
import { measureSync } from '../measured-sync.ts';
import { type Neighbour, startNeighbour } from '../neighbour.ts';
import { PROGRAM, programIn } from '../program.ts';
import { NO_TRIAL, UNLIMITED, withWorkplace } from '../with-workplace.ts';
import { createWorkplace, type Workplace } from '../workplace.ts';

const CONTACTS = 5_000;

const PAIRS = 7;

/**
 * The number of syncs without changes that follow each first sync. A sync without changes spends most of its time on
 * the start of the process.
 */
const REPEATS = 3;

export const keptProfiles: Scenario = {
  name: 'kept-profiles',
  title: `${CONTACTS.toLocaleString('en-US')} contacts in a CSV file: disk space of kept profiles, and processor time compared with --beside FOLDER`,
  measure: measureKeptProfiles,
};

async function measureKeptProfiles({ beside, pairs = PAIRS }: Wanted = {}): Promise<Figure[]> {
  const room = await withWorkplace(CONTACTS, UNLIMITED, measureRoom, ALL_SOURCES);
  return beside === undefined ? room : [...room, ...(await measurePairs(beside, pairs))];
}

/** All sources of a profile, by the name of the column. */
const SOURCES = [
  ...['donorId', 'profileUrl', 'name.full', 'age', 'netWorth.low', 'netWorth.high'],
  ...['netWorth.label', 'capacity.nonprofit', 'capacity.political', 'capacity.highest'],
  ...['work.primary', 'work.all', 'education.primary', 'education.all', 'bio', 'enhancedAt'],
];

const ALL_SOURCES = `${NO_TRIAL}    fields: [${SOURCES.map((source) => `{ from: ${source}, to: ${source} }`).join(', ')}]\n`;

async function measureRoom(place: Workplace): Promise<Figure[]> {
  await measureSync(place.settings);
  const json = await lengthOfJson(place.output);
  const { profiles, bytes } = readRoom(join(dirname(place.settings), 'store.db'));
  return [
    plain('kept profiles', profiles, ''),
    plain('JSON of all mapped sources', Math.round(json.bytes / json.rows), 'bytes a profile'),
    plain('disk of the tables and their indexes', Math.round(bytes / profiles), 'bytes a profile'),
    atMost('disk compared with the JSON', round(bytes / json.bytes), '×', 2),
  ];
}

const rowSchema = z.record(z.string(), z.string());

/** For each source, returns the length of the written values as JSON. */
async function lengthOfJson(output: string): Promise<{ rows: number; bytes: number }> {
  let [rows, bytes] = [0, 0];
  for await (const parsed of createReadStream(output).pipe(parse({ columns: true }))) {
    const row = rowSchema.parse(parsed);
    if (!row['donorId']) continue;
    const values = SOURCES.flatMap((source) => (row[source] ? [[source, row[source]]] : []));
    rows += 1;
    bytes += Buffer.byteLength(JSON.stringify(Object.fromEntries(values)));
  }
  return { rows, bytes };
}

const TABLES = ['kept_profiles', 'value_states', 'field_maps'];

const roomSchema = z.object({ profiles: z.number(), bytes: z.number() });

/** Returns the space (bytes) that the stored profiles and their indexes take in the file. */
function readRoom(file: string): z.infer<typeof roomSchema> {
  const database = new Database(file, { readonly: true });
  try {
    const names = TABLES.map(() => '?').join();
    const found = database
      .prepare(
        `select (select count(*) from kept_profiles where profile <> '') as profiles,
          (select sum(pgsize) from dbstat where name in
            (select name from sqlite_schema where tbl_name in (${names}))) as bytes`,
      )
      .get(...TABLES);
    return roomSchema.parse(found);
  } finally {
    database.close();
  }
}

/** Processor time in seconds. */
interface Cost {
  first: number;
  /** The median processor time of the syncs without changes. */
  again: number;
}

async function measurePairs(beside: string, pairs: number): Promise<Figure[]> {
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  const programs = [
    { program: PROGRAM, costs: ours },
    { program: programIn(beside), costs: theirs },
  ];
  const neighbour = await startNeighbour({ donors: CONTACTS, ...UNLIMITED });
  try {
    for (let pair = 0; pair < pairs; pair += 1) {
      // The order changes with each pair, because the load of the machine changes over time.
      for (const { program, costs } of pair % 2 === 0 ? programs : programs.toReversed()) {
        costs.push(await measureCost(neighbour, program));
      }
    }
  } finally {
    await neighbour.stop();
  }
  const first = ours.map((cost, pair) => cost.first / (theirs[pair]?.first ?? 0));
  const more = ours.map((cost, pair) => cost.again - (theirs[pair]?.again ?? 0));
  const inMicroseconds = more.map((seconds) => (seconds * 1_000_000) / CONTACTS);
  return [
    atMost('first sync: processor', round(median(first)), '×', 1.05),
    {
      ...plain('first sync: pairs from', round(Math.min(...first)), '×'),
      goal: `to ${round(Math.max(...first))}`,
    },
    plain('first sync: processor', round(median(ours.map((cost) => cost.first))), 's'),
    atMost('again: processor', round(median(inMicroseconds)), 'µs more a contact', 15),
    {
      ...plain('again: pairs from', round(Math.min(...inMicroseconds)), 'µs'),
      goal: `to ${round(Math.max(...inMicroseconds))}`,
    },
    plain('again: processor', round(median(ours.map((cost) => cost.again))), 's'),
  ];
}

async function measureCost(neighbour: Neighbour, program: string): Promise<Cost> {
  const place = await createWorkplace(neighbour, CONTACTS, NO_TRIAL);
  try {
    const { cpuSeconds: first } = await measureSync(place.settings, program);
    const again: number[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      again.push((await measureSync(place.settings, program)).cpuSeconds);
    }
    return { first, again: median(again) };
  } finally {
    await place.remove();
  }
}

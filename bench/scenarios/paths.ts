/** Measures a whole CRM's warm paths. The first run computes the warm paths, and the next run has no changes. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { type Measurement, measureSync } from '../measured-sync.ts';
import { type Neighbour, startNeighbour } from '../neighbour.ts';
import { DOCUMENTED } from '../with-workplace.ts';
import { createWorkplace, type Workplace } from '../workplace.ts';

/** The number of donors in a comparison (service document, section 8). */
const DONORS_PER_REQUEST = 100;

export const paths: Scenario = {
  name: 'paths',
  title: '50,000 contacts against a network of 500 members, then a night without changes',
  measure: measureNetwork,
};

async function measureNetwork(): Promise<Figure[]> {
  const { donors, first, second, ...measured } = await measurePaths({
    contacts: 50_000,
    members: 500,
  });
  const calls = Math.ceil(donors / DONORS_PER_REQUEST);
  const floorSeconds = calls / DOCUMENTED.rate;
  return [
    plain('different donors', donors, ''),
    plain('contacts with a warm path', measured.paths, ''),
    atMost('calls to compare against the floor', round(first.compares / calls), '×', 1.05),
    atMost('all calls against the floor', round(first.run.calls.partner / calls), '×', 1.05),
    atMost('time against the floor', round(first.runSeconds / floorSeconds), '×', 1.2),
    { ...plain('time', first.runSeconds, 's'), goal: `floor ${floorSeconds} s` },
    atMost('answers of 429', first.run.calls.throttled, '', 0),
    plain('peak resident memory', first.peakMegabytes ?? 0, 'MB'),
    exactly('calls to compare in the second run', second.compares, '', 0),
    plain('time of the second run', second.runSeconds, 's'),
  ];
}

/** The size of the networks and the CRM. */
interface PathSizes {
  contacts: number;
  members: number;
}

interface MeasuredPaths {
  /** The number of different people among the contacts. */
  donors: number;
  /** The run that computes the warm paths. */
  first: Measurement & { compares: number };
  second: Measurement & { compares: number };
  /** The number of contacts with a warm path. */
  paths: number;
}

/** Measures at the documented limits. At the start, the members are already in their network. */
async function measurePaths({ contacts, members }: PathSizes): Promise<MeasuredPaths> {
  const neighbour = await startNeighbour({ donors: contacts, ...DOCUMENTED, jobTimeMs: 0 });
  const place = await createWorkplace(neighbour, contacts, MIRRORED);
  try {
    await markMembers(place, members);
    await measureSync(place.settings);
    const donors = await identifyEverybody(neighbour, place, contacts);
    await measureSync(place.settings);
    await enableInsights(place);
    const first = await measureCompares(neighbour, place);
    const second = await measureCompares(neighbour, place);
    return { donors, first, second, paths: countPaths(place) };
  } finally {
    await place.remove();
    await neighbour.stop();
  }
}

/**
 * Settings with which no contact is enhanced. The donor of each contact is written to the database, as after years of
 * syncing.
 */
const MIRRORED = `    budget: { perRun: 0 }
    networks: [{ name: Board, group: { column: Board, equals: "yes" } }]
    insights: { enabled: false }
`;

async function enableInsights({ settings }: Workplace): Promise<void> {
  const text = await readFile(settings, 'utf8');
  await writeFile(settings, text.replace('enabled: false', 'enabled: true'));
}

/** Adds a column to the file. The column makes the first contacts members of the network. */
async function markMembers({ input }: Workplace, members: number): Promise<void> {
  const [header = '', ...rows] = (await readFile(input, 'utf8')).trimEnd().split('\n');
  const marked = rows.map((row, index) => `${row},${index < members ? 'yes' : 'no'}`);
  await writeFile(input, [`${header},Board`, ...marked].join('\n'));
}

const PAGE_SIZE = 10_000;

const pageSchema = z.object({
  people: z.array(z.object({ id: z.string(), donorId: z.string().nullable() })),
});

/** Writes the donor of each contact to the database, and returns the number of different donors. */
async function identifyEverybody(
  { rootUrl }: Neighbour,
  { settings }: Workplace,
  contacts: number,
): Promise<number> {
  const db = new Sqlite(join(settings, '..', 'store.db'));
  const donors = new Set<string>();
  const update = db.prepare(
    `update contacts set state = 'settled', asked_identity = identity, last_credit = 'stands', asked_at = ?, donor_id = ?,
     enhanced_at = ?, due_reason = null, outcome_reason = 'fields_written'
     where integration_id = 'bench' and crm_id = ?`,
  );
  for (let offset = 0; offset < contacts; offset += PAGE_SIZE) {
    const url = `${rootUrl}/_sandbox/people?limit=${PAGE_SIZE}&offset=${offset}`;
    const { people } = pageSchema.parse(await (await fetch(url)).json());
    db.transaction(() => {
      for (const { id, donorId } of people) {
        if (donorId === null) continue;
        donors.add(donorId);
        update.run(Date.now(), donorId, Date.now(), id);
      }
    })();
  }
  db.close();
  return donors.size;
}

async function measureCompares(neighbour: Neighbour, { settings }: Workplace) {
  const before = await countCompares(neighbour);
  const measurement = await measureSync(settings);
  return { ...measurement, compares: (await countCompares(neighbour)) - before };
}

const requestsSchema = z.object({ requests: z.array(z.object({ path: z.string() })) });

async function countCompares({ rootUrl }: Neighbour): Promise<number> {
  const reply = await fetch(`${rootUrl}/_sandbox/requests`);
  const { requests } = requestsSchema.parse(await reply.json());
  return requests.filter(({ path }) => path.endsWith('/networks/connections')).length;
}

function countPaths({ settings }: Workplace): number {
  const db = new Sqlite(join(settings, '..', 'store.db'));
  const row = db.prepare('select count(introducer_id) as count from warm_paths').get();
  db.close();
  return z.object({ count: z.number() }).parse(row).count;
}

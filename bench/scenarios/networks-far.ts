/**
 * Measures networks, warm paths and `holds --show` with a Salesforce org and a service to which requests take a long
 * time.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { withCrm } from '../crm.ts';
import { atLeast, atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { type Measurement, measureSync, spent } from '../measured-sync.ts';
import { startNeighbour } from '../neighbour.ts';
import { PROGRAM } from '../program.ts';
import { DOCUMENTED } from '../with-workplace.ts';

const LATENCY_MS = 300;
const CONTACTS = 5_000;
const HELD = 200;

/** The number of donors in a comparison, and of jobs in a request for results (service document, section 8). */
const DONORS_PER_REQUEST = 100;
const JOBS_PER_REQUEST = 10;

/** The number of requests for the balance, the list of networks, the description of Contact, and similar data. */
const OTHER_ROUND_TRIPS = 10;

export const networksFar: Scenario = {
  name: 'networks-far',
  title: `${CONTACTS} contacts with warm paths and ${HELD} holds, CRM and service ${LATENCY_MS} ms away`,
  measure: measureNetworks,
};

async function measureNetworks(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-networks-'));
  const limits = { ...DOCUMENTED, jobTimeMs: 0 };
  const service = await startNeighbour({ donors: CONTACTS, ...limits, latencyMs: LATENCY_MS });
  try {
    const flags = { contacts: CONTACTS, latency: LATENCY_MS };
    return await withCrm('salesforce', flags, async ({ baseUrl, token }) => {
      const settings = join(folder, 'donor-sync.yaml');
      const database = join(folder, 'store.db');
      const write = (extra: string) => {
        const crm = `{ kind: salesforce, url: "${baseUrl}", auth: { type: token, token: "${token}" } }`;
        const partner = `{ baseUrl: "${service.baseUrl}", apiKey: "${service.apiKey}" }`;
        return writeFile(settings, settingsFor(partner, crm, extra));
      };
      await write('budget: { perRun: 200 }');
      // The sync stops with `incomplete`, because it reaches the budget.
      await measureSync(settings, PROGRAM, 'incomplete');
      await identifyEverybody(baseUrl, database);
      await write(MIRRORED);
      const mirrored = await measureSync(settings);
      await write(MIRRORED.replace('false', 'true'));
      const paths = await measureSync(settings);
      const quiet = await measureSync(settings);
      const members = countMembers(database);
      holdSome(database);
      return [
        atLeast('members of the network', members, '', 100),
        // Each bulk add waits for the previous bulk add, and for the request for the balance that proves its cost.
        ...figuresOf('networks', mirrored, 0, 2 * Math.ceil(members / DONORS_PER_REQUEST)),
        ...figuresOf('warm paths', paths, CONTACTS / DONORS_PER_REQUEST),
        exactly('warm paths: credits', spent(paths), '', 0),
        ...figuresOf('a run without changes', quiet),
        ...(await measureHolds(settings)),
      ];
    });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const MIRRORED = `budget: { perRun: 0 }
    networks: [{ name: Board, group: { where: "LastName < 'D'" } }]
    insights: { enabled: false }`;

/** Returns settings. The donors of other contacts come from the stand-in, so only the held contacts cost credits. */
function settingsFor(partner: string, crm: string, extra: string): string {
  return `database: "sqlite:store.db"
integrations:
  - id: far
    partner: ${partner}
    crm: ${crm}
    guards: { trial: { size: 0 } }
    fields: [{ from: warmPath.introducer, to: Title }]
    ${extra}
`;
}

/** Compares a run with the shortest time that the service's rate limit and some consecutive requests allow. */
function figuresOf(
  name: string,
  { run, runSeconds }: Measurement,
  requests = 0,
  roundTrips = 0,
): Figure[] {
  const waits = ((roundTrips + OTHER_ROUND_TRIPS) * LATENCY_MS) / 1_000;
  const floor = requests / DOCUMENTED.rate + waits;
  return [
    { ...plain(`${name}: time`, runSeconds, 's'), goal: `floor ${round(floor)} s` },
    atMost(`${name}: time against the floor`, round(runSeconds / floor), '×', 1.5),
    plain(`${name}: requests to the service`, run.calls.partner, ''),
    plain(`${name}: requests to the CRM`, run.calls.crm, ''),
    exactly(`${name}: answers of 429`, run.calls.throttled, '', 0),
  ];
}

/** Measures the time for showing the names of all held contacts. */
async function measureHolds(settings: string): Promise<Figure[]> {
  const startedAt = performance.now();
  const words = ['holds', '--show', '--config', settings];
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const named = countNamed(await text(child.stdout));
  const seconds = (performance.now() - startedAt) / 1_000;
  const floor = HELD / JOBS_PER_REQUEST / DOCUMENTED.rate + (4 * LATENCY_MS) / 1_000;
  return [
    atLeast('holds with a name', named, '', HELD * 0.9),
    { ...plain('holds --show: time', round(seconds), 's'), goal: `floor ${round(floor)} s` },
    atMost('holds --show: time against the floor', round(seconds / floor), '×', 1.5),
  ];
}

/**
 * Counts the rows in which a name from the CRM is shown. A row with a name starts with the last characters of the
 * decision's ID.
 */
function countNamed(shown: string): number {
  const lines = shown.split('\n');
  const start = lines.findIndex((line) => /^Decision +In the CRM/.test(line));
  const column = lines[start]?.indexOf('In the CRM') ?? 0;
  const rows = start < 0 ? [] : lines.slice(start + 1);
  return rows.filter((line) => /^\S/.test(line) && /^\S/.test(line.slice(column))).length;
}

const PAGE_SIZE = 1_000;

const pageSchema = z.object({
  people: z.array(z.object({ id: z.string(), donorId: z.string().nullable() })),
});

/** Writes the donor of every contact to the database, as after years of syncing. */
async function identifyEverybody(baseUrl: string, database: string): Promise<void> {
  const db = new Sqlite(database);
  const update = db.prepare(
    `update contacts set state = 'settled', asked_identity = identity, last_credit = 'stands', asked_at = ?, donor_id = ?,
     enhanced_at = ?, due_reason = null, outcome_reason = 'fields_written' where crm_id = ?`,
  );
  for (let offset = 0; offset < CONTACTS; offset += PAGE_SIZE) {
    const url = new URL(`/_sandbox/people?limit=${PAGE_SIZE}&offset=${offset}`, baseUrl);
    const { people } = pageSchema.parse(await (await fetch(url)).json());
    for (const { id, donorId } of people) update.run(Date.now(), donorId, Date.now(), id);
  }
  db.close();
}

function countMembers(database: string): number {
  const db = new Sqlite(database);
  const row = db.prepare(`select count(*) as count from network_members`).get();
  db.close();
  return z.object({ count: z.number() }).parse(row).count;
}

/** Holds the enhanced contacts, as if their names had changed. */
function holdSome(database: string): void {
  const db = new Sqlite(database);
  db.prepare(
    `insert or ignore into questions (id, integration_id, crm_id, kind, tracking_id, opened_at)
     select tracking_id, integration_id, crm_id, 'name_mismatch', tracking_id, ? from jobs
     where job_id is not null limit ?`,
  ).run(Date.now(), HELD);
  db.close();
}

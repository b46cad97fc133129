import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { killUntilDone } from '../helpers/killed-sync.ts';
import { controlService } from '../helpers/service-control.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const CONTACTS = 80;

/**
 * The earliest moment of a kill, as a fraction of a process's whole duration. The latest moment is a separate time in
 * milliseconds.
 */
const EARLIEST_KILL_PART = 0.3;
const LATEST_KILL_MS = 3_000;

const KILLS_OF_A_NIGHT = 3;

/**
 * For each night, the contacts on the board and on the staff. Each pair of numbers is a range of positions in the file.
 */
const NIGHTS = [
  { board: [0, 30], staff: [20, 40] },
  { board: [5, 34], staff: [0, 40] },
  { board: [0, 20], staff: [16, 50] },
] as const;

const NO_MEMBERS = { board: [0, 0], staff: [0, 0] } as const;

/** The groups of one night. */
type Night = (typeof NIGHTS)[number] | typeof NO_MEMBERS;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

it('loses no member, no credit and no warm path, however often mirroring is killed', async () => {
  const service = await startPartnerSandbox({
    donors: 200,
    rate: 0,
    jobTimeMs: 0,
    networkJobTimeMs: 300,
  });
  cleanUps.push(service.close);
  const killed = await createPlace(service, service.apiKey);
  // A kill during a submission leaves contacts in holds. This test needs kills after the submission, so the submission
  // runs without kills.
  await killed.setGroups(NO_MEMBERS);
  await killed.sync(0);
  let kills = 0;
  let begun = 0;
  const members: Record<string, Set<string>> = { Board: new Set(), Staff: new Set() };
  for (const night of NIGHTS) {
    await killed.setGroups(night);
    kills += await killed.sync(KILLS_OF_A_NIGHT);
    await killed.sync(0);
    const wanted = killed.wanted();
    const present = await killedNetworks(service);
    for (const [name, donors] of Object.entries(wanted)) {
      expect([...(present[name] ?? [])].sort()).toEqual([...donors].sort());
      begun += [...donors].filter((donor) => !members[name]?.has(donor)).length;
      members[name] = donors;
    }
    expect(await spentOnNetworks(service)).toBe(begun);
  }

  const calm = await createPlace(
    service,
    await controlService(service).issueKey({ team: CALM_TEAM }),
  );
  await calm.setGroups(NIGHTS[2]);
  await calm.sync(0);
  expect(await killed.paths()).toEqual(await calm.paths());
  expect((await calm.paths()).filter(([, sentence]) => sentence !== '').length).toBeGreaterThan(5);
  expect(kills).toBeGreaterThan(0);
}, 240_000);

/** A CSV file, with its settings and its database. */
interface Place {
  setGroups(night: Night): Promise<void>;
  /** Runs a sync with at most this many kills. */
  sync(mostKills: number): Promise<number>;
  /** Returns the donors who should be in the network of each group. */
  wanted(): Record<string, Set<string>>;
  /** Returns each contact's warm path in the written file. */
  paths(): Promise<[id: string, sentence: string][]>;
}

async function createPlace(service: PartnerSandbox, apiKey: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-network-kill-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const settings = join(folder, 'donor-sync.yaml');
  await writeFile(settings, settingsFor(service, apiKey));
  const people = await peopleOf(service);
  const database = join(folder, 'store.db');
  let groups: Night = NO_MEMBERS;
  const isIn = (name: 'board' | 'staff', at: number) =>
    at >= groups[name][0] && at < groups[name][1];
  return {
    async setGroups(night) {
      groups = night;
      const rows = people.map((row, at) => ({
        ...row,
        Board: isIn('board', at) ? 'yes' : '',
        Staff: isIn('staff', at) ? 'yes' : '',
      }));
      await writeFile(join(folder, 'in.csv'), stringify(rows, { header: true }));
    },
    sync: (mostKills) => killUntilDone({ ...KILLS, settings, database }, mostKills),
    wanted() {
      const donors = donorsIn(database);
      const donorsOf = (name: 'board' | 'staff') =>
        new Set(people.flatMap(({ Id }, at) => (isIn(name, at) ? (donors.get(Id) ?? []) : [])));
      return { Board: donorsOf('board'), Staff: donorsOf('staff') };
    },
    async paths() {
      const text = await readFile(join(folder, 'out.csv'), 'utf8');
      const rows = rowsSchema.parse(parse(text, { columns: true }));
      return rows.map((row) => [row['Id'] ?? '', row['Warm Path'] ?? '']);
    },
  };
}

const KILLS = {
  program: PROGRAM,
  random: () => EARLIEST_KILL_PART + (1 - EARLIEST_KILL_PART) * Math.random(),
  latestKillMs: LATEST_KILL_MS,
};

function settingsFor({ baseUrl }: PartnerSandbox, apiKey: string): string {
  return `database: "sqlite:store.db"
integrations:
  - id: kill
    partner: { baseUrl: "${baseUrl}", apiKey: "${apiKey}" }
    crm:
      kind: csv
      path: in.csv
      output: out.csv
      columns: { id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] }
    settleAfterMs: 300
    networks:
      - { name: Board, group: { column: Board, equals: "yes" } }
      - { name: Staff, group: { column: Staff, equals: "yes" } }
`;
}

const rowsSchema = z.array(z.record(z.string(), z.string()));
const donorSchema = z.object({ crm_id: z.string(), donor_id: z.string() });
const networksSchema = z.object({
  networks: z.array(
    z.object({ name: z.string(), team: z.string(), member_ids: z.array(z.string()) }),
  ),
});
const chargesSchema = z.object({
  ledger: z.array(z.object({ amount: z.number() })),
});

async function peopleOf({ rootUrl }: PartnerSandbox) {
  const people = await controlService({ rootUrl }).people(CONTACTS);
  return people.map((person) => ({
    Id: person.id,
    First: person.firstName ?? '',
    Last: person.lastName ?? '',
    Address: person.addresses[0] ?? '',
    Employer: person.employers[0] ?? '',
  }));
}

function donorsIn(database: string): Map<string, string> {
  const db = new Sqlite(database, { readonly: true });
  try {
    const rows = db
      .prepare('select crm_id, donor_id from contacts where donor_id is not null')
      .all()
      .map((row) => donorSchema.parse(row));
    return new Map(rows.map((row) => [row.crm_id, row.donor_id]));
  } finally {
    db.close();
  }
}

/** A separate team, with separate networks, whose syncs are not killed. */
const CALM_TEAM = 'team-calm';

/** Returns the members of the other team's networks, by name. */
async function killedNetworks({ rootUrl }: PartnerSandbox): Promise<Record<string, string[]>> {
  const reply = await fetch(`${rootUrl}/_sandbox/networks`);
  const { networks } = networksSchema.parse(await reply.json());
  return Object.fromEntries(
    networks
      .filter(({ team }) => team !== CALM_TEAM)
      .map(({ name, member_ids: memberIds }) => [name, memberIds]),
  );
}

async function spentOnNetworks({ rootUrl }: PartnerSandbox): Promise<number> {
  const reply = await fetch(`${rootUrl}/_sandbox/ledger?bucket=networks`);
  const { ledger } = chargesSchema.parse(await reply.json());
  return ledger.reduce((sum, { amount }) => sum + amount, 0);
}

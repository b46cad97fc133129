/** Creates a small nonprofit for one failpoint, with its CRM, its key for the service, and its settings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { World } from '../../people/world.ts';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import type { PartnerSandbox } from '../../sandbox/partner/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { builtProgram } from '../helpers/built-program.ts';
import { controlService } from '../helpers/service-control.ts';

export const KINDS = ['csv', 'salesforce', 'hubspot'] as const;

export type Kind = (typeof KINDS)[number];

/** Values of managed fields, by contact. */
export type Values = Map<string, Record<string, string>>;

/** The nonprofit's data after all work is done. */
export interface Books {
  values: Values;
  /** Donors by network name. */
  networks: Map<string, string[]>;
  /** Credits by bucket. */
  spent: Record<string, number>;
}

export interface Nonprofit {
  /** The SQLite file of the product. */
  database: string;
  /** Runs a command in a separate process. */
  run(args: readonly string[], env?: Record<string, string>): Promise<End>;
  books(): Promise<Books>;
  close(): Promise<void>;
}

/** The end of a process. */
export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

/** A CRM, and the part of the settings that describes it. */
interface Crm {
  settings: string;
  groups: string;
  values(): Promise<Values>;
  close(): Promise<void>;
}

const PRELOAD = join(import.meta.dirname, 'preload.ts');
const CONTACTS = 30;

export interface NonprofitOptions {
  kind: Kind;
  world: World;
  service: PartnerSandbox;
  /** Only this nonprofit uses the folder. */
  folder: string;
  /** The database of a CRM whose fields already exist. If undefined, the fields are created. */
  crmDatabase: string | undefined;
}

export async function openNonprofit(options: NonprofitOptions): Promise<Nonprofit> {
  const { service, folder, crmDatabase } = options;
  await mkdir(folder, { recursive: true });
  if (crmDatabase !== undefined) await copyFile(crmDatabase, join(folder, 'crm.db'));
  const team = `team of ${folder}`;
  const apiKey = await controlService(service).issueKey({ team });
  const crm = await openCrm(options);
  await writeFile(join(folder, 'donor-sync.yaml'), settingsOf(service, apiKey, crm));
  return {
    database: join(folder, 'store.db'),
    run: (args, env = {}) => runProgram(folder, args, env),
    books: async () => ({ values: await crm.values(), ...(await booksOf(service, apiKey, team)) }),
    close: crm.close,
  };
}

function settingsOf(service: PartnerSandbox, apiKey: string, crm: Crm): string {
  return `database: "sqlite:store.db"
integrations:
  - id: riverside
    schedule: null
    partner: { baseUrl: "${service.baseUrl}", apiKey: "${apiKey}" }
    crm: ${crm.settings}
    networks:
      - { name: Board, color: teal, group: ${crm.groups} }
    guards: { trial: { size: 0 } }
    settleAfterMs: 200
`;
}

async function runProgram(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<End> {
  const child = spawn(process.execPath, [`--import=${PRELOAD}`, await builtProgram(), ...args], {
    cwd: folder,
    env: {
      ...process.env,
      DONOR_SYNC_CONFIG: join(folder, 'donor-sync.yaml'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { code: child.exitCode, signal: child.signalCode, output: stdout + stderr };
}

const ledgerSchema = z.object({
  ledger: z.array(z.object({ bucket: z.string(), amount: z.number() })),
});

const networksSchema = z.object({
  networks: z.array(
    z.object({ team: z.string(), name: z.string(), member_ids: z.array(z.string()) }),
  ),
});

async function booksOf(
  service: PartnerSandbox,
  apiKey: string,
  team: string,
): Promise<Omit<Books, 'values'>> {
  const read = async (path: string) => (await fetch(service.rootUrl + path)).json();
  const { ledger } = ledgerSchema.parse(await read(`/_sandbox/ledger?key=${apiKey}`));
  const spent: Record<string, number> = {};
  for (const { bucket, amount } of ledger) spent[bucket] = (spent[bucket] ?? 0) + amount;
  const { networks } = networksSchema.parse(await read('/_sandbox/networks'));
  const own = networks.filter((network) => network.team === team);
  return { spent, networks: new Map(own.map((each) => [each.name, each.member_ids.sort()])) };
}

function openCrm(options: NonprofitOptions): Promise<Crm> {
  if (options.kind === 'csv') return openCsv(options);
  return options.kind === 'salesforce' ? openSalesforce(options) : openHubspot(options);
}

async function openCsv({ folder, service }: NonprofitOptions): Promise<Crm> {
  const people = await controlService(service).people(CONTACTS);
  const rows = people.map(({ id, firstName, lastName, addresses, employers }, at) => ({
    Id: id,
    First: firstName,
    Last: lastName,
    Address: addresses[0] ?? '',
    Employer: employers[0] ?? '',
    Role: at % 3 === 0 ? 'Board' : '',
  }));
  await writeFile(join(folder, 'in.csv'), stringify(rows, { header: true }));
  const columns =
    '{ id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] }';
  return {
    settings: `{ kind: csv, path: in.csv, output: out.csv, columns: ${columns} }`,
    groups: '{ column: Role, equals: Board }',
    async values() {
      const output = await readFile(join(folder, 'out.csv'), 'utf8');
      const written = z
        .array(z.record(z.string(), z.string()))
        .parse(parse(output, { columns: true }));
      return new Map(written.map((row) => [row['Id'] ?? '', managed(row)]));
    },
    close: async () => {},
  };
}

async function openSalesforce({ world, folder }: NonprofitOptions): Promise<Crm> {
  const db = join(folder, 'crm.db');
  const org = await startSalesforceSandbox({ world, contacts: CONTACTS, db, bulkJobTimeMs: 5 });
  const fields = await managedFields('salesforce');
  const soql = `SELECT Id, ${fields.join(', ')} FROM Contact`;
  return {
    settings: `{ kind: salesforce, url: "${org.baseUrl}", auth: { type: token, token: "${org.token}" } }`,
    groups: '{ campaign: "Board of Directors" }',
    async values() {
      const url = `${org.baseUrl}/services/data/v64.0/query?q=${encodeURIComponent(soql)}`;
      const { records } = recordsSchema.parse(await ask(url, org.token));
      return new Map(records.map(({ Id, ...record }) => [String(Id), managed(record)]));
    },
    close: org.close,
  };
}

const recordsSchema = z.object({ records: z.array(z.record(z.string(), z.unknown())) });

async function openHubspot({ world, folder }: NonprofitOptions): Promise<Crm> {
  const db = join(folder, 'crm.db');
  const account = await startHubspotSandbox({
    world,
    contacts: CONTACTS,
    db,
    searchLagMs: 0,
    searchPerSecond: 0,
    ratePer10s: 0,
  });
  const fields = await managedFields('hubspot');
  return {
    settings: `{ kind: hubspot, url: "${account.baseUrl}", auth: { type: token, token: "${account.token}" } }`,
    groups: '{ list: "Board of Directors" }',
    async values() {
      const url = `${account.baseUrl}/crm/v3/objects/contacts?limit=100&properties=${fields.join(',')}`;
      const { results } = resultsSchema.parse(await ask(url, account.token));
      return new Map(results.map(({ id, properties }) => [id, managed(properties)]));
    },
    close: account.close,
  };
}

const resultsSchema = z.object({
  results: z.array(z.object({ id: z.string(), properties: z.record(z.string(), z.unknown()) })),
});

async function ask(url: string, token: string): Promise<unknown> {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

/** Returns the fields in the default map. */
async function managedFields(kind: Kind): Promise<string[]> {
  const file = join(import.meta.dirname, `../../config/fields.${kind}.json`);
  const map = z.array(z.object({ to: z.string() })).parse(JSON.parse(await readFile(file, 'utf8')));
  return map.map(({ to }) => to);
}

/** Returns the written values without the time, which differs from run to run. */
function managed(record: Record<string, unknown>): Record<string, string> {
  const isOurs = ([name, value]: [string, unknown]) =>
    /donor|warm/i.test(name) && !/enhanced|date/i.test(name) && value !== null && value !== '';
  return Object.fromEntries(
    Object.entries(record)
      .filter(isOurs)
      .map(([name, value]) => [name, String(value)]),
  );
}

/** SIGKILL at random moments of `forget`, and what is left of the person afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { z } from 'zod';
import { openDatabase } from '../src/store/database.ts';
import type { Tables } from '../src/store/tables.ts';
import { type CrmKind, withCrm } from './crm.ts';
import { type Neighbour, startNeighbour } from './neighbour.ts';
import { PROGRAM } from './program.ts';
import { createWorkplace } from './workplace.ts';

export type ForgetKind = CrmKind | 'csv';

/** The sums over all persons; what is not a plain count has to be nothing. */
export interface ForgetFigures {
  kills: number;
  persons: number;
  /** Values of ours in the CRM when all is done. */
  valuesLeft: number;
  /** Rows of the database that name the person when all is done. */
  rowsLeft: number;
  /** Values that a night between a kill and the repetition has written. */
  writtenBack: number;
  /** Receipts that do not say exactly what was cleared and proved. */
  untrueReceipts: number;
  /** Credits that further nights have spent. */
  creditsAfterwards: number;
}

/** Where the CRM's values are seen without the product. */
interface Place {
  folder: string;
  settings: string;
  database: string;
  secretKey: string;
  /** The fields of ours that a contact has. */
  ours(id: string): Promise<string[]>;
}

/** Nearly the whole time that the command takes. */
const LATEST_KILL_MS = 1_500;
const CONTACTS_FOR_ONE_ENHANCED = 2;

/** Forgets persons, each killed once at a random moment with a night after it, until so many kills are done. */
export async function killForgets(
  kind: ForgetKind,
  database: (name: string) => Promise<string>,
  wantedKills: number,
): Promise<ForgetFigures> {
  const contacts = wantedKills * CONTACTS_FOR_ONE_ENHANCED + 20;
  const service = await startNeighbour({ donors: contacts, rate: 0, burst: 10, jobTimeMs: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-forget-'));
  try {
    return await withPlace(kind, service, { folder, contacts, database }, (place) =>
      forgetAndKill(place, service, wantedKills),
    );
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function forgetAndKill(
  place: Place,
  service: Neighbour,
  wantedKills: number,
): Promise<ForgetFigures> {
  const sums: ForgetFigures = {
    ...{ kills: 0, persons: 0, valuesLeft: 0, rowsLeft: 0 },
    ...{ writtenBack: 0, untrueReceipts: 0, creditsAfterwards: 0 },
  };
  await run(place, ['migrate']);
  await run(place, ['fields', 'create', 'bench', '--json']);
  await run(place, ['sync']);
  const spent = await creditsOf(service);
  const erased: string[] = [];
  for (const id of await enhancedIds(place)) {
    if (sums.kills === wantedKills) break;
    const before = await place.ours(id);
    if (before.length === 0) continue;
    sums.persons += 1;
    erased.push(id);
    const args = ['forget', id, '--also-in-crm', '--yes', '--json'];
    if (await killed(place, args)) sums.kills += 1;
    const between = await place.ours(id);
    await run(place, ['sync', '--full']);
    const night = await place.ours(id);
    sums.writtenBack += night.filter((field) => !between.includes(field)).length;
    const { forget } = receiptSchema.parse(JSON.parse(await run(place, args)));
    const isTrue =
      forget.receipt.complete &&
      forget.receipt.crm.verified &&
      forget.receipt.erased['contacts'] === 1 &&
      forget.receipt.crm.cleared.length === before.length;
    if (!isTrue) sums.untrueReceipts += 1;
  }
  for (let night = 0; night < 2; night++) await run(place, ['sync', '--full']);
  for (const id of erased) {
    sums.valuesLeft += (await place.ours(id)).length;
    sums.rowsLeft += await rowsNaming(place, id);
  }
  sums.creditsAfterwards = (await creditsOf(service)) - spent;
  return sums;
}

const receiptSchema = z.object({
  forget: z.object({
    receipt: z.object({
      complete: z.boolean(),
      erased: z.record(z.string(), z.number()),
      crm: z.object({ cleared: z.array(z.string()), verified: z.boolean() }),
    }),
  }),
});

function start({ settings, secretKey }: Place, args: readonly string[]) {
  return spawn(process.execPath, [PROGRAM, ...args, '--config', settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DONOR_SYNC_SECRET_KEY: secretKey },
  });
}

/** Runs a command to its end; resolves with what it printed. */
async function run(place: Place, args: readonly string[]): Promise<string> {
  const child = start(place, args);
  const exited = once(child, 'exit');
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  if (code === 0) return printed;
  throw new Error(`${args.join(' ')} ended with code ${code}: ${complaint} ${printed}`);
}

/** True if it was killed before it came to its end. */
async function killed(place: Place, args: readonly string[]): Promise<boolean> {
  const child = start(place, args);
  const exited = once(child, 'exit');
  await Promise.race([sleep(Math.random() * LATEST_KILL_MS), exited]);
  child.kill('SIGKILL');
  const [, signal] = await exited;
  return signal === 'SIGKILL';
}

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

async function creditsOf({ rootUrl }: Neighbour): Promise<number> {
  const reply = await fetch(`${rootUrl}/_sandbox/ledger?bucket=enhancements`);
  return ledgerSchema.parse(await reply.json()).ledger.reduce((sum, one) => sum + one.amount, 0);
}

async function enhancedIds({ database }: Place): Promise<string[]> {
  const { db, close } = await openDatabase<Tables>(database);
  const rows = await db
    .selectFrom('contacts')
    .select('crm_id')
    .where('outcome_reason', '=', 'fields_written')
    .orderBy('crm_id')
    .execute();
  await close();
  return rows.map((row) => row.crm_id);
}

/** Rows of any table in which the id stands as a word of its own. */
async function rowsNaming({ database }: Place, id: string): Promise<number> {
  const { db, close } = await openDatabase<Tables>(database);
  const word = new RegExp(`(?<![A-Za-z0-9])${id}(?![A-Za-z0-9])`);
  let found = 0;
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    found += rows.filter((row) => word.test(JSON.stringify(row))).length;
  }
  await close();
  return found;
}

interface PlaceOptions {
  folder: string;
  contacts: number;
  database: (name: string) => Promise<string>;
}

/** A CRM of this kind with its settings. */
async function withPlace<Result>(
  kind: ForgetKind,
  service: Neighbour,
  { folder, contacts, database: createDatabase }: PlaceOptions,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const database = await createDatabase(join(folder, 'store.db'));
  const secretKey = Buffer.alloc(32, 7).toString('base64');
  const settings = join(folder, 'donor-sync.yaml');
  const common = { folder, settings, database, secretKey };
  const write = (crm: string) =>
    writeFile(settings, settingsFor(service, database, crm));
  if (kind === 'csv') {
    const list = await createWorkplace(service, contacts);
    await write(
      `{ kind: csv, path: ${list.input}, output: ${list.output}, columns: { id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] } }`,
    );
    try {
      return await work({ ...common, ours: (id) => oursInFile(list.output, id) });
    } finally {
      await list.remove();
    }
  }
  const flags: { contacts: number } & Record<string, number> =
    kind === 'hubspot' ? { contacts, rate: 0 } : { contacts };
  return withCrm(kind, flags, async ({ baseUrl, token }) => {
    const more = kind === 'hubspot' ? ', requestsPerTenSeconds: 0' : '';
    await write(`{ kind: ${kind}, url: "${baseUrl}", auth: { type: token, token: "${token}" }${more} }`);
    return work({ ...common, ours: (id) => oursInRecord(kind, baseUrl, id) });
  });
}

function settingsFor({ baseUrl, apiKey }: Neighbour, database: string, crm: string): string {
  return `database: "${database}"
integrations:
  - id: bench
    partner: { baseUrl: "${baseUrl}", apiKey: "${apiKey}" }
    crm: ${crm}
    settleAfterMs: 300
`;
}

const rowsSchema = z.array(z.record(z.string(), z.string()));

/** Fields that only donor-sync fills, in each kind of CRM. */
const OURS = /^donor[ _]/i;

async function oursInFile(output: string, id: string): Promise<string[]> {
  const rows = rowsSchema.parse(parse(await readFile(output, 'utf8'), { columns: true }));
  return filled(rows.find((row) => row['Id'] === id) ?? {});
}

const TYPES: Readonly<Record<CrmKind, string>> = { salesforce: 'Contact', hubspot: 'contacts' };
const recordSchema = z.record(z.string(), z.unknown());

async function oursInRecord(kind: CrmKind, baseUrl: string, id: string): Promise<string[]> {
  const root = new URL(baseUrl).origin;
  const reply = await fetch(`${root}/_sandbox/record/${TYPES[kind]}/${id}`);
  const record = recordSchema.parse(await reply.json());
  const properties = recordSchema.safeParse(record['properties']);
  return filled(properties.success ? properties.data : record);
}

function filled(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([field, value]) =>
    OURS.test(field) && value !== null && value !== undefined && value !== '' ? [field] : [],
  );
}

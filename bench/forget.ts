/** Kills `forget` with SIGKILL at random moments, and then checks whether any data about the person remains. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { type OpenDatabase, openDatabase } from '../src/database/database.ts';
import type { Tables } from '../src/database/tables/tables.ts';
import { type ForgetKind, type Place, withPlace } from './forget-places.ts';
import { type Neighbour, startNeighbour } from './neighbour.ts';
import { PROGRAM } from './program.ts';

/** The sums over all erased people, in which all figures except the plain counts must be zero. */
export interface ForgetFigures {
  kills: number;
  /** The number of kills that happened after the person was blocked. */
  killsAfterBlock: number;
  /** The number of donor-sync's values about the erased people that are still in the CRM at the end. */
  valuesLeft: number;
  /** The number of database rows and SQLite files that still contain an ID of the person or of the donor. */
  tracesLeft: number;
  /** The number of files that the connector has left next to its own files. */
  filesLeft: number;
  /** The number of the service's networks that still contain the donor. */
  networksLeft: number;
  /** The number of values that a later run has written again. */
  writtenBack: number;
  /** The number of receipts that do not describe exactly what was cleared and proved. */
  untrueReceipts: number;
  /** The credits that all nights spent. */
  credits: number;
  /** The number of erased people who came back with a new ID or through a merge. */
  cameBack: number;
  /** The number of people who came back but are not held. */
  notHeld: number;
}

const NIGHTS = 5;

/**
 * The time at which a command is killed, as a fraction of the previous command's duration. During its first seconds, a
 * command only starts and signs in. A command that ends before it is killed does not count.
 */
const FIRST_KILL = 0.7;
const LAST_KILL = 1.1;

const COME_BACK = 5;

/**
 * Erases people until the given number of commands has been killed. The benchmark kills each `forget` once at a random
 * moment, and then runs a sync.
 */
export async function killForgets(
  kind: ForgetKind,
  createDatabase: (path: string) => Promise<string>,
  kills: number,
): Promise<ForgetFigures> {
  // The service knows six of ten people, and some commands end before they are killed.
  const contacts = Math.ceil(kills * 2.2) + 30;
  const service = await startNeighbour({ donors: contacts, rate: 0, burst: 10, jobTimeMs: 0 });
  try {
    return await withPlace(kind, service, { contacts, createDatabase }, (place) =>
      forgetAndKill(place, service, kills),
    );
  } finally {
    await service.stop();
  }
}

/** An erased person. `donorId` is omitted if another contact is the same donor. */
interface Erased {
  id: string;
  donorId: string | null;
}

async function forgetAndKill(
  place: Place,
  service: Neighbour,
  wantedKills: number,
): Promise<ForgetFigures> {
  const sums = {
    kills: 0,
    killsAfterBlock: 0,
    valuesLeft: 0,
    tracesLeft: 0,
    filesLeft: 0,
    networksLeft: 0,
    writtenBack: 0,
    untrueReceipts: 0,
    cameBack: 0,
    notHeld: 0,
  };
  await run(place, ['migrate']);
  await run(place, ['fields', 'create', 'bench', '--json']);
  await run(place, ['sync']);
  const spent = await creditsOf(service);
  const [first, ...others] = await enhancedPeople(place);
  if (first === undefined) throw new Error('No contact was enhanced');
  let wholeMs = await measure(() => forget(place, first.id));
  const erased: Erased[] = [first];
  const spare: Erased[] = [];
  for (const person of others) {
    if (sums.kills === wantedKills) {
      spare.push(person);
      continue;
    }
    erased.push(person);
    const { id } = person;
    const before = await place.ours(id);
    const killedAtMs = wholeMs * (FIRST_KILL + Math.random() * (LAST_KILL - FIRST_KILL));
    if (await killed(place, forgetArgs(id), killedAtMs)) {
      sums.kills += 1;
      if ((await countBlocks(place)) === erased.length) sums.killsAfterBlock += 1;
    }
    sums.writtenBack += await writtenBackByNight(place, id);
    wholeMs = await measure(async () => {
      const receipt = await forget(place, id);
      if (!isTrue(receipt, before)) sums.untrueReceipts += 1;
    });
  }
  for (let night = 0; night < NIGHTS; night++) await run(place, ['sync', '--full']);
  for (const person of erased) {
    sums.valuesLeft += (await place.ours(person.id)).length;
    sums.tracesLeft += await tracesOf(place, person);
    sums.networksLeft += await networksOf(service, person);
  }
  sums.filesLeft = (await place.leftBeside()).length;
  const back = await comeBack(place, erased, spare);
  await run(place, ['sync', '--full']);
  sums.cameBack = back.length;
  sums.notHeld = back.length - (await countHeld(place, back));
  return { ...sums, credits: (await creditsOf(service)) - spent };
}

function forgetArgs(id: string): string[] {
  return ['forget', id, '--also-in-crm', '--yes', '--json'];
}

/** Returns the duration of the work (ms) under the current load of the machine. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function writtenBackByNight(place: Place, id: string): Promise<number> {
  const before = await place.ours(id);
  await run(place, ['sync', '--full']);
  return (await place.ours(id)).filter((field) => !before.includes(field)).length;
}

const receiptSchema = z.object({
  complete: z.boolean(),
  erased: z.record(z.string(), z.number()),
  crm: z.object({ cleared: z.array(z.string()), verified: z.boolean() }),
  pending: z.array(z.unknown()),
});

type Receipt = z.infer<typeof receiptSchema>;

const documentSchema = z.object({ forget: z.object({ receipt: receiptSchema }) });

async function forget(place: Place, id: string): Promise<Receipt> {
  return documentSchema.parse(JSON.parse(await run(place, forgetArgs(id)))).forget.receipt;
}

function isTrue({ complete, erased, crm, pending }: Receipt, before: readonly string[]): boolean {
  const isWhole = complete && crm.verified && pending.length === 0 && erased['contacts'] === 1;
  return isWhole && crm.cleared.toSorted().join() === before.toSorted().join();
}

/**
 * Makes some erased people come back with new IDs. If the CRM supports merges, makes others come back through a merge.
 */
async function comeBack(
  place: Place,
  erased: readonly Erased[],
  spare: readonly Erased[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const { id } of erased.slice(0, COME_BACK)) ids.push(await place.copy(id));
  const merged = erased.slice(COME_BACK, 2 * COME_BACK);
  for (const [at, { id }] of merged.entries()) {
    const winner = spare[at]?.id;
    if (winner !== undefined && place.merge) ids.push(await place.merge(id, winner));
  }
  return ids;
}

function start({ settings, secretKey }: Place, args: readonly string[]) {
  return spawn(process.execPath, [PROGRAM, ...args, '--config', settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DONOR_SYNC_SECRET_KEY: secretKey },
  });
}

/** Runs a command until the command ends, and returns its output. */
async function run(place: Place, args: readonly string[]): Promise<string> {
  const child = start(place, args);
  const exited = once(child, 'exit');
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  if (code === 0) return printed;
  throw new Error(`${args.join(' ')} ended with code ${code}: ${complaint} ${printed}`);
}

/** Runs a command and kills it after this time. Returns false if the command ended before this time. */
async function killed(place: Place, args: readonly string[], atMs: number): Promise<boolean> {
  const child = start(place, args);
  const exited = once(child, 'exit');
  await Promise.race([sleep(atMs), exited]);
  child.kill('SIGKILL');
  const [, signal] = await exited;
  return signal === 'SIGKILL';
}

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

async function creditsOf({ rootUrl }: Neighbour): Promise<number> {
  const reply = await fetch(`${rootUrl}/_sandbox/ledger?bucket=enhancements`);
  return ledgerSchema.parse(await reply.json()).ledger.reduce((sum, one) => sum + one.amount, 0);
}

const networksSchema = z.object({
  networks: z.array(z.object({ member_ids: z.array(z.string()) })),
});

async function networksOf({ rootUrl }: Neighbour, { donorId }: Erased): Promise<number> {
  if (donorId === null) return 0;
  const reply = await fetch(`${rootUrl}/_sandbox/networks`);
  const { networks } = networksSchema.parse(await reply.json());
  return networks.filter(({ member_ids: members }) => members.includes(donorId)).length;
}

async function withDatabase<Result>(
  { database }: Pick<Place, 'database'>,
  work: (db: OpenDatabase<Tables>['db']) => Promise<Result>,
): Promise<Result> {
  const { db, close } = await openDatabase<Tables>(database);
  try {
    return await work(db);
  } finally {
    await close();
  }
}

function enhancedPeople(place: Place): Promise<Erased[]> {
  return withDatabase(place, async (db) => {
    const rows = await db
      .selectFrom('contacts')
      .select(['crm_id', 'donor_id', 'outcome_reason'])
      .orderBy('crm_id')
      .execute();
    const isOnly = (id: string | null) => rows.filter((row) => row.donor_id === id).length === 1;
    return rows.flatMap(({ crm_id: id, donor_id: donorId, outcome_reason: reason }) =>
      reason === 'fields_written' ? { id, donorId: isOnly(donorId) ? donorId : null } : [],
    );
  });
}

function countBlocks(place: Place): Promise<number> {
  return withDatabase(place, async (db) => {
    const rows = await db.selectFrom('forgotten').select('crm_id_fingerprint').execute();
    return rows.length;
  });
}

function countHeld(place: Place, ids: readonly string[]): Promise<number> {
  return withDatabase(place, async (db) => {
    const rows = await db
      .selectFrom('contacts')
      .innerJoin('questions', (join) =>
        join
          .onRef('questions.integration_id', '=', 'contacts.integration_id')
          .onRef('questions.crm_id', '=', 'contacts.crm_id'),
      )
      .select('contacts.crm_id')
      .where('contacts.crm_id', 'in', ids)
      .where('contacts.outcome_reason', '=', 'forgotten_person')
      .where('questions.kind', '=', 'forgotten_person')
      .where('questions.decided_at', 'is', null)
      .execute();
    return rows.length;
  });
}

/**
 * Returns the number of rows in all tables that contain an ID as a separate word, plus the number of SQLite files that
 * contain an ID.
 */
async function tracesOf(place: Place, { id, donorId }: Erased): Promise<number> {
  const ids = [id, ...(donorId === null ? [] : [donorId])];
  // An ID that consists of digits must match neither a part of a UUID nor a number in a report.
  const words = ids.map((each) => new RegExp(`(?<![\\w:.,-])${each}(?![\\w-])`));
  const rows = await withDatabase(place, async (db) => {
    let found = 0;
    for (const { name } of await db.introspection.getTables()) {
      const { rows: all } = await sql`select * from ${sql.table(name)}`.execute(db);
      found += all.filter((row) => words.some((word) => word.test(JSON.stringify(row)))).length;
    }
    return found;
  });
  const texts = await databaseTexts(place);
  const telling = ids.filter((each) => each.length >= TELLING_LENGTH);
  return rows + texts.filter((each) => telling.some((one) => each.includes(one))).length;
}

/** The minimum length of an ID to search for in files. A shorter ID can occur in a file by chance. */
const TELLING_LENGTH = 8;

/** Returns the bytes of an SQLite database and of SQLite's additional files. */
async function databaseTexts({ database }: Place): Promise<string[]> {
  if (!database.startsWith('sqlite:')) return [];
  const path = database.slice('sqlite:'.length);
  const names = await readdir(dirname(path));
  const own = names.filter((name) => name.startsWith(basename(path)));
  return Promise.all(own.map((name) => readFile(join(dirname(path), name), 'latin1')));
}

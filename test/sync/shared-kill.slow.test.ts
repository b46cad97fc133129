import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { stringify } from 'csv-stringify/sync';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { EXIT_CODES } from '../../src/interfaces/cli/terminal/output.ts';
import { readBooks } from '../helpers/killed-sync.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const INTEGRATIONS = ['riverside', 'lakeside'];
const CONTACTS = 150;
const KILLS_OF_EACH = 5;
const LATEST_KILL_MS = 2_500;

/** A sync that needs more starts than this is stuck. */
const MAX_STARTS = 60;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const personSchema = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
});
const peopleSchema = z.object({ people: z.array(personSchema) });
const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

it('pays for a person of two integrations once, however often both processes are killed', async () => {
  const service = await startPartnerSandbox({ donors: 1_000, rate: 0, jobTimeMs: 300 });
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-shared-kill-'));
  cleanUps.push(service.close, () => rm(folder, { recursive: true, force: true }));
  const settings = await writeWorkplace(folder, service);

  await Promise.all(INTEGRATIONS.map((id) => killUntilDone(settings, id)));

  const database = join(folder, 'store.db');
  const reply = await fetch(`${service.rootUrl}/_sandbox/ledger?bucket=enhancements`);
  const { ledger } = ledgerSchema.parse(await reply.json());
  const charged = ledger.reduce((sum, { amount }) => sum + amount, 0);
  const paid = query(database, PAID).map(({ person }) => person);
  expect(paid).toHaveLength(charged);
  expect(new Set(paid).size).toBe(charged);
  const { outcomes, openSubmissions } = readBooks(database);
  expect(openSubmissions).toBe(0);
  expect([...outcomes.values()].reduce((a, b) => a + b, 0)).toBe(2 * CONTACTS);
  expect([...outcomes.keys()].filter((reason) => /pending|running|busy/.test(reason))).toEqual([]);
  expect(query(database, DIFFERENTLY_ENDED)).toEqual([]);
}, 240_000);

const PAID = "select person from jobs where shared_from is null and state <> 'unpaid'";

/** Finds people whose profile was delivered to one contact but not to a different contact of the same person. */
const DIFFERENTLY_ENDED = `
  select person from jobs join contacts using (integration_id, crm_id)
  group by person having count(distinct coalesce(donor_id, '')) > 1`;

const rowSchema = z.object({ person: z.string() });

function query(database: string, sql: string): z.infer<typeof rowSchema>[] {
  const db = new Sqlite(database, { readonly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => rowSchema.parse(row));
  } finally {
    db.close();
  }
}

/** Syncs a client and kills the process at random moments, until a process finishes before the test can kill it. */
async function killUntilDone(settings: string, integration: string): Promise<void> {
  for (let start = 0; start < MAX_STARTS; start++) {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'sync', integration, '--json', '--config', settings],
      { stdio: 'ignore' },
    );
    const exited = once(child, 'exit');
    if (start < KILLS_OF_EACH) {
      await Promise.race([sleep(Math.random() * LATEST_KILL_MS), exited]);
      child.kill('SIGKILL');
    }
    const [code, signal] = await exited;
    if (code === EXIT_CODES.done && start >= KILLS_OF_EACH) return;
    // The other client's process may still be settling the open submissions of this process.
    const mayGoOn = signal === 'SIGKILL' || code === EXIT_CODES.done || code === EXIT_CODES.stopped;
    if (!mayGoOn) throw new Error(`The sync of ${integration} ended with code ${code}`);
  }
  throw new Error(`The sync of ${integration} never came to its end`);
}

const COLUMNS = {
  id: 'Id',
  firstName: 'First',
  lastName: 'Last',
  addresses: ['Address'],
  employers: ['Employer'],
};

async function writeWorkplace(
  folder: string,
  service: { rootUrl: string; baseUrl: string; apiKey: string },
): Promise<string> {
  const reply = await fetch(`${service.rootUrl}/_sandbox/people?limit=${CONTACTS}`);
  const { people } = peopleSchema.parse(await reply.json());
  const rows = people.map((person) => ({
    Id: person.id,
    First: person.firstName,
    Last: person.lastName,
    Address: person.addresses[0] ?? '',
    Employer: person.employers[0] ?? '',
  }));
  await writeFile(join(folder, 'in.csv'), stringify(rows, { header: true }));
  const settings = join(folder, 'donor-sync.yaml');
  const integrations = INTEGRATIONS.map((id) => ({
    id,
    partner: { baseUrl: service.baseUrl, apiKey: service.apiKey },
    crm: { kind: 'csv', path: 'in.csv', output: `${id}.csv`, columns: COLUMNS },
    settleAfterMs: 300,
  }));
  // Every JSON document is also valid YAML.
  await writeFile(settings, JSON.stringify({ database: 'sqlite:store.db', integrations }));
  return settings;
}

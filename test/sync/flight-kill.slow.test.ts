import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { afterEach, expect, it } from 'vitest';
import { startPartnerSandbox } from '../../service/index.ts';
import { killUntilDone, readBooks } from '../helpers/killed-sync.ts';
import { controlService } from '../helpers/service-control.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const CONTACTS = 1_500;
const KILLS = 8;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

it('pays for each contact once, however often it is killed with several submissions under way', async () => {
  const limits = { rate: 0, jobTimeMs: 300, submitLatencyMs: 4_000 };
  const sandbox = await startPartnerSandbox({ donors: 2_000, ...limits });
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-flight-'));
  cleanUps.push(sandbox.close, () => rm(folder, { recursive: true, force: true }));
  const service = controlService(sandbox);
  const people = await service.people(CONTACTS);
  const rows = people.map(({ id, firstName, lastName, addresses }) => ({
    Id: id,
    First: firstName,
    Last: lastName,
    Address: addresses[0] ?? '',
  }));
  await writeFile(join(folder, 'in.csv'), stringify(rows, { header: true }));
  const settings = join(folder, 'donor-sync.yaml');
  const columns = { id: 'Id', firstName: 'First', lastName: 'Last', addresses: ['Address'] };
  const { baseUrl, apiKey } = sandbox;
  const integration = {
    id: 'kill',
    partner: { baseUrl, apiKey },
    crm: { kind: 'csv', path: 'in.csv', output: 'out.csv', columns },
    guards: { trial: { size: 0 } },
    // A request is on its way for two seconds, also when its process is killed.
    settleAfterMs: 3_000,
  };
  // JSON is YAML.
  const all = { database: 'sqlite:store.db', integrations: [integration] };
  await writeFile(settings, JSON.stringify(all));

  const database = join(folder, 'store.db');
  const sync = { program: PROGRAM, settings, database, random: Math.random, latestKillMs: 12_000 };
  const kills = await killUntilDone(sync, KILLS);

  const books = readBooks(database);
  expect(kills).toBeGreaterThan(0);
  expect(books.mostOpen).toBeGreaterThanOrEqual(3);
  expect(books.paidTwice).toEqual([]);
  expect(books.openSubmissions).toBe(0);
  expect(books.charged).toBe(await service.spent());
  expect(books.paidJobs).toBeGreaterThanOrEqual(books.charged);
  expect([...books.outcomes.values()].reduce((a, b) => a + b, 0)).toBe(CONTACTS);
  const waits = [...books.outcomes.keys()].filter((reason) => /pending|running|busy/.test(reason));
  expect(waits).toEqual([]);
}, 240_000);

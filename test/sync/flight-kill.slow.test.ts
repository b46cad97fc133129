import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { openCsvFolder } from '../helpers/csv-folder.ts';
import { killUntilDone, readBooks } from '../helpers/killed-sync.ts';

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
  const { folder, settings, service, remove } = await openCsvFolder(sandbox, {
    people: CONTACTS,
    // A request takes two seconds to arrive, even if its process is killed.
    integration: { id: 'kill', guards: { trial: { size: 0 } }, settleAfterMs: 3_000 },
  });
  cleanUps.push(sandbox.close, remove);

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

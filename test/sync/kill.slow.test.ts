import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { openCsvFolder } from '../helpers/csv-folder.ts';
import { killUntilDone, readBooks } from '../helpers/killed-sync.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const CONTACTS = 300;
const KILLS = 8;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const rowsSchema = z.array(z.record(z.string(), z.string()));

// `npm run bench -- kill` is the long version, with 200 kills and 1,000 contacts.
it('pays for each contact once, however often the sync is killed', async () => {
  const sandbox = await startPartnerSandbox({ donors: 1_000, rate: 0, jobTimeMs: 300 });
  const { folder, settings, service, remove } = await openCsvFolder(sandbox, {
    people: CONTACTS,
    integration: { id: 'kill', settleAfterMs: 300 },
  });
  cleanUps.push(sandbox.close, remove);

  const kills = await killUntilDone(
    {
      program: PROGRAM,
      settings,
      database: join(folder, 'store.db'),
      random: Math.random,
      latestKillMs: 2_500,
    },
    KILLS,
  );

  const books = readBooks(join(folder, 'store.db'));
  const charged = await service.spent();
  const output = rowsSchema.parse(
    parse(await readFile(join(folder, 'out.csv'), 'utf8'), { columns: true }),
  );
  expect(books.paidTwice).toEqual([]);
  expect(books.paidJobs).toBe(charged);
  expect(books.openSubmissions).toBe(0);
  expect([...books.outcomes.values()].reduce((a, b) => a + b, 0)).toBe(CONTACTS);
  for (const [reason, count] of books.outcomes) {
    const waits = /pending|running|busy/.test(reason);
    expect({ reason, count, waits }).toMatchObject({ waits: false });
  }
  // Every delivered profile is in the file, even if a killed process wrote it.
  const delivered =
    (books.outcomes.get('fields_written') ?? 0) + (books.outcomes.get('values_equal') ?? 0);
  const freshlyDelivered = delivered + (books.outcomes.get('profile_fresh') ?? 0);
  expect(output.filter((row) => row['Donor ID'])).toHaveLength(freshlyDelivered);
  expect(kills).toBeGreaterThan(0);
}, 120_000);

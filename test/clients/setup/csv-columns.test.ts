import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { guessColumns } from '../../../src/clients/setup/csv-columns.ts';
import { readCsvHeader } from '../../../src/clients/setup/csv-header.ts';
import { startCpuTime } from '../../helpers/cpu-time.ts';

it('the set-up reads a header with 25,000 brackets quickly, and offers no column for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-header-'));
  const file = join(folder, 'a.csv');
  await writeFile(file, `Id,First,Last,${'('.repeat(25_000)}\n1,Ada,Marlowe,x\n`);
  const worked = startCpuTime();
  const header = await readCsvHeader(file, folder);
  expect(header).toMatchObject({ columns: ['Id', 'First', 'Last'] });
  guessColumns(['Id', 'First', 'Last', '('.repeat(60_000)]);
  expect(worked()).toBeLessThan(1_000);
  await rm(folder, { recursive: true });
});

it.each([
  [
    'a first line without end',
    `Id,First,Last,${'('.repeat(70_000)}\n1,Ada,Marlowe,x\n`,
    'too long',
  ],
  ['1,001 columns', `Id,${'Column,'.repeat(999)}Last\n1,Ada,Marlowe\n`, '1,000 columns'],
])('refuses a file with %s, before it looks at any column', async (_, text, problem) => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-header-'));
  const file = join(folder, 'a.csv');
  await writeFile(file, text);
  expect(await readCsvHeader(file, folder)).toEqual({ problem: expect.stringContaining(problem) });
  await writeFile(file, text.replace('Column,', '').replace('('.repeat(70_000), 'More'));
  expect(await readCsvHeader(file, folder)).toMatchObject({ encoding: 'utf-8' });
  await rm(folder, { recursive: true });
});

it('finds columns whose names have remarks in brackets', () => {
  expect(
    guessColumns(['Donor ID (key)', 'First Name (legal)', 'Last Name', 'a) (b']),
  ).toMatchObject({
    ...{ id: 'Donor ID (key)', firstName: 'First Name (legal)', lastName: 'Last Name' },
  });
});

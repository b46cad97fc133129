import { readFile, rm, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { runsSchema } from '../documents.ts';

const open = closedAfterTest(openCliWorld);

/** Opens a file that has the charity's own columns "Donor ID" and "Donor Net Worth". */
async function openOwn(): Promise<CliWorld> {
  const here = await open({ people: 40 });
  const rows = await here.rows();
  await here.saveRows(
    rows.map(({ Id = '', ...row }, at) => ({
      'Donor ID': `D-${Id}`,
      ...row,
      'Donor Net Worth': ['High', 'Middle', ''][at % 3] ?? '',
    })),
  );
  return here;
}

const INIT = [
  'init',
  '--yes',
  '--force',
  '--crm',
  'csv',
  '--csv-path',
  'riverside.csv',
  '--csv-output',
  'out.csv',
  '--id',
  'riverside',
];

/** Runs init with the test's service. Deletes existing settings first, unless `kept` is true. */
async function init(here: CliWorld, { kept = true } = {}) {
  const url = new URL(here.service.baseUrl).href;
  if (!kept) await rm(here.path('donor-sync.yaml'));
  return here.run([...INIT, '--partner-url', url]);
}

it('leaves columns of the file alone that are called like ours, and says how ours are called', async () => {
  const here = await openOwn();
  const { exitCode, stdout, stderr } = await init(here, { kept: false });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'already has a column "Donor ID", which stays as it is. donor-sync\'s column is called "Donor ID (service)"',
  );
  expect(stdout).toContain('donor-sync\'s column is called "Donor Net Worth (service)"');
  const settings = await readFile(here.path('donor-sync.yaml'), 'utf8');
  expect(settings).toContain('id: "Donor ID"');
  const synced = await here.run(['sync', '--json']);
  expect(synced.exitCode).toBe(0);
  const written = runsSchema.parse(JSON.parse(synced.stdout)).runs[0]?.contacts.written ?? 0;
  expect(written).toBeGreaterThan(30);
  const rows = await here.rows('out.csv');
  const before = await here.rows();
  expect(rows.map((row) => row['Donor ID'])).toEqual(before.map((row) => row['Donor ID']));
  expect(rows.map((row) => row['Donor Net Worth'])).toEqual(
    before.map((row) => row['Donor Net Worth']),
  );
  const ids = rows.map((row) => row['Donor ID (service)'] ?? '');
  expect(ids.filter((id) => /^[0-9a-f]{32}$/.test(id))).toHaveLength(written);
  const runs = await here.run(['runs', '--reasons']);
  expect(runs.stdout).not.toContain('some did not fit');
});

it('takes its own columns for its own when it is run again, over its own output too', async () => {
  const here = await open({ people: 30 });
  expect((await init(here, { kept: false })).exitCode).toBe(0);
  expect((await here.run(['sync', '--json'])).exitCode).toBe(0);
  await writeFile(here.path('riverside.csv'), await readFile(here.path('out.csv')));
  const again = await init(here);
  expect(again.stdout).not.toContain("donor-sync's column is called");
  expect(await readFile(here.path('donor-sync.yaml'), 'utf8')).not.toContain('(service)');
  // Even without the IDs, the earlier settings show who the column belongs to.
  const rows: Record<string, string>[] = parse(await readFile(here.path('out.csv')), {
    columns: true,
  });
  await here.saveRows(rows.map((row) => ({ ...row, 'Donor ID': '' })));
  expect((await init(here)).stdout).not.toContain("donor-sync's column is called");
});

it('leaves no value behind and pays for nothing twice where init was run twice over our own output', async () => {
  const here = await open({ people: 30 });
  await init(here, { kept: false });
  expect((await here.run(['sync', '--json'])).exitCode).toBe(0);
  const before = await here.rows('out.csv');
  const spent = await here.spent();
  expect(before.filter((row) => row['Donor ID'] !== '').length).toBeGreaterThan(20);
  for (const kept of [true, false]) {
    await writeFile(here.path('riverside.csv'), await readFile(here.path('out.csv')));
    expect((await init(here, { kept })).exitCode).toBe(0);
    expect((await here.run(['sync', '--json'])).exitCode).toBe(0);
    // No column occurs twice, and each row still has its own values.
    expect(await here.rows('out.csv')).toEqual(before);
  }
  expect(await here.spent()).toBe(spent);
});

it('and doctor show every column of the file, without a value where no terminal is', async () => {
  const here = await openOwn();
  const { stdout } = await init(here, { kept: false });
  expect(stdout).toContain('The columns of the file:');
  expect(stdout).toMatch(/Donor Net Worth +not used +1 word/);
  expect(stdout).toMatch(/Address +address +street/);
  const [first] = await here.rows();
  expect(stdout).not.toContain(first?.['Address'] ?? 'an address');
  const doctor = await here.run(['doctor']);
  expect(doctor.stdout).toContain('columns not read');
  expect(doctor.stdout).toContain('"Donor Net Worth" (1 word)');
  expect(doctor.stdout).toContain('"Address" (address)');
  expect(doctor.stdout).toContain(
    'marks: no column of the file marks contacts that have opted out',
  );
});

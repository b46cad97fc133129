import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInitWorld } from './init-world.ts';

it.each([
  ['Where They Live', true],
  ['Home Address', false],
])(
  'init says if it has found no addresses, so that none are left out unseen (%s)',
  async (column, isSaid) => {
    const world = await openInitWorld();
    await world.write('people.csv', `Id,First,Last,${column}\n1,Ann,Lee,"1 Elm St, Rome"\n`);
    const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', 'people.csv', '--name', 'West'];
    const { exitCode, stdout } = await world.start(argv).ended;
    expect(exitCode).toBe(0);
    expect(stdout.includes('No address column is used')).toBe(isSaid);
  },
);

it.each([
  ['Place of work', true],
  ['Employer', false],
])('init says the price of a file without an employer (%s)', async (column, isSaid) => {
  const world = await openInitWorld();
  await world.write('people.csv', `Id,First,Last,City,${column}\n1,Ann,Lee,Rome,Acme\n`);
  const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', 'people.csv', '--name', 'West'];
  const { exitCode, stdout } = await world.start(argv).ended;
  expect(exitCode).toBe(0);
  expect(stdout.includes('No employer column is used')).toBe(isSaid);
  expect(/fewer of the contacts that have a common name/.test(stdout)).toBe(isSaid);
});

it('init names the words of a mark that it does not know, with their counts', async () => {
  const world = await openInitWorld();
  const rows = ['lebt', 'lebt', 'Nein'].map((word, at) => `${at},Ann,Lee,${word}`);
  await world.write('people.csv', `Id,Vorname,Nachname,Verstorben\n${rows.join('\n')}\n`);
  const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', 'people.csv', '--name', 'West'];
  const { exitCode, stderr } = await world.start(argv).ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('"lebt" (2)');
  expect(stderr).toContain('contacts.deceasedValues');
  expect(stderr).not.toContain('Nein');
});

it('init says which marks a file lacks, and that an address has no street', async () => {
  const world = await openInitWorld();
  await world.write('people.csv', 'Id,Fornavn,Etternavn,Postnummer\n1,Bjørg,Haugen,0150\n');
  const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', 'people.csv', '--name', 'West'];
  const { exitCode, stdout } = await world.start(argv).ended;
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'No column of the file marks contacts that have opted out, deceased contacts, or contacts that must not be contacted',
  );
  expect(stdout).toContain('The address has no street, only "Postnummer"');
});

const LAYOUTS = join(import.meta.dirname, '../../../fixtures/csv/layouts');

it('init says of an export that lacks an address what that costs, and what else it lacks', async () => {
  const world = await openInitWorld();
  const file = join(LAYOUTS, '42-bloomerang-constituents.csv');
  const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', file, '--csv-output', 'out.csv'];
  const { exitCode, stdout } = await world.start([...argv, '--name', 'West']).ended;
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'No address column is used, so the service then recognises fewer contacts, and a contact that it does not recognise still costs one credit',
  );
  expect(stdout).not.toContain('No employer column is used');
  expect(stdout).toContain(
    '"Communication Restrictions" marks 3 contacts that must not be contacted',
  );
});

it('init says of an export without ids that none of its columns has one, and which comes near', async () => {
  const world = await openInitWorld();
  const file = join(LAYOUTS, '48-stripe-card-export.csv');
  const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', file, '--csv-output', 'out.csv'];
  const { exitCode, stderr } = await world.start([...argv, '--name', 'West']).ended;
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('--csv-id is needed');
  expect(stderr).toContain('No column seems to hold an ID for each contact');
  expect(stderr).toContain('In 2 of the first 32 rows "ID" repeats the value of an earlier row');
});

import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { aWorkbook } from '../../../helpers/a-workbook.ts';
import { openInitWorld } from './init-world.ts';

const ROWS = [
  ['Constituent ID', 'First Name', 'Last Name', 'Street', 'City', 'Employer'],
  ['007', 'Ada', 'Vale', '1 Elm St', 'Ames', 'Acme'],
  ['008', 'Ben', 'Hill', '2 Elm St', 'Ames', ''],
];

it('takes a workbook and UTF-16 text, with a CSV file for the results', async () => {
  const world = await openInitWorld();
  await writeFile(world.path('donors.xlsx'), aWorkbook({ Notes: [['x']], Donors: ROWS }));
  const wide = ROWS.map((row) => row.join('\t')).join('\r\n');
  await writeFile(world.path('donors.txt'), Buffer.from(`\uFEFF${wide}`, 'utf16le'));
  for (const name of ['donors.xlsx', 'donors.txt']) {
    const argv = ['init', '--yes', '--force', '--crm', 'csv', '--csv-path', name];
    const { exitCode, stderr } = await world.start(argv).ended;
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(await world.read('donor-sync.yaml')).toContain('output: "donors-enhanced.csv"');
    const { integrations } = await world.load({
      PARTNER_API_KEY: 'k',
      PARTNER_BASE_URL: 'https://a.example',
    });
    expect(integrations[0]?.crm).toMatchObject({
      columns: { id: 'Constituent ID', addresses: ['Street', 'City'], employers: ['Employer'] },
    });
    const same = await world.start([...argv, '--csv-output', name]).ended;
    expect(same.stderr).toContain('which is never replaced');
  }
});

it('takes the sheet that is named, and refuses one that is not there', async () => {
  const world = await openInitWorld();
  await writeFile(
    world.path('a.xlsx'),
    aWorkbook({ One: ROWS, Two: [...ROWS].reverse().slice(2), Three: ROWS }),
  );
  const argv = ['init', '--yes', '--crm', 'csv', '--csv-path', 'a.xlsx', '--csv-sheet'];
  expect((await world.start([...argv, 'Four']).ended).stderr).toContain('has no sheet "Four"');
  await world.start([...argv, 'Three']).ended;
  expect(await world.read('donor-sync.yaml')).toContain('sheet: "Three"');
});

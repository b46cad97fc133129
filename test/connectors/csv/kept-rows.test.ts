import { expect, it } from 'vitest';
import { csvConnector } from '../../../connectors/csv/connector.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { connectorDeps } from '../connector-options.ts';
import { COLUMNS, type CsvFolder, openCsvFolder } from '../csv-folder.ts';

const open = closedAfterTest(openCsvFolder);

const HEADER = 'Id,First,Last,Street,City,Employer';

/** Writes the output as a run does at its end. The connector treats these contacts as existing. */
async function finish(folder: CsvFolder, present: readonly string[]): Promise<string[]> {
  const asked: string[] = [];
  const connector = await csvConnector.open({
    settings: csvConnector.settingsSchema.parse({
      ...{ kind: 'csv', columns: COLUMNS },
      path: folder.path('in.csv'),
      output: folder.path('out.csv'),
    }),
    contacts: { filter: null, optOutField: null },
    deps: {
      ...connectorDeps(),
      async countAsPresent(ids) {
        asked.push(...ids);
        return new Set(present.filter((id) => ids.includes(id)));
      },
    },
  });
  await connector.finish();
  await connector.close();
  return asked;
}

const rowOf = (id: string) => `${id},Ada,Byrd,1 Elm,Reno,Acme`;

it('keeps the rows of contacts that count as present, in their order, and changes nothing twice', async () => {
  const folder = await open();
  const output = ['a', 'b', 'c', 'd'].map((id) => `${rowOf(id)},donor-${id}`);
  await folder.write('out.csv', `${HEADER},Donor ID\n${output.join('\n')}\n`);
  // The last row of the input has no line ending.
  await folder.write('in.csv', `${HEADER}\n${rowOf('c')}`);
  expect(await finish(folder, ['d', 'a'])).toEqual(['a', 'b', 'd']);
  const [a, , c, d] = output;
  const kept = `${HEADER},Donor ID\n${c}\n${a}\n${d}\n`;
  expect(await folder.read('out.csv')).toBe(kept);
  await finish(folder, ['d', 'a']);
  expect(await folder.read('out.csv')).toBe(kept);
  await folder.save('in.csv', `${HEADER}\n${['a', 'b', 'c', 'd'].map(rowOf).join('\n')}\n`);
  await finish(folder, ['d', 'a']);
  expect((await folder.rows('out.csv')).map((row) => [row['Id'], row['Donor ID']])).toEqual([
    ['a', 'donor-a'],
    ['b', ''],
    ['c', 'donor-c'],
    ['d', 'donor-d'],
  ]);
});

it('asks nothing on an ordinary night', async () => {
  const folder = await open();
  await folder.write('out.csv', `${HEADER},Donor ID\n${rowOf('a')},donor-a\n`);
  await folder.write('in.csv', `${HEADER}\n${rowOf('a')}\n${rowOf('new')}\n`);
  expect(await finish(folder, ['a'])).toEqual([]);
});

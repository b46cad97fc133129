import { afterEach, beforeEach, expect, it } from 'vitest';
import { settingNames } from '../../../connectors/csv/setting-names.ts';
import { toArray } from '../connector-options.ts';
import { type CsvFolder, openCsvFolder } from '../csv-folder.ts';

let folder: CsvFolder;
beforeEach(async () => {
  folder = await openCsvFolder();
});
afterEach(() => folder.close());

it('tells columns of one name apart by their place', () => {
  expect(settingNames(['Id', 'City', 'Zip', 'City', '', ''])).toEqual([
    ...['Id', 'City (1)', 'Zip', 'City (2)', null, null],
  ]);
});

it('gives no column the name that another one has', () => {
  expect(settingNames(['City', 'City (1)', 'City'])).toEqual([null, 'City (1)', 'City (2)']);
});

it('reads contacts, employers and marks by the place of a column', async () => {
  await folder.write(
    'in.csv',
    'Id,Id,Name,City,City,Work,Work,Gone,Gone\r\na,7,Ada Vale,Ames,Bonn,Acme,Acme,no,no\r\nb,7,Ben Hill,,Cork,Acme,Beta,no,yes\r\n',
  );
  const columns = {
    ...{ id: 'Id (1)', fullName: 'Name', addresses: ['City (2)'] },
    employers: ['Work (1)', 'Work (2)'],
  };
  const connector = await folder.connector({
    settings: { columns, output: folder.path('out.csv') },
    contacts: { deceasedField: 'Gone (2)' },
  });
  const [page] = await toArray(connector.readPages(null));
  expect(page?.contacts).toMatchObject([
    { id: 'a', addresses: ['Bonn'], employers: ['Acme'], firstName: 'Ada' },
    { id: 'b', addresses: ['Cork'], employers: ['Acme', 'Beta'], excluded: 'deceased' },
  ]);
  await connector.createFields([{ name: 'Age', label: 'Age', type: 'number', description: '' }]);
  await toArray(connector.write([{ id: 'b', values: { Age: 57 } }]));
  await connector.finish();
  await connector.close();
  // The output keeps the file's own column names.
  expect(await folder.read('out.csv')).toBe(
    'Id,Id,Name,City,City,Work,Work,Gone,Gone,Age\r\na,7,Ada Vale,Ames,Bonn,Acme,Acme,no,no,\r\nb,7,Ben Hill,,Cork,Acme,Beta,no,yes,57\r\n',
  );
});

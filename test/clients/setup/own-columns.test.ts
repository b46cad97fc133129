import { expect, it, onTestFinished } from 'vitest';
import { findOwnColumns, readJournalColumns } from '../../../src/clients/setup/own-columns.ts';
import { openCsvFolder } from '../../connectors/csv-folder.ts';

const MAPPINGS = [
  { from: 'donorId', to: 'Donor ID', when: 'unlessEdited' },
  { from: 'age', to: 'Age', when: 'unlessEdited' },
] as const;

/** A user has removed the service's IDs from this file. The IDs would also show that donor-sync added the columns. */
const FILE = {
  names: ['Id', 'First', 'Last', 'Donor ID', 'Age'],
  sample: [
    new Map([
      ['Id', '1'],
      ['Donor ID', ''],
      ['Age', '57'],
    ]),
  ],
};

it('takes a column for ours that the journal of an interrupted sync names', async () => {
  const folder = await openCsvFolder();
  onTestFinished(() => folder.close());
  await folder.write('in.csv', 'Id,First,Last,Street,City,Employer\n1,Ada,Vale,,,\n');
  const connector = await folder.connector({ settings: { output: folder.path('out.csv') } });
  await connector.createFields(
    ['Donor ID', 'Age'].map((name) => ({ name, label: name, type: 'text', description: '' })),
  );
  // The run was killed before it had merged anything into the output.
  await connector.close();
  const journal = await readJournalColumns('out.csv', folder.path('.'));
  expect(journal).toEqual(new Set(['Donor ID', 'Age']));
  const known = { journal, previous: new Set<string>(), id: 'Id' };
  expect(findOwnColumns(FILE, MAPPINGS, known)).toEqual(new Set());
  const without = { ...known, journal: new Set<string>() };
  expect(findOwnColumns(FILE, MAPPINGS, without)).toEqual(new Set(['Age']));
});

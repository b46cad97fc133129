import { stringify } from 'csv-stringify/sync';
import { describe, it } from 'vitest';
import { csvConnector } from '../../connectors/csv/connector.ts';
import { type ConformanceHarness, testConnector } from '../../connectors/testing/conformance.ts';
import { openCsvFolder, parseRows } from './csv-folder.ts';

const ABILITIES = ['groups', 'newField', 'ids'] as const;

testConnector({ describe, it }, 'CSV', () => csvHarness('in.csv'), ABILITIES);
testConnector(
  { describe, it },
  'CSV (with a separate output)',
  () => csvHarness('out.csv'),
  ABILITIES,
);

const HEADER = ['Id', 'First', 'Last', 'Street', 'City', 'Employer', 'Team', 'Note', 'Remark'];

/** Users edit mapped fields in the output, and all other fields in the input. */
async function csvHarness(output: 'in.csv' | 'out.csv'): Promise<ConformanceHarness> {
  const folder = await openCsvFolder();
  const settings = { output: folder.path(output) };
  let lastId = 0;
  await folder.write('in.csv', stringify([HEADER]));

  return {
    open: (options) => folder.connector({ ...options, settings }),
    check: (options) => folder.check({ ...options, settings }),
    async addContacts(contacts) {
      const added = contacts.map((contact) => {
        lastId += 1;
        return { Id: `00${lastId}`, ...cellsOf(contact) };
      });
      await edit('in.csv', (rows) => [...rows, ...added]);
      return added.map(({ Id }) => Id);
    },
    editContact: (id, changes) => editRow('in.csv', id, cellsOf(changes)),
    deleteContact: (id) => edit('in.csv', (rows) => rows.filter((row) => row['Id'] !== id)),
    async setValue(id, field, value) {
      if (!(await exists(output))) await folder.save(output, await folder.read('in.csv'));
      await editRow(output, id, { [field]: value ?? '' });
    },
    async seenValue(id, field) {
      const row = (await folder.rows(output)).find((candidate) => candidate['Id'] === id);
      return row?.[field] || null;
    },
    textFields: ['Note', 'Remark'],
    newField: { name: 'Fresh', label: 'Fresh', type: 'text', description: 'A new column.' },
    contactsForThreePages: 1100,
    markField: {
      field: 'Note',
      mark: (id) => editRow('in.csv', id, { Note: 'yes' }),
      unmark: (id) => editRow('in.csv', id, { Note: '' }),
    },
    groups: {
      async add(members) {
        for (const id of members) await editRow('in.csv', id, { Team: 'Board' });
        return { column: 'Team', equals: 'Board' };
      },
      unknown: { column: 'Committee', equals: 'Board' },
    },
    ids: {
      canonicalId: (text) => csvConnector.canonicalId?.(text) ?? null,
      otherForms: (id) => [` ${id}`, `${id}\t`],
      noIds: ['', '  '],
    },
    close: folder.close,
  };

  async function editRow(name: string, id: string, cells: Row): Promise<void> {
    await edit(name, (rows) => rows.map((row) => (row['Id'] === id ? { ...row, ...cells } : row)));
  }

  async function edit(name: string, change: (rows: Row[]) => Row[]): Promise<void> {
    const text = await folder.read(name);
    const columns = text.slice(0, text.indexOf('\n')).split(',');
    const rows = change(parseRows(text));
    await folder.save(name, stringify(rows, { header: true, columns }));
  }

  async function exists(name: string): Promise<boolean> {
    return folder.read(name).then(
      () => true,
      () => false,
    );
  }
}

type Row = Record<string, string>;

interface SeedCells {
  firstName?: string | null;
  lastName?: string | null;
  addresses?: readonly string[];
  employers?: readonly string[];
}

function cellsOf({ firstName, lastName, addresses, employers }: SeedCells): Row {
  return {
    ...(firstName === undefined ? {} : { First: firstName ?? '' }),
    ...(lastName === undefined ? {} : { Last: lastName ?? '' }),
    ...(addresses === undefined ? {} : { Street: addresses[0] ?? '' }),
    ...(employers === undefined ? {} : { Employer: employers[0] ?? '' }),
  };
}

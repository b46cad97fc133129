import type { Contact } from '../../src/core/contact.ts';
import type { ContactsSettings } from '../contract.ts';
import { readMarks } from '../marks/mark-values.ts';
import { readCell } from './cells.ts';
import { type NameParts, splitFullName } from './full-name.ts';
import type { Row } from './rows.ts';
import type { CsvSettings } from './settings.ts';
import type { Table } from './table.ts';

export interface ContactColumns {
  settings: Pick<CsvSettings, 'columns'>;
  contacts: ContactsSettings;
}

/** Reads a contact from a row of the input. */
export function toContact(
  row: Row,
  { positions }: Pick<Table, 'positions'>,
  { settings, contacts }: ContactColumns,
): Contact {
  const { columns } = settings;
  const address = columns.addresses.map(cell).filter(Boolean).join(', ');
  return {
    id: row.id,
    ...readNames(columns, cell),
    addresses: address === '' ? [] : [address],
    employers: [...new Set(columns.employers.map(cell).filter(Boolean))],
    ...readMarks(contacts, cell),
  };

  function cell(column: string): string {
    return readCell(row.cells[positions.get(column) ?? -1] ?? '').trim();
  }
}

type ReadCell = (column: string) => string;

function readNames({ firstName, lastName, fullName }: CsvSettings['columns'], cell: ReadCell) {
  if (fullName !== undefined) return splitFullName(cell(fullName));
  const names: NameParts = {
    firstName: (firstName !== undefined && cell(firstName)) || null,
    lastName: (lastName !== undefined && cell(lastName)) || null,
  };
  return names;
}

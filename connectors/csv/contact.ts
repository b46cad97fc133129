import type { Contact } from '../../src/core/contact.ts';
import type { ContactsSettings } from '../contract.ts';
import { type MarkKind, type MarkMeaning, markColumns, meaningOfMark } from '../mark-values.ts';
import { readCell } from './cells.ts';
import { type NameParts, splitFullName } from './full-name.ts';
import type { Row } from './rows.ts';
import type { CsvSettings } from './settings.ts';
import type { Table } from './table.ts';

/** The settings for contacts: the columns that they consist of, and the columns that exclude some of them. */
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

/** Reads a contact's marks: an opt-out, another reason to exclude it, or neither. */
function readMarks(
  contacts: ContactsSettings,
  cell: ReadCell,
): Pick<Contact, 'optedOut' | 'excluded'> {
  const columns = markColumns(contacts);
  if (columns.length === 0) return { optedOut: false };
  const meanings = new Map<MarkKind, MarkMeaning>();
  for (const { kind, column, listed } of columns) {
    meanings.set(kind, meaningOfMark(cell(column), listed));
  }
  const optedOut = meanings.get('optOut') === 'marked';
  if (meanings.get('deceased') === 'marked') return { optedOut, excluded: 'deceased' };
  if (meanings.get('doNotContact') === 'marked') return { optedOut, excluded: 'do_not_contact' };
  const isUnknown = [...meanings.values()].includes('unknown');
  return isUnknown && !optedOut ? { optedOut, excluded: 'mark_unknown' } : { optedOut };
}

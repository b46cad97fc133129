import type { Contact } from '../../src/core/contact.ts';
import type { ContactsSettings } from '../contract.ts';
import { type MarkKind, type MarkMeaning, markValues, meaningOfMark } from '../mark-values.ts';
import { readCell } from './cells.ts';
import { type NameParts, splitFullName } from './full-name.ts';
import type { Row } from './rows.ts';
import type { CsvSettings } from './settings.ts';
import type { Table } from './table.ts';

/** What the settings say of contacts: which columns make them, and which leave some of them out. */
export interface ContactColumns {
  settings: Pick<CsvSettings, 'columns'>;
  contacts: ContactsSettings;
}

/** Reads a contact from a row of the input. */
export function contactOf(
  row: Row,
  { positions }: Pick<Table, 'positions'>,
  { settings, contacts }: ContactColumns,
): Contact {
  const { columns } = settings;
  const address = columns.addresses.map(cell).filter(Boolean).join(', ');
  return {
    id: row.id,
    ...namesOf(columns, cell),
    addresses: address === '' ? [] : [address],
    employers: columns.employers.map(cell).filter(Boolean),
    ...marksOf(contacts, cell),
  };

  function cell(column: string): string {
    return readCell(row.cells[positions.get(column) ?? -1] ?? '').trim();
  }
}

type ReadCell = (column: string) => string;

function namesOf({ firstName, lastName, fullName }: CsvSettings['columns'], cell: ReadCell) {
  if (fullName !== undefined) return splitFullName(cell(fullName));
  const names: NameParts = {
    firstName: (firstName !== undefined && cell(firstName)) || null,
    lastName: (lastName !== undefined && cell(lastName)) || null,
  };
  return names;
}

/** The columns of the settings that mark contacts who are left out, unless the settings include them. */
export function markColumns(contacts: ContactsSettings): { kind: MarkKind; column: string }[] {
  const { optOutField, deceasedField, doNotContactField } = contacts;
  const all = [
    { kind: 'optOut', column: optOutField },
    { kind: 'deceased', column: contacts.includeDeceased === true ? null : deceasedField },
    {
      kind: 'doNotContact',
      column: contacts.includeDoNotContact === true ? null : doNotContactField,
    },
  ] as const;
  return all.flatMap(({ kind, column }) => (column == null ? [] : [{ kind, column }]));
}

/** What the columns say of a contact: an opt-out, another reason to leave it out, or neither. */
function marksOf(
  contacts: ContactsSettings,
  cell: ReadCell,
): Pick<Contact, 'optedOut' | 'excluded'> {
  const meanings = new Map<MarkKind, MarkMeaning>();
  for (const { kind, column } of markColumns(contacts)) {
    meanings.set(kind, meaningOfMark(cell(column), markValues(contacts, kind)));
  }
  const optedOut = meanings.get('optOut') === 'marked';
  if (meanings.get('deceased') === 'marked') return { optedOut, excluded: 'deceased' };
  if (meanings.get('doNotContact') === 'marked') return { optedOut, excluded: 'do_not_contact' };
  const isUnknown = [...meanings.values()].includes('unknown');
  return isUnknown && !optedOut ? { optedOut, excluded: 'mark_unknown' } : { optedOut };
}

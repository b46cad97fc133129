import type { Contact, Exclusion } from '../../src/core/contact.ts';
import type { ContactsSettings } from '../contract.ts';
import { folded, isMarked } from '../yes-or-no.ts';
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
  const excluded = exclusionOf(contacts, cell);
  return {
    id: row.id,
    ...namesOf(columns, cell),
    addresses: address === '' ? [] : [address],
    employers: columns.employers.map(cell).filter(Boolean),
    optedOut: hasOptedOut(contacts, cell),
    ...(excluded === null ? {} : { excluded }),
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

/** Where the settings name values, only these opt out; else everything that does not say no. */
function hasOptedOut({ optOutField, optOutValues }: ContactsSettings, cell: ReadCell): boolean {
  if (optOutField === null) return false;
  const value = cell(optOutField);
  if (optOutValues == null) return isMarked(value);
  return optOutValues.some((each) => folded(each) === folded(value));
}

function exclusionOf(contacts: ContactsSettings, cell: ReadCell): Exclusion | null {
  const { deceasedField, doNotContactField, includeDeceased, includeDoNotContact } = contacts;
  const isDeceased = deceasedField != null && isMarked(cell(deceasedField));
  if (isDeceased && includeDeceased !== true) return 'deceased';
  const wantsNoContact = doNotContactField != null && isMarked(cell(doNotContactField));
  return wantsNoContact && includeDoNotContact !== true ? 'do_not_contact' : null;
}

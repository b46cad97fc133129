import type { Contact } from '../../src/core/contact.ts';
import { readCell } from './cells.ts';
import type { Row } from './rows.ts';
import type { CsvSettings } from './settings.ts';
import type { Table } from './table.ts';

/** Whatever else stands in an opt-out column means that the person opted out. */
const NOT_OPTED_OUT = new Set(['', 'false', 'f', 'no', 'n', '0', 'off']);

/** Reads a contact from a row of the input. */
export function contactOf(
  row: Row,
  { positions }: Pick<Table, 'positions'>,
  { columns }: Pick<CsvSettings, 'columns'>,
  optOutField: string | null,
): Contact {
  const address = columns.addresses.map(cell).filter(Boolean).join(', ');
  return {
    id: row.id,
    firstName: cell(columns.firstName) || null,
    lastName: cell(columns.lastName) || null,
    addresses: address === '' ? [] : [address],
    employers: columns.employers.map(cell).filter(Boolean),
    optedOut: optOutField !== null && !NOT_OPTED_OUT.has(cell(optOutField).toLowerCase()),
  };

  function cell(column: string): string {
    return readCell(row.cells[positions.get(column) ?? -1] ?? '').trim();
  }
}

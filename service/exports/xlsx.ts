/**
 * Writes a table as an XLSX file with one sheet. The first row is bold and stays visible. The function writes rows in
 * small groups and compresses them outside the event loop. An export of ten thousand donors therefore does not block
 * other work.
 */

import { buffer } from 'node:stream/consumers';
import type { ColumnDef } from 'hucre/xlsx';
import type { Slices } from '../slices.ts';
import type { CellValue } from './export-fields.ts';

/** The number of rows that are written at once. */
export const ROWS_AT_ONCE = 100;
/** The maximum number of characters in a cell. */
const MAX_TEXT_LENGTH = 32_767;

const BOLD = { font: { name: 'Calibri', size: 11, bold: true } };

/** Writes the table to a file. The header becomes the first row. */
export async function writeXlsx(
  header: readonly string[],
  rows: readonly CellValue[][],
  slices: Slices,
): Promise<Buffer> {
  // The service imports the library only when an export needs it. The library takes a megabyte of memory, and many
  // services never write an XLSX file.
  const { writeXlsxStream } = await import('hucre/xlsx');
  const columns: ColumnDef[] = header.map((name) => ({ header: name, style: BOLD }));
  return buffer(writeXlsxStream(rowsBelow(), { name: 'Donors', columns, freezePane: { rows: 1 } }));

  async function* rowsBelow() {
    // Removes the column styles after the header. The library supports styles for columns but not for single rows, and
    // has already written the header when it requests the remaining rows.
    for (const column of columns) delete column.style;
    for (const [index, row] of rows.entries()) {
      if (index % ROWS_AT_ONCE === 0 && slices.isOver()) await slices.next();
      yield row.map((value) => (typeof value === 'string' ? fitting(value) : value));
    }
  }
}

/**
 * Removes or replaces the characters that XML does not allow. XML does not allow most control characters and unpaired
 * surrogates.
 */
function fitting(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '');
}

/**
 * A table as an XLSX file: one sheet with a bold, frozen first row. Rows are written in slices and compressed outside
 * the event loop, so ten thousand donors do not block other work. Cells are marked as text, so a text is never run as a
 * formula.
 */

import { buffer } from 'node:stream/consumers';
import type { ColumnDef } from 'hucre/xlsx';
import type { Slices } from '../slices.ts';
import type { CellValue } from './export-fields.ts';

/** The number of rows that are written in one slice. */
export const ROWS_AT_ONCE = 100;
/** The longest text that the format allows in a cell. */
const MAX_TEXT_LENGTH = 32_767;

const BOLD = { font: { name: 'Calibri', size: 11, bold: true } };

/** Writes the file. The header is its first row. */
export async function writeXlsx(
  header: readonly string[],
  rows: readonly CellValue[][],
  slices: Slices,
): Promise<Buffer> {
  // The library needs a megabyte of memory, and many services never write a workbook.
  const { writeXlsxStream } = await import('hucre/xlsx');
  const columns: ColumnDef[] = header.map((name) => ({ header: name, style: BOLD }));
  return buffer(writeXlsxStream(rowsBelow(), { name: 'Donors', columns, freezePane: { rows: 1 } }));

  async function* rowsBelow() {
    // The library supports styles of columns but not of a row: it requests these rows once the
    // header is written.
    for (const column of columns) delete column.style;
    for (const [index, row] of rows.entries()) {
      if (index % ROWS_AT_ONCE === 0 && slices.isOver()) await slices.next();
      yield row.map((value) => (typeof value === 'string' ? fitting(value) : value));
    }
  }
}

/** Removes or replaces characters that XML does not allow: most control characters, and halves of surrogate pairs. */
function fitting(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '');
}

/** Writes exports as files for spreadsheet programs. */

import { stringify } from 'csv-stringify/sync';
import { inSlices, type Slices } from '../slices.ts';
import type { CellValue } from './export-fields.ts';
import { ROWS_AT_ONCE, writeXlsx } from './xlsx.ts';

export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The content types of downloads. */
export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Writes a table to a file. The header becomes the first row of the file. */
export async function writeExport(
  format: ExportFormat,
  header: readonly string[],
  rows: readonly CellValue[][],
  slices: Slices,
): Promise<Buffer> {
  return format === 'csv'
    ? inSlices(writeCsv(header, rows), slices)
    : writeXlsx(header, rows, slices);
}

/**
 * Yields the lines of a CSV file. A spreadsheet program would execute a cell that starts like a formula, so the
 * function adds an apostrophe before the cell's text.
 */
function* writeCsv(
  header: readonly string[],
  rows: readonly CellValue[][],
): Generator<void, Buffer> {
  const parts = [stringify([[...header]], { escape_formulas: true })];
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    yield;
    parts.push(stringify(rows.slice(first, first + ROWS_AT_ONCE), { escape_formulas: true }));
  }
  return Buffer.from(parts.join(''));
}

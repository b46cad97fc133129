/** Writes exports as files that a spreadsheet program opens. */

import { stringify } from 'csv-stringify/sync';
import writeXlsxFile from 'write-excel-file/node';
import type { CellValue } from './export-fields.ts';

/** The formats of an export. */
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;

/** The name of a format. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What a download says that it is. */
export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The table as a file; the header is its first row. */
export async function writeExport(
  format: ExportFormat,
  header: readonly string[],
  rows: readonly CellValue[][],
): Promise<Buffer> {
  return format === 'csv' ? writeCsv(header, rows) : writeXlsx(header, rows);
}

/**
 * A spreadsheet program would run a text that begins like a formula, so such a text gets an
 * apostrophe in front, which shows it as text.
 */
function writeCsv(header: readonly string[], rows: readonly CellValue[][]): Buffer {
  return Buffer.from(stringify([[...header], ...rows], { escape_formulas: true }));
}

/** In this format a cell says itself that it holds text, so a text is never run. */
function writeXlsx(header: readonly string[], rows: readonly CellValue[][]): Promise<Buffer> {
  const titles = header.map((value) => ({ value, type: String, fontWeight: 'bold' as const }));
  const cells = rows.map((row) => row.map(toCell));
  return writeXlsxFile([titles, ...cells], { sheet: 'Donors', stickyRowsCount: 1 }).toBuffer();
}

function toCell(value: CellValue) {
  if (value === null) {
    return null;
  }
  return typeof value === 'number' ? { value, type: Number } : { value, type: String };
}

/** Reads the first rows of a file in the same way as a run does. */
import { endAtFirstLine } from './broken-rows.ts';
import { readCell, splitRow } from './cells.ts';
import { type Header, type Problem, readHeader } from './header.ts';
import { findRowEnd } from './records.ts';
import { isBlank } from './rows.ts';
import { DELIMITERS } from './settings.ts';
import { decodeText, type Encoding } from './sources/encoding.ts';

/** The maximum size of a row in the preview. The preview ends before a longer row. */
const MAX_ROW_BYTES = 65_536;

/**
 * Returns the header for the delimiter that results in the most column names. Returns the header's problems if no
 * delimiter works.
 */
export function readAnyHeader(bytes: Buffer, encoding: Encoding): Header | Problem[] {
  const readings = DELIMITERS.map((delimiter) =>
    readHeader(bytes, { required: [], delimiter, encoding }),
  );
  return readings.reduce((best, each) => (countNames(each) > countNames(best) ? each : best));
}

/** If a delimiter finds only one column, the problems of other delimiters are more useful. */
function countNames(reading: Header | Problem[]): number {
  return Array.isArray(reading) ? 1.5 : reading.columns.length;
}

/**
 * Returns the values of the first rows below a header. At most `records` records are read. Blank lines and rows that
 * the connector cannot read are skipped. `isWhole` is false if the bytes are only the first part of a file. If the
 * bytes are only a part of the file, the last row may be incomplete.
 */
export function readFirstRows(
  bytes: Buffer,
  { size, columns, dialect: { delimiter, encoding } }: Header,
  { records, isWhole }: { records: number; isWhole: boolean },
): string[][] {
  const findEnd = findRowEnd(delimiter);
  const correctEnd = endAtFirstLine(delimiter);
  const rows: string[][] = [];
  let start = size;
  for (let count = 0; count < records && start < bytes.length; count += 1) {
    const window = bytes.subarray(start, start + MAX_ROW_BYTES);
    const end = correctEnd(window, 0, findEnd(window, 0));
    const isLast = start + window.length === bytes.length;
    if (end === -1 && !(isLast && isWhole)) break;
    const row = end === -1 ? window : window.subarray(0, end);
    start += row.length + 1;
    const cells = readCells(row, delimiter, encoding);
    if (cells?.length === columns.length) rows.push(cells);
  }
  return rows;
}

/** Returns a row's cells, or null if the row is blank or cannot be read. */
function readCells(row: Buffer, delimiter: string, encoding: Encoding): string[] | null {
  const text = decodeText(row, encoding)?.replace(/\r$/, '') ?? '';
  if (isBlank(text, delimiter)) return null;
  return splitRow(text, delimiter).cells?.map((cell) => readCell(cell).trim()) ?? null;
}

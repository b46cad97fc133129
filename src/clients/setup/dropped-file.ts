import { detectKind, toPlainText } from '../../../connectors/csv/sources/source.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import { type CsvHeader, type CsvProblem, readHeaderOf } from './csv-header.ts';

/**
 * The number of bytes of a file that the browser sends for the preview. Sending the whole file twice would take too
 * long.
 */
export const PREVIEW_BYTES = 256 * 1_024;

const PREVIEW_ROWS = 5;

/**
 * The maximum number of records to read. This number is higher than the number of records on the page, because blank
 * and unreadable rows are skipped.
 */
const PREVIEW_RECORDS = 50;

/**
 * The preview of a file. For an unusable file, it is only the reason. For a workbook, it is only its kind, because a
 * workbook is not text.
 */
export type DroppedPreview =
  | { columns: readonly string[]; rows: readonly (readonly string[])[] }
  | CsvProblem
  | 'workbook';

/** Reads a file, or its first PREVIEW_BYTES bytes. */
export async function previewFile(beginning: Buffer): Promise<DroppedPreview> {
  if (detectKind(beginning) === 'workbook') return 'workbook';
  const isWhole = beginning.length < PREVIEW_BYTES;
  const file = await readDropped(beginning, { records: PREVIEW_RECORDS, isWhole });
  if ('problem' in file) return file;
  const { columns, sample } = file.header;
  const rows = sample.slice(0, PREVIEW_ROWS);
  return { columns, rows: rows.map((row) => columns.map((name) => row.get(name) ?? '')) };
}

/** Returns the text of a file and its beginning, or the reason why the file cannot be used. */
export async function readDropped(
  bytes: Buffer,
  extent: { records: number; isWhole: boolean; sheet?: string | null },
): Promise<{ text: Buffer; header: Omit<CsvHeader, 'foreign'> } | CsvProblem> {
  try {
    const text = await toPlainText('The file', bytes, extent);
    const header = readHeaderOf(text, extent);
    if ('problem' in header) return unusable(header.problem);
    if (!hasRows(text)) return unusable('it has a header row but no contacts');
    return { text, header };
  } catch (error) {
    if (isDonorSyncError(error)) return { problem: error.message };
    throw error;
  }
}

function unusable(problem: string): CsvProblem {
  return { problem: `The file cannot be used: ${problem}.` };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK_START = 0xef;

/** The characters of a blank line. A line with only these characters contains no contact. */
const BLANK = new Set([...Array.from({ length: 0x21 }, (_, byte) => byte), 0x2c, 0x3b]);

/** True if any line after the first line is not blank. Uses plain loops, because a file may contain 20 MB of blanks. */
function hasRows(text: Uint8Array): boolean {
  let at = 0;
  while (at < text.length && isBeforeHeader(text[at])) at += 1;
  while (at < text.length && text[at] !== LINE_FEED && text[at] !== CARRIAGE_RETURN) at += 1;
  while (at < text.length && BLANK.has(text[at] ?? 0)) at += 1;
  return at < text.length;
}

function isBeforeHeader(byte = 0): boolean {
  return byte <= 0x20 || byte >= BYTE_ORDER_MARK_START;
}

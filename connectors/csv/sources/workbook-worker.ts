/**
 * A thread that converts one sheet of a workbook to CSV. A workbook is an untrusted archive. If the archive needs too
 * much memory or time, only this thread is affected, and donor-sync can end the thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { formatValue } from 'hucre';
import { type Cell, type CellValue, readXlsx, type Sheet } from 'hucre/xlsx';
import { z } from 'zod';
import { expandsBeyond } from './expanded-size.ts';
import { TOO_LARGE } from './too-large.ts';

/** The result of the thread is the sheet as CSV in UTF-8, or the reason why the sheet cannot be converted. */
export type WorkbookAnswer = { csv: Uint8Array } | { problem: string };

/** The maximum size of an unpacked sheet. A sheet with two million cells has about half this size. */
const MOST_EXPANDED_BYTES = 256 * 1024 * 1024;

const requestSchema = z.object({
  bytes: z.instanceof(Uint8Array),
  /** The name of the sheet, or null for the first sheet that contains a table. */
  sheet: z.string().nullable(),
});

async function answerTo(data: unknown): Promise<WorkbookAnswer> {
  const { bytes, sheet } = requestSchema.parse(data);
  try {
    // The thread checks the size itself, because its memory limit does not count bytes outside the heap.
    if (await expandsBeyond(bytes, MOST_EXPANDED_BYTES)) return { problem: TOO_LARGE };
    const { sheets } = await readXlsx(bytes, { readStyles: true });
    const chosen = sheets.filter(({ name }) => sheet === null || name === sheet);
    if (chosen.length === 0) {
      const names = sheets.map(({ name }) => `"${name}"`).join(', ');
      return { problem: `it has no sheet "${sheet}"; its sheets are ${names}` };
    }
    const [rows] = chosen.map(toTable).filter((table) => table.length > 1);
    if (rows === undefined) {
      return { problem: 'no sheet has a header row with rows below it' };
    }
    return { csv: toCsv(rows) };
  } catch {
    // The messages of the workbook library may quote cells, so donor-sync does not pass them on.
    return {
      problem: 'it cannot be read as a workbook (.xlsx); it may be damaged, or have a password',
    };
  }
}

/** The minimum number of column names in a header. A line above the header usually contains only a title. */
const FEWEST_NAMES = 2;

/** Returns the sheet's cells as users see them, starting with the line of column names. */
function toTable({ rows, cells }: Pick<Sheet, 'rows' | 'cells'>): string[][] {
  const texts = rows.map((row, y) =>
    row.map((value, x) => displayed(value, cells?.get(`${y},${x}`))),
  );
  const start = texts.findIndex(
    (row) => row.filter((text) => text.trim() !== '').length >= FEWEST_NAMES,
  );
  if (start === -1) return [];
  const table = texts.slice(start);
  while (table.at(-1)?.every((text) => text.trim() === '') === true) table.pop();
  const width = Math.max(...table.map(lastFilled));
  return table.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? ''));
}

function lastFilled(row: readonly string[]): number {
  return row.findLastIndex((text) => text.trim() !== '') + 1;
}

/**
 * Returns a cell's value as a spreadsheet shows it. For example, a ZIP code has its leading zeros, and a date has its
 * display format.
 */
function displayed(value: CellValue, cell: Cell | undefined): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const format = cell?.style?.numFmt ?? 'General';
  if (value instanceof Date) {
    return format === 'General' ? value.toISOString().slice(0, 10) : formatValue(value, format);
  }
  // A spreadsheet stores only fifteen digits of a number. All digits after the fifteenth are rounding errors.
  return format === 'General' || format === '@'
    ? String(Number(value.toPrecision(15)))
    : formatValue(value, format);
}

function toCsv(rows: readonly (readonly string[])[]): Uint8Array {
  const text = rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
  return new TextEncoder().encode(`\uFEFF${text}`);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

// This call is at the end of the file, because it needs all definitions above.
parentPort?.postMessage(await answerTo(workerData));

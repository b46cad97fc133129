import { sizeText } from './broken-rows.ts';
import { readText, type SplitRow, splitRow, unquote } from './cells.ts';
import { encodingProblem, type Header } from './header.ts';
import { type LineEnding, MAX_RECORD_BYTES, type RawRecord } from './records.ts';
import { columnPositions } from './setting-names.ts';
import { decodeText } from './sources/encoding.ts';

/** A row of a file. A blank line or a broken row is a row without an ID. */
export interface Row {
  line: number;
  /** The row's number in a spreadsheet. */
  row: number;
  id: string;
  /** The row's cells as the file contains them, with quotes. */
  cells: readonly string[];
  ending: LineEnding;
  /** The position in the file of a broken row that donor-sync skips. The cells of a broken row are unknown. */
  broken?: BrokenRow;
}

/** A row that cannot be read. */
export interface BrokenRow {
  offset: number;
  /** The length of the row in bytes, without its line ending. */
  size: number;
  /** The ID that the row probably has, or null if it has none. */
  id: string | null;
  /** False if no cells can be added at the end of the row, because a quote is not closed. */
  isExtendable: boolean;
}

/** The reason why a record is not a valid row, and the part of the record that causes the problem. */
export interface RowFailure {
  reason: 'encoding' | 'shape';
  message: string;
  id: string | null;
  isExtendable: boolean;
}

export function parseRow(record: RawRecord, header: Header, idColumn: string): Row | RowFailure {
  const { dialect, columns } = header;
  if (record.size >= MAX_RECORD_BYTES) return failure('shape', TOO_LONG, { isExtendable: false });
  const text = decodeText(record.bytes, dialect.encoding);
  if (text === null) return failure('encoding', encodingProblem(record.line).message);
  const split = splitRow(text, dialect.delimiter);
  if (split.cells === null) return quoteFailure(split, columns);
  const { cells } = split;
  const { line, row, ending } = record;
  if (text.includes('\0')) return failure('shape', 'the row holds a NUL character.');
  if (isBlank(text, dialect.delimiter)) return { line, row, id: '', cells, ending };
  const id = toRowId(unquote(cells[columnPositions(columns).get(idColumn) ?? -1] ?? ''));
  if (cells.length !== columns.length) return wrongWidth(cells.length, columns.length, record, id);
  if (id === '') return failure('shape', `the row has no id in "${idColumn}".`);
  return { line, row, id, cells, ending };
}

/**
 * Returns a column's name for messages. A column without a name is named by its position, which is 1 for the first
 * column.
 */
export function columnText(column: number, columns: readonly string[]): string {
  const name = columns[column - 1];
  return name ? `column ${column} ("${name}")` : `column ${column}`;
}

const TOO_LONG = 'the row never ends; a quote is probably never closed.';

const FAULTS = {
  unclosed: 'a quote that starts a cell of this row is never closed.',
  afterQuote: 'text follows the closing quote of a cell; a quote within a cell must be doubled.',
} as const;

function quoteFailure(
  { fault, column, rest }: Extract<SplitRow, { cells: null }>,
  columns: readonly string[],
): RowFailure {
  const size = fault === 'unclosed' ? `, and ${sizeText(rest)} follow it` : '';
  const message = `${FAULTS[fault]} It is in ${columnText(column, columns)}${size}.`;
  return failure('shape', message, { isExtendable: fault !== 'unclosed' });
}

function failure(
  reason: RowFailure['reason'],
  message: string,
  known: Partial<Pick<RowFailure, 'id' | 'isExtendable'>> = {},
): RowFailure {
  return { reason, message, id: null, isExtendable: true, ...known };
}

/** Returns the canonical form of an ID. The ID comes from a cell, a user or a program. */
export function toRowId(text: string): string {
  return readText(text.trim()).trim();
}

/** Returns true for a row without values. Spreadsheet programs often write rows of separators at the end of a file. */
export function isBlank(text: string, delimiter: string): boolean {
  const first = text[0];
  if (first !== undefined && first !== delimiter && first !== ' ') return false;
  return text.replaceAll(delimiter, '').trim() === '';
}

function wrongWidth(found: number, expected: number, record: RawRecord, id: string): RowFailure {
  const cutOff = found < expected && record.ending === '' ? ' The file may have been cut off.' : '';
  const message = `the row has ${found} cells, but the header has ${expected}.${cutOff}`;
  return failure('shape', message, { id: id || null });
}

import { readText, splitRow, unquote } from './cells.ts';
import { decodeText } from './encoding.ts';
import { encodingProblem, type Header } from './header.ts';
import { type LineEnding, MAX_RECORD_BYTES, type RawRecord } from './records.ts';

/** A row of a file; a blank line is a row without an id. */
export interface Row {
  line: number;
  id: string;
  /** As they stand in the file, quotes included. */
  cells: readonly string[];
  ending: LineEnding;
}

/** Why a record is no row: a sentence, and the part of the record that is to blame. */
export interface RowFailure {
  reason: 'encoding' | 'shape';
  message: string;
}

/** Reads a record of a file with this header. */
export function parseRow(record: RawRecord, header: Header, idColumn: string): Row | RowFailure {
  const { dialect, columns } = header;
  const text = decodeText(record.bytes, dialect.encoding);
  if (text === null) return { reason: 'encoding', message: encodingProblem(record.line).message };
  const { cells, fault } = splitRow(text, dialect.delimiter);
  const { line, ending } = record;
  if (cells === null) return { reason: 'shape', message: FAULTS[fault] };
  if (text.includes('\0')) return { reason: 'shape', message: 'the row holds a NUL character.' };
  if (isBlank(text, dialect.delimiter)) return { line, id: '', cells, ending };
  if (cells.length !== columns.length) return wrongWidth(cells.length, columns.length, record);
  const id = idOf(unquote(cells[columns.indexOf(idColumn)] ?? ''));
  if (id === '') return { reason: 'shape', message: `the row has no id in "${idColumn}".` };
  return { line, id, cells, ending };
}

const FAULTS = {
  unclosed: 'a quote that begins a cell of this row is never closed.',
  afterQuote: 'text follows the closing quote of a cell; a quote within a cell must be doubled.',
} as const;

/** An id as it is known, from the text of a cell or from what a person or a program typed. */
export function idOf(text: string): string {
  return readText(text.trim()).trim();
}

/** Spreadsheets leave rows of nothing but separators at the end of a file. */
function isBlank(text: string, delimiter: string): boolean {
  const first = text[0];
  if (first !== undefined && first !== delimiter && first !== ' ') return false;
  return text.replaceAll(delimiter, '').trim() === '';
}

function wrongWidth(found: number, expected: number, record: RawRecord): RowFailure {
  if (record.bytes.length >= MAX_RECORD_BYTES) {
    return { reason: 'shape', message: 'the row has no end; a quote is probably never closed.' };
  }
  const cutOff = found < expected && record.ending === '' ? ' The file may have been cut off.' : '';
  const message = `the row has ${found} cells, but the header has ${expected}.${cutOff}`;
  return { reason: 'shape', message };
}

/** Reads and writes CSV like the Bulk API. */

import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';

/** The settings of a job that define its CSV format, with Salesforce's names. */
export const csvFormatSchema = z.object({
  contentType: z.literal('CSV').default('CSV'),
  columnDelimiter: z
    .enum(['COMMA', 'TAB', 'SEMICOLON', 'PIPE', 'CARET', 'BACKQUOTE'])
    .default('COMMA'),
  lineEnding: z.enum(['LF', 'CRLF']).default('LF'),
});

/** The CSV format of a job. */
export type CsvFormat = z.output<typeof csvFormatSchema>;

const DELIMITERS = {
  COMMA: ',',
  TAB: '\t',
  SEMICOLON: ';',
  PIPE: '|',
  CARET: '^',
  BACKQUOTE: '`',
} as const satisfies Record<CsvFormat['columnDelimiter'], string>;

const LINE_ENDINGS = { LF: '\n', CRLF: '\r\n' } as const satisfies Record<
  CsvFormat['lineEnding'],
  string
>;

const BYTE_ORDER_MARK = '\ufeff';

/** Returns a line of CSV. Every cell is quoted. */
export function csvLine(cells: readonly string[], format: CsvFormat): string {
  return (
    cells.map(quoted).join(DELIMITERS[format.columnDelimiter]) + LINE_ENDINGS[format.lineEnding]
  );
}

/** Yields a file's rows, starting with the header. Throws a SalesforceError if the file does not match the format. */
export function* readCsv(text: string, format: CsvFormat): Generator<string[]> {
  let position = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  while (position < text.length) {
    const cells: string[] = [];
    let isLast = false;
    while (!isLast) {
      const cell = readCell(text, position, format);
      cells.push(cell.value);
      position = cell.next;
      isLast = cell.isLast;
    }
    if (cells.length > 1 || cells[0] !== '') yield cells;
  }
}

interface Cell {
  value: string;
  /** The position where the next cell starts. */
  next: number;
  isLast: boolean;
}

function readCell(text: string, start: number, format: CsvFormat): Cell {
  return text[start] === '"' ? readQuoted(text, start, format) : readPlain(text, start, format);
}

function readPlain(text: string, start: number, { columnDelimiter, lineEnding }: CsvFormat): Cell {
  const newline = LINE_ENDINGS[lineEnding];
  const found = text.indexOf(newline, start);
  const lineEnd = found === -1 ? text.length : found;
  const rest = text.slice(start, lineEnd);
  const length = rest.indexOf(DELIMITERS[columnDelimiter]);
  const value = length === -1 ? rest : rest.slice(0, length);
  if (/[\r\n]/.test(value)) throw wrongLineEnding(lineEnding);
  if (length !== -1) return { value, next: start + length + 1, isLast: false };
  return { value, next: lineEnd + newline.length, isLast: true };
}

function readQuoted(text: string, start: number, format: CsvFormat): Cell {
  let value = '';
  let from = start + 1;
  while (from <= text.length) {
    const quote = text.indexOf('"', from);
    if (quote === -1) break;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, ...readEnd(text, quote + 1, format) };
    value += '"';
    from = quote + 2;
  }
  throw badInput('EOF reached before closing an opened quote');
}

/**
 * Reads the text after a closing quote. The text after a closing quote is a delimiter, or the end of the line or file.
 */
function readEnd(text: string, at: number, { columnDelimiter, lineEnding }: CsvFormat) {
  const newline = LINE_ENDINGS[lineEnding];
  if (text[at] === DELIMITERS[columnDelimiter]) return { next: at + 1, isLast: false };
  if (at === text.length) return { next: at, isLast: true };
  if (text.startsWith(newline, at)) return { next: at + newline.length, isLast: true };
  if (/[\r\n]/.test(text[at] ?? '')) throw wrongLineEnding(lineEnding);
  throw badInput('Not a valid CSV file: a quoted value is followed by other text');
}

function quoted(cell: string): string {
  return `"${cell.includes('"') ? cell.replaceAll('"', '""') : cell}"`;
}

function wrongLineEnding(lineEnding: string): SalesforceError {
  return badInput(
    `LineEnding is invalid on user data. Current LineEnding setting is ${lineEnding}`,
  );
}

function badInput(message: string): SalesforceError {
  return new SalesforceError(400, 'ClientInputError', message);
}

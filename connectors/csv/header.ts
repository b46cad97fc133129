import { ConfigurationError } from '../../src/core/errors.ts';
import { splitRow, unquote } from './cells.ts';
import { findRowEnd, type LineEnding, type RawRecord } from './records.ts';
import { readSeparatorLine } from './separator-line.ts';
import { columnPositions } from './setting-names.ts';
import { DELIMITERS, type NamedColumn } from './settings.ts';
import { decodeText, type Encoding } from './sources/encoding.ts';

/** The format of a file. */
export interface Dialect {
  delimiter: string;
  encoding: Encoding;
  /** True if the file starts with the UTF-8 byte order mark. */
  byteOrderMark: boolean;
  /** The file's first line with its line ending, if this line names the delimiter (`sep=;`). */
  separatorLine: string;
  /** True if every cell of the file is quoted. donor-sync determines this from the header. */
  quoteAll: boolean;
}

export interface Header {
  /** The line number of the header. The header is in line 1, or in line 2 if the first line names the delimiter. */
  line: number;
  dialect: Dialect;
  /** The column names, without surrounding white space. */
  columns: readonly string[];
  /** The column names in the form in which the file contains them. */
  cells: readonly string[];
  ending: LineEnding;
  /** The number of bytes before the first row. */
  size: number;
}

/** The settings that define the format of a file. */
export interface HeaderFormat {
  required: readonly NamedColumn[];
  delimiter: string | undefined;
  encoding: Encoding;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MOST_NAMES_LISTED = 30;
/**
 * The number of characters that a message shows of each column name. Text that is longer than this is probably not a
 * column name.
 */
const MOST_CHARACTERS_LISTED = 200;
const MOST_TYPOS = 2;

/** Reads the header from the first bytes of a file. Returns the problems if donor-sync cannot use the header. */
export function readHeader(bytes: Buffer, format: HeaderFormat): Header | Problem[] {
  const impossible = wrongKindOfFile(bytes);
  if (impossible !== null) return [{ line: 1, message: impossible }];
  const byteOrderMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const encoding = byteOrderMark ? 'utf-8' : format.encoding;
  const start = byteOrderMark ? BYTE_ORDER_MARK.length : 0;
  const separator = readSeparatorLine(bytes.subarray(start));
  const separatorLine = separator?.text ?? '';
  const text = bytes.subarray(start + separatorLine.length);
  const line = separator === null ? 1 : 2;
  const candidates = [separator?.delimiter ?? format.delimiter ?? DELIMITERS]
    .flat()
    .map((delimiter) => parseHeader(text, delimiter, encoding));
  const best = candidates.reduce((a, b) => (found(b, format) > found(a, format) ? b : a));
  const problems =
    'message' in best ? [best] : columnProblems(best.columns, format, text, encoding);
  if ('message' in best || problems.length > 0) return problems.map((each) => ({ ...each, line }));
  return {
    ...best,
    line,
    dialect: { ...best.dialect, byteOrderMark, separatorLine },
    size: best.size + start + separatorLine.length,
  };
}

/** Returns a description of the problem for bytes that are invalid in the file's encoding. */
export function encodingProblem(line: number): Problem {
  const message =
    'this is not UTF-8 text. Save the file as UTF-8 (in a spreadsheet: "CSV UTF-8"), or convert ' +
    'it (iconv -f WINDOWS-1252 -t UTF-8), or set crm.encoding to latin1 if the file is in Latin-1.';
  return { line, message };
}

/** Returns the bytes before the header, which are a byte order mark and a line that names the delimiter. */
export function getFileStart({ byteOrderMark, separatorLine }: Dialect): Buffer {
  const mark = byteOrderMark ? BYTE_ORDER_MARK : Buffer.alloc(0);
  return Buffer.concat([mark, Buffer.from(separatorLine)]);
}

/** Returns the column names as a list for a message. */
export function listColumns(columns: readonly string[]): string {
  const names = columns.filter((name) => name !== '');
  const listed = names.slice(0, MOST_NAMES_LISTED);
  const shown = listed.map((name) => name.slice(0, MOST_CHARACTERS_LISTED)).join(', ');
  const others = names.length - MOST_NAMES_LISTED;
  return others > 0 ? `${shown} and ${others} others` : shown;
}

function wrongKindOfFile(bytes: Buffer): string | null {
  if (bytes.length === 0) return 'the file is empty (0 bytes); it needs a header row.';
  return null;
}

function parseHeader(bytes: Buffer, delimiter: string, encoding: Encoding): Header | Problem {
  const record = firstRecord(bytes, delimiter);
  const text = decodeText(record.bytes, encoding);
  if (text === null) return encodingProblem(1);
  const { cells, fault } = splitRow(text, delimiter);
  if (hasBareReturn(text, cells)) {
    const message = 'lines end with only a carriage return; save the file as CSV again.';
    return { line: 1, message };
  }
  if (cells === null) return { line: 1, message: HEADER_FAULTS[fault] };
  return {
    line: 1,
    dialect: {
      delimiter,
      encoding,
      byteOrderMark: false,
      separatorLine: '',
      quoteAll: cells.every((cell) => cell.startsWith('"')),
    },
    columns: cells.map((cell) => unquote(cell).trim()),
    cells,
    ending: record.ending,
    size: record.bytes.length + record.ending.length,
  };
}

const HEADER_FAULTS = {
  unclosed: 'a quote in the header is never closed.',
  afterQuote: 'text follows the closing quote of a column name; a quote within must be doubled.',
} as const;

/**
 * Returns true if a carriage return without a line feed occurs outside quotes. The value of `cells` is null if the
 * header cannot be read.
 */
function hasBareReturn(text: string, cells: readonly string[] | null): boolean {
  if (cells === null) return /"\r[^\n]/.test(text);
  return cells.some((cell) => !cell.startsWith('"') && cell.includes('\r'));
}

function firstRecord(bytes: Buffer, delimiter: string): Pick<RawRecord, 'bytes' | 'ending'> {
  const end = findRowEnd(delimiter)(bytes, 0);
  if (end === -1) return { bytes, ending: '' };
  const hasReturn = bytes[end - 1] === 0x0d;
  return {
    bytes: bytes.subarray(0, hasReturn ? end - 1 : end),
    ending: hasReturn ? '\r\n' : '\n',
  };
}

/** Returns how many of the required columns the header contains if it is read with this delimiter and encoding. */
function found(header: Header | Problem, format: HeaderFormat): number {
  if ('message' in header) return -1;
  const positions = columnPositions(header.columns);
  return format.required.filter(({ name }) => positions.has(name)).length;
}

function columnProblems(
  columns: readonly string[],
  format: HeaderFormat,
  text: Buffer,
  encoding: Encoding,
): Problem[] {
  const positions = columnPositions(columns);
  const missing = format.required.filter(({ name }) => !positions.has(name));
  const isHeader = looksLikeHeader(columns, format);
  const problems = missing.map((column) => missingColumn(column, isHeader ? columns : []));
  if (missing.length > 0) {
    const others = isHeader ? `the file has the columns ${listColumns(columns)}.` : NO_HEADER;
    problems.push({ line: 1, message: others + delimiterHint(format, text, encoding) });
  }
  if (!isHeader) return problems;
  const named = new Set(format.required.map(({ name }) => name));
  for (const name of new Set(columns)) {
    // Columns that the settings do not name are ignored, even if their names are invalid.
    if (!named.has(name)) continue;
    const places = columns.flatMap((column, at) => (column === name ? [at + 1] : []));
    if (name === '' || places.length < 2) continue;
    const message = `"${name}" is the name of ${places.length} columns (${places.join(', ')}). Name the right column by its position: "${name} (1)", "${name} (2)" and so on.`;
    problems.push({ line: 1, message });
  }
  return problems;
}

/**
 * The message about a file without a header. The first line of a file without a header may be a person's data, so the
 * message does not quote the line.
 */
const NO_HEADER =
  'the first line must be the header row, but it has none of the column names in the settings. The line is not ' +
  'shown here, because it may be a contact.';

/**
 * Returns true if the columns contain at least one of the required columns. The comparison ignores letter case and
 * punctuation.
 */
function looksLikeHeader(columns: readonly string[], { required }: HeaderFormat): boolean {
  const known = new Set(columns.map(bare));
  return required.some(({ name }) => columns.includes(name) || known.has(bare(name) || name));
}

function missingColumn({ name, setting }: NamedColumn, columns: readonly string[]): Problem {
  const near = columns.find((column) => isNear(name, column));
  const question = near === undefined ? '' : ` Did you mean "${near}"?`;
  return { line: 1, message: `there is no column "${name}" (${setting}).${question}` };
}

/** Returns a hint about a different delimiter, if that delimiter would produce the required columns. */
function delimiterHint(format: HeaderFormat, text: Buffer, encoding: Encoding): string {
  if (format.delimiter === undefined) return '';
  const better = DELIMITERS.find(
    (delimiter) => found(parseHeader(text, delimiter, encoding), format) === format.required.length,
  );
  return better === undefined
    ? ''
    : ` Its cells seem to be separated by ${JSON.stringify(better)}: set crm.delimiter to that character.`;
}

function isNear(wanted: string, column: string): boolean {
  const a = bare(wanted);
  const b = bare(column);
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > MOST_TYPOS) return false;
  return a.length > MOST_TYPOS && b.length > MOST_TYPOS && editDistance(a, b) <= MOST_TYPOS;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns the Levenshtein distance. The distance is the number of characters that must be inserted, deleted or replaced
 * to change one string into the other.
 */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}

/** A problem in a file that a user has to fix. The file's first line has number 1. */
export interface Problem {
  line: number;
  /** The number of this row in a spreadsheet. The row number is omitted if it equals the line number. */
  row?: number;
  message: string;
}

/**
 * The maximum number of problems that donor-sync reports about a file. The check of a file ends when it has found this
 * number of problems.
 */
export const MOST_PROBLEMS = 20;

/** Returns the error that lists all problems of a file. */
export function unusableFile(
  path: string,
  problems: readonly Problem[],
  hint: string | null = null,
): ConfigurationError {
  const lines = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ line, row, message }) => `  ${placeText(line, row)}: ${message}`);
  if (problems.length >= MOST_PROBLEMS) lines.push('  … and perhaps more.');
  if (hint !== null) lines.push(hint);
  return new ConfigurationError(`${path} cannot be used as it is:\n${lines.join('\n')}`, {
    code: 'csv_file_unusable',
    details: { path, problems: problems.slice(0, MOST_PROBLEMS) },
  });
}

function placeText(line: number, row: number | undefined): string {
  return row === undefined ? `line ${line}` : `line ${line} (row ${row} of a spreadsheet)`;
}

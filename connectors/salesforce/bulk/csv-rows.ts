import { replyTooLarge } from '../../requests/errors.ts';

const QUOTE = '"';

/**
 * The maximum number of characters in one row. A row contains the fields of one contact, and Salesforce's longest
 * fields have 131,072 characters each. The file can have any length, because it is streamed.
 */
const MAX_ROW_LENGTH = 4 * 1024 * 1024;

/** The received text that follows the last complete row. */
interface Rest {
  text: string;
  start: number;
}

/**
 * Parses CSV with commas, double quotes and either kind of line ending. The parser keeps at most one chunk and one row
 * in memory. Throws a RetriableError if the end of a row is missing. Throws a different error if the text is not CSV. A
 * general CSV parser would take several times as long for a million rows.
 */
export async function* parseCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder();
  const rest: Rest = { text: '', start: 0 };
  for await (const chunk of chunks) {
    rest.text = rest.text.slice(rest.start) + decoder.decode(chunk, { stream: true });
    rest.start = 0;
    const rows = takeRows(rest, false);
    if (rows.length > 0) yield rows;
    if (rest.text.length - rest.start > MAX_ROW_LENGTH) throw rowTooLong();
  }
  rest.text = rest.text.slice(rest.start) + decoder.decode();
  rest.start = 0;
  const rows = takeRows(rest, true);
  if (rest.start < rest.text.length) throw new Error('The CSV ends in the middle of a row.');
  if (rows.length > 0) yield rows;
}

/** Returns the complete rows of the received text. At the end of the file, the last row needs no line break. */
function takeRows(rest: Rest, isEnd: boolean): string[][] {
  const rows: string[][] = [];
  for (;;) {
    const { start } = rest;
    const row = takeRow(rest, isEnd);
    if (row === null) return rows;
    const isBlank = row.length === 1 && row[0] === '' && rest.text.charAt(start) !== QUOTE;
    if (!isBlank) rows.push(row);
  }
}

function takeRow(rest: Rest, isEnd: boolean): string[] | null {
  const { text } = rest;
  const cells: string[] = [];
  let at = rest.start;
  if (at >= text.length) return null;
  for (;;) {
    const isQuoted = text.charAt(at) === QUOTE;
    const end = isQuoted ? closingQuote(text, at) + 1 : plainEnd(text, at);
    const isCut = (isQuoted && end === 0) || (end >= text.length && !isEnd);
    if (isCut) return null;
    const next = text.charAt(end);
    if (!AFTER_CELL.has(next)) throw new Error('A cell of the CSV does not end where it should.');
    cells.push(isQuoted ? unquoted(text.slice(at + 1, end - 1)) : text.slice(at, end));
    if (next === ',') {
      at = end + 1;
      continue;
    }
    if (next === '\r' && end + 1 >= text.length && !isEnd) return null;
    rest.start = end + (next === '\r' && text.charAt(end + 1) === '\n' ? 2 : 1);
    return cells;
  }
}

/** Returns the position of the quote that ends the cell, or -1 if this quote has not been received yet. */
function closingQuote(text: string, opening: number): number {
  let at = text.indexOf(QUOTE, opening + 1);
  while (at !== -1 && text.charAt(at + 1) === QUOTE) at = text.indexOf(QUOTE, at + 2);
  return at;
}

function plainEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (ENDS_PLAIN_CELL.has(character)) break;
    at += 1;
  }
  return at;
}

/**
 * The characters that end an unquoted cell: comma, line feed, carriage return and quote. A quote cannot occur inside an
 * unquoted cell.
 */
const ENDS_PLAIN_CELL: ReadonlySet<number> = new Set([44, 10, 13, 34]);

/** The characters that may follow a cell. The empty string represents the end of the file. */
const AFTER_CELL: ReadonlySet<string> = new Set([',', '\n', '\r', '']);

function unquoted(text: string): string {
  return text.includes(QUOTE) ? text.replaceAll('""', QUOTE) : text;
}

function rowTooLong(): Error {
  const sentence = `Salesforce sent a row of results with more than ${MAX_ROW_LENGTH} characters`;
  return replyTooLarge(sentence, MAX_ROW_LENGTH);
}

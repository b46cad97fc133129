/** Reads and writes cells, both their values and the raw text in the file. */
import { withoutGuard } from '../../src/core/printable.ts';

export type SplitRow =
  | { cells: string[]; fault: null }
  | { cells: null; fault: RowFault; column: number; rest: number };

/**
 * The fault `unclosed` means that a quote is never closed. The fault `afterQuote` means that text follows a closing
 * quote.
 */
export type RowFault = 'unclosed' | 'afterQuote';

/**
 * Returns a row's raw cells with their quotes. If the row cannot be split, `column` is the position of the broken cell
 * (the first column is 1). `rest` is the number of characters from this cell to the end of the row.
 */
export function splitRow(text: string, delimiter: string): SplitRow {
  if (!text.includes('"')) return { cells: text.split(delimiter), fault: null };
  const cells: string[] = [];
  for (let start = 0; start <= text.length; ) {
    const end = cellEnd(text, start, delimiter);
    if (typeof end !== 'number') {
      return { cells: null, fault: end, column: cells.length + 1, rest: text.length - start };
    }
    cells.push(text.slice(start, end));
    start = end + 1;
  }
  return { cells, fault: null };
}

/** Returns the content of a raw cell, without its quotes. */
export function unquote(raw: string): string {
  return raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
}

/**
 * Returns the raw cell that contains this string. The cell is quoted if its text requires quotes, or if the file quotes
 * every cell.
 */
export function quote(text: string, style: { delimiter: string; quoteAll: boolean }): string {
  const needed =
    style.quoteAll ||
    text.includes(style.delimiter) ||
    /["\r\n]/.test(text) ||
    text !== text.trim();
  return needed ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the text of a raw cell. The text of a blank cell is empty. */
export function readCell(raw: string): string {
  return readText(unquote(raw));
}

/** Returns the value of a cell from its content without quotes. */
export function readText(text: string): string {
  if (text.trim() === '') return '';
  return withoutGuard(text);
}

function cellEnd(text: string, start: number, delimiter: string): number | RowFault {
  if (text[start] !== '"') {
    const end = text.indexOf(delimiter, start);
    return end === -1 ? text.length : end;
  }
  let closing = text.indexOf('"', start + 1);
  while (closing !== -1 && text[closing + 1] === '"') closing = text.indexOf('"', closing + 2);
  if (closing === -1) return 'unclosed';
  const next = text[closing + 1];
  return next === undefined || next === delimiter ? closing + 1 : 'afterQuote';
}

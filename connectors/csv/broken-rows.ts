/**
 * Finds the end of a broken row, so that the next rows do not become part of it. Also finds the broken cell in the row.
 */
import type { FarEnd, LineEnding, RecordSource } from './records.ts';

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/** The size and the largest cell of a row that is too long to be read. */
export interface LongRow extends FarEnd {
  /**
   * The row's largest cell. The entry contains the column's position (the first column is 1), the cell's number of
   * bytes, and whether the cell's quote is closed.
   */
  cell: { column: number; size: number; isClosed: boolean };
}

/** Ends a row with a misplaced quote at the end of its first line. The next line is most likely a separate row. */
export function endAtFirstLine(
  delimiter: string,
): (bytes: Buffer, start: number, end: number) => number {
  const separator = delimiter.charCodeAt(0);
  return function correctEnd(bytes, start, end) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    if (lineEnd === -1 || lineEnd === end) return end;
    const row = bytes.subarray(start, end === -1 ? bytes.length : end);
    const reading = createReading(separator);
    return reading.read(row) === -1 && reading.isSound() ? end : lineEnd;
  };
}

/** Measures a row that may be as long as the file. The function needs little memory, even for a very long row. */
export async function measureLongRow(
  { handle, size: fileSize }: Pick<RecordSource, 'handle' | 'size'>,
  offset: number,
  { delimiter, atFirstLine }: { delimiter: string; atFirstLine: boolean },
): Promise<LongRow> {
  const reading = createReading(delimiter.charCodeAt(0));
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = offset;
  let end = -1;
  while (at < fileSize && end === -1) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, fileSize - at), at);
    if (bytesRead === 0) break;
    const found = reading.read(buffer.subarray(0, bytesRead));
    if (found !== -1) end = at + found;
    at += bytesRead;
  }
  const { firstLine, lineFeeds } = reading;
  const line = firstLine();
  const cell = reading.largestCell();
  if (atFirstLine && !reading.isSound() && line !== null) {
    return { ...extent(line.size, line.hasReturn ? '\r\n' : '\n'), lineFeeds: 1, cell };
  }
  if (end === -1) return { ...extent(at - offset, ''), lineFeeds: lineFeeds(), cell };
  const ending = reading.endsWithReturn() ? '\r\n' : '\n';
  return { ...extent(end - offset, ending), lineFeeds: lineFeeds(), cell };
}

/**
 * Returns the size of the row and its line ending. `lineEnd` is the number of bytes before the line feed. If a carriage
 * return precedes the line feed, it belongs to the line ending.
 */
function extent(lineEnd: number, ending: LineEnding): { size: number; ending: LineEnding } {
  return { size: ending === '\r\n' ? lineEnd - 1 : lineEnd, ending };
}

/** Returns a number of bytes as text for users. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Math.round(bytes / 1024 ** power)} ${units[power] ?? ''}`;
}

/** Reads one row's bytes in chunks. */
function createReading(separator: number) {
  let state: 'begin' | 'plain' | 'quoted' | 'quote' = 'begin';
  let sound = true;
  let place = 0;
  let column = 1;
  let cellStart = 0;
  let largest = { column: 1, size: 0 };
  let feeds = 0;
  let last = 0;
  let first: { size: number; hasReturn: boolean } | null = null;

  return {
    /** Returns the position at which the row ends in these bytes, or -1 if the row continues after them. */
    read(bytes: Buffer): number {
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        if (byte === LINE_FEED) {
          feeds += 1;
          first ??= { size: place + at, hasReturn: last === CARRIAGE_RETURN };
          if (state !== 'quoted') {
            endCell(place + at);
            return at;
          }
        }
        follow(byte, place + at);
        // The function stores the last byte, because a carriage return in it belongs to a line feed in the next bytes.
        last = byte;
      }
      place += bytes.length;
      return -1;
    },
    /** False if a cell's quote is not closed, or if text follows the closing quote. */
    isSound: () => sound && state !== 'quoted',
    endsWithReturn: () => last === CARRIAGE_RETURN,
    firstLine: () => first,
    lineFeeds: () => feeds,
    largestCell() {
      const rest = { column, size: place - cellStart };
      const cell = rest.size > largest.size ? rest : largest;
      return { ...cell, isClosed: !(state === 'quoted' && cell.column === column) };
    },
  };

  function follow(byte: number, position: number): void {
    if (state === 'quoted') {
      if (byte === QUOTE) state = 'quote';
    } else if (byte === separator) {
      endCell(position);
      column += 1;
      cellStart = position + 1;
      state = 'begin';
    } else if (byte === QUOTE && state !== 'plain') {
      state = 'quoted';
    } else {
      if (state === 'quote' && byte !== CARRIAGE_RETURN) sound = false;
      state = state === 'quote' && byte === CARRIAGE_RETURN ? 'quote' : 'plain';
    }
  }

  function endCell(position: number): void {
    const size = position - cellStart;
    if (size > largest.size) largest = { column, size };
  }
}

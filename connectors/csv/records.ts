import { fileChanged } from './file-errors.ts';
import { createReadAhead } from './sources/read-ahead.ts';
import type { ByteReader } from './sources/source.ts';

export interface RawRecord {
  /** The position (in bytes) at which the record starts in the file. */
  offset: number;
  /** The number of the line in which the record starts. The first line is 1. */
  line: number;
  /**
   * The number of the record's row in a spreadsheet. In a spreadsheet, a quoted line break does not start a new row.
   * The first row is 1.
   */
  row: number;
  /**
   * The bytes of the record without its line ending. The bytes are valid until the caller requests the next record or
   * batch. If the record is longer than MAX_RECORD_BYTES, the field contains only its first bytes.
   */
  bytes: Buffer;
  /** The number of bytes in the whole record, without its line ending. */
  size: number;
  ending: LineEnding;
}

export type LineEnding = '\n' | '\r\n' | '';

/**
 * Returns the position of the line feed that ends the record, or -1 if `bytes` does not contain the end. The position
 * `start` is the beginning of the record.
 */
export type FindEnd = (bytes: Buffer, start: number) => number;

/**
 * The maximum size of a contact's row. A longer row contains a cell that does not belong there, or an unclosed quote.
 */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/**
 * The size of a chunk (bytes). A chunk of this size contains about 200 rows. The garbage collector can free small
 * chunks early. The garbage collector would move larger chunks to the old generation and free them late.
 */
const CHUNK_BYTES = 16 * 1024;
/**
 * The size (bytes) of the part of a file that is read for a single row. Rows that a run looks up one after another are
 * often neighbours in the file. A part of this size holds about 200 rows of the output with all fields.
 */
const WINDOW_BYTES = 96 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/** The part of a file to read, and the functions that find the end of a record. */
export interface RecordSource {
  handle: Pick<ByteReader, 'read'>;
  /**
   * The number of bytes to read from the file. donor-sync does not read bytes that another program adds to the file
   * later.
   */
  size: number;
  findEnd: FindEnd;
  /**
   * Corrects the position at which a broken record ends. Without this correction, a broken row could contain the next
   * rows. The position `end` comes from `findEnd`, or is -1 at the end of the file.
   */
  correctEnd?: (bytes: Buffer, start: number, end: number) => number;
  /**
   * Finds the end of a record that is longer than MAX_RECORD_BYTES. If this function is missing, a record ends after
   * MAX_RECORD_BYTES.
   */
  findFarEnd?: (offset: number) => Promise<FarEnd>;
}

/** The end of a record that is longer than MAX_RECORD_BYTES. */
export interface FarEnd {
  /** The number of bytes without the line ending. */
  size: number;
  ending: LineEnding;
  /** The number of line feeds in the record, including the line feed at its end. */
  lineFeeds: number;
}

/** Yields all records after `start`. Each batch of records comes from one chunk of the file. */
export async function* readRecords(
  from: RecordSource,
  start: RecordStart = { offset: 0, line: 1, row: 1 },
): AsyncGenerator<RawRecord[]> {
  const source = { ...from, handle: createReadAhead(from.handle) };
  let { offset, line, row } = start;
  let buffer: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  while (offset + filled < source.size) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    filled += await readSome(source, buffer, filled, offset + filled);
    const atEnd = offset + filled >= source.size;
    const batch = cutRecords(buffer.subarray(0, filled), source, { offset, line, row, atEnd });
    if (batch.isTooLong && source.findFarEnd !== undefined) {
      const { size, ending, lineFeeds } = await source.findFarEnd(offset);
      const bytes = buffer.subarray(0, Math.min(filled, size));
      yield [{ offset, line, row, bytes, size, ending }];
      offset += size + ending.length;
      filled = 0;
      line += lineFeeds;
      row += 1;
      continue;
    }
    yield batch.records;
    buffer.copyWithin(0, batch.used, filled);
    filled -= batch.used;
    offset += batch.used;
    line = batch.line;
    row += batch.records.length;
  }
}

/** The position at which reading starts, with its line and row numbers. */
export interface RecordStart {
  offset: number;
  line: number;
  row: number;
}

/**
 * Reads single records by their position in the file. Records that are close to each other come from the same read
 * operation.
 */
export function createRecordWindow(
  source: RecordSource,
): (offset: number) => Promise<RawRecord | null> {
  let buffer: Buffer = Buffer.alloc(0);
  let begin = 0;
  let bytes = buffer;

  return async function recordAt(offset) {
    const inWindow = offset >= begin && offset < begin + bytes.length;
    const found = inWindow ? cutOne(bytes, offset - begin, begin, source) : null;
    return found ?? readWindow(offset);
  };

  async function readWindow(offset: number): Promise<RawRecord | null> {
    for (let length = WINDOW_BYTES; length <= MAX_RECORD_BYTES; length *= 2) {
      if (buffer.length < length) buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await source.handle.read(buffer, 0, length, offset);
      bytes = buffer.subarray(0, Math.min(bytesRead, source.size - offset));
      begin = offset;
      const found = cutOne(bytes, 0, begin, source);
      if (found !== null || bytesRead < length) return found;
    }
    return null;
  }
}

export function findLineEnd(bytes: Buffer, start: number): number {
  return bytes.indexOf(LINE_FEED, start);
}

/**
 * Returns a function that finds the end of a row. A row ends at a line feed outside quotes. A quote has its special
 * meaning only at the beginning of a cell.
 */
export function findRowEnd(delimiter: string): FindEnd {
  const separator = delimiter.charCodeAt(0);
  return function rowEnd(bytes, start) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    // Most rows have no quote, so the function first searches for a quote, which is fast.
    const searched = lineEnd === -1 ? bytes.length : lineEnd;
    if (!bytes.subarray(start, searched).includes(QUOTE)) return lineEnd;
    return walkToRowEnd(bytes, start, separator);
  };
}

function walkToRowEnd(bytes: Buffer, start: number, separator: number): number {
  let cellBegins = true;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (cellBegins && byte === QUOTE) {
      at = closingQuote(bytes, at);
      if (at === -1) return -1;
      cellBegins = false;
      continue;
    }
    if (byte === LINE_FEED) return at;
    cellBegins = byte === separator;
  }
  return -1;
}

/** Finds the quote that ends the cell. Two consecutive quotes represent one quote in the text. */
function closingQuote(bytes: Buffer, opening: number): number {
  let at = bytes.indexOf(QUOTE, opening + 1);
  while (at !== -1 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at;
}

async function readSome(
  source: RecordSource,
  buffer: Buffer,
  from: number,
  position: number,
): Promise<number> {
  const length = Math.min(buffer.length - from, source.size - position);
  const { bytesRead } = await source.handle.read(buffer, from, length, position);
  if (bytesRead === 0) {
    throw fileChanged('A file', {});
  }
  return bytesRead;
}

function cutRecords(
  bytes: Buffer,
  { findEnd, correctEnd }: RecordSource,
  place: RecordStart & { atEnd: boolean },
): { records: RawRecord[]; used: number; line: number; isTooLong: boolean } {
  const records: RawRecord[] = [];
  let { line, row } = place;
  let used = 0;
  while (used < bytes.length) {
    const found = findEnd(bytes, used);
    // Only a record above the maximum size is cut. If an incomplete record is within the maximum size, the function
    // reads more bytes.
    const isTooLong = used === 0 && (found === -1 ? bytes.length : found) >= MAX_RECORD_BYTES;
    if (isTooLong) return { ...cutLong(bytes, found, place), isTooLong };
    if (found === -1 && !place.atEnd) break;
    const end = correctEnd === undefined ? found : correctEnd(bytes, used, found);
    records.push(cut(bytes, used, end, { offset: place.offset + used, line, row }));
    const next = end === -1 ? bytes.length : end + 1;
    line += countLineFeeds(bytes, used, next);
    used = next;
    row += 1;
  }
  return { records, used, line, isTooLong: false };
}

function cutLong(
  bytes: Buffer,
  end: number,
  { offset, line, row }: RecordStart,
): { records: RawRecord[]; used: number; line: number } {
  const used = end === -1 ? bytes.length : end + 1;
  const records = [cut(bytes, 0, end, { offset, line, row })];
  return { records, used, line: line + countLineFeeds(bytes, 0, used) };
}

function cutOne(
  bytes: Buffer,
  start: number,
  begin: number,
  source: RecordSource,
): RawRecord | null {
  const end = source.findEnd(bytes, start);
  if (end === -1 && begin + bytes.length < source.size) return null;
  return cut(bytes, start, end, { offset: begin + start, line: 0, row: 0 });
}

function cut(bytes: Buffer, start: number, lineFeed: number, place: RecordStart): RawRecord {
  const hasReturn = lineFeed > start && bytes[lineFeed - 1] === CARRIAGE_RETURN;
  const end = lineFeed === -1 ? bytes.length : lineFeed - (hasReturn ? 1 : 0);
  const ending = hasReturn ? '\r\n' : '\n';
  return {
    ...place,
    bytes: bytes.subarray(start, end),
    size: end - start,
    ending: lineFeed === -1 ? '' : ending,
  };
}

function countLineFeeds(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at !== -1 && at < end; count += 1) {
    at = bytes.indexOf(LINE_FEED, at + 1);
  }
  return count;
}

/**
 * A file cut into records (rows with their quoted line breaks, or plain lines), in memory that
 * does not grow with the file.
 *
 * `csv-parse` is not used here because it tells neither where in the file a record lies nor how
 * a cell was written, and both are needed: to read one row without the others, and to give back
 * untouched cells exactly as they were.
 */
import type { FileHandle } from 'node:fs/promises';
import { RetriableError } from '../../src/core/errors.ts';

export interface RawRecord {
  /** Where the record begins in the file, in bytes. */
  offset: number;
  /** The line it begins in; the first one is 1. */
  line: number;
  /** The record without its line ending; valid until the next record or batch is asked for. */
  bytes: Buffer;
  ending: LineEnding;
}

export type LineEnding = '\n' | '\r\n' | '';

/** Finds the line feed that ends the record beginning at `start`; -1 if it is not in `bytes`. */
export type FindEnd = (bytes: Buffer, start: number) => number;

/** A longer record is a quote that was not closed. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** About 200 rows: what is made of a chunk is gone again before the garbage collector keeps it. */
const CHUNK_BYTES = 16 * 1024;
const WINDOW_BYTES = 16 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/** The extent of the file to read, and how its records end. */
export interface RecordSource {
  handle: Pick<FileHandle, 'read'>;
  /** Bytes; what is added behind them later is not seen. */
  size: number;
  findEnd: FindEnd;
}

/**
 * All records from `start` on, one batch for each chunk of the file. A record that is longer
 * than MAX_RECORD_BYTES is cut there.
 */
export async function* readRecords(
  source: RecordSource,
  start: { offset: number; line: number } = { offset: 0, line: 1 },
): AsyncGenerator<RawRecord[]> {
  let { offset, line } = start;
  let buffer: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  while (offset + filled < source.size) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    filled += await readSome(source, buffer, filled, offset + filled);
    const batch = cutRecords(buffer.subarray(0, filled), source.findEnd, {
      ...{ offset, line },
      atEnd: offset + filled >= source.size,
    });
    yield batch.records;
    buffer.copyWithin(0, batch.used, filled);
    filled -= batch.used;
    offset += batch.used;
    line = batch.line;
  }
}

/** Gives single records by their offset; records near each other share one read. */
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

/** Records end where lines do. */
export function findLineEnd(bytes: Buffer, start: number): number {
  return bytes.indexOf(LINE_FEED, start);
}

/** Records end at a line feed outside of quotes; a quote counts only where a cell begins. */
export function findRowEnd(delimiter: string): FindEnd {
  const separator = delimiter.charCodeAt(0);
  return function rowEnd(bytes, start) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    // Most rows hold no quote at all, and searching for bytes is much faster than walking.
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

/** The quote that ends the cell; two in a row stand for one that belongs to the text. */
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
    const message = 'A file became shorter while it was read; try again.';
    throw new RetriableError(message, { code: 'csv_file_changed' });
  }
  return bytesRead;
}

function cutRecords(
  bytes: Buffer,
  findEnd: FindEnd,
  place: { offset: number; line: number; atEnd: boolean },
): { records: RawRecord[]; used: number; line: number } {
  const records: RawRecord[] = [];
  let { line } = place;
  let used = 0;
  while (used < bytes.length) {
    const end = findEnd(bytes, used);
    // Only what is too long by itself is cut; what merely ends behind the buffer is read on.
    const isTooLong = used === 0 && bytes.length >= MAX_RECORD_BYTES;
    if (end === -1 && !place.atEnd && !isTooLong) break;
    records.push(cut(bytes, used, end, { offset: place.offset + used, line }));
    const next = end === -1 ? bytes.length : end + 1;
    line += countLineFeeds(bytes, used, next);
    used = next;
  }
  return { records, used, line };
}

function cutOne(
  bytes: Buffer,
  start: number,
  begin: number,
  source: RecordSource,
): RawRecord | null {
  const end = source.findEnd(bytes, start);
  if (end === -1 && begin + bytes.length < source.size) return null;
  return cut(bytes, start, end, { offset: begin + start, line: 0 });
}

function cut(
  bytes: Buffer,
  start: number,
  lineFeed: number,
  place: { offset: number; line: number },
): RawRecord {
  if (lineFeed === -1) return { ...place, bytes: bytes.subarray(start), ending: '' };
  const hasReturn = lineFeed > start && bytes[lineFeed - 1] === CARRIAGE_RETURN;
  return {
    ...place,
    bytes: bytes.subarray(start, hasReturn ? lineFeed - 1 : lineFeed),
    ending: hasReturn ? '\r\n' : '\n',
  };
}

function countLineFeeds(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at !== -1 && at < end; count += 1) {
    at = bytes.indexOf(LINE_FEED, at + 1);
  }
  return count;
}

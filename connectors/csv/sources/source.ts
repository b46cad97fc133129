/**
 * Reads files whose encoding is not UTF-8. donor-sync converts UTF-16 files and workbooks to UTF-8 in memory. The
 * converted text is never written to the disk.
 */
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { readWorkbook } from './workbook.ts';

/** Bytes that can be read at any position. */
export interface ByteReader {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/**
 * A file's text. For a UTF-8 or Latin-1 file, the text consists of the file's own bytes. donor-sync first converts
 * UTF-16 files and workbooks to UTF-8.
 */
export interface TextSource {
  handle: ByteReader;
  /** The number of bytes in the text. */
  size: number;
  /** The file on disk. The stamp of the file shows whether the file has changed. */
  file: FileHandle;
  /** Opens a second reader of the same text. The second reader can also report whether the file has changed since. */
  reopen(): Promise<ByteReader & { stats(): Promise<BigIntStats> }>;
  close(): Promise<void>;
}

/** The two kinds of files that donor-sync reads but never writes. */
export type ForeignKind = 'UTF-16 text' | 'workbook';

/** The maximum size of the text that is converted to UTF-8 in memory. */
const MOST_UTF_16_BYTES = 512 * 1024 * 1024;

/** Opens a file's text. Throws a ConfigurationError if a workbook or a UTF-16 file cannot be read. */
export async function openSource(path: string, sheet: string | null): Promise<TextSource> {
  const file = await open(path, 'r');
  try {
    const kind = detectKind(await readStart(file));
    if (kind === null) {
      const { size } = await file.stat();
      return {
        handle: file,
        size,
        file,
        reopen: () => reopenFile(path),
        close: () => file.close(),
      };
    }
    const bytes = await toUtf8(path, await readWhole(file), { kind, sheet, isWhole: true });
    const handle = inMemory(bytes);
    return {
      handle,
      size: bytes.length,
      file,
      reopen: async () => ({ ...handle, stats: () => stat(path, { bigint: true }) }),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function reopenFile(path: string) {
  const file = await open(path, 'r');
  return {
    read: (buffer: Buffer, offset: number, length: number, position: number) =>
      file.read(buffer, offset, length, position),
    close: () => file.close(),
    stats: () => file.stat({ bigint: true }),
  };
}

/** Detects a file's kind from its first bytes. Returns null for files in UTF-8 or Latin-1. */
export async function detectForeignKind(path: string): Promise<ForeignKind | null> {
  await using file = await open(path, 'r');
  return detectKind(await readStart(file));
}

/**
 * Converts a UTF-16 text or a workbook to UTF-8 text with a byte order mark. Returns all other bytes unchanged.
 * `isWhole` is false if the bytes are only the first part of UTF-16 text.
 */
export async function toPlainText(
  path: string,
  bytes: Buffer,
  { sheet = null, isWhole = true }: { sheet?: string | null; isWhole?: boolean } = {},
): Promise<Buffer> {
  const kind = detectKind(bytes);
  return kind === null ? bytes : toUtf8(path, bytes, { kind, sheet, isWhole });
}

async function toUtf8(
  path: string,
  bytes: Buffer,
  { kind, sheet, isWhole }: { kind: ForeignKind; sheet: string | null; isWhole: boolean },
): Promise<Buffer> {
  if (kind === 'workbook') return readWorkbook(path, bytes, sheet);
  if (bytes.length > MOST_UTF_16_BYTES) {
    throw unusable(path, 'it is too large for UTF-16; save it as "CSV UTF-8"');
  }
  try {
    const decoder = new TextDecoder(detectUtf16(bytes) ?? 'utf-16le', { fatal: true });
    const text = decoder.decode(bytes, { stream: !isWhole });
    return Buffer.from(`\uFEFF${text}`);
  } catch {
    throw unusable(path, 'it starts as UTF-16 text and has other bytes; save it as "CSV UTF-8"');
  }
}

function unusable(path: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${path} cannot be used: ${problem}.`, {
    code: 'csv_file_unusable',
    details: { path },
  });
}

const START_BYTES = 64;

async function readStart(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

async function readWhole(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** Detects a file's kind from its first bytes. */
export function detectKind(start: Buffer): ForeignKind | null {
  if (start.subarray(0, ZIP.length).equals(ZIP)) return 'workbook';
  return detectUtf16(start) === null ? null : 'UTF-16 text';
}

/**
 * Detects UTF-16 by its byte order mark. If the file has no byte order mark, checks its first line. In UTF-16, every
 * second byte of Latin letters is zero.
 */
function detectUtf16(start: Buffer): 'utf-16le' | 'utf-16be' | null {
  const [a, b, c, d] = start;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === undefined || b === undefined || c === undefined || d === undefined) return null;
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return 'utf-16le';
  return a === 0 && b !== 0 && c === 0 && d !== 0 ? 'utf-16be' : null;
}

function inMemory(bytes: Buffer): ByteReader {
  return {
    async read(buffer, offset, length, position) {
      return { bytesRead: bytes.copy(buffer, offset, position, position + length) };
    },
    close: async () => {},
  };
}

import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { messageOf } from '../../../core/errors.ts';

/** The names of a CSV file's columns, in their order. */
export interface CsvHeader {
  columns: string[];
  encoding: 'utf-8' | 'latin1';
}

/** Why a file cannot be used, in words. */
export interface CsvProblem {
  problem: string;
}

/** A header is read from this much of the file; longer ones do not exist. */
const MAX_HEADER_BYTES = 65_536;

const DELIMITERS = [',', ';', '\t', '|'];

/** Fewer columns cannot hold an id and a name. */
const MIN_COLUMNS = 2;

/** Reads the first line of a CSV file, whichever of the usual delimiters it uses. */
export async function readCsvHeader(path: string, cwd: string): Promise<CsvHeader | CsvProblem> {
  try {
    await using file = await open(resolve(cwd, path));
    return parseHeader(await readStart(file));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { problem: isMissing ? `${path} does not exist` : `${path}: ${messageOf(error)}` };
  }
}

async function readStart(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0);
  return buffer.subarray(0, bytesRead);
}

function parseHeader(bytes: Buffer): CsvHeader | CsvProblem {
  // A zero byte: a workbook, an archive, or UTF-16.
  if (bytes.includes(0)) return { problem: 'this is not a CSV file; save it as "CSV UTF-8"' };
  const { text, encoding } = decode(bytes);
  const candidates = DELIMITERS.map((delimiter) => firstRecord(text, delimiter));
  const columns = candidates.reduce((best, each) => (each.length > best.length ? each : best));
  if (columns.length < MIN_COLUMNS) {
    const needed = 'an id and a name';
    return { problem: `its first line must name at least ${MIN_COLUMNS} columns: ${needed}` };
  }
  return { columns, encoding };
}

function decode(bytes: Buffer): { text: string; encoding: CsvHeader['encoding'] } {
  try {
    // `stream`: the last character may be cut in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return { text, encoding: 'utf-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'latin1' };
  }
}

function firstRecord(text: string, delimiter: string): string[] {
  const [record = []] = parse(text, {
    delimiter,
    to: 1,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  return record.map((name) => name.trim()).filter((name) => name !== '');
}

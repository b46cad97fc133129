/** Reads the beginning of a contact file: its column names and first rows. */
import { resolve } from 'node:path';
import { readAnyHeader, readFirstRows } from '../../../connectors/csv/first-rows.ts';
import { settingNames } from '../../../connectors/csv/setting-names.ts';
import {
  detectForeignKind,
  type ForeignKind,
  openSource,
  type TextSource,
} from '../../../connectors/csv/sources/source.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import { MAX_NAME_LENGTH } from './column-names.ts';

/** The first rows of a file. The values show what a column contains. */
export type CsvSample = readonly ReadonlyMap<string, string>[];

/** The names of a CSV file's columns, in order. */
export interface CsvHeader {
  /** The column names for settings. If two columns are called `City`, they are `City (1)` and `City (2)`. */
  columns: string[];
  /** All column names in order, including duplicates and names that are too long for settings. */
  names: string[];
  encoding: 'utf-8' | 'latin1';
  /**
   * The kind of a file that donor-sync cannot write, so that the results need a separate file. Null for all other
   * files.
   */
  foreign: ForeignKind | null;
  /** The first rows, by column name. */
  sample: CsvSample;
}

export interface CsvProblem {
  problem: string;
}

/** The number of bytes in which the header must be. No header is longer than this. */
const MAX_HEADER_BYTES = 65_536;

/**
 * The maximum number of columns. No known CRM export has this many columns. The number is limited, because each column
 * is checked in many ways.
 */
const MAX_COLUMNS = 1_000;

/** The number of bytes in which the first rows must be. */
const MAX_SAMPLE_BYTES = 16 * 1_048_576;

const MIN_COLUMNS = 2;

/**
 * Reads a contact file's column names and first rows. Accepts CSV in UTF-8, Latin-1 or UTF-16 with any usual delimiter,
 * and sheets of a workbook. If `sheet` is null, the first sheet with a table is used.
 */
export async function readCsvHeader(
  path: string,
  cwd: string,
  sheet: string | null = null,
): Promise<CsvHeader | CsvProblem> {
  const file = resolve(cwd, path);
  try {
    const foreign = await detectForeignKind(file);
    const source = await openSource(file, sheet);
    try {
      const found = readHeaderOf(await readStart(source), WHOLE_FILE);
      return 'problem' in found ? found : { ...found, foreign };
    } finally {
      await source.close();
    }
  } catch (error) {
    if (isDonorSyncError(error)) return { problem: error.message.replace(/\.$/, '') };
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { problem: isMissing ? `${path} does not exist` : `${path}: ${messageOf(error)}` };
  }
}

async function readStart({ handle, size }: TextSource): Promise<Buffer> {
  // Reads one additional byte. The additional byte shows whether the file is longer.
  const buffer = Buffer.alloc(Math.min(size, MAX_SAMPLE_BYTES + 1));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

/** The maximum number of records that are used for a guess. */
const MAX_SAMPLE = 10_000;

/** Options for reading a file to its end. */
export const WHOLE_FILE = { records: MAX_SAMPLE, isWhole: true };

/**
 * Reads the header from a file's text. If the text is only the first part of a file, `isWhole` is false and an
 * incomplete last row is ignored. Reads at most `extent.records` records.
 */
export function readHeaderOf(
  all: Buffer,
  extent: { records: number; isWhole: boolean },
): Omit<CsvHeader, 'foreign'> | CsvProblem {
  const text = all.subarray(0, MAX_SAMPLE_BYTES);
  const isWhole = extent.isWhole && text.length === all.length;
  // A file with a zero byte is binary.
  if (text.includes(0)) return { problem: 'this is not a CSV file; save it as "CSV UTF-8"' };
  const start = firstLines(text);
  if (start === null) return { problem: 'its first line is too long for a header row' };
  const header = readAnyHeader(start, detectEncoding(text));
  if (Array.isArray(header)) return { problem: header[0]?.message.replace(/\.$/, '') ?? '' };
  const columns = header.columns.filter((name) => name !== '');
  if (columns.length < MIN_COLUMNS) {
    const needed = 'an id and a name';
    return { problem: `its first line must name at least ${MIN_COLUMNS} columns: ${needed}` };
  }
  if (columns.length > MAX_COLUMNS) {
    const most = MAX_COLUMNS.toLocaleString('en');
    return {
      problem: `its first line names more than ${most} columns; remove the columns that are not needed`,
    };
  }
  return {
    columns: usableNames(columns),
    names: columns,
    encoding: header.dialect.encoding,
    sample: toSample(header.columns, readFirstRows(text, header, { ...extent, isWhole })),
  };
}

/** Returns the complete lines of a text, or null if there are none. */
function firstLines(text: Buffer): Buffer | null {
  if (text.length <= MAX_HEADER_BYTES) return text;
  const start = text.subarray(0, MAX_HEADER_BYTES);
  const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf('\r'));
  return end === -1 ? null : start.subarray(0, end + 1);
}

/** Returns the column names that can be mapped. Columns with the same name are numbered by position. */
function usableNames(names: readonly string[]): string[] {
  return settingNames(names).flatMap((name) =>
    name === null || name.length > MAX_NAME_LENGTH ? [] : [name],
  );
}

function detectEncoding(text: Buffer): CsvHeader['encoding'] {
  try {
    // With the option `stream`, the text may end in the middle of a character.
    new TextDecoder('utf-8', { fatal: true }).decode(text, { stream: true });
    return 'utf-8';
  } catch {
    return 'latin1';
  }
}

function toSample(names: readonly string[], rows: readonly (readonly string[])[]): CsvSample {
  const usable = settingNames(names);
  return rows.map(
    (row) =>
      new Map(
        names.flatMap((name, at) => {
          const value = row[at] ?? '';
          const other = usable[at] ?? name;
          return other === name
            ? [[name, value] as const]
            : ([
                [name, value],
                [other, value],
              ] as const);
        }),
      ),
  );
}

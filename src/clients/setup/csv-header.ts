/** Reads the beginning of a file of contacts: the names of its columns and its first rows. */
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { settingNames } from '../../../connectors/csv/setting-names.ts';
import {
  detectForeignKind,
  type ForeignKind,
  openSource,
  type TextSource,
} from '../../../connectors/csv/sources/source.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import { MAX_NAME_LENGTH } from './column-names.ts';

/** The values of some rows by the names of their columns, to judge the columns by. */
export type CsvSample = readonly ReadonlyMap<string, string>[];

/** The names of a CSV file's columns, in their order. */
export interface CsvHeader {
  /** Those that settings can name: `City (1)` and `City (2)` for two columns with the name `City`. */
  columns: string[];
  /** All names in their order, those among them that stand twice or are too long for a setting. */
  names: string[];
  encoding: 'utf-8' | 'latin1';
  /** Files that are read and never replaced: their results need a file of their own. Null for others. */
  foreign: ForeignKind | null;
  /** The first rows, by the names of the columns. */
  sample: CsvSample;
}

/** Why a file cannot be used, in words. */
export interface CsvProblem {
  problem: string;
}

/** A header is read from this much of the file; longer ones do not exist. */
const MAX_HEADER_BYTES = 65_536;

/** More columns than any export of a CRM has: each of them is looked at in many ways. */
const MAX_COLUMNS = 1_000;

/** The first rows are read from this much of the file. */
const MAX_SAMPLE_BYTES = 16 * 1_048_576;

const DELIMITERS = [',', ';', '\t', '|'];

/** Fewer columns cannot hold an id and a name. */
const MIN_COLUMNS = 2;

/**
 * Reads the names of the columns and the first rows of a file of contacts: CSV with whichever of the usual delimiters, in
 * UTF-8, Latin-1 or UTF-16, or a sheet of a workbook (null: the first that has a table).
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
      const found = parseHeader(await readStart(source));
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
  const buffer = Buffer.alloc(Math.min(size, MAX_SAMPLE_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

function parseHeader(bytes: Buffer): Omit<CsvHeader, 'foreign'> | CsvProblem {
  // A zero byte: a program or another kind of archive.
  if (bytes.includes(0)) return { problem: 'this is not a CSV file; save it as "CSV UTF-8"' };
  const { text, encoding } = decode(bytes);
  const start = text.slice(0, MAX_HEADER_BYTES);
  if (text.length > start.length && !/[\r\n]/.test(start)) {
    return { problem: 'its first line is longer than any line of column names' };
  }
  const candidates = DELIMITERS.map((delimiter) => ({
    delimiter,
    columns: namesIn(start, delimiter),
  }));
  const { delimiter, columns: all } = candidates.reduce((best, each) =>
    each.columns.length > best.columns.length ? each : best,
  );
  const columns = all.filter((name) => name !== '');
  if (columns.length < MIN_COLUMNS) {
    const needed = 'an id and a name';
    return { problem: `its first line must name at least ${MIN_COLUMNS} columns: ${needed}` };
  }
  if (columns.length > MAX_COLUMNS) {
    const most = MAX_COLUMNS.toLocaleString('en');
    return {
      problem: `its first line names more than ${most} columns; leave out those that are not needed`,
    };
  }
  const isWhole = bytes.length < MAX_SAMPLE_BYTES;
  return {
    columns: usableNames(columns),
    names: columns,
    encoding,
    sample: readSample(text, delimiter, all, isWhole),
  };
}

/** The names that can be mapped; two columns with one name are told apart by their place. */
function usableNames(names: readonly string[]): string[] {
  return settingNames(names).flatMap((name) =>
    name === null || name.length > MAX_NAME_LENGTH ? [] : [name],
  );
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

function namesIn(text: string, delimiter: string): string[] {
  return (records(text, delimiter, 1)[0] ?? []).map((name) => name.trim());
}

/** Rows that a guess looks at, as far as the beginning of the file has them. */
const MAX_SAMPLE = 10_000;

function readSample(
  text: string,
  delimiter: string,
  names: readonly string[],
  isWhole: boolean,
): CsvSample {
  const rows = records(text, delimiter, MAX_SAMPLE + 1).slice(1);
  // The last row may be cut in two.
  const whole = isWhole || rows.length === MAX_SAMPLE ? rows : rows.slice(0, -1);
  const usable = settingNames(names);
  return whole.map(
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

/** The first records; none after one that cannot be read. */
function records(text: string, delimiter: string, to: number): string[][] {
  const found: string[][] = [];
  try {
    parse(text, {
      delimiter,
      to,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record(record: string[]) {
        found.push(record);
        return null;
      },
    });
  } catch {
    // A quote that the beginning of the file does not close.
  }
  return found;
}

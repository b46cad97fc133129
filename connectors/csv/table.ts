import { type FileHandle, open, stat } from 'node:fs/promises';
import { RetriableError } from '../../src/core/errors.ts';
import { fileError } from './file-errors.ts';
import {
  type Header,
  type HeaderFormat,
  MOST_PROBLEMS,
  type Problem,
  readHeader,
  unusableFile,
} from './header.ts';
import {
  createRecordWindow,
  findRowEnd,
  MAX_RECORD_BYTES,
  type RecordSource,
  readRecords,
} from './records.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';
import { parseRow, type Row } from './rows.ts';

/** A file that was read to its end once and found in order. */
export interface Table {
  path: string;
  header: Header;
  /** Where each column is in a row. */
  positions: ReadonlyMap<string, number>;
  /** Without blank lines. */
  rowCount: number;
  /** What the file was when it was read; another stamp is another file. */
  stamp: string;
  /** All rows in their order, blank lines among them; throws if the file changes meanwhile. */
  rows(): AsyncGenerator<Row[]>;
  /** The rows with these ids. */
  find(ids: readonly string[]): Promise<Map<string, Row>>;
  close(): Promise<void>;
}

export interface TableFormat extends HeaderFormat {
  idColumn: string;
}

/**
 * Opens a file and reads all of it. Throws a ConfigurationError that lists what is wrong with
 * the file (`details.problems`), or says why it cannot be read.
 */
export async function openTable(path: string, format: TableFormat): Promise<Table> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, 'r');
    return await readTable(path, handle, format);
  } catch (error) {
    await handle?.close();
    throw fileError('read', path, error);
  }
}

/** What tells one state of a file from another; null if there is no file. */
export async function stampOf(path: string): Promise<string | null> {
  try {
    return stampFrom(await stat(path, { bigint: true }));
  } catch {
    return null;
  }
}

async function readTable(path: string, handle: FileHandle, format: TableFormat): Promise<Table> {
  const stats = await handle.stat({ bigint: true });
  const size = Number(stats.size);
  const header = await readFirstLine(handle, size, format);
  if (Array.isArray(header)) throw unusableFile(path, header);
  const findEnd = findRowEnd(header.dialect.delimiter);
  const source = { handle, size, findEnd };
  const { index, rowCount, problems } = await checkRows(source, header, format.idColumn);
  if (problems.length > 0) throw unusableFile(path, problems);
  const stamp = stampFrom(stats);
  return {
    path,
    header,
    positions: new Map(header.columns.map((name, at) => [name, at])),
    rowCount,
    stamp,
    rows: () => streamRows(path, { stamp, size, header, idColumn: format.idColumn }),
    find: (ids) => findRows(source, index, { header, idColumn: format.idColumn }, ids),
    close: () => handle.close(),
  };
}

async function readFirstLine(
  handle: FileHandle,
  size: number,
  format: TableFormat,
): Promise<Header | Problem[]> {
  const bytes = Buffer.alloc(Math.min(size, MAX_RECORD_BYTES));
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  return readHeader(bytes.subarray(0, bytesRead), format);
}

/** Reads every row once: notes where it is, and everything that is wrong. */
async function checkRows(
  source: RecordSource,
  header: Header,
  idColumn: string,
): Promise<{ index: RowIndex; rowCount: number; problems: Problem[] }> {
  const index = createRowIndex();
  const problems: Problem[] = [];
  let encodingIsWrong = false;
  let rowCount = 0;
  for await (const records of readRecords(source, afterHeader(header))) {
    for (const record of records) {
      const row = parseRow(record, header, idColumn);
      if ('message' in row) {
        // A file in another encoding has it everywhere; the first line says it all.
        const isNews = row.reason !== 'encoding' || !encodingIsWrong;
        encodingIsWrong ||= row.reason === 'encoding';
        if (isNews) problems.push({ line: record.line, message: row.message });
      } else if (row.id !== '') {
        const twin = await findTwin(source, index, header, idColumn, row.id);
        if (twin !== null) problems.push(duplicateId(row, await lineOf(source, header, twin)));
        index.add(row.id, record.offset);
        rowCount += 1;
      }
      if (problems.length >= MOST_PROBLEMS) return { index, rowCount, problems };
    }
  }
  return { index, rowCount, problems };
}

function duplicateId(row: Row, firstLine: number): Problem {
  return { line: row.line, message: `the id "${row.id}" is already the id of line ${firstLine}.` };
}

/** The offset of an earlier row with this id; null if there is none. */
async function findTwin(
  source: RecordSource,
  index: RowIndex,
  header: Header,
  idColumn: string,
  id: string,
): Promise<number | null> {
  for (const offset of index.offsets(id)) {
    const record = await createRecordWindow(source)(offset);
    const row = record === null ? null : parseRow(record, header, idColumn);
    if (row !== null && 'id' in row && row.id === id) return offset;
  }
  return null;
}

/** The number of the line that begins at the offset. */
async function lineOf(source: RecordSource, header: Header, offset: number): Promise<number> {
  const before = { ...source, size: offset };
  let { line } = afterHeader(header);
  for await (const records of readRecords(before, afterHeader(header))) {
    const last = records.at(-1);
    if (last !== undefined) line = last.line + last.bytes.toString('latin1').split('\n').length;
  }
  return line;
}

async function* streamRows(
  path: string,
  file: { stamp: string; size: number; header: Header; idColumn: string },
): AsyncGenerator<Row[]> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError('read', path, error);
  });
  try {
    const findEnd = findRowEnd(file.header.dialect.delimiter);
    const records = readRecords({ handle, size: file.size, findEnd }, afterHeader(file.header));
    for await (const batch of records) {
      if (stampFrom(await handle.stat({ bigint: true })) !== file.stamp) throw changed(path);
      yield batch.map((record) => {
        const row = parseRow(record, file.header, file.idColumn);
        if ('message' in row) throw changed(path);
        return row;
      });
    }
  } catch (error) {
    throw fileError('read', path, error);
  } finally {
    await handle.close();
  }
}

async function findRows(
  source: RecordSource,
  index: RowIndex,
  shape: { header: Header; idColumn: string },
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const places = ids.flatMap((id) => index.offsets(id).map((offset) => ({ id, offset })));
  const recordAt = createRecordWindow(source);
  const rows = new Map<string, Row>();
  for (const { id, offset } of places.sort((a, b) => a.offset - b.offset)) {
    const record = await recordAt(offset);
    const row = record === null ? null : parseRow(record, shape.header, shape.idColumn);
    if (row !== null && 'id' in row && row.id === id) rows.set(id, row);
  }
  return rows;
}

function afterHeader(header: Header): { offset: number; line: number } {
  const headerLines = header.cells.join('').split('\n').length;
  return { offset: header.size, line: headerLines + 1 };
}

function changed(path: string): RetriableError {
  return new RetriableError(`${path} was changed while it was read; try again.`, {
    code: 'csv_file_changed',
    details: { path },
  });
}

function stampFrom(stats: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(':');
}

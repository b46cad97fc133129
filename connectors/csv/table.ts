import { stat } from 'node:fs/promises';
import type { RetriableError } from '../../src/core/errors.ts';
import type { MarkCount } from '../contract.ts';
import { endAtFirstLine, measureLongRow, sizeText } from './broken-rows.ts';
import { fileChanged, fileError } from './file-errors.ts';
import {
  type Header,
  type HeaderFormat,
  MOST_PROBLEMS,
  type Problem,
  readHeader,
  unusableFile,
} from './header.ts';
import type { MarkTally } from './marks.ts';
import {
  createRecordWindow,
  findRowEnd,
  MAX_RECORD_BYTES,
  type RawRecord,
  type RecordSource,
  type RecordStart,
  readRecords,
} from './records.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';
import { columnText, parseRow, type Row, type RowFailure } from './rows.ts';
import { columnPositions } from './setting-names.ts';
import { detectEncoding } from './sources/encoding.ts';
import { type ByteReader, openSource, type TextSource } from './sources/source.ts';

/** A file that donor-sync has read completely and can use. */
export interface Table {
  path: string;
  header: Header;
  /** The position of each column in a row. */
  positions: ReadonlyMap<string, number>;
  /** The column names that belong to several columns. The settings cannot refer to columns that share a name. */
  namedTwice: ReadonlySet<string>;
  /** The number of rows, without blank lines and broken rows. */
  rowCount: number;
  /**
   * The rows that donor-sync skips because it cannot read them. The list of skipped rows is empty unless the settings
   * allow donor-sync to skip rows.
   */
  brokenRows: readonly Problem[];
  /**
   * The number of contacts that each mark column excludes. The list of counts is empty if donor-sync does not read the
   * file's marks.
   */
  marks: readonly MarkCount[];
  /** The stamp of the file at the time when donor-sync read it. A different stamp means that the file has changed. */
  stamp: string;
  /** Yields all rows in order, including blank lines and broken rows. Throws if the file changes during the reading. */
  rows(): AsyncGenerator<Row[]>;
  /** Yields the bytes of a part of the file, in chunks. */
  readBytes(part: { offset: number; size: number }): AsyncGenerator<Buffer>;
  find(ids: readonly string[]): Promise<Map<string, Row>>;
  close(): Promise<void>;
}

export interface TableFormat extends HeaderFormat {
  idColumn: string;
  badRows: 'stop' | 'skip';
  /** The sheet of a workbook. If the sheet is omitted, donor-sync reads the first sheet with a table. */
  sheet?: string | undefined;
  /** Creates the counter for marks. The counter is omitted if donor-sync does not read the file's marks. */
  countMarks?: (columns: readonly string[]) => MarkTally;
}

/** The maximum number of skipped rows. If more rows are bad, the whole file is probably wrong. */
const MOST_SKIPPED = 1000;

/**
 * Opens a file and reads the whole file. Throws a ConfigurationError that lists the file's problems
 * (`details.problems`) or explains why the file cannot be read.
 */
export async function openTable(path: string, format: TableFormat): Promise<Table> {
  let source: TextSource | null = null;
  try {
    source = await openSource(path, format.sheet ?? null);
    return await readTable(path, source, format);
  } catch (error) {
    await source?.close();
    throw fileError('read', path, error);
  }
}

/** Returns a text that changes whenever the file changes. Returns null if the file does not exist. */
export async function readStamp(path: string): Promise<string | null> {
  try {
    return stampFrom(await stat(path, { bigint: true }));
  } catch {
    return null;
  }
}

async function readTable(path: string, text: TextSource, format: TableFormat): Promise<Table> {
  const stats = await text.file.stat({ bigint: true });
  const { handle, size } = text;
  const encoding = await detectEncoding(handle, size, format.encoding);
  const header = await readFirstLine(handle, size, { ...format, encoding });
  if (Array.isArray(header)) throw unusableFile(path, header);
  const source = createRecordSource(handle, size, header, format);
  const checked = await checkRows(source, header, format);
  const { index, rowCount, problems, broken, marks } = checked;
  if (format.badRows === 'stop') {
    if (problems.length > 0) throw unusableFile(path, problems, broken.size > 0 ? SKIP_HINT : null);
  } else if (problems.length >= MOST_SKIPPED) {
    throw unusableFile(path, problems, describeManySkipped());
  }
  const stamp = stampFrom(stats);
  return {
    path,
    header,
    positions: columnPositions(header.columns),
    namedTwice: namedTwice(header.columns),
    rowCount,
    brokenRows: problems,
    marks,
    stamp,
    rows: () => streamRows(path, { text, stamp, size, header, format, broken }),
    readBytes: (part) => readPart(handle, part),
    find: (ids) => findRows(source, index, { header, idColumn: format.idColumn }, ids),
    close: () => text.close(),
  };
}

function namedTwice(columns: readonly string[]): Set<string> {
  return new Set(columns.filter((name, at) => columns.indexOf(name) !== at));
}

async function readFirstLine(
  handle: ByteReader,
  size: number,
  format: TableFormat,
): Promise<Header | Problem[]> {
  const bytes = Buffer.alloc(Math.min(size, MAX_RECORD_BYTES));
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  return readHeader(bytes.subarray(0, bytesRead), format);
}

const SKIP_HINT =
  'Correct these rows, or set crm.badRows to skip to continue without them: each becomes an outcome of ' +
  'the run, and nothing is sent or written for it.';

/** The function formats the number only if the message is necessary. Formatting the first number takes about 10 ms. */
function describeManySkipped(): string {
  return (
    `${MOST_SKIPPED.toLocaleString('en')} rows or more cannot be read, too many to skip (crm.badRows): look ` +
    'at crm.delimiter, crm.encoding, and at the first of these rows.'
  );
}

function createRecordSource(
  handle: ByteReader,
  size: number,
  { dialect: { delimiter } }: Header,
  { badRows }: TableFormat,
): RecordSource {
  const atFirstLine = badRows === 'skip';
  return {
    handle,
    size,
    findEnd: findRowEnd(delimiter),
    ...(atFirstLine ? { correctEnd: endAtFirstLine(delimiter) } : {}),
    findFarEnd: (offset) => measureLongRow({ handle, size }, offset, { delimiter, atFirstLine }),
  };
}

interface CheckedRows {
  index: RowIndex;
  rowCount: number;
  problems: Problem[];
  marks: readonly MarkCount[];
  /** The broken rows. The map's key is the row's position in the file. */
  broken: BrokenRows;
}

type BrokenRows = ReadonlyMap<number, Pick<RowFailure, 'id' | 'isExtendable'>>;

/** Reads every row of the file once. Stores the positions of the rows and all problems. */
async function checkRows(
  source: RecordSource,
  header: Header,
  { idColumn, badRows, countMarks }: TableFormat,
): Promise<CheckedRows> {
  const index = createRowIndex();
  const tally = countMarks?.(header.columns);
  const result = () => ({ index, rowCount, problems, broken, marks: tally?.counts() ?? [] });
  const problems: Problem[] = [];
  const broken = new Map<number, Pick<RowFailure, 'id' | 'isExtendable'>>();
  const most = badRows === 'skip' ? MOST_SKIPPED : MOST_PROBLEMS;
  let encodingIsWrong = false;
  let rowCount = 0;
  for await (const records of readRecords(source, afterHeader(header))) {
    for (const record of records) {
      const row = parseRow(record, header, idColumn);
      if ('message' in row) {
        // If a file has a different encoding, many lines have the same problem. donor-sync reports only the first line
        // with an encoding problem.
        const isNews = badRows === 'skip' || row.reason !== 'encoding' || !encodingIsWrong;
        encodingIsWrong ||= row.reason === 'encoding';
        const long = record.size >= MAX_RECORD_BYTES ? await longRow(source, header, record) : null;
        if (isNews) problems.push(problemAt(record, long ?? row.message));
        broken.set(record.offset, row);
      } else if (row.id !== '') {
        const twin = await findTwin(source, index, header, idColumn, row.id);
        if (twin === null) {
          index.add(row.id, record.offset);
          rowCount += 1;
          tally?.add(row);
        } else {
          const firstLine = await findLineNumber(source, header, twin);
          const message = `the id "${row.id}" is already the id of line ${firstLine}.`;
          problems.push(problemAt(record, message));
          broken.set(record.offset, { id: null, isExtendable: true });
        }
      }
      if (problems.length >= most) return result();
    }
  }
  return result();
}

function problemAt({ line, row }: RawRecord, message: string): Problem {
  return { line, ...(row === line ? {} : { row }), message };
}

/** Returns the problem of a row that is too long. The problem names the row's largest cell and its size. */
async function longRow(
  source: RecordSource,
  { columns, dialect: { delimiter } }: Header,
  { offset }: RawRecord,
): Promise<string> {
  const { cell } = await measureLongRow(source, offset, { delimiter, atFirstLine: false });
  const where = `the cell in ${columnText(cell.column, columns)} has ${sizeText(cell.size)}`;
  return cell.isClosed
    ? `${where}, and a whole row must not exceed ${sizeText(MAX_RECORD_BYTES)}.`
    : `${where} up to the end of the file: the quote that starts it is never closed.`;
}

/** Returns the position of an earlier row with the same ID, or null if there is none. */
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
    if (row !== null && 'cells' in row && row.id === id) return offset;
  }
  return null;
}

/** Returns the number of the line that starts at this position. */
async function findLineNumber(
  source: RecordSource,
  header: Header,
  offset: number,
): Promise<number> {
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
  file: {
    text: Pick<TextSource, 'reopen'>;
    stamp: string;
    size: number;
    header: Header;
    format: TableFormat;
    broken: BrokenRows;
  },
): AsyncGenerator<Row[]> {
  const handle = await file.text.reopen().catch((error: unknown) => {
    throw fileError('read', path, error);
  });
  try {
    const source = createRecordSource(handle, file.size, file.header, file.format);
    const records = readRecords(source, afterHeader(file.header));
    for await (const batch of records) {
      if (stampFrom(await handle.stats()) !== file.stamp) throw changed(path);
      yield batch.map((record) => {
        const broken = file.broken.get(record.offset);
        if (broken !== undefined) return brokenRow(record, broken);
        const row = parseRow(record, file.header, file.format.idColumn);
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

function brokenRow(
  { line, row, ending, offset, size }: RawRecord,
  { id, isExtendable }: Pick<RowFailure, 'id' | 'isExtendable'>,
): Row {
  return { line, row, id: '', cells: [], ending, broken: { offset, size, id, isExtendable } };
}

const PART_BYTES = 64 * 1024;

async function* readPart(
  handle: ByteReader,
  { offset, size }: { offset: number; size: number },
): AsyncGenerator<Buffer> {
  for (let at = offset; at < offset + size; ) {
    const buffer = Buffer.alloc(Math.min(PART_BYTES, offset + size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
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
    if (row !== null && 'cells' in row && row.id === id) rows.set(id, row);
  }
  return rows;
}

function afterHeader(header: Header): RecordStart {
  const headerLines = header.cells.join('').split('\n').length;
  return { offset: header.size, line: header.line + headerLines, row: 2 };
}

function changed(path: string): RetriableError {
  return fileChanged(path, { path });
}

function stampFrom(stats: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(':');
}

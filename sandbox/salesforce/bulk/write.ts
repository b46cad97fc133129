/** Writes the records of an upload, and stores each record's result. */

import { setImmediate as letOthersRun, setTimeout as wait } from 'node:timers/promises';
import { quoted } from '../core/database.ts';
import { recordError, refused, SalesforceError, type SaveResult } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import type { Values } from '../records/record-store.ts';
import { csvLine, readCsv } from './csv.ts';
import type { Bulk, BulkJob } from './jobs.ts';

/** The operations that a job can carry out. */
export const INGEST_OPERATIONS = ['insert', 'update', 'upsert', 'delete'] as const;

export interface IngestJob extends BulkJob {
  operation: (typeof INGEST_OPERATIONS)[number];
  type: ObjectType;
  /** The field that identifies the records in an upsert. */
  externalIdField: string | null;
  /** The uploaded CSV. Null before the upload and after all of its rows have been processed. */
  upload: string | null;
  /** The columns of the upload, after they have been read. */
  columns: string[];
  written: CsvPart;
  failed: CsvPart;
}

export interface CsvPart {
  count: number;
  lines: Buffer[];
}

/**
 * The number of records in a batch. Each batch has its own transaction, and other work can run between two batches.
 * With smaller batches, more transactions would be necessary. With larger batches, other work would have to wait
 * longer. The number is a multiple of `TRIGGER_ROWS`.
 */
const PORTION_ROWS = 600;
/** The number of records for which a trigger runs at the same time. */
const TRIGGER_ROWS = 200;
/** The cell that clears a field. An empty cell leaves the field unchanged. */
const CLEARING_CELL = '#N/A';

/**
 * Writes all uploaded records in the second half of the job's time. A real job also waits before it writes. If the job
 * is aborted, no further records are written. If the job has no duration, the first batch is written before the request
 * returns. Therefore, a fault of the request affects the first batch. Other work can run after each further batch.
 */
export async function workOff(org: Org, bulk: Bulk, job: IngestJob): Promise<void> {
  if (bulk.jobTimeMs > 0) {
    await wait(bulk.jobTimeMs / 2, undefined, { ref: false });
    if (job.isAborted || !org.db.open) return;
  }
  try {
    readColumns(org, bulk, job);
    for (const rows of portionsOf(job)) {
      writePortion(org, job, rows, bulk.random);
      await letOthersRun();
      // In the meantime, the sandbox may have been stopped, or the job may have been aborted.
      if (job.isAborted || !org.db.open) return;
    }
    job.upload = null;
  } catch (error) {
    job.errorMessage = messageOf(error, bulk);
  }
  job.isWorkedOff = true;
}

/** Returns the CSV of the records that were not processed. */
export function unprocessedCsv(job: IngestJob): string {
  if (job.upload === null) return '';
  const done = job.written.count + job.failed.count;
  // If the upload cannot be parsed, none of it was processed.
  if (done === 0) return job.upload;
  const [header = [], ...rows] = readCsv(job.upload, job.format);
  const left = [header, ...rows.slice(done)];
  return left.map((row) => csvLine(row, job.format)).join('');
}

/** Parses the whole upload. If any part is not valid CSV, no record is written. */
function readColumns(org: Org, { usage }: Bulk, job: IngestJob): void {
  const rows = readCsv(job.upload ?? '', job.format);
  const columns: string[] = rows.next().value ?? [];
  checkColumns(org, job, columns);
  let count = 0;
  for (const _ of rows) count += 1;
  usage.takeBatches(count);
  job.columns = columns;
}

function* portionsOf({ upload, format }: IngestJob): Generator<string[][]> {
  const all = readCsv(upload ?? '', format);
  all.next();
  let rows: string[][] = [];
  for (const row of all) {
    rows.push(row);
    if (rows.length < PORTION_ROWS) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** If a column does not exist or the user cannot see it, the whole job fails. */
function checkColumns({ access }: Org, { type, user }: IngestJob, columns: string[]): void {
  if (columns.length === 0) throw badBatch('Records not found for this job');
  for (const column of columns) {
    const field = findField(type, column);
    if (field === undefined || !access.canRead(user, type, field)) {
      throw badBatch(`Field name not found : ${column}`);
    }
  }
}

function badBatch(message: string): SalesforceError {
  return new SalesforceError(400, 'InvalidBatch', message);
}

function messageOf(error: unknown, { report }: Bulk): string {
  if (error instanceof SalesforceError) return `${error.errorCode} : ${error.message}`;
  report(error instanceof Error ? error : new Error(String(error)));
  return 'ProcessingError : An unexpected error occurred.';
}

/**
 * Salesforce does not guarantee an order of the results, so the stand-in shuffles them. A client must not rely on the
 * order of the upload.
 */
function writePortion(org: Org, job: IngestJob, rows: string[][], random: () => number): void {
  const outcomes = org.store.transact(
    () =>
      chunksOf(shuffled(rows, random)).flatMap((chunk) => {
        const error =
          job.operation === 'update'
            ? org.rules.exceed(
                job.type,
                chunk.map((row) => readId(readRow(job.columns, row).id) ?? ''),
              )
            : undefined;
        return chunk.map((row) =>
          error === undefined
            ? writeRow(org, job, row)
            : { row, result: refused(readRow(job.columns, row).id, error), isNew: false },
        );
      }),
    () => true,
  );
  const written: string[] = [];
  const failed: string[] = [];
  for (const { row, result, isNew } of outcomes) {
    const id = result.id ?? '';
    if (result.success) written.push(csvLine([id, String(isNew), ...row], job.format));
    else failed.push(csvLine([id, errorCell(result), ...row], job.format));
  }
  add(job.written, written);
  add(job.failed, failed);
}

/**
 * Splits rows into chunks of 200 records, because triggers run for 200 records. Salesforce's limits apply to each chunk
 * separately.
 */
function chunksOf(rows: string[][]): string[][][] {
  const chunks: string[][][] = [];
  for (let at = 0; at < rows.length; at += TRIGGER_ROWS) {
    chunks.push(rows.slice(at, at + TRIGGER_ROWS));
  }
  return chunks;
}

function add(part: CsvPart, lines: string[]): void {
  part.count += lines.length;
  if (lines.length > 0) part.lines.push(Buffer.from(lines.join('')));
}

/** Moves each item to a random position. The item at that position moves to the end. */
function shuffled<Item extends object>(items: readonly Item[], random: () => number): Item[] {
  const result: Item[] = [];
  for (const item of items) {
    const place = Math.floor(random() * (result.length + 1));
    const displaced = result[place];
    result[place] = item;
    if (displaced !== undefined) result.push(displaced);
  }
  return result;
}

interface Outcome {
  row: string[];
  result: SaveResult;
  isNew: boolean;
}

function writeRow(org: Org, job: IngestJob, row: string[]): Outcome {
  const { store } = org;
  const { user, type } = job;
  const { id, values } = readRow(job.columns, row);
  switch (job.operation) {
    case 'insert':
      return { row, result: store.insert(user, type, values), isNew: true };
    case 'update':
      return { row, result: update(org, job, id, values), isNew: false };
    case 'upsert':
      return { row, ...upsert(org, job, id, values) };
    default:
      return { row, result: store.remove(user, type, id), isNew: false };
  }
}

function update({ store }: Org, { user, type }: IngestJob, id: string, values: Values): SaveResult {
  return id === '' ? refused(null, ID_MISSING) : store.update(user, type, id, values);
}

const ID_MISSING = recordError('MISSING_ARGUMENT', 'Id not specified in an update call', ['Id']);

function readRow(columns: string[], row: string[]): { id: string; values: Values } {
  let id = '';
  const values: Record<string, unknown> = {};
  columns.forEach((column, index) => {
    const cell = row[index] ?? '';
    if (column.toLowerCase() === 'id') id = cell;
    else if (cell !== '') values[column] = cell === CLEARING_CELL ? null : cell;
  });
  return { id, values };
}

function upsert(org: Org, job: IngestJob, id: string, values: Values): Omit<Outcome, 'row'> {
  const { store } = org;
  const { user, type } = job;
  const present = id === '' ? findByKey(org, job, values) : [id];
  const [only] = present;
  if (present.length > 1) return { result: refused(null, duplicateKey(job)), isNew: false };
  if (only === undefined) return { result: store.insert(user, type, values), isNew: true };
  return { result: store.update(user, type, only, values), isNew: false };
}

function findByKey({ db }: Org, { type, externalIdField }: IngestJob, values: Values): string[] {
  const name = externalIdField?.toLowerCase();
  const key = Object.entries(values).find(([column]) => column.toLowerCase() === name)?.[1];
  if (externalIdField === null || name === 'id' || typeof key !== 'string') return [];
  const sql = `select "Id" from ${quoted(type.name)} where ${quoted(externalIdField)} = ?
    and "IsDeleted" = 0 limit 2`;
  return db.prepare<[string], string>(sql).pluck().all(key);
}

function duplicateKey({ externalIdField }: IngestJob) {
  const message = `More than one record found for external id field: ${externalIdField}`;
  return recordError('DUPLICATE_EXTERNAL_ID', message, []);
}

/** Returns the text `CODE:message:fields --`, once for each error. */
function errorCell({ errors }: SaveResult): string {
  return errors
    .map(({ statusCode, message, fields }) => {
      const blamed = fields.length === 0 ? '' : `${fields.join(', ')} `;
      return `${statusCode}:${message}:${blamed}--`;
    })
    .join('');
}

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

/** The operations of a job on its records. */
export const INGEST_OPERATIONS = ['insert', 'update', 'upsert', 'delete'] as const;

export interface IngestJob extends BulkJob {
  operation: (typeof INGEST_OPERATIONS)[number];
  type: ObjectType;
  /** The field by which an upsert finds records. */
  externalIdField: string | null;
  /** Null before the upload, and again after all of it has been processed. */
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
 * Records are written in batches of this size, each in its own transaction, and other work runs in between. Smaller
 * batches would need more transactions. Larger batches would make other work wait longer. It is a multiple of
 * `TRIGGER_ROWS`.
 */
const PORTION_ROWS = 600;
/** The number of records for which a trigger runs at once. */
const TRIGGER_ROWS = 200;
/** An empty cell leaves the value unchanged. */
const CLEARING_CELL = '#N/A';

/**
 * Writes all uploaded records in the second half of the job's time, because a real job also waits before it writes. An
 * aborted job writes nothing more. If the job has no duration, the first batch is written before the request returns. A
 * fault of the request therefore affects that batch. Other work can run after each later batch.
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
      // The sandbox may have stopped or the job may have been aborted since then.
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
  // An upload that cannot be read was not processed at all.
  if (done === 0) return job.upload;
  const [header = [], ...rows] = readCsv(job.upload, job.format);
  const left = [header, ...rows.slice(done)];
  return left.map((row) => csvLine(row, job.format)).join('');
}

/** Reads the whole upload once. If any part is not valid CSV, no record is written. */
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
 * Salesforce does not promise an order, so the results are shuffled. No caller should rely on the
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

/** Triggers run for chunks of 200 records. For Salesforce's limits, each chunk is one transaction. */
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

/** `CODE:message:fields --`, once for each error. */
function errorCell({ errors }: SaveResult): string {
  return errors
    .map(({ statusCode, message, fields }) => {
      const blamed = fields.length === 0 ? '' : `${fields.join(', ')} `;
      return `${statusCode}:${message}:${blamed}--`;
    })
    .join('');
}

import type { FieldValue } from '../../../src/core/crm-field.ts';
import { isConfigurationError } from '../../../src/core/errors.ts';
import type { ContactChange, WriteResult } from '../../contract.ts';
import type { SalesforceFault } from '../errors.ts';
import { contactIdOrText } from '../ids.ts';
import type { ColumnReader } from '../query.ts';
import { COLLECTION_ROWS } from '../rows/lessons.ts';
import { combined, refusal, type SentChange, stepAfter, type Unsettled } from '../rows/refusals.ts';
import type { SalesforceSession } from '../session.ts';
import { abortJob, awaitJob, type BulkJob, readJob, toNewJob } from './bulk-job.ts';
import { readRows } from './bulk-query.ts';

const JOBS = '/jobs/ingest';

/** The maximum size of a job's data. Salesforce accepts 150 MB in base64, which is more than 100 MB of plain text. */
const MAX_JOB_BYTES = 90_000_000;

/**
 * The changes that wait for a result, by the long form of the contact's ID. When the result arrives, the change is
 * removed.
 */
type Waiting = Map<string, SentChange>;

/**
 * Adds changes without a result to `unsettled`. Returns the changes that CSV cannot express, and the changes that need
 * a smaller transaction. The returned changes are not in Salesforce yet.
 */
export async function* writeInBulk(
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Unsettled,
): AsyncGenerator<WriteResult, SentChange[]> {
  const apart: SentChange[] = [];
  let job: Waiting = new Map();
  let bytes = 0;
  for (const change of changes) {
    if (isAmbiguous(change)) {
      apart.push(change);
      continue;
    }
    const size = estimateBytes(change);
    if (bytes + size > MAX_JOB_BYTES) {
      apart.push(...(yield* writeJob(session, job, unsettled)));
      job = new Map();
      bytes = 0;
    }
    job.set(contactIdOrText(change.id), change);
    bytes += size;
  }
  apart.push(...(yield* writeJob(session, job, unsettled)));
  return apart;
}

/**
 * Returns the maximum number of bytes that a change needs in the upload. The number includes the change's values in
 * quotes and the cells around these values.
 */
function estimateBytes({ values }: ContactChange): number {
  let bytes = BYTES_PER_ROW;
  for (const value of Object.values(values)) {
    bytes += typeof value === 'string' ? 2 * Buffer.byteLength(value) + 3 : BYTES_PER_CELL;
  }
  return bytes;
}

const BYTES_PER_ROW = 64;
const BYTES_PER_CELL = 28;

/**
 * Writes changes in one job. Salesforce lists the changes that failed or were not processed. If the counts agree, all
 * other changes have been written. If the counts differ, only the listed changes have a result. Returns changes that
 * exceeded a transaction limit.
 */
async function* writeJob(
  session: SalesforceSession,
  waiting: Waiting,
  unsettled: Unsettled,
): AsyncGenerator<WriteResult, SentChange[]> {
  if (waiting.size === 0) return [];
  const crowded: SentChange[] = [];
  session.lessons.usual += REQUESTS_PER_JOB;
  const sent = [...waiting.values()];
  const sentAtMs = session.api.serverTimeMs();
  const job = await upload(session, waiting);
  session.recent.note(sent, { sentAtMs, answeredAtMs: session.api.serverTimeMs() });
  for await (const [change, faults] of failures(session, job, waiting)) {
    const step = stepAfter(change, faults, Math.min(sent.length, COLLECTION_ROWS));
    if (step.kind === 'done') yield step.result;
    else if (step.kind === 'unnamed') unsettled.unnamed.push(step.refusal);
    else if (step.kind === 'crowded') crowded.push(step.change);
    else unsettled[step.kind].push(step.change);
  }
  for await (const change of successes(session, job, waiting)) {
    const step = stepAfter(change, [], 1);
    if (step.kind === 'done') yield step.result;
  }
  for (const { id } of waiting.values()) yield refusal(id, NO_RESULT);
  return crowded;
}

/** The minimum number of requests for one job. */
const REQUESTS_PER_JOB = 4;

/** A change has no result, but Salesforce may have written it. */
const NO_RESULT: SalesforceFault = { code: 'UNKNOWN_EXCEPTION', message: '', fields: [] };

type FinishedJob = BulkJob & { sent: number };

async function upload(session: SalesforceSession, waiting: Waiting): Promise<FinishedJob> {
  const fields = new Set<string>();
  for (const { values } of waiting.values()) {
    for (const field of Object.keys(values)) fields.add(field);
  }
  const { id } = toNewJob(await session.api.openUpdateJob());
  try {
    await session.api.upload(`${JOBS}/${id}/batches`, () =>
      changesAsCsv(waiting.values(), [...fields]),
    );
    await begin(session, id);
    return { ...(await awaitJob(session, 'ingest', id)), sent: waiting.size };
  } catch (error) {
    await abortJob(session, 'ingest', id, error);
    throw error;
  }
}

/**
 * Tells Salesforce that the upload is complete. If the response is lost, a second request would be refused, because the
 * job has already started.
 */
async function begin(session: SalesforceSession, id: string): Promise<void> {
  try {
    await session.api.closeJob(id);
  } catch (error) {
    const isRefusal = isConfigurationError(error);
    if (!isRefusal || (await readJob(session, 'ingest', id)).state === 'Open') throw error;
  }
}

/**
 * Returns true for a change with a string that Salesforce would misread as an instruction to clear the field or to
 * leave it unchanged.
 */
function isAmbiguous({ values }: ContactChange): boolean {
  return Object.values(values).some((value) => value === CLEARING_CELL || value === '');
}

/** Returns the changes that Salesforce lists as failed or not processed, with their faults. */
async function* failures(
  session: SalesforceSession,
  job: FinishedJob,
  waiting: Waiting,
): AsyncGenerator<[SentChange, SalesforceFault[]]> {
  if (job.numberRecordsFailed > 0) {
    for await (const [change, error] of take(session, job, 'failedResults', waiting)) {
      yield [change, bulkFaults(error)];
    }
  }
  if (job.numberRecordsProcessed < job.sent) {
    for await (const [change] of take(session, job, 'unprocessedrecords', waiting)) {
      yield [change, [NO_RESULT]];
    }
  }
}

async function* successes(
  session: SalesforceSession,
  job: FinishedJob,
  waiting: Waiting,
): AsyncGenerator<SentChange> {
  if (waiting.size === job.numberRecordsProcessed - job.numberRecordsFailed) {
    yield* waiting.values();
    waiting.clear();
    return;
  }
  for await (const [change] of take(session, job, 'successfulResults', waiting)) yield change;
}

/**
 * Removes the changes in one of a job's result lists from the waiting changes, and returns their errors. donor-sync
 * finds the changes by ID, because Salesforce does not keep their order.
 */
async function* take(
  session: SalesforceSession,
  { id }: BulkJob,
  list: 'failedResults' | 'unprocessedrecords' | 'successfulResults',
  waiting: Waiting,
): AsyncGenerator<[SentChange, string]> {
  const answer = await session.api.download(`${JOBS}/${id}/${list}/`);
  const toRow = (read: ColumnReader) => ({
    ids: [contactIdOrText(toText(read('sf__Id'))), contactIdOrText(toText(read('Id')))],
    error: toText(read('sf__Error')),
  });
  for await (const rows of readRows(session, answer, toRow)) {
    for (const { ids, error } of rows) {
      const key = ids.find((one) => waiting.has(one)) ?? '';
      const change = waiting.get(key);
      if (change === undefined) continue;
      waiting.delete(key);
      yield [change, error];
    }
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Parses the reasons why a record failed. The cell `sf__Error` contains `CODE:message:fields --` once for each error
 * (CRM facts, section A3). Messages may contain values, so the function must find their exact end.
 */
function bulkFaults(cell: string): SalesforceFault[] {
  return cell
    .split(END_OF_ERROR)
    .filter((error, at) => at === 0 || error.trim() !== '')
    .map((error) => {
      const parts = ERROR.exec(error.trim()) ?? [];
      const [, code = 'UNKNOWN_EXCEPTION', message = '', names = ''] = parts;
      const fields = names.split(',').map((name) => name.trim());
      return { code, message, fields: [...new Set(fields)].filter((name) => name !== '') };
    });
}

/** Combines the errors in a cell into one error. The Collections API uses the same combination. */
export function bulkFault(cell: string): SalesforceFault {
  return combined(bulkFaults(cell));
}

/**
 * Two hyphens inside a message do not mark its end. After the end of a message, the cell either ends or continues with
 * the next code.
 */
const END_OF_ERROR = /--(?=[A-Z][A-Z0-9_]*:|\s*$)/;

const ERROR = /^([A-Z][A-Z0-9_]*):(.*):([\w,. ]*)$/s;

/** The cell that clears a field in a Bulk API upload. An empty cell leaves the field unchanged. */
export const CLEARING_CELL = '#N/A';

/** The number of characters in one chunk of an upload. */
const CHUNK_LENGTH = 128 * 1024;

/** Yields the changes as CSV, with a column for each of `fields`. */
async function* changesAsCsv(
  changes: Iterable<ContactChange>,
  fields: readonly string[],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = `Id,${fields.join(',')}\n`;
  for (const { id, values } of changes) {
    text += contactIdOrText(id);
    for (const field of fields) text += `,${cell(values[field])}`;
    text += '\n';
    if (text.length < CHUNK_LENGTH) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

/** Returns the cell for a value. If the change does not contain the field, the field stays unchanged. */
function cell(value: FieldValue | undefined): string {
  if (value === undefined) return '';
  if (value === null) return CLEARING_CELL;
  if (typeof value !== 'string') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

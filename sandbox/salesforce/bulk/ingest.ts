/** The resource `/jobs/ingest` of Bulk API 2.0. Its jobs write records that are uploaded as CSV. */

import type { Hono } from 'hono';
import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { readJson } from '../requests/json-values.ts';
import { csvFormatSchema, csvLine } from './csv.ts';
import { createBulkJobRouter } from './job-routes.ts';
import {
  abort,
  type Bulk,
  createJobList,
  describeJob,
  isEnded,
  stateOf,
  wrongState,
} from './jobs.ts';
import {
  type CsvPart,
  INGEST_OPERATIONS,
  type IngestJob,
  unprocessedCsv,
  workOff,
} from './write.ts';

/** Salesforce's limit is 150 MB after base64 encoding, so the raw upload must be smaller. */
const MAX_UPLOAD_BYTES = 100_000_000;

const orderSchema = csvFormatSchema.extend({
  object: z.string(),
  operation: z.enum(INGEST_OPERATIONS),
  externalIdFieldName: z.string().optional(),
});
const changeSchema = z.object({ state: z.enum(['UploadComplete', 'Aborted']) });

/** Returns the resources of jobs that write records. */
export function bulkIngestRoutes(org: Org, bulk: Bulk): Hono<SalesforceEnv> {
  const jobs = createJobList<IngestJob>();
  const router = createBulkJobRouter({ path: '/jobs/ingest', jobs, bulk, describe });
  const jobOf = (c: SalesforceContext) => jobs.get(c.req.param('id') ?? '');

  router.post('/jobs/ingest', (c) => {
    const job = createJob(c, org, bulk);
    jobs.add(job);
    return c.json(describe(c, bulk, job));
  });
  router.put('/jobs/ingest/:id/batches', async (c) => {
    await takeUpload(c, bulk, jobOf(c));
    return c.body(null, 201);
  });
  router.patch('/jobs/ingest/:id', (c) => {
    const { state } = readJson(changeSchema, c.var.body);
    if (state === 'Aborted') abort(jobOf(c), bulk);
    else submit(org, bulk, jobOf(c));
    return c.json(describe(c, bulk, jobOf(c)));
  });
  router.get('/jobs/ingest/:id/successfulResults', (c) =>
    sendCsv(c, csvOf(ended(bulk, jobOf(c)), 'written', 'sf__Created')),
  );
  router.get('/jobs/ingest/:id/failedResults', (c) =>
    sendCsv(c, csvOf(ended(bulk, jobOf(c)), 'failed', 'sf__Error')),
  );
  router.get('/jobs/ingest/:id/unprocessedrecords', (c) =>
    sendCsv(c, [Buffer.from(unprocessedCsv(ended(bulk, jobOf(c))))]),
  );
  return router;
}

function createJob(c: SalesforceContext, org: Org, bulk: Bulk): IngestJob {
  const order = readJson(orderSchema, c.var.body);
  const { object, operation, externalIdFieldName, ...format } = order;
  const type = org.catalogue.find(object);
  if (type === undefined || type.toolingOnly || !isAllowed(type, operation)) {
    throw invalidJob('INVALIDENTITY', `Entity '${object}' is not supported by the Bulk API.`);
  }
  return {
    id: bulk.createJobId(),
    operation,
    object: type.name,
    type,
    externalIdField: operation === 'upsert' ? externalIdOf(type, externalIdFieldName) : null,
    user: c.var.user,
    format,
    createdAtMs: bulk.clock(),
    submittedAtMs: null,
    isAborted: false,
    isWorkedOff: false,
    errorMessage: null,
    upload: null,
    columns: [],
    written: emptyPart(),
    failed: emptyPart(),
  };
}

function isAllowed(type: ObjectType, operation: IngestJob['operation']): boolean {
  switch (operation) {
    case 'insert':
      return type.createable;
    case 'update':
      return type.updateable;
    case 'delete':
      return type.deletable;
    default:
      return type.createable && type.updateable;
  }
}

function externalIdOf(type: ObjectType, name: string | undefined): string {
  const field = findField(type, name ?? '');
  if (field !== undefined && (field.externalId || field.type === 'id')) return field.name;
  throw invalidJob(
    'INVALIDJOB',
    `External ID was blank or invalid for ${type.name}. An External ID must be specified for upsert.`,
  );
}

function emptyPart(): CsvPart {
  return { count: 0, lines: [] };
}

function invalidJob(errorCode: string, message: string): SalesforceError {
  return new SalesforceError(400, errorCode, message);
}

async function takeUpload(c: SalesforceContext, bulk: Bulk, job: IngestJob): Promise<void> {
  if (stateOf(job, bulk) !== 'Open') throw wrongState('The job is not open for uploads any more');
  if (job.upload !== null) {
    throw invalidJob(
      'CLIENTINPUTERROR',
      `Found multiple contents for job: <${job.id}>, please 'Close' / 'Abort' / 'Delete' the current Job then create a new Job and make sure you only do 'PUT' once on a given Job.`,
    );
  }
  const bytes = Buffer.from(await c.req.arrayBuffer());
  if (bytes.length > MAX_UPLOAD_BYTES) {
    throw new SalesforceError(413, 'REQUEST_ENTITY_TOO_LARGE', 'The upload is too large');
  }
  job.upload = bytes.toString();
}

function submit(org: Org, bulk: Bulk, job: IngestJob): void {
  if (stateOf(job, bulk) !== 'Open') throw wrongState('The job is not open any more');
  job.submittedAtMs = bulk.clock();
  void workOff(org, bulk, job);
}

function describe(c: SalesforceContext, bulk: Bulk, job: IngestJob) {
  const { basePath } = c.var;
  const state = stateOf(job, bulk);
  const { written, failed, errorMessage, externalIdField } = job;
  return {
    ...describeJob(job, state, basePath),
    jobType: 'V2Ingest',
    contentUrl: `${basePath.slice(1)}/jobs/ingest/${job.id}/batches`,
    ...(externalIdField === null ? {} : { externalIdFieldName: externalIdField }),
    numberRecordsProcessed: written.count + failed.count,
    numberRecordsFailed: failed.count,
    retries: 0,
    totalProcessingTime: isEnded(state) ? bulk.jobTimeMs : 0,
    apiActiveProcessingTime: isEnded(state) ? bulk.jobTimeMs : 0,
    apexProcessingTime: 0,
    ...(state === 'Failed' ? { errorMessage } : {}),
  };
}

/** Returns the job. Throws if the job has not ended, because it has no results yet. */
function ended(bulk: Bulk, job: IngestJob): IngestJob {
  if (isEnded(stateOf(job, bulk))) return job;
  throw wrongState('The results are there when the job has come to its end');
}

function csvOf(job: IngestJob, part: 'written' | 'failed', column: string): Buffer[] {
  const header = csvLine(['sf__Id', column, ...job.columns], job.format);
  return [Buffer.from(header), ...job[part].lines];
}

function sendCsv(c: SalesforceContext, chunks: readonly Buffer[]): Response {
  return c.body(ReadableStream.from(chunks), 200, { 'Content-Type': 'text/csv' });
}

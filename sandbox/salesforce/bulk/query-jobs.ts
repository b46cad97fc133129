/** The resource `/jobs/query` of Bulk API 2.0. The results of its jobs are CSV. */

import type { Hono } from 'hono';
import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';
import { type Field, isNumeric } from '../metadata/field.ts';
import type { Org } from '../org/org.ts';
import { QUERY_PAGE, type QueryResult, runQuery } from '../query/query.ts';
import { isAggregate, isCount } from '../query/soql/aggregate.ts';
import { parseSoql } from '../query/soql/parse.ts';
import type { ProjectedColumn, SObjectRecord } from '../query/soql/projection.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { readJson } from '../requests/json-values.ts';
import { csvFormatSchema, csvLine } from './csv.ts';
import { createBulkJobRouter } from './job-routes.ts';
import {
  abort,
  type Bulk,
  type BulkJob,
  createJobList,
  describeJob,
  isEnded,
  stateOf,
  wrongState,
} from './jobs.ts';

interface QueryJob extends BulkJob {
  result: QueryResult;
}

const orderSchema = csvFormatSchema.extend({
  operation: z.enum(['query', 'queryAll']),
  query: z.string(),
});
const changeSchema = z.object({ state: z.literal('Aborted') });

/** Returns the resources for query jobs. */
export function bulkQueryRoutes(org: Org, bulk: Bulk): Hono<SalesforceEnv> {
  const jobs = createJobList<QueryJob>();
  const router = createBulkJobRouter({ path: '/jobs/query', jobs, bulk, describe });
  const jobOf = (c: SalesforceContext) => jobs.get(c.req.param('id') ?? '');

  router.post('/jobs/query', (c) => {
    const job = createJob(c, org, bulk);
    jobs.add(job);
    return c.json(describeJob(job, 'UploadComplete', c.var.basePath));
  });
  router.patch('/jobs/query/:id', (c) => {
    readJson(changeSchema, c.var.body);
    abort(jobOf(c), bulk);
    return c.json(describe(c, bulk, jobOf(c)));
  });
  router.get('/jobs/query/:id/results', (c) => results(c, bulk, jobOf(c)));
  return router;
}

function createJob(c: SalesforceContext, org: Org, bulk: Bulk): QueryJob {
  const { operation, query, ...format } = readJson(orderSchema, c.var.body);
  refuseUnsupported(query);
  const { user, basePath } = c.var;
  const result = runQuery(org, query, user, { all: operation === 'queryAll', basePath });
  if (result.columns.some(({ field }) => field.type === 'address')) {
    throw unsupported('Selecting compound data not supported in Bulk Query');
  }
  bulk.usage.takeQueryJob();
  const createdAtMs = bulk.clock();
  return {
    id: bulk.createJobId(),
    operation,
    object: result.type.name,
    user,
    format,
    createdAtMs,
    submittedAtMs: createdAtMs,
    isAborted: false,
    isWorkedOff: true,
    errorMessage: c.var.fault?.kind === 'failQueryJob' ? FAILED : null,
    result,
  };
}

/** Salesforce's message for a job that failed without a mistake of the client. */
const FAILED = 'InternalServerError : retry your request';

/**
 * Rejects queries that the Bulk API does not support. The rejected queries aggregate, skip rows, or contain a subquery
 * in their SELECT.
 */
function refuseUnsupported(soql: string): void {
  const query = parseSoql(soql);
  if (isCount(query) || isAggregate(query)) {
    throw unsupported('Aggregate queries are not supported in Bulk V2 Query with CSV content type');
  }
  if (query.offset !== undefined) {
    throw unsupported('OFFSET clause is not supported in Bulk V2 Query');
  }
  if (query.fields?.some(({ type }) => type === 'FieldSubquery')) {
    throw unsupported(
      'Aggregate Relationships not supported in Bulk V2 Query with CSV content type',
    );
  }
}

function unsupported(message: string): SalesforceError {
  return new SalesforceError(400, 'API_ERROR', message);
}

function describe(c: SalesforceContext, bulk: Bulk, job: QueryJob) {
  const state = stateOf(job, bulk);
  return {
    ...describeJob(job, state, c.var.basePath),
    jobType: 'V2Query',
    numberRecordsProcessed: state === 'JobComplete' ? job.result.total : 0,
    retries: 0,
    totalProcessingTime: isEnded(state) ? bulk.jobTimeMs : 0,
    isPkChunkingSupported: true,
    ...(state === 'Failed' ? { errorMessage: job.errorMessage } : {}),
  };
}

/** Returns a page of results. On the last page, the locator is the word `null`. */
function results(c: SalesforceContext, bulk: Bulk, job: QueryJob): Response {
  if (stateOf(job, bulk) !== 'JobComplete') {
    throw wrongState('The results are there when the job is in the state JobComplete');
  }
  const start = readLocator(c.req.query('locator'), job.result.total);
  const asked = z.coerce.number().int().min(1).catch(bulk.pageRows);
  const rows = Math.min(bulk.pageRows, asked.parse(c.req.query('maxRecords')));
  const end = Math.min(job.result.total, start + rows);
  return c.body(ReadableStream.from(csvChunks(job, start, end)), 200, {
    'Content-Type': 'text/csv',
    'Sforce-NumberOfRecords': String(end - start),
    'Sforce-Locator': end < job.result.total ? createLocator(end) : 'null',
  });
}

function createLocator(position: number): string {
  return Buffer.from(String(position)).toString('base64url');
}

function readLocator(locator: string | undefined, total: number): number {
  if (locator === undefined || locator === '') return 0;
  const text = Buffer.from(locator, 'base64url').toString();
  const isPosition = /^\d{1,12}$/.test(text) && Number(text) < total;
  if (isPosition && createLocator(Number(text)) === locator) return Number(text);
  throw new SalesforceError(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
}

/** Yields the results as CSV. The rows are read in batches, so a large result is never completely in memory. */
function* csvChunks({ result, format }: QueryJob, start: number, end: number) {
  const readers = result.columns.map(cellReader);
  yield Buffer.from(
    csvLine(
      result.columns.map(({ path }) => path),
      format,
    ),
  );
  for (let at = start; at < end; at += QUERY_PAGE) {
    const records = result.records(at, Math.min(end, at + QUERY_PAGE));
    const lines = records.map((record) =>
      csvLine(
        readers.map((read) => read(record)),
        format,
      ),
    );
    yield Buffer.from(lines.join(''));
  }
}

function cellReader({ path, field }: ProjectedColumn): (record: SObjectRecord) => string {
  const steps = path.split('.');
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return (record) => showCell(field, record[only]);
  return (record) => showCell(field, steps.reduce<unknown>(stepInto, record));
}

function stepInto(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, step) : null;
}

/**
 * Returns the text of a cell. A time ends in `Z`, a number with possible decimals has at least one decimal, and null is
 * empty.
 */
function showCell(field: Field, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  if (field.type === 'datetime') return text.replace('+0000', 'Z');
  return isNumeric(field) && field.type !== 'int' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

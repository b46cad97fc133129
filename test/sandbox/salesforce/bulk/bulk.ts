/** Runs jobs of the Bulk API for tests. */

import { z } from 'zod';
import { readCsv } from '../../../../sandbox/salesforce/bulk/csv.ts';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { ask } from '../org.ts';

const jobSchema = z.looseObject({
  id: z.string(),
  state: z.string(),
  errorMessage: z.string().optional(),
  numberRecordsProcessed: z.number().optional(),
  numberRecordsFailed: z.number().optional(),
});

/** A job as the org describes it. */
export type Job = z.infer<typeof jobSchema>;

/** Starts a query that must be accepted. */
export async function startQuery(
  org: SalesforceSandbox,
  query: string,
  order: Record<string, unknown> = {},
): Promise<Job> {
  const body = { operation: 'query', query, ...order };
  return accepted(await ask(org, 'POST', '/jobs/query', { body }));
}

/** Returns a page of a query's results. */
export async function readPage(org: SalesforceSandbox, { id }: Job, parameters = '') {
  const path = `/jobs/query/${id}/results${parameters}`;
  const { status, headers, body } = await ask(org, 'GET', path);
  return {
    status,
    type: headers.get('content-type'),
    rowCount: headers.get('sforce-numberofrecords'),
    locator: headers.get('sforce-locator'),
    rows: rowsOf(body),
    text: String(body),
  };
}

/** Returns all rows of a query, without the header. */
export async function bulkRows(org: SalesforceSandbox, soql: string, operation = 'query') {
  const job = await startQuery(org, soql, { operation });
  return (await readPage(org, job)).rows.slice(1);
}

/** Opens a job that writes contacts. */
export async function openIngest(
  org: SalesforceSandbox,
  order: Record<string, unknown> = {},
): Promise<Job> {
  const body = { object: 'Contact', operation: 'update', ...order };
  return accepted(await ask(org, 'POST', '/jobs/ingest', { body }));
}

export async function upload(org: SalesforceSandbox, { id }: Job, csv: string) {
  const headers = { 'content-type': 'text/csv' };
  return ask(org, 'PUT', `/jobs/ingest/${id}/batches`, { body: csv, headers });
}

/** Tells the org that an upload is complete or aborted. */
export async function setState(org: SalesforceSandbox, { id }: Job, state: string) {
  return ask(org, 'PATCH', `/jobs/ingest/${id}`, { body: { state } });
}

/** The maximum number of times that a job is polled. */
const MAX_LOOKS = 10_000;

/** Waits until a job has ended, and returns it. */
export async function ended(org: SalesforceSandbox, { id }: Job): Promise<Job> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const job = await lookAt(org, id);
    if (!['UploadComplete', 'InProgress'].includes(job.state)) return job;
  }
  throw new Error(`The job ${id} does not come to an end.`);
}

/** Creates a job that writes a CSV file's rows. Returns the job after it has ended. */
export async function ingest(
  org: SalesforceSandbox,
  csv: string,
  order: Record<string, unknown> = {},
): Promise<Job> {
  const job = await openIngest(org, order);
  await upload(org, job, csv);
  await setState(org, job, 'UploadComplete');
  return ended(org, job);
}

/** Returns one of a job's three lists, sorted, with the header first. */
export async function resultsOf(org: SalesforceSandbox, { id }: Job, list: string) {
  const { body } = await ask(org, 'GET', `/jobs/ingest/${id}/${list}/`);
  const [header = [], ...rows] = rowsOf(body);
  return [header, ...rows.toSorted((one, other) => (one.join() < other.join() ? -1 : 1))];
}

/** Returns a job's current state. */
export async function lookAt(org: SalesforceSandbox, id: string, kind = 'ingest'): Promise<Job> {
  return accepted(await ask(org, 'GET', `/jobs/${kind}/${id}`));
}

/** Returns the code and the message of a refusal. */
export function refusalOf({ status, body }: { status: number; body: unknown }): string {
  const [error] = z.array(z.object({ errorCode: z.string(), message: z.string() })).parse(body);
  return `${status} ${error?.errorCode}: ${error?.message}`;
}

function accepted({ status, body }: { status: number; body: unknown }): Job {
  if (status !== 200) throw new Error(`The job was refused: ${JSON.stringify(body)}`);
  return jobSchema.parse(body);
}

function rowsOf(body: unknown): string[][] {
  if (typeof body !== 'string') return [];
  const format = { contentType: 'CSV', columnDelimiter: 'COMMA', lineEnding: 'LF' } as const;
  return [...readCsv(body, format)];
}

/** A running stand-in for a test, and short ways to talk to it. */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type HubspotSandbox,
  type HubspotSandboxOptions,
  startHubspotSandbox,
} from '../../../sandbox/hubspot/index.ts';

/** Where the contacts of the latest version are. */
export const CONTACTS = '/crm/objects/2026-09/contacts';

/**
 * Starts a small account whose searches see everything at once and are not counted, so that only
 * tests about that meet it; it ends with the test.
 */
export async function startAccount(options: HubspotSandboxOptions = {}): Promise<HubspotSandbox> {
  const account = await startHubspotSandbox({
    contacts: 20,
    donors: 50,
    searchLagMs: 0,
    searchPerSecond: 0,
    ratePer10s: 0,
    ...options,
  });
  onTestFinished(() => account.close());
  return account;
}

/** A clock that stands still until it is moved. */
export function aClock(start = '2026-03-10T12:00:00Z') {
  let nowMs = Date.parse(start);
  return {
    read: () => nowMs,
    advance(ms: number): void {
      nowMs += ms;
    },
  };
}

/** What the account answered; `body` is a text where it is no JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** How a request differs from an ordinary one. */
export interface AskOptions {
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
}

/** Asks the API, with the account's first token. */
export async function ask(
  account: HubspotSandbox,
  method: string,
  path: string,
  { body, headers = {}, token = account.token }: AskOptions = {},
): Promise<Answer> {
  const response = await fetch(account.baseUrl + path, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return toAnswer(response);
}

/** Asks the sandbox's own controls. */
export async function control(
  account: HubspotSandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${account.rootUrl}/_sandbox${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return toAnswer(response);
}

/** Does something by hand in the account; an error if it was refused. */
export async function edit(account: HubspotSandbox, order: unknown): Promise<string> {
  const { status, body } = await control(account, 'POST', '/edit', order);
  if (status !== 200) throw new Error(`The edit was refused: ${JSON.stringify(body)}`);
  return z.object({ id: z.string() }).parse(body).id;
}

/** Reads a response to its end. */
export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

const recordSchema = z.object({
  id: z.string(),
  properties: z.record(z.string(), z.string().nullable()),
  archived: z.boolean(),
  new: z.boolean().optional(),
});

/** A record as the API shows it. */
export type ShownRecord = z.infer<typeof recordSchema>;

const batchSchema = z.object({
  results: z.array(recordSchema),
  total: z.number().optional(),
  numErrors: z.number().optional(),
  errors: z
    .array(
      z.object({
        category: z.string(),
        message: z.string(),
        context: z.record(z.string(), z.array(z.string())),
      }),
    )
    .default([]),
  paging: z.object({ next: z.object({ after: z.string() }) }).optional(),
});

/** The records of an answer; it fails the test if there are none. */
export function readResults({ body }: Answer) {
  return batchSchema.parse(body);
}

/** The one record of an answer. */
export function readRecord({ body }: Answer): ShownRecord {
  return recordSchema.parse(body);
}

/** Runs a search that must succeed. */
export async function search(account: HubspotSandbox, body: unknown, type = 'contacts') {
  const answer = await ask(account, 'POST', `/crm/objects/2026-09/${type}/search`, { body });
  if (answer.status !== 200) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
  return readResults(answer);
}

/** The ids of the first contacts. */
export async function contactIds(account: HubspotSandbox, count: number): Promise<string[]> {
  const answer = await ask(account, 'GET', `${CONTACTS}?limit=${count}`);
  return readResults(answer).results.map(({ id }) => id);
}

const errorSchema = z.object({
  status: z.literal('error'),
  category: z.string(),
  message: z.string(),
  correlationId: z.uuid(),
  errors: z.array(z.looseObject({ code: z.string().optional() })).default([]),
  policyName: z.string().optional(),
});

/** The error of an answer, with its HTTP status. */
export function readError({ status, body }: Answer) {
  return { ...errorSchema.parse(body), status };
}

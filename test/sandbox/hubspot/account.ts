/** Starts a stand-in for a test and sends requests to the stand-in. */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type HubspotSandbox,
  type HubspotSandboxOptions,
  startHubspotSandbox,
} from '../../../sandbox/hubspot/index.ts';
import { type Answer, type Message, send } from '../../testbed/asking.ts';

/** The path of the contacts in the latest API version. */
export const CONTACTS = '/crm/objects/2026-09/contacts';

/**
 * Starts a small account for the test. Its searches find all changes immediately and have no limit. Only the tests
 * about searches change this.
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

/** The parts of a request that a test can change. If the token is empty, the request contains no token. */
export interface AskOptions extends Message {
  token?: string;
}

/** Sends a request to the API. Defaults to the account's first token. */
export function ask(
  account: HubspotSandbox,
  method: string,
  path: string,
  { body, headers = {}, token = account.token }: AskOptions = {},
): Promise<Answer> {
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  return send(account.baseUrl + path, method, { body, headers: { ...authorization, ...headers } });
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

/** Returns a response's records. Fails the test if the response contains no records. */
export function readResults({ body }: Answer) {
  return batchSchema.parse(body);
}

/** Returns a response's only record. */
export function readRecord({ body }: Answer): ShownRecord {
  return recordSchema.parse(body);
}

/** Runs a search that must succeed. */
export async function search(account: HubspotSandbox, body: unknown, type = 'contacts') {
  const answer = await ask(account, 'POST', `/crm/objects/2026-09/${type}/search`, { body });
  if (answer.status !== 200) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
  return readResults(answer);
}

/** Returns the ids of the first contacts. */
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

/** Returns a response's error, with its HTTP status. */
export function readError({ status, body }: Answer) {
  return { ...errorSchema.parse(body), status };
}

/** A running stand-in for a test, with shortcuts for requests to it. */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type PartnerSandbox,
  type PartnerSandboxOptions,
  startPartnerSandbox,
} from '../../sandbox/partner/index.ts';
import type { Donor } from '../../service/donor.ts';
import { type Answer, control, send } from '../testbed/asking.ts';

/** Starts a stand-in without limits and waiting by default. It ends with the test. */
export async function startPartner(options: PartnerSandboxOptions = {}): Promise<PartnerSandbox> {
  const partner = await startPartnerSandbox({ donors: 50, rate: 0, jobTimeMs: 0, ...options });
  onTestFinished(() => partner.close());
  return partner;
}

/** Sends a request to the service with a key (by default the first key; null sends none). */
export function ask(
  partner: PartnerSandbox,
  method: string,
  path: string,
  body?: unknown,
  apiKey: string | null = partner.apiKey,
): Promise<Answer> {
  const headers = apiKey === null ? {} : { 'x-api-key': apiKey };
  return send(partner.baseUrl + path, method, { body, headers });
}

/** Puts fault rules in force. */
export async function playFaults(partner: PartnerSandbox, rules: unknown[]): Promise<void> {
  const { status } = await control(partner, 'PUT', '/faults', rules);
  if (status !== 200) {
    throw new Error(`The rules were refused with ${status}.`);
  }
}

/** Issues a key. */
export async function issueKey(partner: PartnerSandbox, order: unknown) {
  const { body } = await control(partner, 'POST', '/keys', order);
  return z.object({ apiKey: z.string(), team: z.string() }).parse(body);
}

/** This many unknown people, with tracking ids p0, p1, … */
export function strangers(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    tracking_id: `p${index}`,
    name: { first: 'Zyxw', last: 'Qqq' },
  }));
}

/** Returns a donor from the world, as a person to submit. */
export function personOf(donor: Donor, trackingId = 'donor') {
  const home = donor.addresses[0];
  return {
    tracking_id: trackingId,
    name: { first: donor.name.first, last: donor.name.last },
    addresses:
      home === undefined ? [] : [`${home.street}, ${home.city}, ${home.state} ${home.postalCode}`],
    employers: donor.work.slice(0, 1).map((role) => role.organisationName),
  };
}

const accepted = z.object({ tracking_id_to_job_id: z.record(z.string(), z.string()) });

/** Submits people in form B and returns the job ids by tracking id. */
export async function submit(
  partner: PartnerSandbox,
  persons: object[],
  apiKey?: string,
): Promise<Record<string, string>> {
  const { body } = await ask(partner, 'POST', '/enhancements', { persons }, apiKey);
  return jobIdsIn(body);
}

/** The job ids by tracking id in the body of an accepted submit. */
export function jobIdsIn(body: unknown): Record<string, string> {
  return accepted.parse(body).tracking_id_to_job_id;
}

/** Submits one person and returns the job's id. */
export async function submitOne(partner: PartnerSandbox, person: object): Promise<string> {
  const [id] = Object.values(await submit(partner, [person]));
  return z.string().parse(id);
}

const ledgerSchema = z.object({
  ledger: z.array(
    z.object({
      kind: z.enum(['charge', 'refund']),
      key: z.string(),
      team: z.string(),
      bucket: z.string(),
      amount: z.number(),
      what: z.string(),
      requestId: z.string(),
      at: z.iso.datetime(),
    }),
  ),
});

/** Reads the ledger's lines. */
export async function readLedger(partner: PartnerSandbox, query = '') {
  return ledgerSchema.parse((await control(partner, 'GET', `/ledger${query}`)).body).ledger;
}

/** The number of credits left in the enhancements bucket. */
export async function enhancementCredits(
  partner: PartnerSandbox,
  apiKey?: string,
): Promise<number> {
  const { body } = await ask(partner, 'GET', '/credits', undefined, apiKey);
  return z.object({ enhancements: z.number() }).parse(body).enhancements;
}

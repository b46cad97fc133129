/** Starts a stand-in for a test and sends requests to the stand-in. */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type PartnerSandbox,
  type PartnerSandboxOptions,
  startPartnerSandbox,
} from '../../sandbox/partner/index.ts';
import type { Donor } from '../../service/donor.ts';
import { type Answer, control, send } from '../testbed/asking.ts';

/**
 * Starts a stand-in for the service, and closes the stand-in after the test. By default, the stand-in has no limits and
 * no waits.
 */
export async function startPartner(options: PartnerSandboxOptions = {}): Promise<PartnerSandbox> {
  const partner = await startPartnerSandbox({ donors: 50, rate: 0, jobTimeMs: 0, ...options });
  onTestFinished(() => partner.close());
  return partner;
}

/**
 * Sends a request to the service. The default key is the first key. If the key is null, the request contains no key.
 */
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

/** Sets the fault rules. */
export async function playFaults(partner: PartnerSandbox, rules: unknown[]): Promise<void> {
  const { status } = await control(partner, 'PUT', '/faults', rules);
  if (status !== 200) {
    throw new Error(`The rules were refused with ${status}.`);
  }
}

export async function issueKey(partner: PartnerSandbox, order: unknown) {
  const { body } = await control(partner, 'POST', '/keys', order);
  return z.object({ apiKey: z.string(), team: z.string() }).parse(body);
}

/** Returns this many unknown people, with the tracking ids p0, p1, … */
export function strangers(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    tracking_id: `p${index}`,
    name: { first: 'Zyxw', last: 'Qqq' },
  }));
}

/** Returns a donor of the world as a person to submit. */
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

/** Submits people in form B, and returns the job IDs by tracking ID. */
export async function submit(
  partner: PartnerSandbox,
  persons: object[],
  apiKey?: string,
): Promise<Record<string, string>> {
  const { body } = await ask(partner, 'POST', '/enhancements', { persons }, apiKey);
  return jobIdsIn(body);
}

/** Returns the job ids by tracking ID in the response to an accepted submission. */
export function jobIdsIn(body: unknown): Record<string, string> {
  return accepted.parse(body).tracking_id_to_job_id;
}

/** Returns the job ID. */
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

/** Returns the lines of the service's ledger. */
export async function readLedger(partner: PartnerSandbox, query = '') {
  return ledgerSchema.parse((await control(partner, 'GET', `/ledger${query}`)).body).ledger;
}

/** Returns the number of credits that are left in the enhancements bucket. */
export async function enhancementCredits(
  partner: PartnerSandbox,
  apiKey?: string,
): Promise<number> {
  const { body } = await ask(partner, 'GET', '/credits', undefined, apiKey);
  return z.object({ enhancements: z.number() }).parse(body).enhancements;
}

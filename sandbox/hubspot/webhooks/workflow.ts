/**
 * Sends requests like the workflow action "Send a webhook". An administrator chooses the body of the request. The
 * signature has version 2 (vendor facts, "Workflow").
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type CalledOut, callOut } from '../../crm/call-out.ts';
import { unknownRecord } from '../core/errors.ts';
import { CONTACTS } from '../core/object-type.ts';
import type { StoredRecord } from '../records/record.ts';
import type { RecordStore } from '../records/record-store.ts';

/** The time (ms) for which HubSpot waits for the response. */
const TIMEOUT_MS = 30_000;

/** A contact that has reached the action in a workflow. */
export const enrolmentSchema = z.strictObject({
  url: z.url(),
  id: z.string(),
  /**
   * With `all`, the request contains all properties of the contact in an older format. Without `all`, the request
   * contains only the properties that the administrator has chosen. The request contains the contact's ID only if the
   * administrator has chosen the ID.
   */
  body: z.union([z.literal('all'), z.record(z.string(), z.string())]),
  /**
   * The version of the signature. The version `none` means that the action sends a key in the address and no signature.
   */
  signature: z.enum(['v2', 'none']).default('v2'),
});

/** The account to which the workflow belongs, and the secret of its app. */
interface WorkflowAccount {
  records: Pick<RecordStore, 'read'>;
  clientSecret: string;
  portalId: number;
}

/** Sends the request that the action would send. */
export function callWorkflow(
  { records, clientSecret, portalId }: WorkflowAccount,
  { url, id, body: choice, signature }: z.output<typeof enrolmentSchema>,
): Promise<CalledOut> {
  const record = records.read(CONTACTS, id);
  if (record === undefined) throw unknownRecord(id);
  const body = JSON.stringify(
    choice === 'all' ? olderContact(record, portalId) : picked(record, choice),
  );
  const signed = createHash('sha256').update(`${clientSecret}POST${url}${body}`).digest('hex');
  const signing = { 'X-HubSpot-Signature': signed, 'X-HubSpot-Signature-Version': 'v2' };
  const headers = {
    'Content-Type': 'application/json',
    ...(signature === 'v2' ? signing : {}),
  };
  return callOut({ url, headers, body }, TIMEOUT_MS);
}

function olderContact({ id, values }: StoredRecord, portalId: number) {
  return {
    vid: Number(id),
    'canonical-vid': Number(id),
    'merged-vids': [],
    'portal-id': portalId,
    'is-contact': true,
    properties: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, versions: [] }]),
    ),
  };
}

function picked(record: StoredRecord, keys: Readonly<Record<string, string>>) {
  const valueFor = (name: string) =>
    name === 'hs_object_id' ? Number(record.id) : (record.values[name] ?? null);
  return Object.fromEntries(Object.entries(keys).map(([key, name]) => [key, valueFor(name)]));
}

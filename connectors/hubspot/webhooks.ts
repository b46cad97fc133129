/**
 * Reads HubSpot's webhooks. Checks the signatures of HubSpot apps (versions 1 to 3), and reads the events from apps and
 * workflows.
 */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { CrmEvent, CrmWebhooks, SignatureVersion } from '../webhooks.ts';

/** The third version of the signature. The third version of the signature covers a time. */
export const TIMED_SIGNATURE: SignatureVersion = {
  header: 'x-hubspot-signature-v3',
  timestamp: { header: 'x-hubspot-request-timestamp', unitMs: 1 },
  sign: (secret, { method, url, body }, timestamp) =>
    createHmac('sha256', secret)
      .update(method + decodeSigned(url))
      .update(body)
      .update(timestamp)
      .digest('base64'),
};

/**
 * The first and the second version of the signature. The first and the second version do not cover a time. Apps send
 * the first version together with the third version, and workflows send the second version. If a call has a signature
 * of the third version, donor-sync checks only this signature. If someone repeats a call without a time, donor-sync
 * only checks the same contacts again.
 */
export const UNTIMED_SIGNATURE: SignatureVersion = {
  header: 'x-hubspot-signature',
  timestamp: null,
  sign(secret, call) {
    const isSecond = call.header('x-hubspot-signature-version') === 'v2';
    const target = isSecond ? call.method + call.url : '';
    return createHash('sha256')
      .update(secret + target)
      .update(call.body)
      .digest('hex');
  },
};

/**
 * Returns the address in the form that HubSpot signs. Before it signs an address, HubSpot decodes only these
 * characters.
 */
function decodeSigned(url: string): string {
  return url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent);
}

export const hubspotWebhooks: CrmWebhooks = {
  signature: {
    label: 'signed by the HubSpot app',
    secretNoun: "your app's client secret",
    settingsNoun: "the HubSpot app's secret",
    variable: 'HUBSPOT_CLIENT_SECRET',
    help: "HubSpot signs with its app's client secret. Leave the secret empty if the settings contain it.",
    findSecret: (crm) => appSchema.safeParse(crm).data?.auth.clientSecret ?? null,
    versions: [TIMED_SIGNATURE, UNTIMED_SIGNATURE],
  },
  readEvent,
};

const appSchema = z.object({ auth: z.object({ clientSecret: z.string().min(1) }) });

function readEvent(object: Readonly<Record<string, unknown>>): CrmEvent | null {
  const account = object['portalId'] ?? object['portal-id'];
  if ('subscriptionType' in object) {
    const isOfContact = isAboutContact(object);
    const isPrivacyDeletion = isOfContact && DELETIONS.has(object['subscriptionType']);
    return { ids: isOfContact ? eventIds(object) : [], account, isPrivacyDeletion };
  }
  // A workflow action of an app contains the record in a nested object.
  const { data: action } = actionSchema.safeParse(object);
  return action === undefined ? null : { ids: [action.object.objectId], account };
}

/** The events about contacts that were deleted for privacy reasons. */
const DELETIONS: ReadonlySet<unknown> = new Set([
  'contact.privacyDeletion',
  'object.privacyDeletion',
]);

const actionSchema = z.object({
  object: z.object({ objectId: z.unknown(), objectType: z.literal('CONTACT') }),
});

/**
 * HubSpot's ID for the object type "contact". This ID is needed for events whose name does not contain the object type.
 */
const CONTACT_TYPE = '0-1';

function isAboutContact({ subscriptionType, objectTypeId }: Readonly<Record<string, unknown>>) {
  if (typeof subscriptionType !== 'string') return false;
  const [type] = subscriptionType.split('.');
  return type === 'contact' || (type === 'object' && objectTypeId === CONTACT_TYPE);
}

/** The event lists several IDs, because the contact that remains after a merge may have a new ID. */
function eventIds(event: Readonly<Record<string, unknown>>): unknown[] {
  const { objectId, newObjectId, primaryObjectId, mergedObjectIds } = event;
  const merged: unknown[] = Array.isArray(mergedObjectIds) ? mergedObjectIds : [];
  return [objectId, newObjectId, primaryObjectId, ...merged];
}

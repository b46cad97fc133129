/** Reads which contacts have changed from the body of a webhook call, in the forms in which CRMs send it. */
import { z } from 'zod';
import type { CalledContact } from '../../../clients/webhook-call.ts';
import { contactSchema } from '../request/router.ts';
import { readOutboundMessage } from './outbound-message.ts';

export interface HookBody {
  contacts: readonly CalledContact[];
  /** The contacts among them that the CRM reports as deleted for privacy. */
  deleted: readonly CalledContact[];
  /** False if the body names no contacts, or if more contacts have changed than it names. */
  isComplete: boolean;
  /** True for a Salesforce Outbound Message, whose sender expects a response in its own format. */
  isOutboundMessage: boolean;
}

/**
 * The maximum number of events or notifications that CRMs send in a call. A call with more is read as if it named no
 * contacts.
 */
const MAX_CONTACTS = 100;

const UNKNOWN: HookBody = {
  contacts: [],
  deleted: [],
  isComplete: false,
  isOutboundMessage: false,
};

/** Reads a body. A body that cannot be read, or is about something else, names no contact. */
export function readHookBody(body: Uint8Array): HookBody {
  const text = new TextDecoder().decode(body).trim();
  if (text.startsWith('<')) return readXml(text);
  const parsed = parseJson(text);
  if (parsed === undefined) return UNKNOWN;
  const parts = Array.isArray(parsed) ? parsed : [parsed];
  const deleted = distinctContacts(parts.filter(isPrivacyDeletion).flatMap(readContacts));
  // There is no limit here, because each event is a separate deletion.
  return { ...bounded(parts.map(readContacts), false), deleted };
}

function readXml(text: string): HookBody {
  const notifications = readOutboundMessage(text);
  return notifications === null
    ? UNKNOWN
    : bounded(
        notifications.map(({ type, id, account }) => {
          const contactId = type === 'Contact' ? readId(id) : null;
          return contactId === null ? [] : [{ id: contactId, account }];
        }),
        true,
      );
}

/** The contacts of each part of a body. */
function bounded(parts: readonly CalledContact[][], isOutboundMessage: boolean): HookBody {
  const contacts = distinctContacts(parts.flat());
  if (contacts.length > MAX_CONTACTS) return { ...UNKNOWN, isOutboundMessage };
  const isComplete = contacts.length > 0 && parts.every((part) => part.length > 0);
  return { contacts, deleted: [], isComplete, isOutboundMessage };
}

function distinctContacts(contacts: readonly CalledContact[]): CalledContact[] {
  return [...new Map(contacts.map((one) => [`${one.account}\n${one.id}`, one])).values()];
}

/** Returns true for HubSpot's event about a contact that was deleted for privacy. */
function isPrivacyDeletion(part: unknown): boolean {
  const { data: object } = objectSchema.safeParse(part);
  if (object === undefined || !isAboutContact(object)) return false;
  const { subscriptionType } = object;
  return (
    subscriptionType === 'contact.privacyDeletion' || subscriptionType === 'object.privacyDeletion'
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const objectSchema = z.record(z.string(), z.unknown());

/** The contacts that an event or a record is about. */
function readContacts(part: unknown): CalledContact[] {
  const id = readId(part);
  if (id !== null) return [{ id, account: null }];
  const { data: object } = objectSchema.safeParse(part);
  if (object === undefined) return [];
  const account = readId(object['portalId']) ?? readId(object['portal-id']);
  return idsIn(object).map((each) => ({ id: each, account }));
}

function idsIn(object: Record<string, unknown>): string[] {
  if ('subscriptionType' in object) return isAboutContact(object) ? eventIds(object) : [];
  // An app's own workflow action contains the record in a nested object.
  const { data: inner } = actionSchema.safeParse(object);
  if (inner) return [readId(inner.object.objectId)].filter((id) => id !== null);
  const { data: properties = {} } = objectSchema.safeParse(object['properties']);
  const named = [object, properties].map(namedIds).find((ids) => ids.length > 0);
  return named ?? [];
}

const actionSchema = z.object({
  object: z.object({ objectId: z.unknown(), objectType: z.literal('CONTACT') }),
});

/** HubSpot's number of the type contact, in events whose name contains no type. */
const CONTACT_TYPE = '0-1';

function isAboutContact({ subscriptionType, objectTypeId }: Record<string, unknown>): boolean {
  if (typeof subscriptionType !== 'string') return false;
  const [type] = subscriptionType.split('.');
  return type === 'contact' || (type === 'object' && objectTypeId === CONTACT_TYPE);
}

/**
 * A merge affects the surviving contact, which may have a new ID, and the contacts that were merged into it.
 */
function eventIds({
  objectId,
  newObjectId,
  primaryObjectId,
  mergedObjectIds,
}: Record<string, unknown>) {
  const merged = Array.isArray(mergedObjectIds) ? mergedObjectIds : [];
  const ids = [objectId, newObjectId, primaryObjectId, ...merged].map(readId);
  return [...new Set(ids.filter((id) => id !== null))];
}

/**
 * The names of the properties with a contact's ID, in lower case without punctuation, the most reliable first. They are
 * names that an administrator mapped, HubSpot's properties, and the names that records use for their ID.
 */
const KEYS = [
  ...['contact', 'contacts', 'contactid', 'contactids', 'hsobjectid', 'vid'],
  ...['objectid', 'recordid', 'id', 'ids'],
];

function namedIds(object: Record<string, unknown>): string[] {
  const byKey = new Map(
    Object.entries(object).map(([key, value]) => [key.toLowerCase().replace(/[^a-z]/g, ''), value]),
  );
  for (const key of KEYS) {
    const value = byKey.get(key);
    const ids = (Array.isArray(value) ? value : [value]).map(readId);
    if (ids.length > 0 && ids.every((id) => id !== null)) return ids.filter((id) => id !== null);
  }
  return [];
}

const valueSchema = z.object({ value: z.unknown() });

/**
 * Returns an ID from a text, a number or one of HubSpot's older properties (`{"value": …}`); null if it is not an ID.
 */
function readId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? readId(String(value)) : null;
  if (typeof value === 'string') return contactSchema.safeParse(value).data ?? null;
  const { data } = valueSchema.safeParse(value);
  return typeof data?.value === 'string' || typeof data?.value === 'number'
    ? readId(data.value)
    : null;
}

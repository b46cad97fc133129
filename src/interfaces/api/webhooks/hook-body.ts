/**
 * Reads the contacts that a webhook call names. This file defines the forms for Flows, workflows and other programs.
 */
import { z } from 'zod';
import { findWebhooks, WEBHOOKS } from '../../../../connectors/index.ts';
import type { Acknowledgement, CrmEvent, CrmWebhooks } from '../../../../connectors/webhooks.ts';
import type { CalledContact } from '../../../clients/webhook-call.ts';
import { contactSchema } from '../request/router.ts';

export interface HookBody {
  contacts: readonly CalledContact[];
  /** Contacts that the CRM has deleted for privacy reasons. */
  deleted: readonly CalledContact[];
  /** True if the body names all changed contacts. False if the body names no contacts or only some of them. */
  isComplete: boolean;
  /** The response that the CRM expects, or null for the usual response. */
  acknowledgement: Acknowledgement | null;
}

/**
 * The maximum number of contacts in a call, because CRMs send at most this many events. If a call contains more, it
 * counts as naming no contacts.
 */
const MAX_CONTACTS = 100;

const UNKNOWN: HookBody = {
  contacts: [],
  deleted: [],
  isComplete: false,
  acknowledgement: null,
};

/**
 * Reads a call's body. Returns no contact for an unreadable body. `provenBy` is the CRM that signed and dated the call,
 * or null. Only the events of a signed and dated call report deletions. Other calls only make a run read contacts.
 * `crmKind` is the client's CRM, which may use its own forms.
 */
export function readHookBody(
  body: Uint8Array,
  provenBy: string | null = null,
  crmKind: string | null = null,
): HookBody {
  const text = new TextDecoder().decode(body).trim();
  const parsed = parseJson(text);
  const readers = listReaders(crmKind);
  if (parsed === undefined) return readText(text, readers);
  const parts = (Array.isArray(parsed) ? parsed : [parsed]).map((part) => readPart(part, readers));
  const deletions = parts.filter(
    ({ kind, isPrivacyDeletion }) => kind !== null && kind === provenBy && isPrivacyDeletion,
  );
  // The number of deletions has no limit, because each event is a separate deletion.
  const deleted = distinctContacts(deletions.flatMap(({ contacts }) => contacts));
  return { ...bounded(parts.map(({ contacts }) => contacts)), deleted };
}

interface FormReader {
  kind: string;
  webhooks: CrmWebhooks;
}

/**
 * Returns the forms of the built-in CRMs and of the client's own connector package. A package reads only calls about
 * its own clients.
 */
function listReaders(crmKind: string | null): readonly FormReader[] {
  const own = crmKind === null ? undefined : findWebhooks(crmKind);
  const isBuiltIn = own === undefined || WEBHOOKS.some(({ kind }) => kind === crmKind);
  return isBuiltIn || crmKind === null ? WEBHOOKS : [...WEBHOOKS, { kind: crmKind, webhooks: own }];
}

/** Returns null if a connector throws an error because of an unknown format. */
function unlessThrown<Result>(read: () => Result | null | undefined): Result | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}

function readText(text: string, readers: readonly FormReader[]): HookBody {
  for (const { webhooks } of readers) {
    const events = unlessThrown(() => webhooks.readText?.(text));
    if (events === null) continue;
    const contacts = events.map(({ ids, account }) =>
      toContacts(ids, typeof account === 'string' ? account : null),
    );
    return { ...bounded(contacts), acknowledgement: webhooks.acknowledgement ?? null };
  }
  return UNKNOWN;
}

function bounded(parts: readonly CalledContact[][]): HookBody {
  const contacts = distinctContacts(parts.flat());
  if (contacts.length > MAX_CONTACTS) return UNKNOWN;
  const isComplete = contacts.length > 0 && parts.every((part) => part.length > 0);
  return { ...UNKNOWN, contacts, isComplete };
}

function distinctContacts(contacts: readonly CalledContact[]): CalledContact[] {
  return [...new Map(contacts.map((one) => [`${one.account}\n${one.id}`, one])).values()];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const objectSchema = z.record(z.string(), z.unknown());

interface Part {
  kind: string | null;
  contacts: CalledContact[];
  isPrivacyDeletion: boolean;
}

/** Returns the contacts in an event or a record. */
function readPart(part: unknown, readers: readonly FormReader[]): Part {
  const general = { kind: null, isPrivacyDeletion: false };
  const id = readId(part);
  if (id !== null) return { ...general, contacts: [{ id, account: null }] };
  const { data: object } = objectSchema.safeParse(part);
  if (object === undefined) return { ...general, contacts: [] };
  const found = findEvent(object, readers);
  if (found === null) {
    const account = readId(object['portalId']) ?? readId(object['portal-id']);
    return { ...general, contacts: toContacts(idsIn(object), account) };
  }
  const { kind, event } = found;
  const contacts = toContacts(event.ids, readId(event.account));
  return { kind, contacts, isPrivacyDeletion: event.isPrivacyDeletion === true };
}

function findEvent(
  object: Record<string, unknown>,
  readers: readonly FormReader[],
): { kind: string; event: CrmEvent } | null {
  for (const { kind, webhooks } of readers) {
    const event = unlessThrown(() => webhooks.readEvent?.(object));
    if (event !== null) return { kind, event };
  }
  return null;
}

/** Returns each contact once. */
function toContacts(ids: readonly unknown[], account: string | null): CalledContact[] {
  const known = ids.map(readId).filter((id) => id !== null);
  return [...new Set(known)].map((id) => ({ id, account }));
}

function idsIn(object: Record<string, unknown>): string[] {
  const { data: properties = {} } = objectSchema.safeParse(object['properties']);
  const named = [object, properties].map(namedIds).find((ids) => ids.length > 0);
  return named ?? [];
}

/**
 * The names under which an ID may be found, the most reliable names first. The list includes mapped names, CRM
 * properties and usual names of record IDs.
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

/** Reads an ID from a text, a number or a wrapped value (`{"value": …}`). Returns null for anything else. */
function readId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? readId(String(value)) : null;
  if (typeof value === 'string') return contactSchema.safeParse(value).data ?? null;
  const { data } = valueSchema.safeParse(value);
  return typeof data?.value === 'string' || typeof data?.value === 'number'
    ? readId(data.value)
    : null;
}

import type { Contact } from '../../src/core/contact.ts';
import { splitIntoBatches } from '../../src/core/parallel.ts';
import type { ContactPage, ContactsSettings, KnownContacts, RemovedContact } from '../contract.ts';
import { readingEndless } from '../requests/endless.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readAs } from './errors.ts';
import type { Filter } from './filter.ts';
import { findRecords, IDS_PER_REQUEST } from './find-records.ts';
import { cursorAfter, type Reading, readingSinceKnown, startReading } from './reading/cursor.ts';
import { readKnown } from './reading/known.ts';
import { withContacts } from './reading/portions.ts';
import { walkAll } from './reading/walk.ts';
import { type HubspotRecord, listMergedIds, recordPageSchema } from './record.ts';
import { searchPages } from './search.ts';
import type { HubspotSession } from './session.ts';
import { isCheckbox } from './values.ts';

/**
 * The time (ms) by which consecutive readings overlap. A search finds a change only after HubSpot has indexed it.
 * HubSpot usually indexes a change within seconds, but sometimes needs more than an hour. Reading a contact twice is
 * harmless, because donor-sync makes the same decisions about the contact.
 */
const OVERLAP_MS = 2 * 3_600_000;

/**
 * Yields the archived contacts first. After the archived contacts, yields the contacts that were modified since the
 * last reading, sorted by ID. A search finds the modified contacts. A run without changes costs two requests. A reading
 * of all contacts uses HubSpot's list of contacts. If HubSpot's list is slow, the reading also uses searches
 * (`walk.ts`). If the settings contain a filter, a search finds the contacts' IDs. Once a week, all contacts are read.
 * If there is no filter, the weekly reading uses only the list. The weekly reading is necessary because a search may
 * miss a change that is indexed too late. In a large account, the weekly reading reads the known contacts by their IDs.
 * The weekly reading also reads the contacts that have been created since the previous reading.
 */
export async function* readPages(
  session: HubspotSession,
  cursor: string | null,
  known?: KnownContacts,
): AsyncGenerator<ContactPage> {
  throwIfStopped(session.signal);
  const sinceKnown =
    cursor === null && known?.isSameSelection === true && (await areMany(known))
      ? readingSinceKnown(session, known.cursor)
      : null;
  if (sinceKnown !== null && known !== undefined) {
    if (sinceKnown.since !== null) {
      for await (const removed of readArchived(session, fromMs(sinceKnown.since))) {
        yield { contacts: [], removed, cursor: known.cursor };
      }
    }
    yield* readKnown(session, known);
    yield* readSearch(session, sinceKnown, 'createdate');
    return;
  }
  const reading = startReading(session, cursor, known?.cursor);
  if (reading.archivedSince !== null && reading.after === null) {
    for await (const removed of readArchived(session, fromMs(reading.archivedSince))) {
      yield { contacts: [], removed, cursor };
    }
  }
  const isAll = reading.since === null && session.filter.length === 0;
  yield* isAll || reading.isListWalk ? readAll(session, reading) : readSearch(session, reading);
}

/**
 * HubSpot's list returns this number of contacts within a few seconds, and it includes contacts that HubSpot has not
 * indexed yet.
 */
const MANY_CONTACTS = 1_000;

async function areMany({ ids }: KnownContacts): Promise<boolean> {
  let count = 0;
  for await (const batch of ids()) {
    count += batch.length;
    if (count > MANY_CONTACTS) return true;
  }
  return false;
}

/**
 * Yields the contacts that were modified or created after this time. The result includes contacts that donor-sync has
 * written. The search finds the IDs, and the contacts are then read by ID.
 */
async function* readSearch(
  session: HubspotSession,
  reading: Reading,
  date: 'lastmodifieddate' | 'createdate' = 'lastmodifieddate',
): AsyncGenerator<ContactPage> {
  const { api, filter, shape, signal } = session;
  const { since, after } = reading;
  const search = {
    conditions: since === null ? [] : [onOrAfter(date, since)],
    groups: filter,
    properties: shape.properties,
    afterId: after,
  };
  for await (const { records, mayGoOn } of searchPages(api, search, signal)) {
    const lastId = mayGoOn ? (records.at(-1)?.id ?? null) : null;
    const cursor = cursorAfter(reading, { after: lastId, rest: null });
    const present = since === null ? await readPresent(session, records) : records;
    yield toPage(present, await shape.toContacts(present), cursor);
  }
}

/** Returns the current records, because the search index may contain older values. */
async function readPresent(
  { api, shape }: HubspotSession,
  indexed: readonly HubspotRecord[],
): Promise<HubspotRecord[]> {
  const present = new Map<string, HubspotRecord>();
  for (const batch of splitIntoBatches(indexed, IDS_PER_REQUEST)) {
    const ids = batch.map(({ id }) => id);
    for (const one of (await findRecords(api, 'contacts', ids, shape.properties)).values()) {
      if (one.state !== 'gone') present.set(one.record.id, one.record);
    }
  }
  return [...present.values()];
}

/**
 * Yields contacts that do not match the filter, were modified after this time, and have a mark. If the settings contain
 * no filter, yields nothing. An unticked checkbox also has a value, so the search looks only for ticked checkboxes.
 */
export async function* findMarked(
  session: HubspotSession,
  cursor: string | null,
  { optOutField }: Pick<ContactsSettings, 'optOutField'>,
): AsyncGenerator<readonly string[]> {
  const { api, filter, properties, signal } = session;
  const property = optOutField === null ? undefined : properties.get(optOutField);
  if (filter.length === 0 || property === undefined) return;
  throwIfStopped(signal);
  const { since } = startReading(session, cursor);
  const mark: Filter = isCheckbox(property)
    ? { propertyName: property.name, operator: 'EQ', value: 'true' }
    : { propertyName: property.name, operator: 'HAS_PROPERTY' };
  const conditions = since === null ? [mark] : [onOrAfter('lastmodifieddate', since), mark];
  const search = { conditions, groups: [], properties: [], afterId: null };
  for await (const { records } of searchPages(api, search, signal)) {
    yield records.map(({ id }) => id);
  }
}

function onOrAfter(propertyName: string, since: string): Filter {
  return { propertyName, operator: 'GTE', value: String(fromMs(since)) };
}

function fromMs(since: string): number {
  return Date.parse(since) - OVERLAP_MS;
}

async function* readAll(session: HubspotSession, reading: Reading): AsyncGenerator<ContactPage> {
  const { shape, signal } = session;
  const walk = walkAll(session, { ...reading, maySearch: !reading.isListWalk });
  for await (const { page, contacts } of withContacts(shape, walk)) {
    throwIfStopped(signal);
    yield toPage(page.records, contacts, cursorAfter(reading, page.position));
  }
}

/**
 * Creates a page. For a merge, the page contains the contact that remains and the IDs of the contacts that were merged
 * into it.
 */
function toPage(
  records: readonly HubspotRecord[],
  contacts: Contact[],
  cursor: string,
): ContactPage {
  const removed: RemovedContact[] = records.flatMap((record) =>
    listMergedIds(record).map((id) => ({ id, mergedInto: record.id })),
  );
  return { contacts, removed, cursor };
}

/** HubSpot keeps archived contacts for 90 days. The limit is enough for half a million archived contacts. */
const MAX_ARCHIVED_PAGES = 5_000;

/**
 * Reads the whole list of archived contacts, because searches do not find them. The list contains the contacts that
 * were archived in the last 90 days, and each request returns up to a hundred of them.
 */
async function* readArchived(
  session: HubspotSession,
  sinceMs: number,
): AsyncGenerator<RemovedContact[]> {
  const { api, signal } = session;
  let after: string | null = null;
  for (let page = 0; page < MAX_ARCHIVED_PAGES; page += 1) {
    throwIfStopped(signal);
    const archived: unknown = await api.listRecords('contacts', { ...ARCHIVED, after });
    const { results, paging } = readAs(recordPageSchema, archived);
    const fresh = results.filter((record) => archivedMs(record) >= sinceMs);
    if (fresh.length > 0) yield await findRemoved(session, fresh);
    const next: string | null = paging?.next?.after ?? null;
    if (next === null) return;
    if (next === after) break;
    after = next;
  }
  throw readingEndless('the archived contacts of HubSpot');
}

/** The number of contacts in one request. HubSpot sets this limit. */
const PAGE_SIZE = 100;

const ARCHIVED = { archived: true, limit: PAGE_SIZE, properties: ['hs_object_id'] };

/**
 * Returns the time at which a contact was archived. If the archiving time cannot be read, returns the current time. If
 * the current time replaces the archiving time, donor-sync sends one more look-up.
 */
function archivedMs({ archivedAt }: HubspotRecord): number {
  const epochMs = Date.parse(archivedAt ?? '');
  return Number.isNaN(epochMs) ? Number.POSITIVE_INFINITY : epochMs;
}

/** Returns the contacts that were removed. Merged and restored contacts are not included. */
async function findRemoved(
  { api }: HubspotSession,
  archived: readonly HubspotRecord[],
): Promise<RemovedContact[]> {
  const found = await findRecords(
    api,
    'contacts',
    archived.map(({ id }) => id),
    [],
  );
  return [...found].flatMap(([id, one]) => {
    if (one.state === 'found') return [];
    return [{ id, mergedInto: one.state === 'merged' ? one.into : null }];
  });
}

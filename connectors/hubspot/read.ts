import { z } from 'zod';
import { isoTime } from '../../src/core/clock.ts';
import type { Contact } from '../../src/core/contact.ts';
import { FatalError } from '../../src/core/errors.ts';
import type { ContactPage, RemovedContact } from '../contract.ts';
import { throwIfStopped } from '../stopped.ts';
import { COMPANIES_PER_REQUEST } from './companies.ts';
import type { ContactShape } from './contact.ts';
import { readAs } from './errors.ts';
import type { Filter } from './filter.ts';
import { findRecords } from './find-records.ts';
import { type HubspotRecord, mergedIdsOf, recordPageSchema } from './record.ts';
import { searchPages } from './search.ts';
import type { HubspotSession } from './session.ts';

/**
 * A change is seen by searches only once it is indexed, usually within seconds, so a reading
 * starts again this long before the last one. Whatever comes twice is decided as before.
 */
const OVERLAP_MS = 10 * 60_000;

/**
 * Where a reading stands. `since` is where the last one began and null if all contacts are read;
 * `until` is where this one began, both by HubSpot's clock. `after` is the last contact that was
 * read, or HubSpot's word for it.
 */
const cursorSchema = z.object({
  since: z.iso.datetime().nullable(),
  until: z.iso.datetime().optional(),
  after: z.string().optional(),
});

interface Reading {
  since: string | null;
  until: string;
  after: string | null;
}

/**
 * Changes come by id, from a search for what was modified since, after those that were archived: a
 * night without changes costs two requests. All contacts come from their list, which has no limit
 * of its own and is never behind; with a filter, from a search.
 */
export async function* readPages(
  session: HubspotSession,
  cursor: string | null,
): AsyncGenerator<ContactPage> {
  throwIfStopped(session.signal);
  const reading = startReading(session, cursor);
  if (reading.since !== null && reading.after === null) {
    for await (const removed of readArchived(session, fromMs(reading.since))) {
      yield { contacts: [], removed, cursor };
    }
  }
  const isWhole = reading.since === null && session.filter.length === 0;
  yield* isWhole ? readList(session, reading) : readSearch(session, reading);
}

function startReading(session: HubspotSession, cursor: string | null): Reading {
  const now = isoTime(session.api.serverTimeMs() ?? session.clock.now());
  if (cursor === null) return { since: null, until: now, after: null };
  const known = parseCursor(cursor);
  if (known === null) {
    session.log.warn({}, 'the cursor is of an unknown form: all contacts are read');
    return { since: null, until: now, after: null };
  }
  return { since: known.since, until: known.until ?? now, after: known.after ?? null };
}

function parseCursor(cursor: string): z.infer<typeof cursorSchema> | null {
  try {
    return cursorSchema.parse(JSON.parse(cursor));
  } catch {
    return null;
  }
}

/** The cursor after a page: in the middle of this reading, or at the beginning of the next. */
function cursorAfter({ since, until }: Reading, after: string | null): string {
  return JSON.stringify(after === null ? { since: until } : { since, until, after });
}

async function* readSearch(session: HubspotSession, reading: Reading): AsyncGenerator<ContactPage> {
  const { api, filter, shape, signal } = session;
  const { since, after } = reading;
  const search = {
    conditions: since === null ? [] : [modifiedSince(since)],
    groups: filter,
    properties: shape.properties,
    afterId: after,
  };
  for await (const { records, mayGoOn } of searchPages(api, search, signal)) {
    const lastId = mayGoOn ? (records.at(-1)?.id ?? null) : null;
    yield pageOf(records, await shape.toContacts(records), cursorAfter(reading, lastId));
  }
}

function modifiedSince(since: string): Filter {
  return { propertyName: 'lastmodifieddate', operator: 'GTE', value: String(fromMs(since)) };
}

function fromMs(since: string): number {
  return Date.parse(since) - OVERLAP_MS;
}

/** Companies are asked for once for all pages of a portion: most pages have only a few new ones. */
async function* readList(session: HubspotSession, reading: Reading): AsyncGenerator<ContactPage> {
  const { shape, signal } = session;
  for await (const pages of portionsOf(shape, listPages(session, reading.after))) {
    const contacts = await shape.toContacts(pages.flatMap(({ records }) => records));
    let start = 0;
    for (const { records, next } of pages) {
      throwIfStopped(signal);
      const own = contacts.slice(start, start + records.length);
      start += records.length;
      yield pageOf(records, own, cursorAfter(reading, next));
    }
  }
}

/** The winner of a merge comes with those that live on in it. */
function pageOf(
  records: readonly HubspotRecord[],
  contacts: Contact[],
  cursor: string,
): ContactPage {
  const removed: RemovedContact[] = records.flatMap((record) =>
    mergedIdsOf(record).map((id) => ({ id, mergedInto: record.id })),
  );
  return { contacts, removed, cursor };
}

/** One page of the full list. */
export interface ListPage {
  records: readonly HubspotRecord[];
  /** HubSpot's word for where the next page begins; null after the last one. */
  next: string | null;
}

/** Contacts of one page: the most that HubSpot gives, and the most it reads at once. */
const PAGE_SIZE = 100;

/** Pages of the list; ten million contacts. */
const MAX_PAGES = 100_000;

/** Pages that wait at most until their companies are asked for together. */
const MAX_WAITING_PAGES = 10;

/** All contacts in the order of their ids, from where `after` points or from the first. */
export async function* listPages(
  { api, shape, signal }: Pick<HubspotSession, 'api' | 'shape' | 'signal'>,
  after: string | null,
): AsyncGenerator<ListPage> {
  let position = after;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    throwIfStopped(signal);
    const path: string = pathOf(api.paths.objects('contacts'), shape.properties, position);
    const { results, paging } = readAs(recordPageSchema, await api.get(path));
    const next: string | null = paging?.next?.after ?? null;
    yield { records: results, next };
    if (next === null) return;
    if (next === position) break;
    position = next;
  }
  throw new FatalError('The contacts of HubSpot do not come to their end.', {
    code: 'crm_reading_endless',
  });
}

function pathOf(path: string, properties: readonly string[], after: string | null): string {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    properties: properties.join(','),
    archived: 'false',
  });
  if (after !== null) query.set('after', after);
  return `${path}?${query}`;
}

/** Puts pages together as long as one request can tell the names of all their companies. */
export async function* portionsOf(
  shape: Pick<ContactShape, 'unknownCompanies'>,
  pages: AsyncIterable<ListPage>,
): AsyncGenerator<ListPage[]> {
  let portion: ListPage[] = [];
  let records: HubspotRecord[] = [];
  for await (const page of pages) {
    const all = [...records, ...page.records];
    const isTooMuch =
      portion.length === MAX_WAITING_PAGES ||
      shape.unknownCompanies(all).length > COMPANIES_PER_REQUEST;
    if (isTooMuch && portion.length > 0) {
      yield portion;
      portion = [];
      records = [];
    }
    portion.push(page);
    records.push(...page.records);
  }
  if (portion.length > 0) yield portion;
}

/** HubSpot keeps what is archived for 90 days; this is half a million contacts. */
const MAX_ARCHIVED_PAGES = 5_000;

/**
 * The contacts that were archived since (epoch ms), page by page. Searches leave them out, and
 * their list comes in the order of ids, so it is read as a whole: a request for each hundred of
 * the last 90 days.
 */
export async function* readArchived(
  session: HubspotSession,
  sinceMs: number,
): AsyncGenerator<RemovedContact[]> {
  const { api, signal } = session;
  let after: string | null = null;
  for (let page = 0; page < MAX_ARCHIVED_PAGES; page += 1) {
    throwIfStopped(signal);
    const path: string = archivedPath(api.paths.objects('contacts'), after);
    const { results, paging } = readAs(recordPageSchema, await api.get(path));
    const fresh = results.filter((record) => archivedMs(record) >= sinceMs);
    if (fresh.length > 0) yield await removedOf(session, fresh);
    const next: string | null = paging?.next?.after ?? null;
    if (next === null) return;
    if (next === after) break;
    after = next;
  }
  throw new FatalError('The archived contacts of HubSpot do not come to their end.', {
    code: 'crm_reading_endless',
  });
}

function archivedPath(path: string, after: string | null): string {
  const query = new URLSearchParams({
    archived: 'true',
    limit: String(PAGE_SIZE),
    properties: 'hs_object_id',
  });
  if (after !== null) query.set('after', after);
  return `${path}?${query}`;
}

/** A time that cannot be read counts as now: it costs one more look. */
function archivedMs({ archivedAt }: HubspotRecord): number {
  const epochMs = Date.parse(archivedAt ?? '');
  return Number.isNaN(epochMs) ? Number.POSITIVE_INFINITY : epochMs;
}

/** A contact that was merged lives on, and one that was restored in the meantime is not gone. */
async function removedOf(
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

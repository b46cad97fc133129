import { z } from 'zod';
import { isoTime } from '../../src/core/clock.ts';
import { FatalError } from '../../src/core/errors.ts';
import type { ContactPage, RemovedContact } from '../contract.ts';
import { throwIfStopped } from '../stopped.ts';
import type { Filter } from './filter.ts';
import { readAs } from './json.ts';
import { type HubspotRecord, mergedIdsOf, recordPageSchema } from './record.ts';
import { readArchived } from './removed.ts';
import { SEARCH_PAGE_SIZE, searchPages } from './search.ts';
import type { HubspotSession } from './session.ts';

/** Contacts of one page of the full list: the most that HubSpot gives. */
const LIST_PAGE_SIZE = 100;

/** Pages of the full list; ten million contacts. */
const MAX_LIST_PAGES = 100_000;

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
  for await (const records of searchPages(api, search, signal)) {
    const isLastPage = records.length < SEARCH_PAGE_SIZE;
    const lastId = isLastPage ? null : (records.at(-1)?.id ?? null);
    yield await pageOf(session, records, cursorAfter(reading, lastId));
  }
}

function modifiedSince(since: string): Filter {
  return { propertyName: 'lastmodifieddate', operator: 'GTE', value: String(fromMs(since)) };
}

function fromMs(since: string): number {
  return Date.parse(since) - OVERLAP_MS;
}

async function* readList(session: HubspotSession, reading: Reading): AsyncGenerator<ContactPage> {
  const { api, shape, signal } = session;
  let after = reading.after;
  for (let page = 0; page < MAX_LIST_PAGES; page += 1) {
    throwIfStopped(signal);
    const path: string = listPath(api.paths.objects('contacts'), shape.properties, after);
    const { results, paging } = readAs(recordPageSchema, await api.get(path));
    const next: string | null = paging?.next?.after ?? null;
    yield await pageOf(session, results, cursorAfter(reading, next));
    if (next === null) return;
    if (next === after) break;
    after = next;
  }
  throw new FatalError('The contacts of HubSpot do not come to their end.', {
    code: 'crm_reading_endless',
  });
}

function listPath(path: string, properties: readonly string[], after: string | null): string {
  const query = new URLSearchParams({
    limit: String(LIST_PAGE_SIZE),
    properties: properties.join(','),
    archived: 'false',
  });
  if (after !== null) query.set('after', after);
  return `${path}?${query}`;
}

/** The winner of a merge comes with those that live on in it. */
async function pageOf(
  { shape }: HubspotSession,
  records: readonly HubspotRecord[],
  cursor: string,
): Promise<ContactPage> {
  const removed: RemovedContact[] = records.flatMap((record) =>
    mergedIdsOf(record).map((id) => ({ id, mergedInto: record.id })),
  );
  return { contacts: await shape.toContacts(records), removed, cursor };
}

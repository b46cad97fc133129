import { z } from 'zod';
import { isoTime } from '../../src/core/clock.ts';
import type { Contact } from '../../src/core/contact.ts';
import type { ContactPage, RemovedContact } from '../contract.ts';
import { throwIfStopped } from '../errors.ts';
import type { Filter } from './filter.ts';
import { listPages, portionsOf } from './list.ts';
import { type HubspotRecord, mergedIdsOf } from './record.ts';
import { readArchived } from './removed.ts';
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

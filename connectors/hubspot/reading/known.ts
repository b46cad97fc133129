/**
 * Reads all known contacts by their IDs. Many of these requests can be in flight at the same time. HubSpot's list
 * allows only one request at a time.
 */

import type { ContactPage, KnownContacts, RemovedContact } from '../../contract.ts';
import { together } from '../../requests/ahead.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import { findArchived, findRecords, IDS_PER_REQUEST } from '../find-records.ts';
import { isRecordId } from '../record.ts';
import type { HubspotSession } from '../session.ts';
import { withContacts } from './portions.ts';

/**
 * The number of requests that are in flight at the same time. If each request takes more than a second, this number
 * keeps the pace below HubSpot's limit.
 */
const REQUESTS_AT_ONCE = 24;

/**
 * Yields the known contacts that still exist, and the outcome for each known contact that does not exist any more.
 * Contacts that were restored after their deletion come last. The caller has to read the contacts that have been
 * created since the previous reading.
 */
export async function* readKnown(
  session: HubspotSession,
  { ids, leftIds, cursor }: KnownContacts,
): AsyncGenerator<ContactPage> {
  yield* readByIds(session, ids(), cursor);
  for await (const page of readByIds(session, leftIds(), cursor)) {
    // donor-sync already knows that these contacts were removed.
    if (page.contacts.length > 0) yield { ...page, removed: [] };
  }
}

async function* readByIds(
  session: HubspotSession,
  ids: AsyncIterable<readonly string[]>,
  cursor: string,
): AsyncGenerator<ContactPage> {
  const { shape, signal } = session;
  const pages = together(toBatches(ids), REQUESTS_AT_ONCE, (batch) => findPage(session, batch));
  for await (const { page, contacts } of withContacts(shape, pages)) {
    throwIfStopped(signal);
    yield { contacts, removed: page.removed, missing: page.missing, cursor };
  }
}

/**
 * Finds the contacts with these IDs. Replaces a merged contact with the contact that remains. A contact is missing if
 * it neither exists nor is archived.
 */
async function findPage({ api, shape }: HubspotSession, ids: readonly string[]) {
  const found = await findRecords(api, 'contacts', ids, shape.properties);
  const records = [...found.values()].flatMap((one) => (one.state === 'gone' ? [] : [one.record]));
  const gone = [...found].flatMap(([id, one]) => (one.state === 'gone' ? id : []));
  const archived = await findArchived(api, 'contacts', gone);
  const removed = [...found].flatMap(([id, one]): RemovedContact[] => {
    if (one.state === 'merged') return [{ id, mergedInto: one.into }];
    return archived.has(id) ? [{ id, mergedInto: null }] : [];
  });
  const missing = gone.filter((id) => !archived.has(id));
  const byId = new Map(records.map((record) => [record.id, record]));
  return { records: [...byId.values()], removed, missing };
}

/** Yields batches of IDs. Each batch fits into one request. Strings that are not contact IDs are left out. */
async function* toBatches(
  portions: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  let waiting: string[] = [];
  for await (const portion of portions) {
    waiting.push(...portion.filter(isRecordId));
    while (waiting.length >= IDS_PER_REQUEST) {
      yield waiting.slice(0, IDS_PER_REQUEST);
      waiting = waiting.slice(IDS_PER_REQUEST);
    }
  }
  if (waiting.length > 0) yield waiting;
}

import { z } from 'zod';
import { isoTime } from '../../src/core/clock.ts';
import type { Contact } from '../../src/core/contact.ts';
import { FatalError } from '../../src/core/errors.ts';
import { together } from '../ahead.ts';
import type { ContactPage, RemovedContact } from '../contract.ts';
import { throwIfStopped } from '../stopped.ts';
import { queryInBulk } from './bulk/bulk-query.ts';
import { crmCodeOf, readAs } from './errors.ts';
import {
  type ColumnReader,
  columnsOf,
  countRecords,
  type QueryRecord,
  queryPages,
  quoted,
  whereClause,
} from './query.ts';
import { withRelations } from './relations.ts';
import type { SalesforceSession } from './session.ts';
import { isoInstant } from './values.ts';

/** Rows of one request: the most that Salesforce gives. */
const PAGE_ROWS = 2_000;

/** Pages of one reading through REST; more than the largest `bulkThreshold` makes. */
const MAX_PAGES = 5_000;

/**
 * A change is stamped when it is made and seen when its transaction ends, so a reading starts
 * again this long before the last one. Whatever comes twice is decided as before.
 */
const OVERLAP_MS = 10 * 60_000;

/** Salesforce empties its recycle bin after 15 days; the day more is for its clock. */
const RECYCLE_BIN_MS = 16 * 86_400_000;

/** Where in the order of `SystemModstamp, Id` a reading stands; the stamp in ISO 8601. */
interface Position {
  stamp: string;
  id: string;
}

/** One reading: where it began, and where the next may begin if it comes to its end. */
interface Reading {
  /** ISO 8601; null for all contacts. */
  since: string | null;
  /** Salesforce's clock at the beginning: what changes from then on, the next reading sees. */
  untilMs: number;
}

/** A page as it was read, whose contacts may still lack their relations. */
type ReadPage = Pick<ContactPage, 'contacts' | 'cursor'>;

/** Pages under way at a time, whose relations are asked for while others are read. */
const PAGES_AT_ONCE = 2;

/**
 * First those that were deleted or merged, then the others by stamp and id: a night without
 * changes costs two requests. If many are left after the first page, the Bulk API brings the rest. Contacts
 * are not asked for together with those that left: who is merged in between would seem to come back.
 */
export async function* readPages(
  session: SalesforceSession,
  cursor: string | null,
): AsyncGenerator<ContactPage> {
  throwIfStopped(session.signal);
  const reading = startReading(session, cursor);
  yield* readRemoved(session, reading, cursor);
  yield* together(readContacts(session, reading), PAGES_AT_ONCE, async (page) => ({
    ...{ contacts: await withRelations(session, page.contacts), removed: [] },
    cursor: page.cursor,
  }));
}

async function* readContacts(
  session: SalesforceSession,
  reading: Reading,
): AsyncGenerator<ReadPage> {
  let position: Position | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    throwIfStopped(session.signal);
    const rows: QueryRecord[] | null = await readRows(session, reading, position);
    // Salesforce gave up on sorting so many; the Bulk API does not sort.
    if (rows === null) return yield* readRest(session, reading, position);
    const last = positionOf(rows.at(-1));
    const isLastPage = rows.length < PAGE_ROWS || last === null;
    const contacts = rows.map((row) => session.shape.toContact(columnsOf(row)));
    yield { contacts, cursor: cursorAfter(reading, isLastPage ? null : last) };
    if (isLastPage) return;
    position = last;
    if (page === 0 && (await isMuchLeft(session, reading, position))) {
      return yield* readRest(session, reading, position);
    }
  }
  throw new FatalError('Contacts change faster than they can be read.', {
    code: 'crm_reading_endless',
  });
}

/**
 * The contacts that left since, whatever the filter says: it may have let them in before. A reading of
 * all needs only those that were merged, as far as the recycle bin has them: it shows by itself who is
 * gone, but not where a contact lives on.
 */
async function* readRemoved(
  { api }: SalesforceSession,
  { since, untilMs }: Reading,
  cursor: string | null,
): AsyncGenerator<ContactPage> {
  const which =
    since === null
      ? `SystemModstamp >= ${isoTime(untilMs - RECYCLE_BIN_MS)} AND MasterRecordId != null`
      : `SystemModstamp >= ${since}`;
  const soql = `SELECT Id, MasterRecordId FROM Contact WHERE IsDeleted = true AND ${which}`;
  for await (const rows of queryPages(api, soql, 'queryAll')) {
    const removed = rows.map(removedContact);
    if (removed.length > 0) yield { contacts: [], removed, cursor };
  }
}

function removedContact(row: QueryRecord): RemovedContact {
  return { id: String(row['Id']), mergedInto: masterOf(columnsOf(row)) };
}

const cursorSchema = z.object({ since: z.iso.datetime() });

function startReading(session: SalesforceSession, cursor: string | null): Reading {
  const untilMs = session.api.serverTimeMs() ?? session.clock.now();
  const since = cursor === null ? null : sinceOf(cursor);
  if (cursor !== null && since === null) {
    session.log.warn({}, 'the cursor is of an unknown form: all contacts are read');
  }
  return { since, untilMs };
}

function sinceOf(cursor: string): string | null {
  try {
    const { since } = cursorSchema.parse(JSON.parse(cursor));
    return isoTime(Date.parse(since) - OVERLAP_MS);
  } catch {
    return null;
  }
}

/** The cursor after a page that ends at the position; after the last page if that is null. */
function cursorAfter({ untilMs }: Reading, position: Position | null): string {
  const stampMs = position === null ? untilMs : Date.parse(position.stamp);
  return JSON.stringify({ since: isoTime(Math.min(stampMs, untilMs)) });
}

/** A page's rows, or null if Salesforce takes too long to find them. */
async function readRows(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
): Promise<QueryRecord[] | null> {
  const soql = `${selection(session, reading, position)} ORDER BY SystemModstamp, Id LIMIT ${PAGE_ROWS}`;
  const rows: QueryRecord[] = [];
  try {
    for await (const part of queryPages(session.api, soql)) rows.push(...part);
    return rows;
  } catch (error) {
    if (crmCodeOf(error) === 'QUERY_TIMEOUT') return null;
    throw error;
  }
}

async function isMuchLeft(
  session: SalesforceSession,
  reading: Reading,
  position: Position,
): Promise<boolean> {
  const soql = `SELECT count() FROM Contact${conditions(session, reading, position)}`;
  const left = await countRecords(session.api, soql);
  return left >= session.settings.bulkThreshold;
}

/**
 * The Bulk API's rows come unsorted, so that no page but the last moves the cursor past the
 * position at which they began.
 */
async function* readRest(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
): AsyncGenerator<ReadPage> {
  const before = position === null ? reading.since : isoTime(Date.parse(position.stamp));
  const cursor = before === null ? null : cursorAfter(reading, { stamp: before, id: '' });
  const soql = selection(session, reading, position);
  let contacts: Contact[] = [];
  for await (const part of queryInBulk(session, soql, session.shape.toContact)) {
    for (const contact of part) {
      contacts.push(contact);
      if (contacts.length < PAGE_ROWS) continue;
      yield { contacts, cursor };
      contacts = [];
    }
  }
  yield { contacts, cursor: cursorAfter(reading, null) };
}

function selection(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
): string {
  const columns = session.shape.columns.join(', ');
  return `SELECT ${columns}, SystemModstamp FROM Contact${conditions(session, reading, position)}`;
}

/** Stamps need no quotes. The first condition alone is one that Salesforce has an index for. */
function conditions(
  { filter }: SalesforceSession,
  { since }: Reading,
  position: Position | null,
): string {
  const from = position?.stamp ?? since;
  return whereClause([
    from === null ? null : `SystemModstamp >= ${from}`,
    position === null
      ? null
      : `(SystemModstamp > ${position.stamp} OR Id > ${quoted(position.id)})`,
    filter,
  ]);
}

const rowSchema = z.object({
  SystemModstamp: z.string().transform(isoInstant).pipe(z.iso.datetime()),
  Id: z.string(),
});

function positionOf(row: QueryRecord | undefined): Position | null {
  if (row === undefined) return null;
  const { SystemModstamp: stamp, Id: id } = readAs(rowSchema, row);
  return { stamp, id };
}

/** True of a record that is in the recycle bin; as JSON or as CSV. */
export function isDeleted(read: ColumnReader): boolean {
  return String(read('IsDeleted')) === 'true';
}

/** The record that a merged one lives on in. */
export function masterOf(read: ColumnReader): string | null {
  const id = read('MasterRecordId');
  return typeof id === 'string' && id !== '' ? id : null;
}

import { z } from 'zod';
import { isoTime } from '../../../src/core/clock.ts';
import type { Contact } from '../../../src/core/contact.ts';
import {
  type FatalError,
  isRetriableError,
  type RetriableError,
} from '../../../src/core/errors.ts';
import type { ContactPage, KnownContacts } from '../../contract.ts';
import { together } from '../../requests/ahead.ts';
import { readingEndless } from '../../requests/endless.ts';
import { passingFailure } from '../../requests/errors.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import { queryInBulk } from '../bulk/bulk-query.ts';
import {
  countRecords,
  createColumnReader,
  isTooSlow,
  type QueryRecord,
  queryAtOnce,
  queryPages,
  quoted,
  whereClause,
} from '../query.ts';
import { withRelations } from '../relations.ts';
import type { SalesforceSession } from '../session.ts';
import { afterPosition, PAGE_ROWS, type Position, toPosition } from './order.ts';
import { readRemoved } from './removed.ts';

/**
 * The maximum number of pages that one reading requests through REST. The largest allowed `bulkThreshold` needs fewer
 * pages.
 */
const MAX_PAGES = 5_000;

/**
 * The time (ms) by which consecutive readings overlap. A change gets its timestamp when it is made, but it becomes
 * visible only when its transaction ends. Reading a contact twice is harmless, because donor-sync makes the same
 * decisions about the contact.
 */
const OVERLAP_MS = 10 * 60_000;

/** A reading of contacts. A reading has a start time, and a time at which the next reading starts. */
interface Reading {
  /** The start time in ISO 8601, or null to read all contacts. */
  since: string | null;
  /** The time on Salesforce's clock when the reading started. The next reading reads all later changes. */
  untilMs: number;
}

/** A page of contacts whose account relations may still be missing. */
type ReadPage = Pick<ContactPage, 'contacts' | 'cursor'>;

/**
 * The number of pages that are processed at the same time. donor-sync requests the account relations for these pages
 * while it reads further pages.
 */
const PAGES_AT_ONCE = 2;

/**
 * Yields the deleted and merged contacts first. After the removed contacts, yields all other contacts, sorted by
 * timestamp and ID. A run without changes costs two requests. If many contacts remain after the first page, the Bulk
 * API reads them. The other contacts are requested after the removed contacts. In the opposite order, a contact that is
 * merged between the two requests would seem to be restored.
 */
export async function* readPages(
  session: SalesforceSession,
  cursor: string | null,
  known?: KnownContacts,
): AsyncGenerator<ContactPage> {
  throwIfStopped(session.signal);
  const reading = startReading(session, cursor);
  const knownSince = known === undefined ? null : parseSince(known.cursor);
  const removedSince = reading.since ?? knownSince;
  for await (const removed of readRemoved(session, { ...reading, since: removedSince })) {
    yield { contacts: [], removed, cursor };
  }
  yield* together(readContacts(session, reading), PAGES_AT_ONCE, async (page) => ({
    contacts: await withRelations(session, page.contacts),
    removed: [],
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
    const soql = `${selection(session, reading, position)} ORDER BY SystemModstamp, Id LIMIT ${PAGE_ROWS}`;
    const rows: QueryRecord[] | null = await queryAtOnce(session.api, soql);
    // Salesforce cannot sort this number of contacts in time. The Bulk API does not sort.
    if (rows === null) return yield* readRest(session, reading, position);
    const last = toPosition(rows.at(-1));
    const isLastPage = rows.length < PAGE_ROWS || last === null;
    const contacts = rows.map((row) => session.shape.toContact(createColumnReader(row)));
    yield { contacts, cursor: cursorAfter(reading, isLastPage ? null : last) };
    if (isLastPage) return;
    position = last;
    if (page === 0 && (await isMuchLeft(session, reading, position))) {
      return yield* readRest(session, reading, position);
    }
  }
  throw endless();
}

/**
 * Yields contacts that do not match the filter, have changed after this time, and may have an opt-out or an objection.
 * Also yields contacts whose Individual has changed since then. A change of an Individual does not change the contact's
 * timestamp. Sends no request if the settings have no filter and the org has no such mark.
 */
export async function* findMarked(
  session: SalesforceSession,
  cursor: string | null,
): AsyncGenerator<readonly string[]> {
  const { filter, shape } = session;
  const { since } = startReading(session, cursor);
  const objections = shape.exclusions.objections.map((name) => `${name} = true`);
  const marks =
    shape.optOutCondition === null ? objections : [shape.optOutCondition, ...objections];
  if (filter !== null) yield* findIds(session, 'SystemModstamp', since, marks);
  // A reading of all contacts includes the contacts of changed Individuals. The query above has already found contacts
  // that do not match the filter. Individuals without marks are included, because a user may have removed a mark.
  const isOfIndividual = shape.exclusions.columns.some((name) => name.startsWith('Individual.'));
  if (since !== null && isOfIndividual) {
    yield* findIds(session, 'Individual.SystemModstamp', since, ANY_INDIVIDUAL);
  }
}

const ANY_INDIVIDUAL = ['IndividualId != null'];

async function* findIds(
  { api, signal }: SalesforceSession,
  stamp: string,
  since: string | null,
  marks: readonly string[],
): AsyncGenerator<readonly string[]> {
  if (marks.length === 0) return;
  throwIfStopped(signal);
  const where = whereClause([
    since === null ? null : `${stamp} >= ${since}`,
    `(${marks.join(' OR ')})`,
  ]);
  for await (const records of queryPages(api, `SELECT Id FROM Contact${where}`)) {
    yield records.map((record) => String(record['Id']));
  }
}

const cursorSchema = z.object({ since: z.iso.datetime() });

function startReading(session: SalesforceSession, cursor: string | null): Reading {
  const untilMs = session.api.serverTimeMs() ?? session.clock.now();
  const since = cursor === null ? null : parseSince(cursor);
  if (cursor !== null && since === null) {
    session.log.warn({}, 'the cursor is of an unknown form: all contacts are read');
  }
  return { since, untilMs };
}

function parseSince(cursor: string): string | null {
  try {
    const { since } = cursorSchema.parse(JSON.parse(cursor));
    return isoTime(Date.parse(since) - OVERLAP_MS);
  } catch {
    return null;
  }
}

/** Returns the cursor after a page that ends at this position. The position is null for the last page. */
function cursorAfter({ untilMs }: Reading, position: Position | null): string {
  const stampMs = position === null ? untilMs : Date.parse(position.stamp);
  return JSON.stringify({ since: isoTime(Math.min(stampMs, untilMs)) });
}

/**
 * Returns true if enough contacts remain to use the Bulk API. Also returns true if Salesforce takes too long to count.
 */
async function isMuchLeft(
  session: SalesforceSession,
  reading: Reading,
  position: Position,
): Promise<boolean> {
  const soql = `SELECT count() FROM Contact${conditions(session, reading, position)}`;
  try {
    return (await countRecords(session.api, soql)) >= session.settings.bulkThreshold;
  } catch (error) {
    if (isTooSlow(error)) return true;
    throw error;
  }
}

/** The maximum number of Bulk API jobs in one reading. If a job fails without a reason, a second job may succeed. */
const BULK_TRIES = 2;

/**
 * Reads the remaining contacts through the Bulk API. If the jobs fail, reads the remaining contacts in pages that are
 * sorted by ID. Reading by ID takes more requests but needs no job. donor-sync may read some contacts twice, which is
 * harmless.
 */
async function* readRest(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
): AsyncGenerator<ReadPage> {
  for (let tried = 0; tried < BULK_TRIES; tried += 1) {
    try {
      return yield* readInBulk(session, reading, position);
    } catch (error) {
      throwIfStopped(session.signal);
      if (!isRetriableError(error)) throw error;
      session.log.warn({ code: error.code }, 'a query of the Bulk API failed');
      // Another job would fail too, because it needs the same exhausted limit.
      if (error.code === 'crm_limit_reached') break;
    }
  }
  yield* readById(session, reading, position);
}

/**
 * Reads rows through the Bulk API. The rows are unsorted. Therefore, only the last page moves the cursor past the
 * position where this reading started.
 */
async function* readInBulk(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
): AsyncGenerator<ReadPage> {
  const cursor = cursorBefore(reading, position);
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

/** The minimum number of rows on a page that is sorted by ID. */
const LEAST_ROWS = 125;

/**
 * Reads the remaining contacts in the order of their IDs. Salesforce does not have to sort them for this order. If a
 * page takes too long, requests the page again with half of its rows. As in the Bulk API, only the last page moves the
 * cursor.
 */
async function* readById(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
): AsyncGenerator<ReadPage> {
  const cursor = cursorBefore(reading, position);
  let afterId: string | null = null;
  let size = PAGE_ROWS;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    throwIfStopped(session.signal);
    const soql: string = `${selection(session, reading, position, afterId)} ORDER BY Id LIMIT ${size}`;
    const rows: QueryRecord[] | null = await queryAtOnce(session.api, soql);
    if (rows === null) {
      size = Math.floor(size / 2);
      if (size < LEAST_ROWS) throw tooSlow();
      continue;
    }
    const last = toPosition(rows.at(-1));
    const isLastPage = rows.length < size || last === null;
    const contacts = rows.map((row) => session.shape.toContact(createColumnReader(row)));
    yield { contacts, cursor: isLastPage ? cursorAfter(reading, null) : cursor };
    if (isLastPage) return;
    afterId = last.id;
  }
  throw endless();
}

/** Returns the cursor for a page that is not sorted by time. The cursor is the position where the reading started. */
function cursorBefore(reading: Reading, position: Position | null): string | null {
  const before = position === null ? reading.since : isoTime(Date.parse(position.stamp));
  return before === null ? null : cursorAfter(reading, { stamp: before, id: '' });
}

function tooSlow(): RetriableError {
  return passingFailure('Salesforce took too long over every query for contacts.', {
    details: { crmCode: 'QUERY_TIMEOUT' },
  });
}

function endless(): FatalError {
  return readingEndless('contacts that change faster than they can be read');
}

function selection(
  session: SalesforceSession,
  reading: Reading,
  position: Position | null,
  afterId: string | null = null,
): string {
  const columns = session.shape.columns.join(', ');
  const which = conditions(session, reading, position, afterId);
  return `SELECT ${columns}, SystemModstamp FROM Contact${which}`;
}

/**
 * Returns the conditions of a query. SOQL timestamps have no quotes. The time is the first condition, because
 * Salesforce can use an index only for the first condition.
 */
function conditions(
  { filter }: SalesforceSession,
  { since }: Reading,
  position: Position | null,
  afterId: string | null = null,
): string {
  const from = position?.stamp ?? since;
  return whereClause([
    from === null ? null : `SystemModstamp >= ${from}`,
    position === null ? null : afterPosition(position),
    afterId === null ? null : `Id > ${quoted(afterId)}`,
    filter,
  ]);
}

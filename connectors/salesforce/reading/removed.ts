/**
 * Finds the contacts that were deleted or merged after the last reading. donor-sync handles them before all other
 * contacts.
 */

import { isoTime } from '../../../src/core/clock.ts';
import type { RemovedContact } from '../../contract.ts';
import { readingEndless } from '../../requests/endless.ts';
import { passingFailure } from '../../requests/errors.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import {
  type ColumnReader,
  createColumnReader,
  type QueryRecord,
  queryAtOnce,
  whereClause,
} from '../query.ts';
import type { SalesforceSession } from '../session.ts';
import { afterPosition, PAGE_ROWS, type Position, toPosition } from './order.ts';

/** Salesforce empties its recycle bin after 15 days. The additional day allows for a difference between the clocks. */
const RECYCLE_BIN_MS = 16 * 86_400_000;

/** The minimum time window of a query (ms). */
const LEAST_WINDOW_MS = 3_600_000;

/**
 * The maximum number of requests in one reading. A reading of 16 days with one request per hour needs fewer requests,
 * and so does a reading of ten million removed contacts.
 */
const MAX_REQUESTS = 6_000;

/**
 * Yields the contacts that were deleted or merged after this time. The filter is ignored, because a removed contact may
 * have matched the filter before. A reading of all contacts needs only the merged contacts that the recycle bin still
 * contains. A reading of all contacts shows which contacts are missing, but not which contact they were merged into.
 *
 * If a query takes too long, it is sent again with half of its time window. The minimum window is one hour. If a query
 * for one hour takes too long, this function throws before donor-sync reads any contact. If donor-sync did not see a
 * merge, it would pay a second time for the contact that remains.
 */
export async function* readRemoved(
  session: SalesforceSession,
  { since, untilMs }: { since: string | null; untilMs: number },
): AsyncGenerator<RemovedContact[]> {
  let fromMs = since === null ? untilMs - RECYCLE_BIN_MS : Date.parse(since);
  let position: Position | null = null;
  let widthMs: number | null = null;
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    throwIfStopped(session.signal);
    const toMs: number | null =
      widthMs === null || fromMs + widthMs >= untilMs ? null : fromMs + widthMs;
    const soql = removedQuery({ fromMs, toMs, position }, since === null);
    const rows: QueryRecord[] | null = await queryAtOnce(session.api, soql, 'queryAll');
    if (rows === null) {
      widthMs = halved((toMs ?? untilMs) - fromMs);
      continue;
    }
    if (rows.length > 0) yield rows.map(removedContact);
    const last = toPosition(rows.at(-1));
    const isFull = rows.length >= PAGE_ROWS && last !== null;
    if (!isFull && toMs === null) return;
    position = isFull ? last : null;
    fromMs = position === null ? (toMs ?? fromMs) : Date.parse(position.stamp);
  }
  throw readingEndless('the contacts that left Salesforce');
}

/**
 * Returns the first half of a time window whose query took too long. Throws if the window already has the minimum
 * length.
 */
function halved(widthMs: number): number {
  if (widthMs > LEAST_WINDOW_MS) return Math.max(widthMs / 2, LEAST_WINDOW_MS);
  throw passingFailure(
    'Salesforce took too long to list the contacts that were deleted or merged, even for a single hour. No contact ' +
      'was read, because a contact that was merged would be paid for a second time.',
    { details: { crmCode: 'QUERY_TIMEOUT' } },
  );
}

interface Window {
  fromMs: number;
  /** The end of the time window, or null if the window has no end. */
  toMs: number | null;
  position: Position | null;
}

function removedQuery({ fromMs, toMs, position }: Window, isMergedOnly: boolean): string {
  const where = whereClause([
    'IsDeleted = true',
    `SystemModstamp >= ${isoTime(fromMs)}`,
    toMs === null ? null : `SystemModstamp < ${isoTime(toMs)}`,
    position === null ? null : afterPosition(position),
    isMergedOnly ? 'MasterRecordId != null' : null,
  ]);
  return `SELECT Id, MasterRecordId, SystemModstamp FROM Contact${where} ORDER BY SystemModstamp, Id LIMIT ${PAGE_ROWS}`;
}

function removedContact(row: QueryRecord): RemovedContact {
  return { id: String(row['Id']), mergedInto: getMasterId(createColumnReader(row)) };
}

/** Returns true for a record in the recycle bin. The record may come from JSON or CSV. */
export function isDeleted(read: ColumnReader): boolean {
  return String(read('IsDeleted')) === 'true';
}

/** Returns the record into which a record was merged. */
export function getMasterId(read: ColumnReader): string | null {
  const id = read('MasterRecordId');
  return typeof id === 'string' && id !== '' ? id : null;
}

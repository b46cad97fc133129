/**
 * Contacts that other users have changed since they were read. A job of the Bulk API cannot return the values that it
 * replaces.
 */
import { isoTime } from '../../../src/core/clock.ts';
import { contactIdOrText } from '../ids.ts';
import { queryPages } from '../query.ts';
import type { SentChange } from '../rows/refusals.ts';
import type { SalesforceSession } from '../session.ts';

/**
 * The overlap (ms) of the query. Salesforce rounds timestamps to whole seconds, and a timestamp is earlier than the end
 * of its transaction.
 */
const OVERLAP_MS = 10_000;

/** The maximum number of pages. An import may be changing all records of the org at the same time. */
const MOST_PAGES = 20;

/**
 * Returns the contacts that other users have changed since they were read. donor-sync writes these contacts through the
 * Collections API, which compares their values again. A single query before a job finds all changed contacts.
 */
export async function findTouched(
  session: SalesforceSession,
  changes: readonly SentChange[],
): Promise<Set<SentChange>> {
  const sinceMs = session.lookups.oldestMs();
  session.lookups.forget();
  const compared = changes.filter(({ seen }) => seen !== undefined);
  if (sinceMs === null || compared.length === 0) return new Set();
  const byId = new Map(compared.map((change) => [contactIdOrText(change.id), change]));
  const since = isoTime(sinceMs - OVERLAP_MS);
  const soql = `SELECT Id FROM Contact WHERE SystemModstamp >= ${since} AND LastModifiedById != '${session.userId}'`;
  const touched = new Set<SentChange>();
  let pages = 0;
  for await (const page of queryPages(session.api, soql)) {
    for (const { Id } of page) {
      const change = byId.get(String(Id));
      if (change !== undefined) touched.add(change);
    }
    pages += 1;
    if (pages === MOST_PAGES) break;
  }
  return touched;
}

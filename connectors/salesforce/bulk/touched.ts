/**
 * Contacts that other users have changed since they were read. A job of the Bulk API could not report their
 * values.
 */
import { isoTime } from '../../../src/core/clock.ts';
import { contactIdOrText } from '../ids.ts';
import { queryPages } from '../query.ts';
import type { SentChange } from '../rows/refusals.ts';
import type { SalesforceSession } from '../session.ts';

/** Salesforce's timestamps are rounded to whole seconds, and they are earlier than the end of a transaction. */
const OVERLAP_MS = 10_000;

/** An import may be changing the whole org at the same time. */
const MOST_PAGES = 20;

/**
 * Other users changed these contacts in the meantime. Collections compare their values again. One query before a job
 * finds all these contacts.
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

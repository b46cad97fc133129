import { FatalError } from '../../src/core/errors.ts';
import type { RemovedContact } from '../contract.ts';
import { throwIfStopped } from '../errors.ts';
import { readAs } from './errors.ts';
import { findRecords } from './find-records.ts';
import { type HubspotRecord, recordPageSchema } from './record.ts';
import type { HubspotSession } from './session.ts';

/** Contacts of one request: the most that HubSpot gives, and the most it reads at once. */
const PAGE_SIZE = 100;

/** HubSpot keeps what is archived for 90 days; this is half a million contacts. */
const MAX_PAGES = 5_000;

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
  for (let page = 0; page < MAX_PAGES; page += 1) {
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

/** Whoever was merged lives on, and whoever was restored in the meantime is not gone. */
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

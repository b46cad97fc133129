/** Reads the list of all contacts in the order of their IDs. It has no separate limit and never lags. */

import { readAs } from '../errors.ts';
import { type HubspotRecord, recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

/** One page of the full list. */
export interface ListPage {
  records: readonly HubspotRecord[];
  /** HubSpot's paging token for the next page, or null after the last page. */
  next: string | null;
}

type ListSession = Pick<HubspotSession, 'api' | 'shape'>;

/** How many contacts are on a page. This is HubSpot's maximum, which is the same for reading by ID. */
const PAGE_SIZE = 100;

/** Returns the page of the list that `after` points to. If it is null, returns the first page. */
export async function listPage(
  { api, shape }: ListSession,
  after: string | null,
): Promise<ListPage> {
  const page = { limit: PAGE_SIZE, properties: shape.properties, archived: false, after };
  const { results, paging } = readAs(recordPageSchema, await api.listRecords('contacts', page));
  return { records: results, next: paging?.next?.after ?? null };
}

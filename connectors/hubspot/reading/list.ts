/** The list of all contacts in the order of their IDs. It has no separate limit and never lags. */

import { readAs } from '../errors.ts';
import { type HubspotRecord, recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

/** One page of the full list. */
export interface ListPage {
  records: readonly HubspotRecord[];
  /** HubSpot's paging token for the next page, or null after the last one. */
  next: string | null;
}

type ListSession = Pick<HubspotSession, 'api' | 'shape'>;

/** The number of contacts on one page: HubSpot's maximum, which is also the maximum that it reads at once. */
const PAGE_SIZE = 100;

/** Returns the page of the list to which `after` points; the first page if it is null. */
export async function listPage(
  { api, shape }: ListSession,
  after: string | null,
): Promise<ListPage> {
  const page = { limit: PAGE_SIZE, properties: shape.properties, archived: false, after };
  const { results, paging } = readAs(recordPageSchema, await api.listRecords('contacts', page));
  return { records: results, next: paging?.next?.after ?? null };
}

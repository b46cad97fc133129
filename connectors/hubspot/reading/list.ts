/** Reads the list of all contacts in the order of their IDs. It has no separate limit and never lags. */

import type { HubspotApi } from '../api.ts';
import { readAs } from '../errors.ts';
import { type HubspotRecord, recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

export interface ListPage {
  records: readonly HubspotRecord[];
  next: string | null;
}

type ListSession = { api: Pick<HubspotApi, 'listRecords'> } & Pick<HubspotSession, 'shape'>;

/** The number of contacts on a page. This is HubSpot's maximum, which is the same for reading by ID. */
const PAGE_SIZE = 100;

/** Returns the page at `after`, or the first page. */
export async function listPage(
  { api, shape }: ListSession,
  after: string | null,
): Promise<ListPage> {
  const page = { limit: PAGE_SIZE, properties: shape.properties, archived: false, after };
  const { results, paging } = readAs(recordPageSchema, await api.listRecords('contacts', page));
  return { records: results, next: paging?.next?.after ?? null };
}

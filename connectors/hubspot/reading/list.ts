/**
 * Reads HubSpot's list of all contacts, which is sorted by ID. The list has no separate rate limit, and it always
 * contains the latest changes.
 */

import type { HubspotApi } from '../api.ts';
import { readAs } from '../errors.ts';
import { type HubspotRecord, recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

export interface ListPage {
  records: readonly HubspotRecord[];
  next: string | null;
}

type ListSession = { api: Pick<HubspotApi, 'listRecords'> } & Pick<HubspotSession, 'shape'>;

/** The number of contacts on a page. HubSpot sets this limit for the list and for reading by ID. */
const PAGE_SIZE = 100;

/** Returns the page after the paging token `after`, or the first page. */
export async function listPage(
  { api, shape }: ListSession,
  after: string | null,
): Promise<ListPage> {
  const page = { limit: PAGE_SIZE, properties: shape.properties, archived: false, after };
  const { results, paging } = readAs(recordPageSchema, await api.listRecords('contacts', page));
  return { records: results, next: paging?.next?.after ?? null };
}

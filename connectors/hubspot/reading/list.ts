/** The list of all contacts in the order of their ids: it has no limit of its own and is never behind. */

import { readAs } from '../errors.ts';
import { type HubspotRecord, recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

/** One page of the full list. */
export interface ListPage {
  records: readonly HubspotRecord[];
  /** HubSpot's word for where the next page begins; null after the last one. */
  next: string | null;
}

type ListSession = Pick<HubspotSession, 'api' | 'shape'>;

/** Contacts of one page: the most that HubSpot gives, and the most it reads at once. */
const PAGE_SIZE = 100;

/** The page of the list to which `after` points; the first one for null. */
export async function listPage(
  { api, shape }: ListSession,
  after: string | null,
): Promise<ListPage> {
  const page = { limit: PAGE_SIZE, properties: shape.properties, archived: false, after };
  const { results, paging } = readAs(recordPageSchema, await api.listRecords('contacts', page));
  return { records: results, next: paging?.next?.after ?? null };
}

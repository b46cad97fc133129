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
  const path = buildPath(api.paths.objects('contacts'), shape.properties, after);
  const { results, paging } = readAs(recordPageSchema, await api.get(path));
  return { records: results, next: paging?.next?.after ?? null };
}

function buildPath(path: string, properties: readonly string[], after: string | null): string {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    properties: properties.join(','),
    archived: 'false',
  });
  if (after !== null) query.set('after', after);
  return `${path}?${query}`;
}

import { z } from 'zod';
import { FatalError } from '../../src/core/errors.ts';
import { throwIfStopped } from '../stopped.ts';
import type { HubspotApi } from './api.ts';
import { readAs } from './errors.ts';
import type { Filter, FilterGroup } from './filter.ts';
import { type Ask, SEARCH_PAGE_SIZE } from './reading/spans.ts';
import { type HubspotRecord, recordPageSchema } from './record.ts';
import type { HubspotSession } from './session.ts';

/** Pages of one search; ten million contacts. */
const MAX_PAGES = 50_000;

/** Some of the results, in the order of their ids. */
export interface SearchPage {
  records: HubspotRecord[];
  /** False if these are the last; true does not promise any. */
  mayGoOn: boolean;
}

export interface ContactSearch {
  /** What every result must meet; empty for nothing. */
  conditions: readonly Filter[];
  /** One of these groups must be met besides; empty for none. */
  groups: readonly FilterGroup[];
  properties: readonly string[];
  /** Results come after this id; null for all. */
  afterId: string | null;
}

/**
 * The contacts of a search in the order of their ids, however many they are: each page is a search
 * of its own that begins after the last id, so HubSpot's end after 10,000 results is never reached,
 * and edits under way move no contact from one page to another. A last page that is full is followed
 * by an empty one, and one that is not full may yet be followed if HubSpot says so.
 */
export async function* searchPages(
  api: Pick<HubspotApi, 'search'>,
  search: ContactSearch,
  signal: AbortSignal,
): AsyncGenerator<SearchPage> {
  let { afterId } = search;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    throwIfStopped(signal);
    const reply = await api.search(bodyOf(search, afterId));
    const { results, paging } = readAs(recordPageSchema, reply);
    const lastId = results.at(-1)?.id;
    const isCutShort = results.length === SEARCH_PAGE_SIZE || paging?.next !== undefined;
    const mayGoOn = lastId !== undefined && isCutShort;
    yield { records: results, mayGoOn };
    if (!mayGoOn) return;
    if (lastId === afterId) break;
    afterId = lastId;
  }
  throw new FatalError('A search of HubSpot does not come to its end.', {
    code: 'crm_search_endless',
  });
}

/** What one search among the ids of a span brought, from the highest id down. */
export interface FoundPage {
  records: readonly HubspotRecord[];
  /** Results of the search in all. */
  total: number;
  /** True if no results are below these. */
  isLast: boolean;
}

const foundSchema = recordPageSchema.extend({ total: z.number() });

/** All contacts of some ids, as many as one request brings, with what a reading needs of each. */
export async function searchAmong(
  { api, shape }: Pick<HubspotSession, 'api' | 'shape'>,
  { from, to, offset }: Ask,
): Promise<FoundPage> {
  const bounds: Filter[] = [
    { propertyName: 'hs_object_id', operator: 'GT', value: String(from) },
    ...(to === null
      ? []
      : [{ propertyName: 'hs_object_id', operator: 'LT', value: String(to) } as const]),
  ];
  const reply = await api.search({
    filterGroups: [{ filters: bounds }],
    sorts: [{ propertyName: 'hs_object_id', direction: 'DESCENDING' }],
    properties: shape.properties,
    limit: SEARCH_PAGE_SIZE,
    after: String(offset),
  });
  const { results, paging, total } = readAs(foundSchema, reply);
  const isCutShort = results.length === SEARCH_PAGE_SIZE || paging?.next !== undefined;
  return { records: results, total, isLast: results.length === 0 || !isCutShort };
}

function bodyOf({ conditions, groups, properties }: ContactSearch, afterId: string | null): object {
  const position: Filter[] =
    afterId === null ? [] : [{ propertyName: 'hs_object_id', operator: 'GT', value: afterId }];
  const own = [...conditions, ...position];
  const filterGroups =
    groups.length === 0
      ? [{ filters: own }]
      : groups.map((filters) => ({ filters: [...own, ...filters] }));
  return {
    filterGroups: filterGroups.filter(({ filters }) => filters.length > 0),
    sorts: ['hs_object_id'],
    properties,
    limit: SEARCH_PAGE_SIZE,
    after: '0',
  };
}

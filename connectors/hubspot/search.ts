import { z } from 'zod';
import { FatalError } from '../../src/core/errors.ts';
import { splitIntoBatches } from '../../src/core/parallel.ts';
import { throwIfStopped } from '../stopped.ts';
import type { HubspotApi } from './api.ts';
import { readAs } from './errors.ts';
import type { Filter, FilterGroup } from './filter.ts';
import { type Ask, SEARCH_PAGE_SIZE } from './reading/spans.ts';
import { canonicalId, type HubspotRecord, isRecordId, recordPageSchema } from './record.ts';
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
  api: Pick<HubspotApi, 'searchContacts'>,
  search: ContactSearch,
  signal: AbortSignal,
): AsyncGenerator<SearchPage> {
  let { afterId } = search;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    throwIfStopped(signal);
    const reply = await api.searchContacts(buildBody(search, afterId));
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

/** HubSpot takes searches of 3,000 characters; each id stands in each group of the filter, in quotes. */
const MAX_BODY_CHARACTERS = 2_900;

/**
 * The contacts among these that the filter includes, as the index of searches knows them: a change of the last
 * seconds may still be missing there.
 */
export async function findIncluded(
  { api, filter, signal }: Pick<HubspotSession, 'api' | 'filter' | 'signal'>,
  ids: readonly string[],
): Promise<Set<string>> {
  const byRecordId = new Map(ids.map((id) => [canonicalId(id) ?? id, id]));
  const found = new Set<string>();
  for (const values of portionsThatFit([...byRecordId.keys()].filter(isRecordId), filter)) {
    const conditions: Filter[] = [{ propertyName: 'hs_object_id', operator: 'IN', values }];
    const search = { conditions, groups: filter, properties: [], afterId: null };
    for await (const { records } of searchPages(api, search, signal)) {
      for (const { id } of records) found.add(byRecordId.get(id) ?? id);
    }
  }
  return found;
}

/** The ids in as few searches as HubSpot takes. */
function portionsThatFit(ids: readonly string[], groups: readonly FilterGroup[]): string[][] {
  const search = { conditions: [], groups, properties: [], afterId: null };
  const left = MAX_BODY_CHARACTERS - JSON.stringify(buildBody(search, null)).length;
  const condition = JSON.stringify({ propertyName: 'hs_object_id', operator: 'IN', values: [] });
  const perId = Math.max(...ids.map((id) => id.length)) + 3;
  const perGroup = left / Math.max(1, groups.length) - condition.length;
  return splitIntoBatches(
    ids,
    Math.max(1, Math.min(SEARCH_PAGE_SIZE, Math.floor(perGroup / perId))),
  );
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
  const reply = await api.searchContacts({
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

function buildBody(
  { conditions, groups, properties }: ContactSearch,
  afterId: string | null,
): object {
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

import { z } from 'zod';
import { FatalError } from '../../src/core/errors.ts';
import { splitIntoBatches } from '../../src/core/parallel.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { HubspotApi } from './api.ts';
import { readAs } from './errors.ts';
import { type Filter, type FilterGroup, MAX_SEARCH_CHARACTERS } from './filter.ts';
import { type Ask, SEARCH_PAGE_SIZE } from './reading/spans.ts';
import { canonicalId, type HubspotRecord, isRecordId, recordPageSchema } from './record.ts';
import type { HubspotSession } from './session.ts';

/** The maximum number of pages in one search. The limit is enough for ten million contacts. */
const MAX_PAGES = 50_000;

/** A page of results, sorted by ID. */
export interface SearchPage {
  records: HubspotRecord[];
  /** False if no results can follow after this page. Even if the field is true, the next page may be empty. */
  mayGoOn: boolean;
}

export interface ContactSearch {
  /** Conditions that all results must meet. The list may be empty. */
  conditions: readonly Filter[];
  /**
   * Groups of conditions. In addition to the conditions, a result must meet all conditions of at least one group. The
   * list of groups is empty if the settings contain no filter.
   */
  groups: readonly FilterGroup[];
  properties: readonly string[];
  /** All results have a higher ID than this ID. The ID is null if the search starts with the lowest ID. */
  afterId: string | null;
}

/**
 * Yields all contacts that a search finds, sorted by ID. Each page is a separate search that starts after the last ID
 * of the previous page. Therefore, the search never reaches HubSpot's limit of 10,000 results. If a page is not full,
 * HubSpot's response shows whether another page follows.
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
  throw new FatalError('A HubSpot search never finishes.', {
    code: 'crm_search_endless',
  });
}

/**
 * The maximum number of characters in a search's body. A search repeats each ID in every group of the filter. The
 * number is slightly lower than HubSpot's limit.
 */
const MAX_BODY_CHARACTERS = MAX_SEARCH_CHARACTERS - 100;

/**
 * Returns the contacts with these IDs that match the filter according to the search index. The index may lack the
 * changes of the last seconds.
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

/** Splits the IDs into searches that HubSpot accepts. Uses as few searches as possible. */
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

export interface FoundPage {
  records: readonly HubspotRecord[];
  /** The total number of results of the search. */
  total: number;
  /** True if the search has no results after these results. */
  isLast: boolean;
}

const foundSchema = recordPageSchema.extend({ total: z.number() });

/** Returns one page of contacts from a range of IDs. The contacts contain all data that a reading needs. */
export async function searchAmong(
  { api, shape }: { api: Pick<HubspotApi, 'searchContacts'> } & Pick<HubspotSession, 'shape'>,
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

/** Returns the number of characters in the body of a search that starts after an ID. */
export function measureSearch(search: ContactSearch, afterId: string): number {
  return JSON.stringify(buildBody(search, afterId)).length;
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

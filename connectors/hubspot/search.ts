import { FatalError } from '../../src/core/errors.ts';
import { throwIfStopped } from '../stopped.ts';
import type { HubspotApi } from './api.ts';
import { readAs } from './errors.ts';
import type { Filter, FilterGroup } from './filter.ts';
import { type HubspotRecord, recordPageSchema } from './record.ts';

/** Results of one request: the most that HubSpot gives. */
const SEARCH_PAGE_SIZE = 200;

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

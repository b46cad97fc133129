/** A list, and the two forms in which HubSpot returns it. */

import { OWNER } from '../account/account.ts';
import { isoTime } from '../properties/property.ts';
import type { FilterBranch } from './filter-branch.ts';

/**
 * The way in which a list's members are chosen. Users choose them, or filters choose them continuously, or filters
 * choose them once when the list is created.
 */
export const PROCESSING_TYPES = ['MANUAL', 'DYNAMIC', 'SNAPSHOT'] as const;

/** Times are milliseconds since 1970. */
export interface List {
  id: number;
  name: string;
  /** The type of its records, for example `0-1` for contacts. */
  objectTypeId: string;
  processingType: (typeof PROCESSING_TYPES)[number];
  filterBranch: FilterBranch | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** Null unless the list is deleted. */
  deletedAtMs: number | null;
  filtersUpdatedAtMs: number;
  /** The version increases with each change to the list itself. */
  version: number;
}

/** Data about a list that changes when members are added or removed. */
export interface ListActivity {
  size: number;
  lastAddedAtMs: number | null;
  lastRemovedAtMs: number | null;
}

/** Formats a list for a response about this list alone. */
export function toPublicList(
  list: List,
  { size }: ListActivity,
  { status, includeFilters }: { status: string | undefined; includeFilters: boolean },
) {
  const isFiltered = includeFilters && list.filterBranch !== null;
  return {
    ...commonFacts(list, status),
    size,
    ...(isFiltered ? { filterBranch: list.filterBranch } : {}),
  };
}

/** Formats a list for the results of a search. */
export function toSearchResult(
  list: List,
  activity: ListActivity,
  { status, asked }: { status: string | undefined; asked: readonly string[] },
) {
  const all = additionalProperties(list, activity);
  const names = [...DEFAULT_PROPERTIES, ...asked];
  return {
    ...commonFacts(list, status),
    additionalProperties: Object.fromEntries(
      Object.entries(all).filter(
        (entry): entry is [string, string] => names.includes(entry[0]) && entry[1] !== null,
      ),
    ),
  };
}

const DEFAULT_PROPERTIES = [
  'hs_list_size',
  'hs_last_record_added_at',
  'hs_last_record_removed_at',
  'hs_list_reference_count',
];

/** The values are strings. Empty values are omitted. */
function additionalProperties(list: List, activity: ListActivity): Record<string, string | null> {
  const { size, lastAddedAtMs, lastRemovedAtMs } = activity;
  return {
    hs_list_size: String(size),
    hs_last_record_added_at: lastAddedAtMs === null ? null : String(lastAddedAtMs),
    hs_last_record_removed_at: lastRemovedAtMs === null ? null : String(lastRemovedAtMs),
    hs_list_reference_count: '0',
    hs_list_id: String(list.id),
    hs_list_name: list.name,
    hs_processing_type: list.processingType,
    hs_is_public: 'true',
  };
}

function commonFacts(list: List, status = 'COMPLETE') {
  return {
    listId: String(list.id),
    listVersion: list.version,
    name: list.name,
    objectTypeId: list.objectTypeId,
    processingType: list.processingType,
    processingStatus: status,
    createdAt: isoTime(list.createdAtMs),
    createdById: String(OWNER.userId),
    updatedAt: isoTime(list.updatedAtMs),
    updatedById: String(OWNER.userId),
    filtersUpdatedAt: isoTime(list.filtersUpdatedAtMs),
    ...(list.deletedAtMs === null ? {} : { deletedAt: isoTime(list.deletedAtMs) }),
  };
}

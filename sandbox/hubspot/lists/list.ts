/** A list, and the two forms in which HubSpot returns it. */

import { OWNER } from '../account/account.ts';
import { isoTime } from '../properties/property.ts';
import type { FilterBranch } from './filter-branch.ts';

/**
 * Defines how the members of a list are chosen. The kind `MANUAL` means that users choose the members. The kind
 * `DYNAMIC` means that filters choose the members continuously. The kind `SNAPSHOT` means that filters choose the
 * members once when the list is created.
 */
export const PROCESSING_TYPES = ['MANUAL', 'DYNAMIC', 'SNAPSHOT'] as const;

/** A list. Times are in milliseconds since 1970. */
export interface List {
  id: number;
  name: string;
  /** The ID of the object type of the list's records, for example `0-1` for contacts. */
  objectTypeId: string;
  processingType: (typeof PROCESSING_TYPES)[number];
  filterBranch: FilterBranch | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** The time of the deletion, or null if the list is not deleted. */
  deletedAtMs: number | null;
  filtersUpdatedAtMs: number;
  /** A number that increases with each change of the list itself. */
  version: number;
}

/** Data about a list that changes when members are added or removed. */
export interface ListActivity {
  size: number;
  lastAddedAtMs: number | null;
  lastRemovedAtMs: number | null;
}

/** Formats a list for a response that contains only this list. */
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

/** Returns additional values of a list as strings. Empty values are omitted. */
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

/** Updates the members of lists. The code adds records that match a list's filters, and removes deleted records. */

import { findObjectType, type ObjectType } from '../core/object-type.ts';
import { propertyValue, type StoredRecord } from '../records/record.ts';
import type { RecordChange, RecordStore } from '../records/record-store.ts';
import { type FilterBranch, listsNamedIn, meets } from './filter-branch.ts';
import type { List } from './list.ts';
import type { ListStore } from './list-store.ts';
import type { Memberships } from './memberships.ts';

/** The number of records that are read at once to determine a list's members. */
const RECORDS_AT_ONCE = 1000;

/** The parts that this code needs. */
export interface ListUpkeepOptions {
  lists: ListStore;
  memberships: Memberships;
  records: Pick<RecordStore, 'read' | 'list' | 'onChange'>;
}

/** Updates the members of lists with filters. */
export interface ListUpkeep {
  /** Updates a list's members before they are read, if the list has filters. */
  settle(list: List): void;
  /** Determines all members of a list again. */
  choose(list: List): void;
}

/** Starts listening to record changes. Earlier changes are found when a list is first read. */
export function keepLists(options: ListUpkeepOptions): ListUpkeep {
  const { lists, memberships, records } = options;
  /**
   * For each list, the records that must be checked again. The map contains each list whose members have been
   * determined since the start.
   */
  const unsettled = new Map<number, { type: ObjectType; ids: Set<string> }>();

  /** Two lists can refer to each other, so each list is processed only once. */
  function settle(list: List, seen = new Set<number>()): void {
    if (seen.has(list.id)) return;
    seen.add(list.id);
    if (list.processingType !== 'DYNAMIC' || list.filterBranch === null) return;
    const waiting = unsettled.get(list.id);
    // A record's membership in another list can change without a change of the record.
    if (waiting === undefined || listsNamedIn(list.filterBranch).length > 0) {
      choose(list, seen);
      return;
    }
    const found = [...waiting.ids].flatMap((id) => liveRecord(records, waiting.type, id) ?? []);
    waiting.ids.clear();
    sort(list, list.filterBranch, waiting.type, found);
  }

  function choose(list: List, seen = new Set([list.id])): void {
    const { filterBranch } = list;
    if (filterBranch === null) return;
    for (const id of listsNamedIn(filterBranch)) {
      const other = lists.find(id);
      if (other !== undefined) settle(other, seen);
    }
    const type = findObjectType(list.objectTypeId);
    if (list.processingType === 'DYNAMIC') unsettled.set(list.id, { type, ids: new Set() });
    for (const found of pagesOf(records, type)) sort(list, filterBranch, type, found);
  }

  /** Adds each record to the list if it matches the filters, and removes it from the list if it does not. */
  function sort(list: List, filters: FilterBranch, type: ObjectType, found: StoredRecord[]): void {
    const inside: number[] = [];
    const outside: number[] = [];
    for (const record of found) {
      const recordId = Number(record.id);
      const candidate = {
        read: (property: string) => propertyValue(type, record, property),
        isInList: (listId: string) => memberships.has(Number(listId), recordId),
      };
      (meets(candidate, filters) ? inside : outside).push(recordId);
    }
    memberships.add(list.id, inside);
    memberships.remove(list.id, outside);
  }

  records.onChange((change) => {
    followChange(options, change);
    for (const { type, ids } of unsettled.values()) {
      if (type.name === change.type.name) ids.add(change.id);
    }
  });
  return { settle: (list) => settle(list), choose: (list) => choose(list) };
}

function liveRecord(
  records: Pick<RecordStore, 'read'>,
  type: ObjectType,
  id: string,
): StoredRecord | undefined {
  const record = records.read(type, id);
  return record?.id === id && record.archivedAtMs === null ? record : undefined;
}

function* pagesOf(records: Pick<RecordStore, 'list'>, type: ObjectType): Generator<StoredRecord[]> {
  let afterId = '0';
  for (;;) {
    const page = records.list(type, { afterId, limit: RECORDS_AT_ONCE, archived: false });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    afterId = last.id;
  }
}

/**
 * Updates lists after a change: removes a deleted record from all lists, and adds a merged record to the lists of the
 * records that were merged.
 */
function followChange({ lists, memberships }: ListUpkeepOptions, change: RecordChange): void {
  const { typeId } = change.type;
  if (change.kind === 'archived' || change.kind === 'erased') {
    memberships.leave(typeId, Number(change.id));
  }
  for (const id of change.mergedIds.filter((one) => one !== change.id)) {
    for (const { listId } of memberships.listsOf(typeId, Number(id))) {
      const isChosen = lists.find(String(listId))?.processingType === 'DYNAMIC';
      if (!isChosen) memberships.add(listId, [Number(change.id)]);
    }
    memberships.leave(typeId, Number(id));
  }
}

/** The lists of an account, without their members. */

import type { Database } from '../core/database.ts';
import { type FilterBranch, filterBranchSchema } from './filter-branch.ts';
import type { List } from './list.ts';

/** The time (ms) for which a deleted list can be restored. HubSpot keeps a deleted list for 90 days. */
const RESTORABLE_MS = 90 * 86_400_000;

export type NewList = Pick<List, 'name' | 'objectTypeId' | 'processingType' | 'filterBranch'>;

/** The criteria of a list search. A missing criterion matches every list. */
export interface ListQuery {
  /** A part of the list's name, in upper or lower case. */
  name: string;
  processingTypes: readonly string[];
  ids: readonly string[];
  objectTypeId: string | undefined;
  offset: number;
  limit: number;
}

/** The lists of an account. Only `findDeleted` returns deleted lists. */
export interface ListStore {
  create(list: NewList): List;
  find(id: string): List | undefined;
  /** Returns a deleted list that can still be restored. */
  findDeleted(id: string): List | undefined;
  /** Finds a list by its name, in upper or lower case. */
  findByName(name: string): List | undefined;
  /** Returns all lists, sorted by ID. */
  all(): List[];
  search(query: ListQuery): { lists: List[]; total: number };
  rename(id: number, name: string): void;
  setFilters(id: number, filterBranch: FilterBranch): void;
  delete(id: number): void;
  restore(id: number): void;
}

interface ListRow {
  id: number;
  name: string;
  object_type_id: string;
  processing_type: List['processingType'];
  filter_branch: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  deleted_at_ms: number | null;
  filters_updated_at_ms: number;
  version: number;
}

export function openListStore(db: Database, clock: () => number): ListStore {
  db.exec(SCHEMA);
  const byId = db.prepare<[string], ListRow>('select * from lists where id = ?');
  const insert = db.prepare<unknown[], ListRow>(INSERT);

  function change(id: number, assignments: string, ...values: unknown[]): void {
    const sql = `update lists set ${assignments}, updated_at_ms = ?, version = version + 1 where id = ?`;
    db.prepare(sql).run(...values, clock(), id);
  }

  function find(id: string): List | undefined {
    const row = byId.get(id);
    return row === undefined ? undefined : toList(row);
  }

  function all(): List[] {
    const sql = 'select * from lists where deleted_at_ms is null order by id';
    return db.prepare<[], ListRow>(sql).all().map(toList);
  }

  return {
    create({ name, objectTypeId, processingType, filterBranch }) {
      const now = clock();
      const filters = filterBranch === null ? null : JSON.stringify(filterBranch);
      const row = insert.get(name, objectTypeId, processingType, filters, now, now, now);
      if (row === undefined) throw new Error('An insert returned no row.');
      return toList(row);
    },
    find(id) {
      const list = find(id);
      return list?.deletedAtMs === null ? list : undefined;
    },
    findDeleted(id) {
      const list = find(id);
      const isRestorable = (list?.deletedAtMs ?? 0) > clock() - RESTORABLE_MS;
      return isRestorable ? list : undefined;
    },
    findByName(name) {
      const row = db
        .prepare<[string], ListRow>(
          'select * from lists where name = ? collate nocase and deleted_at_ms is null',
        )
        .get(name);
      return row === undefined ? undefined : toList(row);
    },
    all,
    search(query) {
      const fitting = all().filter((list) => fits(list, query));
      const { offset, limit } = query;
      return { lists: fitting.slice(offset, offset + limit), total: fitting.length };
    },
    rename: (id, name) => change(id, 'name = ?', name),
    setFilters(id, filterBranch) {
      const filters = JSON.stringify(filterBranch);
      change(id, 'filter_branch = ?, filters_updated_at_ms = ?', filters, clock());
    },
    delete: (id) => change(id, 'deleted_at_ms = ?', clock()),
    restore: (id) => change(id, 'deleted_at_ms = ?', null),
  };
}

function fits(list: List, { name, processingTypes, ids, objectTypeId }: ListQuery): boolean {
  return (
    list.name.toLowerCase().includes(name.toLowerCase()) &&
    (processingTypes.length === 0 || processingTypes.includes(list.processingType)) &&
    (ids.length === 0 || ids.includes(String(list.id))) &&
    (objectTypeId === undefined || objectTypeId === list.objectTypeId)
  );
}

function toList(row: ListRow): List {
  const filters = row.filter_branch;
  return {
    id: row.id,
    name: row.name,
    objectTypeId: row.object_type_id,
    processingType: row.processing_type,
    filterBranch: filters === null ? null : filterBranchSchema.parse(JSON.parse(filters)),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    deletedAtMs: row.deleted_at_ms,
    filtersUpdatedAtMs: row.filters_updated_at_ms,
    version: row.version,
  };
}

const INSERT = `
insert into lists (name, object_type_id, processing_type, filter_branch,
  created_at_ms, updated_at_ms, filters_updated_at_ms)
values (?, ?, ?, ?, ?, ?, ?) returning *`;

const SCHEMA = `
create table if not exists lists (
  id integer primary key autoincrement,
  name text not null,
  object_type_id text not null,
  processing_type text not null,
  filter_branch text,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  deleted_at_ms integer,
  filters_updated_at_ms integer not null,
  version integer not null default 1
);
`;

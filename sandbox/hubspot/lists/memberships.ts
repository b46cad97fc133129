/** Stores which records each list contains. In this file, IDs are numbers, because they are sorted as numbers. */

import type { Database } from '../core/database.ts';
import type { ListActivity } from './list.ts';

export interface Member {
  recordId: number;
  joinedAtMs: number;
}

export interface Membership {
  listId: number;
  listVersion: number;
  joinedAtMs: number;
}

/** A position between two members of a list. */
export interface Place {
  joinedAtMs: number;
  recordId: number;
}

/** The part of a list's members that a request reads. */
export interface MemberPage {
  /** The order of the members: by record ID, or by the time at which the record was added. */
  order: 'id' | 'joined';
  /** The direction of reading. The direction `before` means that the members are read backwards. */
  direction: 'after' | 'before';
  /**
   * The position at which the page starts. If the position is null, the page starts with the first member, or with the
   * last member when reading backwards.
   */
  from: Place | null;
  limit: number;
}

/** The memberships of all lists of an account. */
export interface Memberships {
  /** Adds records. Returns the IDs that the list did not contain before. */
  add(listId: number, recordIds: Iterable<number>): number[];
  remove(listId: number, recordIds: Iterable<number>): number[];
  clear(listId: number): void;
  copy(fromListId: number, toListId: number): void;
  has(listId: number, recordId: number): boolean;
  page(listId: number, page: MemberPage): Member[];
  activity(listId: number): ListActivity;
  /** Returns the lists that contain a record, without deleted lists. */
  listsOf(objectTypeId: string, recordId: number): Membership[];
  /** Removes a record from all lists of this object type. */
  leave(objectTypeId: string, recordId: number): void;
}

/** Opens the store of memberships in a database whose lists are already open. */
export function openMemberships(db: Database, clock: () => number): Memberships {
  db.exec(SCHEMA);
  const statements = prepare(db);

  /** Stores the time and kind of the changes in `list_activity`, if there are any changes. */
  function noted(listId: number, kind: 'added' | 'removed', changed: number[]): number[] {
    if (changed.length > 0) statements[kind].run(listId, clock());
    return changed;
  }

  return {
    add: db.transaction((listId: number, recordIds: Iterable<number>) => {
      const now = clock();
      const isNew = (id: number) => statements.insert.run(listId, id, now).changes > 0;
      return noted(listId, 'added', [...recordIds].filter(isNew));
    }),
    remove: db.transaction((listId: number, recordIds: Iterable<number>) => {
      const wasMember = (id: number) => statements.remove.run(listId, id).changes > 0;
      return noted(listId, 'removed', [...recordIds].filter(wasMember));
    }),
    clear(listId) {
      if (statements.clear.run(listId).changes > 0) statements.removed.run(listId, clock());
    },
    copy(fromListId, toListId) {
      const { changes } = statements.copy.run(toListId, clock(), fromListId);
      if (changes > 0) statements.added.run(toListId, clock());
    },
    has: (listId, recordId) => statements.find.get(listId, recordId) !== undefined,
    page: (listId, page) => readPage(db, listId, page),
    activity: (listId) =>
      statements.activity.get(listId, listId) ?? {
        size: 0,
        lastAddedAtMs: null,
        lastRemovedAtMs: null,
      },
    listsOf: (objectTypeId, recordId) => statements.listsOf.all(objectTypeId, recordId),
    leave(objectTypeId, recordId) {
      for (const listId of statements.leave.all(recordId, objectTypeId)) {
        statements.removed.run(listId, clock());
      }
    },
  };
}

/** The columns for each order. Each column is compared with the named value of a `Place`. */
const KEYS = {
  id: [['record_id', '@recordId']],
  joined: [
    ['joined_at_ms', '@joinedAtMs'],
    ['record_id', '@recordId'],
  ],
} as const;

const BEFORE_ALL: Place = { joinedAtMs: -1, recordId: -1 };
const AFTER_ALL: Place = {
  joinedAtMs: Number.MAX_SAFE_INTEGER,
  recordId: Number.MAX_SAFE_INTEGER,
};

function readPage(db: Database, listId: number, page: MemberPage): Member[] {
  const isForward = page.direction === 'after';
  const [sign, word] = isForward ? ['>', 'asc'] : ['<', 'desc'];
  const keys = KEYS[page.order];
  const columns = keys.map(([column]) => column).join(', ');
  const values = keys.map(([, value]) => value).join(', ');
  const order = keys.map(([column]) => `${column} ${word}`).join(', ');
  const from = page.from ?? (isForward ? BEFORE_ALL : AFTER_ALL);
  return db
    .prepare<object, Member>(
      `select record_id as recordId, joined_at_ms as joinedAtMs from list_members
       where list_id = @listId and (${columns}) ${sign} (${values}) order by ${order} limit @limit`,
    )
    .all({ ...from, listId, limit: page.limit });
}

function prepare(db: Database) {
  return {
    insert: db.prepare('insert or ignore into list_members values (?, ?, ?)'),
    remove: db.prepare('delete from list_members where list_id = ? and record_id = ?'),
    clear: db.prepare('delete from list_members where list_id = ?'),
    copy: db.prepare(
      `insert or ignore into list_members
       select ?, record_id, ? from list_members where list_id = ?`,
    ),
    find: db.prepare('select 1 from list_members where list_id = ? and record_id = ?'),
    added: db.prepare(noteTime('added_at_ms')),
    removed: db.prepare(noteTime('removed_at_ms')),
    activity: db.prepare<[number, number], ListActivity>(
      `select (select count(*) from list_members where list_id = ?) as size,
         added_at_ms as lastAddedAtMs, removed_at_ms as lastRemovedAtMs
       from list_activity where list_id = ?`,
    ),
    leave: db
      .prepare<[number, string], number>(
        `delete from list_members where record_id = ?
           and list_id in (select id from lists where object_type_id = ?) returning list_id`,
      )
      .pluck(),
    listsOf: db.prepare<[string, number], Membership>(
      `select list_id as listId, version as listVersion, joined_at_ms as joinedAtMs
       from list_members join lists on lists.id = list_id
       where object_type_id = ? and record_id = ? and deleted_at_ms is null order by list_id`,
    ),
  };
}

function noteTime(column: string): string {
  return `insert into list_activity (list_id, ${column}) values (?, ?)
    on conflict (list_id) do update set ${column} = excluded.${column}`;
}

const SCHEMA = `
create table if not exists list_members (
  list_id integer not null,
  record_id integer not null,
  joined_at_ms integer not null,
  primary key (list_id, record_id)
) without rowid;
create index if not exists list_members_by_time on list_members (list_id, joined_at_ms, record_id);
create index if not exists list_members_by_record on list_members (record_id);
create table if not exists list_activity (
  list_id integer primary key,
  added_at_ms integer,
  removed_at_ms integer
);
`;

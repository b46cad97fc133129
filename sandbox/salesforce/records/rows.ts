/** Reads and writes the rows of records in SQL, without any rules. */

import type { Statement } from 'better-sqlite3';
import { type Database, quoted } from '../core/database.ts';
import { createId } from '../core/ids.ts';
import { isStored, type StoredValue } from '../metadata/field.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';

/** A stored record. The key is the field. */
export type Row = Partial<Record<string, StoredValue>>;

/** The ID of a new record, and the row number from which the ID is derived. */
export interface NewKey {
  id: string;
  number: number;
}

export interface Rows {
  read(type: ObjectType, id: string): Row | undefined;
  /** Reads the columns that determine whether a record can be written. */
  readState(type: ObjectType, id: string): Row | undefined;
  insert(type: ObjectType, key: NewKey, columns: ReadonlyMap<string, StoredValue>): void;
  update(type: ObjectType, id: string, columns: ReadonlyMap<string, StoredValue>): void;
  /** Counts an update of the record. If the transaction is rolled back, the count is too. */
  countUpdate(id: string): void;
  listUpdates(): { id: string; updates: number }[];
  /**
   * Returns the key of the next record. The store never returns the same key again, even if no record is created with
   * it.
   */
  nextKey(type: ObjectType): NewKey;
  /**
   * Returns the records that refer to a parent and are not deleted. With `wentAtMs`, returns only the records that were
   * deleted at this time.
   */
  childIds(type: ObjectType, field: string, parentId: string, wentAtMs: number | null): string[];
  /** Returns other records that are not deleted and have the same values in a group of unique fields. */
  findTwins(type: ObjectType, id: string): string[];
  /** Returns other records that are not deleted and have the same value in a unique field, together with the field. */
  findUniqueTwins(type: ObjectType, id: string): { twin: string; field: string }[];
  logDeletion(type: ObjectType, id: string, atMs: number): void;
  wasDeleted(type: ObjectType, id: string): boolean;
  purge(type: ObjectType, id: string): void;
  /** Removes the row of a record and the information about its deletion. */
  vanish(type: ObjectType, id: string): void;
}

/** Opens the rows in a database. */
export function createRows(db: Database): Rows {
  const statement = createStatementCache(db);
  const numbers = new Map<string, number>();
  const counter = db.prepare(
    `insert into record_updates values (?, 1) on conflict (id) do update set updates = updates + 1`,
  );

  return {
    read: (type, id) => statement('read', type, [], readSql).get(id),
    readState: (type, id) => statement('read state', type, [], readStateSql).get(id),
    insert(type, { id, number }, columns) {
      const names = [...columns.keys()];
      statement('insert', type, names, insertSql).run(number, id, ...columns.values());
    },
    update(type, id, columns) {
      const names = [...columns.keys()];
      statement('update', type, names, updateSql).run(...columns.values(), id);
    },
    countUpdate(id) {
      counter.run(id);
    },
    listUpdates: () =>
      db
        .prepare<[], { id: string; updates: number }>('select id, updates from record_updates')
        .all(),
    nextKey(type) {
      const sql = `select coalesce(max(rowid), 0) from ${quoted(type.name)}`;
      const number = (numbers.get(type.name) ?? db.prepare<[], number>(sql).pluck().get() ?? 0) + 1;
      numbers.set(type.name, number);
      return { number, id: createId(type.keyPrefix, number) };
    },
    childIds(type, field, parentId, wentAtMs) {
      const state =
        wentAtMs === null ? '"IsDeleted" = 0' : '"IsDeleted" = 1 and "SystemModstamp" = ?';
      const sql = `select "Id" from ${quoted(type.name)} where ${quoted(field)} = ? and ${state}`;
      const values = wentAtMs === null ? [parentId] : [parentId, wentAtMs];
      return db
        .prepare<unknown[], string>(sql)
        .pluck()
        .all(...values);
    },
    findTwins(type, id) {
      return type.unique.flatMap((fields) => {
        const twin = statement('find twin', type, fields, findTwinSql).get(id);
        return twin === undefined ? [] : [String(twin['Id'])];
      });
    },
    findUniqueTwins(type, id) {
      const fields = type.fields.filter((field) => field.unique && isStored(field));
      return fields.flatMap(({ name }) => {
        const twin = statement('find twin', type, [name], findTwinSql).get(id);
        return twin === undefined ? [] : [{ twin: String(twin['Id']), field: name }];
      });
    },
    logDeletion(type, id, atMs) {
      db.prepare('insert or ignore into deletions values (?, ?, ?)').run(type.name, id, atMs);
    },
    wasDeleted(type, id) {
      const sql = 'select 1 from deletions where type = ? and id = ?';
      return db.prepare(sql).get(type.name, id) !== undefined;
    },
    vanish(type, id) {
      db.prepare(`delete from ${quoted(type.name)} where "Id" = ?`).run(id);
      db.prepare('delete from deletions where type = ? and id = ?').run(type.name, id);
    },
    purge(type, id) {
      db.prepare(`delete from ${quoted(type.name)} where "Id" = ? and "IsDeleted" = 1`).run(id);
    },
  };
}

/** Builds the SQL statement for these columns. */
type ToSql = (type: ObjectType, columns: readonly string[]) => string;

function readSql({ name }: ObjectType): string {
  return `select * from ${quoted(name)} where "Id" = ?`;
}

/**
 * The columns that show whether a record is deleted, and which account's lock applies to it. They also lead to the
 * other record of the same person.
 */
const STATE_COLUMNS = ['Id', 'IsDeleted', 'AccountId', 'IsPersonAccount', 'PersonContactId'];

function readStateSql(type: ObjectType): string {
  const columns = STATE_COLUMNS.filter((name) => isColumn(type, name)).map(quoted);
  return `select ${columns.join(', ')} from ${quoted(type.name)} where "Id" = ?`;
}

function isColumn(type: ObjectType, name: string): boolean {
  const field = findField(type, name);
  return field !== undefined && isStored(field);
}

function insertSql({ name }: ObjectType, columns: readonly string[]): string {
  const names = ['rowid', 'Id', ...columns].map(quoted);
  const marks = names.map(() => '?').join(', ');
  return `insert into ${quoted(name)} (${names.join(', ')}) values (${marks})`;
}

function updateSql({ name }: ObjectType, columns: readonly string[]): string {
  const sets = columns.map((column) => `${quoted(column)} = ?`).join(', ');
  return `update ${quoted(name)} set ${sets} where "Id" = ?`;
}

function findTwinSql({ name }: ObjectType, columns: readonly string[]): string {
  const same = columns.map((column) => `o.${quoted(column)} = r.${quoted(column)}`).join(' and ');
  return `select o."Id" from ${quoted(name)} r join ${quoted(name)} o on ${same}
    where r."Id" = ? and o."Id" <> r."Id" and r."IsDeleted" = 0 and o."IsDeleted" = 0 limit 1`;
}

/**
 * The maximum number of cached statements. At this number, the cache is emptied. A long series of writes repeats only a
 * few statements.
 */
const MAX_STATEMENTS = 200;

/** Caches SQL statements by operation and columns. Building a statement takes longer than running it. */
function createStatementCache(db: Database) {
  const statements = new Map<string, Statement<StoredValue[], Row>>();
  return (work: string, type: ObjectType, columns: readonly string[], toSql: ToSql) => {
    const key = `${work} ${type.name} ${columns.join()}`;
    const present = statements.get(key);
    if (present !== undefined) return present;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = db.prepare<StoredValue[], Row>(toSql(type, columns));
    statements.set(key, statement);
    return statement;
  };
}

/** The rows behind records: plain SQL without any rules. */

import type { Statement } from 'better-sqlite3';
import { type Database, quoted } from './database.ts';
import type { StoredValue } from './field.ts';
import { createId } from './ids.ts';
import type { ObjectType } from './object-type.ts';

/** A record as it is kept, by field. */
export type Row = Partial<Record<string, StoredValue>>;

/** The id of a record to come, and the number of the row that the id is made from. */
export interface NewKey {
  id: string;
  number: number;
}

/** Reads and writes rows. */
export interface Rows {
  read(type: ObjectType, id: string): Row | undefined;
  insert(type: ObjectType, key: NewKey, columns: ReadonlyMap<string, StoredValue>): void;
  update(type: ObjectType, id: string, columns: ReadonlyMap<string, StoredValue>): void;
  /** The key for the next record; it is used up even if no record comes of it. */
  nextKey(type: ObjectType): NewKey;
  /** The records that point to a parent: live ones, or with `wentAtMs` those deleted at that moment. */
  childIds(type: ObjectType, field: string, parentId: string, wentAtMs: number | null): string[];
  /** Other live records with the same values in fields that must be unique. */
  findTwins(type: ObjectType, id: string): string[];
  logDeletion(type: ObjectType, id: string, atMs: number): void;
  wasDeleted(type: ObjectType, id: string): boolean;
  /** Takes the row away for good. */
  purge(type: ObjectType, id: string): void;
}

/** Opens the rows of a database. */
export function createRows(db: Database): Rows {
  const prepare = createStatementCache(db);
  const numbers = new Map<string, number>();

  return {
    read: (type, id) => prepare(`select * from ${quoted(type.name)} where "Id" = ?`).get(id),
    insert(type, { id, number }, columns) {
      const names = ['rowid', 'Id', ...columns.keys()].map(quoted);
      const marks = names.map(() => '?').join(', ');
      const sql = `insert into ${quoted(type.name)} (${names.join(', ')}) values (${marks})`;
      prepare(sql).run(number, id, ...columns.values());
    },
    update(type, id, columns) {
      const sets = [...columns.keys()].map((name) => `${quoted(name)} = ?`).join(', ');
      prepare(`update ${quoted(type.name)} set ${sets} where "Id" = ?`).run(
        ...columns.values(),
        id,
      );
    },
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
        const same = fields.map((field) => `o.${quoted(field)} = r.${quoted(field)}`).join(' and ');
        const table = quoted(type.name);
        const sql = `select o."Id" from ${table} r join ${table} o on ${same}
          where r."Id" = ? and o."Id" <> r."Id" and r."IsDeleted" = 0 and o."IsDeleted" = 0 limit 1`;
        return db.prepare<[string], string>(sql).pluck().all(id);
      });
    },
    logDeletion(type, id, atMs) {
      db.prepare('insert or ignore into deletions values (?, ?, ?)').run(type.name, id, atMs);
    },
    wasDeleted(type, id) {
      const sql = 'select 1 from deletions where type = ? and id = ?';
      return db.prepare(sql).get(type.name, id) !== undefined;
    },
    purge(type, id) {
      db.prepare(`delete from ${quoted(type.name)} where "Id" = ? and "IsDeleted" = 1`).run(id);
    },
  };
}

/** More different statements than this are begun anew: many writes in a row repeat a few. */
const MAX_STATEMENTS = 200;

function createStatementCache(db: Database): (sql: string) => Statement<StoredValue[], Row> {
  const statements = new Map<string, Statement<StoredValue[], Row>>();
  return (sql) => {
    const statement = statements.get(sql) ?? db.prepare<StoredValue[], Row>(sql);
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    statements.set(sql, statement);
    return statement;
  };
}

/** Rows of records in the database: the SQL of the record store. */

import type { Database } from './database.ts';
import { OBJECT_TYPES, type ObjectType } from './object-type.ts';
import type { Values } from './property-values.ts';
import type { RecordRow } from './record.ts';

/** What of a record changes; its id and the time of its creation do not. */
export interface RecordState {
  modifiedAtMs: number;
  archivedAtMs: number | null;
  mergedInto: string | null;
  values: Values;
}

/** A row of what a record was until a change. */
export interface VersionRow extends RecordRow {
  replaced_at_ms: number;
  /** The author, as JSON. */
  replaced_by: string;
  /** 0 for what was before a creation. */
  existed: number;
}

/** The rows of an object type. */
export interface RecordRows {
  read(id: string): RecordRow | undefined;
  /** The active record with a value. */
  findBy(property: string, value: string): RecordRow | undefined;
  list(afterId: string, limit: number, archived: boolean): RecordRow[];
  /** Gives the new id. */
  insert(createdAtMs: number, state: RecordState): string;
  update(id: string, state: RecordState): void;
  /** Keeps what a record is now, as what it was until this moment. */
  keepVersion(id: string, atMs: number, by: string): void;
  /** Keeps that there was no such record until this moment. */
  keepAbsence(id: string, atMs: number, by: string): void;
  versions(id: string): VersionRow[];
  remove(id: string): void;
}

/** The columns that a record and its former versions share. */
export const RECORD_COLUMNS =
  'id, created_at_ms, modified_at_ms, archived_at_ms, merged_into, email, properties';

/** Prepares the rows of every object type. */
export function createRecordRows(db: Database): (type: ObjectType) => RecordRows {
  const rows = new Map(OBJECT_TYPES.map((type) => [type, createRowsOf(db, type)]));
  return (type) => {
    const found = rows.get(type);
    if (found === undefined) throw new Error(`There are no rows of ${type.name}.`);
    return found;
  };
}

function createRowsOf(db: Database, { name }: ObjectType): RecordRows {
  const read = db.prepare<[string], RecordRow>(`select * from ${name} where id = ?`);
  const active = 'archived_at_ms is null and merged_into is null';
  const byEmail = db.prepare<[string], RecordRow>(
    `select * from ${name} where email = ? and ${active}`,
  );
  const insert = db.prepare(
    `insert into ${name} (created_at_ms, modified_at_ms, archived_at_ms, merged_into, email, properties)
      values (?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `update ${name} set modified_at_ms = ?, archived_at_ms = ?, merged_into = ?, email = ?, properties = ?
      where id = ?`,
  );
  const keep = db.prepare(
    `insert into versions (type, replaced_at_ms, replaced_by, existed, ${RECORD_COLUMNS})
      select '${name}', ?, ?, 1, ${RECORD_COLUMNS} from ${name} where id = ?`,
  );
  const keepAbsence = db.prepare(
    `insert into versions (type, replaced_at_ms, replaced_by, existed, ${RECORD_COLUMNS})
      values ('${name}', ?, ?, 0, ?, 0, 0, null, null, null, '{}')`,
  );
  const page = (condition: string) =>
    db.prepare<[string, number], RecordRow>(
      `select * from ${name} where id > ? and ${condition} order by id limit ?`,
    );
  const activePage = page(active);
  const archivedPage = page('archived_at_ms is not null and merged_into is null');
  const versions = db.prepare<[string, string], VersionRow>(
    'select * from versions where type = ? and id = ? order by version',
  );

  return {
    read: (id) => (isId(id) ? read.get(id) : undefined),
    findBy(property, value) {
      if (property === 'email') return byEmail.get(value.trim().toLowerCase());
      const path = `$.${JSON.stringify(property)}`;
      const sql = `select * from ${name} where json_extract(properties, ?) = ? and ${active}`;
      return db.prepare<[string, string], RecordRow>(sql).get(path, value);
    },
    list: (afterId, limit, archived) => (archived ? archivedPage : activePage).all(afterId, limit),
    insert(createdAtMs, state) {
      return `${insert.run(createdAtMs, ...toColumns(state)).lastInsertRowid}`;
    },
    update(id, state) {
      update.run(...toColumns(state), id);
    },
    keepVersion(id, atMs, by) {
      keep.run(atMs, by, id);
    },
    keepAbsence(id, atMs, by) {
      keepAbsence.run(atMs, by, id);
    },
    versions: (id) => versions.all(name, id),
    remove(id) {
      db.prepare(`delete from ${name} where id = ?`).run(id);
      db.prepare('delete from versions where type = ? and id = ?').run(name, id);
    },
  };
}

/** More digits than this are no number that the database could hold. */
const MAX_ID_DIGITS = 15;

function isId(text: string): boolean {
  return /^\d+$/.test(text) && text.length <= MAX_ID_DIGITS;
}

function toColumns({ modifiedAtMs, archivedAtMs, mergedInto, values }: RecordState) {
  const email = values['email'] ?? '';
  return [
    modifiedAtMs,
    archivedAtMs,
    mergedInto,
    email === '' ? null : email,
    JSON.stringify(values),
  ];
}

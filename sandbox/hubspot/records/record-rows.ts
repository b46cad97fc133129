/** The SQL statements of the record store. */

import type { Database } from '../core/database.ts';
import { OBJECT_TYPES, type ObjectType } from '../core/object-type.ts';
import type { Values } from '../properties/property-values.ts';
import type { RecordRow } from './record.ts';

/** The parts of a record that a change can affect. The ID and the creation time of a record do not change. */
export interface RecordState {
  modifiedAtMs: number;
  archivedAtMs: number | null;
  mergedInto: string | null;
  values: Values;
}

/** A row with a record's state before a change. The row contains only the former values that the change replaced. */
export interface VersionRow {
  modified_at_ms: number;
  archived_at_ms: number | null;
  merged_into: number | null;
  /** The former values as JSON. A value is null if the property had no value. */
  former_values: string;
  replaced_at_ms: number;
  /** The author of the change as JSON. */
  replaced_by: string;
  /** 0 for the state before the record was created. */
  existed: number;
}

export interface RecordRows {
  read(id: string): RecordRow | undefined;
  /** Finds the record with this value. Archived records are not found. */
  findBy(property: string, value: string): RecordRow | undefined;
  list(afterId: string, limit: number, archived: boolean): RecordRow[];
  /** Creates a record and returns the new record's ID. */
  insert(createdAtMs: number, state: RecordState): string;
  /** Updates a record. `before` is the record's earlier state. */
  update(id: string, before: RecordState, now: RecordState): void;
  /** Stores the state that a record had until this moment. */
  keepVersion(id: string, before: RecordState, now: RecordState, atMs: number, by: string): void;
  /** Stores the fact that the record did not exist until this moment. */
  keepAbsence(id: string, atMs: number, by: string): void;
  /** Returns the former states of a record, latest state first. */
  versions(id: string): VersionRow[];
  remove(id: string): void;
  isHidden(id: string): boolean;
  /** Hides a record as if it did not exist, or shows it again. */
  hide(id: string, isHidden: boolean): void;
}

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
  const visible = visibleCondition(name);
  const active = `archived_at_ms is null and merged_into is null and ${visible}`;
  let hidden: Set<string> | undefined;
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
  const updateValues = db.prepare(
    `update ${name} set modified_at_ms = ?, properties = ? where id = ?`,
  );
  const keep = db.prepare(`insert into versions values (null, '${name}', ?, ?, ?, 1, ?, ?, ?, ?)`);
  const keepAbsence = db.prepare(
    `insert into versions values (null, '${name}', ?, ?, ?, 0, 0, null, null, '{}')`,
  );
  const page = (condition: string) =>
    db.prepare<[string, number], RecordRow>(
      `select * from ${name} where id > ? and ${condition} order by id limit ?`,
    );
  const activePage = page(active);
  const archivedPage = page(`archived_at_ms is not null and merged_into is null and ${visible}`);
  const versions = db.prepare<[string, string], VersionRow>(
    'select * from versions where type = ? and id = ? order by version desc',
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
    update(id, before, now) {
      if (isFoundAlike(before, now)) {
        updateValues.run(now.modifiedAtMs, JSON.stringify(now.values), id);
      } else {
        update.run(...toColumns(now), id);
      }
    },
    keepVersion(id, before, now, atMs, by) {
      const { modifiedAtMs, archivedAtMs, mergedInto } = before;
      const former = JSON.stringify(formerValues(before.values, now.values));
      keep.run(id, atMs, by, modifiedAtMs, archivedAtMs, mergedInto, former);
    },
    keepAbsence(id, atMs, by) {
      keepAbsence.run(id, atMs, by);
    },
    versions: (id) => versions.all(name, id),
    isHidden(id) {
      hidden ??= new Set(
        db
          .prepare<[string], number>('select id from hidden_records where type = ?')
          .pluck()
          .all(name)
          .map(String),
      );
      return hidden.has(id);
    },
    hide(id, isHidden) {
      db.prepare('delete from hidden_records where type = ? and id = ?').run(name, id);
      if (isHidden) db.prepare('insert into hidden_records values (?, ?)').run(name, id);
      hidden = undefined;
    },
    remove(id) {
      db.prepare(`delete from ${name} where id = ?`).run(id);
      db.prepare('delete from versions where type = ? and id = ?').run(name, id);
    },
  };
}

/** Returns an SQL condition for visible records of this type. */
export function visibleCondition(typeName: ObjectType['name']): string {
  return `id not in (select id from hidden_records where type = '${typeName}')`;
}

/** Returns the former values of the changed properties. No change removes a property. */
function formerValues(before: Values, now: Values): Record<string, string | null> {
  const former: Record<string, string | null> = {};
  for (const name in now) {
    const value = before[name] ?? null;
    if (value !== now[name]) former[name] = value;
  }
  return former;
}

/** A number with more digits could not be stored in the database. */
const MAX_ID_DIGITS = 15;

function isId(text: string): boolean {
  return /^\d+$/.test(text) && text.length <= MAX_ID_DIGITS;
}

/** Returns true if the change does not affect the indexes. Writing to an indexed column takes longer. */
function isFoundAlike(before: RecordState, now: RecordState): boolean {
  return (
    before.archivedAtMs === now.archivedAtMs &&
    before.mergedInto === now.mergedInto &&
    emailOf(before) === emailOf(now)
  );
}

function toColumns(state: RecordState) {
  const { modifiedAtMs, archivedAtMs, mergedInto, values } = state;
  return [modifiedAtMs, archivedAtMs, mergedInto, emailOf(state), JSON.stringify(values)];
}

function emailOf({ values }: RecordState): string | null {
  const email = values['email'] ?? '';
  return email === '' ? null : email;
}

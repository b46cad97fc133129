/** Creates, changes, archives and merges records. The store does not handle HTTP requests or permissions. */

import { z } from 'zod';
import type { Database } from '../core/database.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Values } from '../properties/property-values.ts';
import { type StoredRecord, toRecord } from './record.ts';
import { createRecordRows, type VersionRow } from './record-rows.ts';

/** The author of a change to a record. */
export const authorSchema = z.object({
  /** The name of the source in the property's history and in webhooks. */
  source: z.enum([
    'INTEGRATION',
    'CRM_UI',
    'MERGE_OBJECTS',
    'AUTOMATION_PLATFORM',
    'IMPORT',
    'CALCULATED',
  ]),
  /** The ID of the app or the user, for example `appId:1234567`. */
  sourceId: z.string(),
});

/** The author of a change to a record: an app, a user of the account, or a merge. */
export type Author = z.output<typeof authorSchema>;

/** A change of a record. The store notifies listeners after it has stored the change. */
export interface RecordChange {
  kind: 'created' | 'updated' | 'archived' | 'restored' | 'merged' | 'erased';
  type: ObjectType;
  /** The ID of the changed record. For a merge, the ID of the resulting record. */
  id: string;
  atMs: number;
  author: Author;
  /** The changed properties with their new values. */
  changed: Values;
  /** For a merge, the IDs of the merged records. The primary record comes first. */
  mergedIds: readonly string[];
}

export interface MergeOptions {
  /**
   * False if the primary record keeps its ID after the merge. By default, the merge creates a new ID, as HubSpot does.
   */
  newId?: boolean;
}

/** A former state of a record, and the time at which this state ended. */
export interface RecordVersion {
  /** The former state of the record. Undefined for the time before the record was created. */
  record: StoredRecord | undefined;
  replacedAtMs: number;
  replacedBy: Author;
}

/** The records of an account. If a record does not exist, the methods return undefined or false. */
export interface RecordStore {
  /**
   * Reads a record, which may be archived. If the ID belongs to a merged record, returns the record into which it was
   * merged.
   */
  read(type: ObjectType, id: string): StoredRecord | undefined;
  /** Finds a record by a value. Archived records are not found. */
  findBy(type: ObjectType, property: string, value: string): StoredRecord | undefined;
  /** Returns records sorted by ID. The first returned record is the record after `afterId`. */
  list(
    type: ObjectType,
    options: { afterId: string; limit: number; archived: boolean },
  ): StoredRecord[];
  create(type: ObjectType, values: Values, author: Author): StoredRecord;
  /**
   * Writes values into a record that the caller has just read, and returns the new state. If the record already has all
   * of the values, nothing changes, not even the time of the last change.
   */
  update(type: ObjectType, record: StoredRecord, values: Values, author: Author): StoredRecord;
  archive(type: ObjectType, id: string, author: Author): boolean;
  /** Restores an archived record. */
  restore(type: ObjectType, id: string, author: Author): boolean;
  /** Merges two records. A blank value of the primary record is replaced with the other record's value. */
  merge(
    type: ObjectType,
    primaryId: string,
    otherId: string,
    author: Author,
    options?: MergeOptions,
  ): StoredRecord | undefined;
  /** Permanently removes a record and all data about it. */
  erase(type: ObjectType, id: string, author: Author): boolean;
  /** Returns the state of a record before each of its changes, oldest first. */
  versions(type: ObjectType, id: string): RecordVersion[];
  /** Hides a record even from requests for archived records, or makes it visible again. */
  hide(type: ObjectType, id: string, isHidden: boolean): void;
  /** Reads a record like `read`, even if the record is hidden. */
  readHidden(type: ObjectType, id: string): StoredRecord | undefined;
  /**
   * Runs `work` in a transaction. If `work` throws, nothing is stored. Listeners are notified after the transaction.
   */
  transact<Outcome>(work: () => Outcome): Outcome;
  /** Notifies a listener of every future change. */
  onChange(listener: (change: RecordChange) => void): void;
}

/** The maximum number of consecutive merges that the store follows. */
const MAX_MERGES = 100;

/** Opens a database's records. */
export function createRecordStore(db: Database, clock: () => number): RecordStore {
  const rowsOf = createRecordRows(db);
  const listeners: ((change: RecordChange) => void)[] = [];
  /** The changes in the current transaction, or null if there is no transaction. */
  let untold: RecordChange[] | null = null;

  function transact<Outcome>(work: () => Outcome): Outcome {
    if (untold !== null) return work();
    const changes: RecordChange[] = [];
    untold = changes;
    let outcome: Outcome;
    try {
      outcome = db.transaction(work)();
    } finally {
      untold = null;
    }
    for (const change of changes) {
      for (const listener of listeners) listener(change);
    }
    return outcome;
  }

  function note(
    change: Pick<RecordChange, 'kind' | 'type' | 'id' | 'atMs' | 'author'>,
    details: Partial<Pick<RecordChange, 'changed' | 'mergedIds'>> = {},
  ): void {
    untold?.push({ ...change, changed: {}, mergedIds: [], ...details });
  }

  function read(type: ObjectType, id: string): StoredRecord | undefined {
    const record = readHidden(type, id);
    return record !== undefined && rowsOf(type).isHidden(record.id) ? undefined : record;
  }

  function readHidden(type: ObjectType, id: string): StoredRecord | undefined {
    let row = rowsOf(type).read(id);
    for (let merges = 0; merges < MAX_MERGES; merges += 1) {
      if (row?.merged_into == null) break;
      row = rowsOf(type).read(`${row.merged_into}`);
    }
    return row === undefined ? undefined : toRecord(row);
  }

  /** Reads a record that is neither archived nor merged. */
  function readActive(type: ObjectType, id: string): StoredRecord | undefined {
    const record = read(type, id);
    return record?.archivedAtMs === null ? record : undefined;
  }

  function insert(type: ObjectType, createdAtMs: number, values: Values, author: Author): string {
    const rows = rowsOf(type);
    const atMs = clock();
    const state = { modifiedAtMs: atMs, archivedAtMs: null, mergedInto: null, values };
    const id = rows.insert(createdAtMs, state);
    rows.keepAbsence(id, atMs, JSON.stringify(author));
    return id;
  }

  /** Writes a record's new state and stores the former state. */
  function replace(
    type: ObjectType,
    record: StoredRecord,
    author: Author,
    next: Partial<StoredRecord>,
  ): StoredRecord {
    const atMs = clock();
    const after = { ...record, modifiedAtMs: atMs, ...next };
    const rows = rowsOf(type);
    rows.keepVersion(record.id, record, after, atMs, JSON.stringify(author));
    rows.update(record.id, record, after);
    return after;
  }

  return {
    read,
    findBy(type, property, value) {
      const row = rowsOf(type).findBy(property, value);
      return row === undefined ? undefined : toRecord(row);
    },
    list: (type, { afterId, limit, archived }) =>
      rowsOf(type).list(afterId, limit, archived).map(toRecord),
    create: (type, values, author) =>
      transact(() => {
        const atMs = clock();
        const id = insert(type, atMs, values, author);
        note({ kind: 'created', type, id, atMs, author }, { changed: values });
        const state = { archivedAtMs: null, mergedInto: null, values };
        return { id, createdAtMs: atMs, modifiedAtMs: atMs, ...state };
      }),
    update: (type, record, values, author) =>
      transact(() => {
        const changed = changedValues(record.values, values);
        if (Object.keys(changed).length === 0) return record;
        const after = replace(type, record, author, { values: { ...record.values, ...changed } });
        const { modifiedAtMs: atMs } = after;
        note({ kind: 'updated', type, id: record.id, atMs, author }, { changed });
        return after;
      }),
    archive: (type, id, author) =>
      transact(() => {
        const record = readActive(type, id);
        if (record === undefined) return false;
        const atMs = clock();
        replace(type, record, author, { archivedAtMs: atMs });
        note({ kind: 'archived', type, id: record.id, atMs, author });
        return true;
      }),
    restore: (type, id, author) =>
      transact(() => {
        const record = read(type, id);
        if (record === undefined || record.archivedAtMs === null) return false;
        const { modifiedAtMs: atMs } = replace(type, record, author, { archivedAtMs: null });
        note({ kind: 'restored', type, id: record.id, atMs, author });
        return true;
      }),
    merge: (type, primaryId, otherId, author, { newId = true } = {}) =>
      transact(() => {
        const primary = readActive(type, primaryId);
        const other = readActive(type, otherId);
        if (primary === undefined || other === undefined || primary.id === other.id) {
          return undefined;
        }
        const values = mergedValues(primary, other);
        const createdAtMs = Math.min(primary.createdAtMs, other.createdAtMs);
        const id = newId ? insert(type, createdAtMs, values, author) : primary.id;
        const gone = { archivedAtMs: clock(), mergedInto: id };
        replace(type, other, author, gone);
        replace(type, primary, author, newId ? gone : { values });
        const mergedIds = [primary.id, other.id];
        note({ kind: 'merged', type, id, atMs: clock(), author }, { mergedIds });
        return read(type, id);
      }),
    erase: (type, id, author) =>
      transact(() => {
        const record = read(type, id);
        if (record === undefined) return false;
        rowsOf(type).remove(record.id);
        note({ kind: 'erased', type, id: record.id, atMs: clock(), author });
        return true;
      }),
    versions(type, id) {
      const row = rowsOf(type).read(id);
      return row === undefined ? [] : toVersions(toRecord(row), rowsOf(type).versions(id));
    },
    hide: (type, id, isHidden) => rowsOf(type).hide(id, isHidden),
    readHidden,
    transact,
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

function changedValues(present: Values, values: Values): Values {
  const changed: Values = {};
  for (const [name, value] of Object.entries(values)) {
    if ((present[name] ?? '') !== value) changed[name] = value;
  }
  return changed;
}

/**
 * Returns the values of the record that results from a merge, with the IDs of the two merged records. The primary
 * record's values have priority over the other record's values.
 */
function mergedValues(primary: StoredRecord, other: StoredRecord): Values {
  const filled = Object.entries(primary.values).filter(([, value]) => value !== '');
  const ids = [primary, other].flatMap(({ id, values }) => [
    ...(values['hs_merged_object_ids'] ?? '').split(';').filter(Boolean),
    id,
  ]);
  return {
    ...primary.values,
    ...other.values,
    ...Object.fromEntries(filled),
    hs_merged_object_ids: [...new Set(ids)].join(';'),
  };
}

/** Computes former states by reverting the changes one by one, starting with the latest. */
function toVersions(record: StoredRecord, changes: readonly VersionRow[]): RecordVersion[] {
  let present = record;
  const versions = changes.map((change) => {
    present = takeBack(present, change);
    return {
      record: change.existed === 1 ? present : undefined,
      replacedAtMs: change.replaced_at_ms,
      replacedBy: authorSchema.parse(JSON.parse(change.replaced_by)),
    };
  });
  return versions.reverse();
}

const formerValuesSchema = z.record(z.string(), z.string().nullable());

function takeBack(record: StoredRecord, change: VersionRow): StoredRecord {
  const values = { ...record.values };
  for (const [name, value] of Object.entries(readFormerValues(change))) {
    if (value === null) delete values[name];
    else values[name] = value;
  }
  const { modified_at_ms: modifiedAtMs, archived_at_ms: archivedAtMs, merged_into } = change;
  const mergedInto = merged_into === null ? null : `${merged_into}`;
  return { ...record, modifiedAtMs, archivedAtMs, mergedInto, values };
}

function readFormerValues({ former_values: text }: VersionRow) {
  return formerValuesSchema.parse(JSON.parse(text));
}

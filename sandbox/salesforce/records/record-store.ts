/** Creates, changes and deletes records for a user. All rules of the org apply. */

import type { Database } from '../core/database.ts';
import {
  NO_RIGHT_MESSAGE,
  type RecordError,
  recordError,
  refused,
  type SaveResult,
  saved,
} from '../core/errors.ts';
import { hasPrefix, readId } from '../core/ids.ts';
import type { Access, User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { StoredValue } from '../metadata/field.ts';
import { PERMISSION_OBJECTS, permissionFor } from '../metadata/field-permissions.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import { wholeSecond } from '../metadata/value.ts';
import type { Automation } from './automation.ts';
import type { Locks } from './locks.ts';
import { filledBlanks, mergeInto } from './merge-records.ts';
import {
  checkNewPerson,
  checkPerson,
  insertPerson,
  personName,
  updateOtherHalf,
} from './person-records.ts';
import {
  changeStamps,
  defaultColumns,
  findMissing,
  newStamps,
  readValues,
  stampChange,
  type Values,
  wrongPrefix,
} from './record-values.ts';
import { putIntoBin, takeOutOfBin } from './recycle-bin.ts';
import { createRows, type Row } from './rows.ts';
import type { Rules } from './rules.ts';
import { coupleDoNotContact, isCoupled } from './success-pack-trigger.ts';
import { createTransactions, type Transact } from './transactions.ts';

export type { Values } from './record-values.ts';

export interface WriteOptions {
  /** True to ignore duplicate rules (`Sforce-Duplicate-Rule-Header`). */
  allowDuplicates?: boolean;
}

/** The choices that a user makes when merging records. */
export interface MergeOptions {
  /** True if blank fields of the master record get the values of the other records. The default is false. */
  fillBlanks?: boolean;
  /** Values that the master record gets in the same step, for example a new name. */
  values?: Values;
}

/** Writes records. Each call writes a record in one transaction, or as a part of the surrounding transaction. */
export interface RecordStore {
  insert(user: User, type: ObjectType, values: Values, options?: WriteOptions): SaveResult;
  update(
    user: User,
    type: ObjectType,
    id: string,
    values: Values,
    options?: WriteOptions,
  ): SaveResult;
  /** Moves a record to the recycle bin, together with its child records. */
  remove(user: User, type: ObjectType, id: string): SaveResult;
  /** Restores a record from the recycle bin, with the records that were deleted with it. */
  undelete(user: User, type: ObjectType, id: string): SaveResult;
  /** Merges several records into one. The losers are deleted, and their child records move to the master record. */
  merge(
    user: User,
    type: ObjectType,
    masterId: string,
    loserIds: readonly string[],
    options?: MergeOptions,
  ): SaveResult;
  /** Permanently removes a deleted record. Only the fact that it was deleted is kept. */
  purge(type: ObjectType, id: string): void;
  /** Removes a record, its child records and all information about them. No response shows that the record existed. */
  vanish(type: ObjectType, id: string): void;
  /** Returns the number of updates of each record, without updates that were rolled back. */
  listUpdates(): { id: string; updates: number }[];
  /** Returns a stored record, which may be deleted. Returns undefined if the record does not exist. */
  read(type: ObjectType, id: string): Row | undefined;
  transact: Transact;
}

/** The parts of an org that the store needs. */
export interface RecordStoreOrg {
  db: Database;
  catalogue: Catalogue;
  access: Access;
  locks: Locks;
  rules: Rules;
  automation: Automation;
  clock: () => number;
}

export function createRecordStore(org: RecordStoreOrg): RecordStore {
  const { catalogue, access } = org;
  const rows = createRows(org.db);
  // If a write is rolled back, permissions that were cached during the write may be wrong.
  const { transact, join } = createTransactions(org.db, access.forget);
  const parts = { catalogue, access, rows, transact };
  const nowMs = () => wholeSecond(org.clock());

  /** Runs a write. If the write is not successful, its changes are rolled back. */
  function attempt(work: () => SaveResult): SaveResult {
    return transact(work, ({ success }) => success);
  }

  /**
   * Writes a record whose values are valid. Rules, automation or unique fields can still make the org reject the write.
   */
  function write(type: ObjectType, work: () => SaveResult): SaveResult {
    const mayBeRefused =
      type.unique.length > 0 ||
      type.fields.some(({ unique }) => unique) ||
      org.rules.concern(type) ||
      org.automation.concerns(type);
    return mayBeRefused ? attempt(work) : join(work);
  }

  /** Returns true if the user is allowed to change this part of the setup. */
  function mayWrite(user: User, type: ObjectType): boolean {
    const needed = permissionFor(type.name);
    return needed === undefined || access.mayDo(user, needed);
  }

  /** Returns the current state of a record, or the reason why the user cannot write it. */
  function open(
    user: User,
    type: ObjectType,
    text: string,
  ): { id: string; row: Row } | RecordError {
    const id = readId(text);
    if (id === null) return recordError('MALFORMED_ID', `malformed id ${text}`, ['Id']);
    if (!hasPrefix(id, type.keyPrefix)) return wrongPrefix(type, text);
    const row = rows.readState(type, id);
    if (row === undefined) return rows.wasDeleted(type, id) ? DELETED : UNKNOWN;
    if (row['IsDeleted'] === 1) return DELETED;
    if (!access.isShared(user, id)) return notShared(id);
    return org.locks.strike(id, accountOf(type, id, row)) ?? { id, row };
  }

  /** Makes the checks that are possible only after the record has been written. */
  function finish(
    type: ObjectType,
    id: string,
    written: Iterable<string>,
    { allowDuplicates = false }: WriteOptions = {},
  ): SaveResult {
    org.automation.run(type, id, written);
    if (PERMISSION_OBJECTS.has(type.name)) access.forget();
    const errors = [
      ...rows.findTwins(type, id).map((twin) => twinError(twin)),
      ...rows.findUniqueTwins(type, id).map(({ twin, field }) => twinError(twin, field)),
      ...org.rules.check(type, id, { allowDuplicates }),
    ];
    return errors.length > 0 ? refused(id, ...errors) : saved(id);
  }

  function insert(
    user: User,
    type: ObjectType,
    values: Values,
    options?: WriteOptions,
  ): SaveResult {
    if (!type.createable) return refused(null, unsupported(type, 'create'));
    if (!mayWrite(user, type)) return refused(null, NO_RIGHT);
    const { columns, person, errors } = readValues(parts, user, type, values, 'createable');
    const all = new Map([...defaultColumns(type, user), ...columns, ...newStamps(user, nowMs())]);
    const isPerson = person.size > 0;
    if (isPerson) all.set('Name', personName(person, {}));
    errors.push(...findMissing(type, all, 'all'), ...checkNewPerson(person));
    if (errors.length > 0) return refused(null, ...errors);
    if (isCoupled(type, all)) coupleDoNotContact(all, {});
    const key = rows.nextKey(type);
    const locked = org.locks.strike(key.id, all.get('AccountId'));
    if (locked !== undefined) return refused(null, locked);
    const result = write(type, () => {
      rows.insert(type, key, all);
      if (isPerson) insertPerson(parts, user, key.id, person, nowMs());
      return finish(type, key.id, all.keys(), options);
    });
    return result.success ? result : { ...result, id: null };
  }

  function update(
    user: User,
    type: ObjectType,
    text: string,
    values: Values,
    options?: WriteOptions,
  ): SaveResult {
    if (!type.updateable) return refused(readId(text), unsupported(type, 'update'));
    if (!mayWrite(user, type)) return refused(readId(text), NO_RIGHT);
    const opened = open(user, type, text);
    if ('statusCode' in opened) return refused(readId(text), opened);
    const { id, row } = opened;
    const { columns, person, errors } = readValues(parts, user, type, values, 'updateable');
    errors.push(...findMissing(type, columns, 'given'), ...checkPerson(type, row, columns, person));
    if (errors.length > 0) return refused(id, ...errors);
    if (isCoupled(type, columns)) coupleDoNotContact(columns, rows.read(type, id) ?? {});
    const atMs = nowMs();
    return write(type, () => {
      rows.update(type, id, stampChange(columns, user, atMs));
      updateOtherHalf(parts, user, type, row, person, atMs);
      rows.countUpdate(id);
      if (person.size > 0) {
        const contact = catalogue.get('Contact');
        org.automation.run(contact, String(row['PersonContactId']), person.keys());
      }
      return finish(type, id, columns.keys(), options);
    });
  }

  function remove(user: User, type: ObjectType, text: string): SaveResult {
    if (!type.deletable) return refused(readId(text), unsupported(type, 'delete'));
    const opened = open(user, type, text);
    if ('statusCode' in opened) return refused(readId(text), opened);
    return attempt(() => {
      putIntoBin(parts, user, type, opened.id, nowMs());
      access.forget();
      return saved(opened.id);
    });
  }

  function undelete(user: User, type: ObjectType, text: string): SaveResult {
    const id = readId(text) ?? '';
    const row = rows.read(type, id);
    if (row === undefined) return refused(null, UNKNOWN);
    if (row['IsDeleted'] !== 1) return refused(id, NOT_IN_BIN);
    return attempt(() => {
      takeOutOfBin(parts, user, type, id, nowMs());
      return saved(id);
    });
  }

  function merge(
    user: User,
    type: ObjectType,
    masterText: string,
    loserTexts: readonly string[],
    { fillBlanks = false, values = {} }: MergeOptions = {},
  ): SaveResult {
    const master = open(user, type, masterText);
    if ('statusCode' in master) return refused(null, master);
    const losers = loserTexts.map((text) => open(user, type, text));
    return attempt(() => {
      for (const loser of losers) {
        if ('statusCode' in loser) return refused(master.id, loser);
        const filled = fillBlanks
          ? filledBlanks(type, rows.read(type, master.id) ?? {}, rows.read(type, loser.id) ?? {})
          : new Map();
        if (filled.size > 0) rows.update(type, master.id, filled);
        mergeInto(parts, user, type, { masterId: master.id, loserId: loser.id }, nowMs());
      }
      rows.update(type, master.id, changeStamps(user, nowMs()));
      return Object.keys(values).length === 0
        ? saved(master.id)
        : update(user, type, master.id, values);
    });
  }

  function vanish(type: ObjectType, id: string): void {
    for (const child of type.cascade) {
      const childType = catalogue.find(child.type);
      if (childType === undefined) continue;
      for (const childId of rows.childIds(childType, child.field, id, null)) {
        vanish(childType, childId);
      }
    }
    rows.vanish(type, id);
  }

  const { purge, read, listUpdates } = rows;
  return { insert, update, remove, undelete, merge, purge, vanish, read, listUpdates, transact };
}

/**
 * Returns the account of a contact. Writes to contacts of the same account wait for each other. Waiting for the same
 * account can lead to lock errors.
 */
function accountOf(type: ObjectType, id: string, row: Row): StoredValue | undefined {
  return type.name === 'Account' ? id : row['AccountId'];
}

function unsupported(type: ObjectType, operation: string): RecordError {
  const message = `entity type ${type.name} does not support ${operation}`;
  return recordError('INVALID_TYPE_FOR_OPERATION', message);
}

function twinError(id: string, field?: string): RecordError {
  const what = field === undefined ? 'duplicates' : `${field} duplicates`;
  const message = `duplicate value found: ${what} value on record with id: ${id}`;
  return recordError('DUPLICATE_VALUE', message);
}

/** Creates the error for a record that is not shared with the user. */
function notShared(id: string): RecordError {
  const message = `insufficient access rights on cross-reference id: ${id}`;
  return recordError('INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY', message);
}

/** The error for a user without permission for this part of the setup. */
const NO_RIGHT = recordError('INSUFFICIENT_ACCESS_OR_READONLY', NO_RIGHT_MESSAGE);

const DELETED = recordError('ENTITY_IS_DELETED', 'entity is deleted');
const UNKNOWN = recordError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id');
const NOT_IN_BIN = recordError('UNDELETE_FAILED', 'Entity is not in the recycle bin');

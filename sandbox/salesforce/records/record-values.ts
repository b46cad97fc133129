/** Converts the values of a record before the store writes them. */

import { type RecordError, recordError } from '../core/errors.ts';
import { hasPrefix, readId } from '../core/ids.ts';
import type { Access, User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import { type Field, isStored, type StoredValue } from '../metadata/field.ts';
import { checkFieldPermissions } from '../metadata/field-permissions.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import { NOT_OF_TYPE, readValue } from '../metadata/value.ts';
import { checkValue, missingFields, noSuchField, notEditable, wrongType } from './checks.ts';
import type { Row, Rows } from './rows.ts';

/** The values of a record in the form in which the client sent them. The map's key is the field. */
export type Values = Readonly<Record<string, unknown>>;

/** The values to write. The map's key is the field. */
export type Columns = Map<string, StoredValue>;

/** The values of the record itself, and the values of the contact if the record is a person account. */
export interface ReadValues {
  columns: Columns;
  person: Columns;
  errors: RecordError[];
}

/** The parts of an org that are necessary to convert values. */
export interface ValuesOrg {
  catalogue: Catalogue;
  access: Access;
  rows: Rows;
}

/** Converts the values of a record that the user wants to create or change. */
export function readValues(
  org: ValuesOrg,
  user: User,
  type: ObjectType,
  values: Values,
  right: 'createable' | 'updateable',
): ReadValues {
  const read: ReadValues = { columns: new Map(), person: new Map(), errors: [] };
  const forbidden: string[] = [];
  for (const [name, raw] of Object.entries(values)) {
    const field = findField(type, name);
    if (field === undefined || !org.access.canRead(user, type, field)) {
      read.errors.push(noSuchField(type, name));
    } else if (!field[right] || !org.access.canEdit(user, type, field)) {
      forbidden.push(field.name);
    } else {
      addValue(org, read, field, raw);
    }
  }
  if (forbidden.length > 0) read.errors.push(notEditable(forbidden));
  if (type.name === 'FieldPermissions') {
    read.errors.push(...checkFieldPermissions(org.catalogue, read.columns));
  }
  return read;
}

/** Returns the error for required fields without a value in `columns`. Checks either the given fields or all fields. */
export function findMissing(
  type: ObjectType,
  columns: Columns,
  which: 'given' | 'all',
): RecordError[] {
  const names = type.fields
    .filter((field) => isOwed(field) && (which === 'all' || columns.has(field.name)))
    .filter(({ name }) => (columns.get(name) ?? null) === null)
    .map(({ name }) => name);
  return names.length > 0 ? [missingFields(names)] : [];
}

/** Returns the default values of a new record. */
export function defaultColumns(type: ObjectType, user: User): Columns {
  const columns: Columns = new Map();
  for (const field of type.fields) {
    if (field.name === 'OwnerId') columns.set(field.name, user.id);
    else if (field.defaultValue !== undefined && isStored(field)) {
      columns.set(field.name, field.defaultValue);
    }
  }
  return columns;
}

/** Returns the columns that every change updates. */
export function changeStamps(user: User, atMs: number): Columns {
  return stampChange(new Map(), user, atMs);
}

export function stampChange(columns: Columns, user: User, atMs: number): Columns {
  return columns
    .set('LastModifiedDate', atMs)
    .set('LastModifiedById', user.id)
    .set('SystemModstamp', atMs);
}

export function newStamps(user: User, atMs: number): Columns {
  return changeStamps(user, atMs).set('CreatedDate', atMs).set('CreatedById', user.id);
}

/** Creates the error for an ID of the wrong object. */
export function wrongPrefix(type: ObjectType, text: string): RecordError {
  const message = `${type.label} ID: id value of incorrect type: ${text}`;
  return recordError('MALFORMED_ID', message, ['Id']);
}

function addValue(org: ValuesOrg, read: ReadValues, field: Field, raw: unknown): void {
  const value = readValue(field, raw);
  if (value === NOT_OF_TYPE) {
    read.errors.push(wrongType(field, raw));
    return;
  }
  const error = field.reference === undefined ? checkValue(field, value) : undefined;
  const broken = error ?? checkReference(org, field, value);
  if (broken !== undefined) read.errors.push(broken);
  else if (field.ofPerson !== undefined) read.person.set(field.ofPerson, value);
  else read.columns.set(field.name, toKept(field, value));
}

function checkReference(
  { catalogue, rows }: ValuesOrg,
  field: Field,
  value: StoredValue,
): RecordError | undefined {
  const target = field.reference && catalogue.find(field.reference.to);
  if (target === undefined || value === null) return undefined;
  const id = readId(String(value));
  if (id === null || !hasPrefix(id, target.keyPrefix)) return wrongPrefix(target, String(value));
  return checkTarget(rows.readState(target, id), id, field);
}

function checkTarget(row: Row | undefined, id: string, field: Field): RecordError | undefined {
  if (row === undefined) {
    const message = `insufficient access rights on cross-reference id: ${id}`;
    return recordError('INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY', message, [field.name]);
  }
  return row['IsDeleted'] === 1
    ? recordError('ENTITY_IS_DELETED', 'entity is deleted', [field.name])
    : undefined;
}

/** Converts a value to its stored form. IDs are stored with 18 characters. */
function toKept(field: Field, value: StoredValue): StoredValue {
  return field.reference === undefined || value === null ? value : readId(String(value));
}

/** Returns true if the client must fill the field. A calculated field always has a value. */
function isOwed(field: Field): boolean {
  return field.required && field.createable && isStored(field);
}

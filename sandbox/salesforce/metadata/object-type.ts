/** A type of records, for example Contact. */

import { defineField, type Field, lookup, readOnly } from './field.ts';

/**
 * An object, which is Salesforce's term for a type of records. An object has a name, fields, and the operations that
 * its records allow.
 */
export interface ObjectType {
  name: string;
  label: string;
  labelPlural: string;
  /** The first three characters of the record IDs. */
  keyPrefix: string;
  custom: boolean;
  createable: boolean;
  updateable: boolean;
  deletable: boolean;
  /** True if two records of this object can be merged. */
  mergeable: boolean;
  /** True if only the Tooling API offers the object. */
  toolingOnly: boolean;
  /** Groups of fields whose combined values must be unique. */
  unique: readonly (readonly string[])[];
  /** The child records that are deleted together with their parent. */
  cascade: readonly { type: string; field: string }[];
  fields: Field[];
  /** The fields by name in lower case, because the names of fields are not case-sensitive. */
  fieldsByName: Map<string, Field>;
}

/** The properties in which an object differs from the default. */
export interface ObjectTraits extends Partial<Omit<ObjectType, 'fieldsByName' | 'fields'>> {
  name: string;
  label: string;
  keyPrefix: string;
  fields: readonly Field[];
}

export function defineObject({ fields, ...traits }: ObjectTraits): ObjectType {
  const merged = traits.mergeable === true ? [mergedInto(traits.name)] : [];
  const all = [...systemFields(), ...merged, ...fields];
  return {
    labelPlural: `${traits.label}s`,
    custom: false,
    createable: true,
    updateable: true,
    deletable: true,
    mergeable: false,
    toolingOnly: false,
    unique: [],
    cascade: [],
    ...traits,
    fields: all,
    fieldsByName: new Map(all.map((field) => [field.name.toLowerCase(), field])),
  };
}

export function addField(type: ObjectType, field: Field): void {
  type.fields.push(field);
  type.fieldsByName.set(field.name.toLowerCase(), field);
}

export function removeField(type: ObjectType, field: Field): void {
  type.fields = type.fields.filter(({ name }) => name !== field.name);
  type.fieldsByName.delete(field.name.toLowerCase());
}

export function replaceField(type: ObjectType, field: Field): void {
  type.fields = type.fields.map((one) => (one.name === field.name ? field : one));
  type.fieldsByName.set(field.name.toLowerCase(), field);
}

/** Finds a field by name. Letter case is ignored. */
export function findField(type: ObjectType, name: string): Field | undefined {
  return type.fieldsByName.get(name.toLowerCase());
}

function systemFields(): Field[] {
  return [
    defineField('Id', 'Record ID', 'id', { required: true }),
    defineField('IsDeleted', 'Deleted', 'boolean', { required: true }),
    defineField('CreatedDate', 'Created Date', 'datetime', { required: true }),
    lookup('CreatedById', 'Created By ID', { to: 'User', relationship: 'CreatedBy' }),
    defineField('LastModifiedDate', 'Last Modified Date', 'datetime', { required: true }),
    lookup('LastModifiedById', 'Last Modified By ID', {
      to: 'User',
      relationship: 'LastModifiedBy',
    }),
    defineField('SystemModstamp', 'System Modstamp', 'datetime', { required: true }),
  ].map(readOnly);
}

function mergedInto(name: string): Field {
  const reference = { to: name, relationship: 'MasterRecord' };
  return readOnly(lookup('MasterRecordId', 'Master Record ID', reference));
}

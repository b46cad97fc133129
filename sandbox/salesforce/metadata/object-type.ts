/** One kind of records, for example Contact. */

import { defineField, type Field, lookup, readOnly } from './field.ts';

/** An object in Salesforce's sense: a name, fields, and what may be done with its records. */
export interface ObjectType {
  name: string;
  label: string;
  labelPlural: string;
  /** The first three characters of its ids. */
  keyPrefix: string;
  custom: boolean;
  createable: boolean;
  updateable: boolean;
  deletable: boolean;
  /** Whether two records can be made one. */
  mergeable: boolean;
  /** Whether only the tooling API shows it. */
  toolingOnly: boolean;
  /** Groups of fields that no two records share. */
  unique: readonly (readonly string[])[];
  /** Children that go when their parent goes. */
  cascade: readonly { type: string; field: string }[];
  fields: Field[];
  /** The same by name in lower case: names of fields do not tell upper from lower case. */
  fieldsByName: Map<string, Field>;
}

/** What makes an object differ from the defaults. */
export interface ObjectTraits extends Partial<Omit<ObjectType, 'fieldsByName' | 'fields'>> {
  name: string;
  label: string;
  keyPrefix: string;
  fields: readonly Field[];
}

/** Makes an object, with the fields that every object has. */
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

/** Adds a field to an object. */
export function addField(type: ObjectType, field: Field): void {
  type.fields.push(field);
  type.fieldsByName.set(field.name.toLowerCase(), field);
}

/** Takes a field away. */
export function removeField(type: ObjectType, field: Field): void {
  type.fields = type.fields.filter(({ name }) => name !== field.name);
  type.fieldsByName.delete(field.name.toLowerCase());
}

/** Puts a changed field in the place of the one of the same name. */
export function replaceField(type: ObjectType, field: Field): void {
  type.fields = type.fields.map((one) => (one.name === field.name ? field : one));
  type.fieldsByName.set(field.name.toLowerCase(), field);
}

/** The field of a name, in whatever case it is written. */
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

/** Custom fields in the form of the Tooling API, and in the form in which the org stores them. */

import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';
import type { Catalogue } from './catalogue.ts';
import { defineField, type Field } from './field.ts';
import { findField, type ObjectType } from './object-type.ts';

const picklistSchema = z.looseObject({
  restricted: z.boolean().nullish(),
  valueSetDefinition: z.looseObject({
    value: z.array(
      z.looseObject({
        fullName: z.string().nullish(),
        valueName: z.string().nullish(),
        label: z.string().nullish(),
      }),
    ),
  }),
});

/** The body of a Tooling API request that creates a field. */
export const customFieldSchema = z.looseObject({
  FullName: z.string(),
  Metadata: z.looseObject({
    label: z.string().nullish(),
    type: z.string().nullish(),
    description: z.string().nullish(),
    length: z.number().nullish(),
    precision: z.number().nullish(),
    scale: z.number().nullish(),
    required: z.boolean().nullish(),
    externalId: z.boolean().nullish(),
    unique: z.boolean().nullish(),
    visibleLines: z.number().nullish(),
    defaultValue: z.unknown().optional(),
    valueSet: picklistSchema.nullish(),
  }),
});

/** A request to create a field. */
export type CustomFieldOrder = z.output<typeof customFieldSchema>;

/**
 * The body of a Tooling API request that changes a field. The request's body contains the field's complete metadata.
 */
export const fieldChangeSchema = customFieldSchema.partial({ FullName: true });

type Metadata = CustomFieldOrder['Metadata'];

/**
 * Returns the object and the field that a request names. Throws a SalesforceError that names the missing parts of the
 * request.
 */
export function readCustomField(
  catalogue: Catalogue,
  { FullName, Metadata }: CustomFieldOrder,
): { type: ObjectType; field: Field } {
  const [typeName = '', fieldName = ''] = FullName.split('.');
  const type = catalogue.find(typeName);
  if (type === undefined) {
    throw integrityError(
      `Entity Enumeration Or ID: bad value for restricted picklist field: ${typeName}`,
    );
  }
  if (!/^[a-zA-Z](?:_?[a-zA-Z0-9])*__c$/.test(fieldName)) throw integrityError(BAD_NAME);
  const developerName = fieldName.replace(/__c$/, '');
  if (developerName.length > MAX_NAME_LENGTH) throw integrityError(BAD_NAME);
  if (findField(type, fieldName) !== undefined) {
    throw new SalesforceError(
      400,
      'DUPLICATE_DEVELOPER_NAME',
      `There is already a field named ${developerName} on ${type.label}.`,
      { fields: [] },
    );
  }
  return { type, field: defineCustomField(fieldName, Metadata) };
}

const MAX_NAME_LENGTH = 40;

const BAD_NAME =
  'Field Name: The field name can only contain alphanumeric characters, must begin with a letter, cannot end with an underscore or contain two consecutive underscore characters, and must be unique across all fields';

/** Creates a field from metadata. Throws a SalesforceError that names the missing parts. */
export function defineCustomField(name: string, metadata: Metadata): Field {
  const { label, type } = metadata;
  if (typeof label !== 'string' || label === '') throw missing('label');
  if (typeof type !== 'string') throw missing('type');
  const kind = KINDS[type];
  if (kind === undefined) throw integrityError(`The type ${type} is not known to this org.`);
  const traits = {
    custom: true,
    needsGrant: true,
    externalId: metadata.externalId ?? false,
    unique: metadata.unique ?? false,
  };
  return defineField(name, label, kind.type, { ...traits, ...kind.read(metadata) });
}

type Traits = Partial<Field>;

/** For each type in the metadata, the type name in the API and the details that the type needs. */
const KINDS: Partial<Record<string, { type: Field['type']; read(metadata: Metadata): Traits }>> = {
  Text: { type: 'string', read: (metadata) => ({ length: given(metadata, 'length', 255) }) },
  TextArea: { type: 'textarea', read: () => ({ length: 255 }) },
  LongTextArea: { type: 'textarea', read: readLongText },
  Html: { type: 'textarea', read: readLongText },
  Number: { type: 'double', read: readNumber },
  Currency: { type: 'currency', read: readNumber },
  Percent: { type: 'percent', read: readNumber },
  Checkbox: { type: 'boolean', read: readCheckbox },
  Date: { type: 'date', read: () => ({}) },
  DateTime: { type: 'datetime', read: () => ({}) },
  Email: { type: 'email', read: () => ({}) },
  Phone: { type: 'phone', read: () => ({}) },
  Url: { type: 'url', read: () => ({}) },
  Picklist: { type: 'picklist', read: readPicklist },
  MultiselectPicklist: { type: 'multipicklist', read: readMultiselect },
};

const MAX_LONG_TEXT = 131_072;
const MAX_DIGITS = 18;

function readLongText(metadata: Metadata): Traits {
  given(metadata, 'visibleLines', 50);
  return { length: given(metadata, 'length', MAX_LONG_TEXT) };
}

function readNumber(metadata: Metadata): Traits {
  const precision = given(metadata, 'precision', MAX_DIGITS);
  const scale = given(metadata, 'scale', MAX_DIGITS);
  if (scale <= precision) return { precision, scale };
  throw integrityError('Scale may not be greater than precision.');
}

function readCheckbox({ defaultValue }: Metadata): Traits {
  if (defaultValue === undefined || defaultValue === null) {
    throw integrityError("Must specify 'defaultValue' for a CustomField of type Checkbox");
  }
  return { required: true, defaultValue: String(defaultValue) === 'true' ? 1 : 0 };
}

function readPicklist({ valueSet }: Metadata): Traits {
  if (valueSet === undefined || valueSet === null) {
    throw integrityError("Must specify 'valueSet' for a CustomField of type Picklist");
  }
  const values = valueSet.valueSetDefinition.value.map(
    ({ fullName, valueName, label }) => fullName ?? valueName ?? label ?? '',
  );
  return { length: 255, picklist: values, restricted: valueSet.restricted ?? false };
}

function readMultiselect(metadata: Metadata): Traits {
  given(metadata, 'visibleLines', 10);
  return { ...readPicklist(metadata), length: 4099 };
}

function given(
  metadata: Metadata,
  name: 'length' | 'precision' | 'scale' | 'visibleLines',
  most: number,
): number {
  const value = metadata[name];
  if (value === undefined || value === null) {
    throw integrityError(`Must specify '${name}' for a CustomField of type ${metadata.type}`);
  }
  if (value >= 0 && value <= most) return value;
  throw integrityError(`The value of ${name} must be from 0 to ${most}.`);
}

function missing(name: string): SalesforceError {
  const message = `Required fields are missing: [${name}]`;
  return new SalesforceError(400, 'REQUIRED_FIELD_MISSING', message, { fields: [name] });
}

function integrityError(message: string): SalesforceError {
  return new SalesforceError(400, 'FIELD_INTEGRITY_EXCEPTION', message, { fields: [] });
}

/** A field of an object, in the form of `describe` and in the form of the database. */

import { z } from 'zod';

/** The field types that the stand-in supports, with Salesforce's names. */
export const FIELD_TYPES = [
  'id',
  'string',
  'textarea',
  'email',
  'phone',
  'url',
  'picklist',
  'multipicklist',
  'boolean',
  'int',
  'double',
  'currency',
  'percent',
  'date',
  'datetime',
  'reference',
  'address',
] as const;

export type FieldType = (typeof FIELD_TYPES)[number];

const referenceSchema = z.object({
  /** The object to which the reference leads. */
  to: z.string(),
  /** The name of the relationship in SOQL, for example `Account` in `Account.Name`. */
  relationship: z.string(),
  /** The name of the relationship from the parent, for example `Contacts` in `(SELECT Id FROM Contacts)`. */
  children: z.string().optional(),
  /** The other objects, if the reference can lead to several objects. The other objects have no records in this org. */
  others: z.array(z.string()).optional(),
});

/** The schema of a field. The database stores custom fields in this form. */
export const fieldSchema = z.object({
  name: z.string(),
  label: z.string(),
  type: z.enum(FIELD_TYPES),
  /** The maximum number of characters, or 0 if the type has no length. */
  length: z.number().int().default(0),
  /** The total number of digits, and the number of digits after the decimal point. */
  precision: z.number().int().default(0),
  scale: z.number().int().default(0),
  /** True if every record must have a value. */
  required: z.boolean().default(false),
  createable: z.boolean().default(true),
  updateable: z.boolean().default(true),
  custom: z.boolean().default(false),
  externalId: z.boolean().default(false),
  /** True if each record must have a different value. */
  unique: z.boolean().default(false),
  picklist: z.array(z.string()).default([]),
  /** True if values that are not in the picklist are refused. */
  restricted: z.boolean().default(false),
  reference: referenceSchema.optional(),
  /** The default value of the field in a new record. */
  defaultValue: z.union([z.string(), z.number()]).optional(),
  /** The SQL expression of a calculated field. `{t}` represents the field's table. */
  expression: z.string().optional(),
  /** The compound field to which this field belongs, for example `MailingAddress`. */
  compound: z.string().optional(),
  /** Only in person accounts. The field of the contact that this field shows. */
  ofPerson: z.string().optional(),
  /** True if users can see the field only with a permission set. If the value is false, all users can see the field. */
  needsGrant: z.boolean().default(false),
});

export type Field = z.output<typeof fieldSchema>;

/** The properties in which a field differs from the default. */
export type FieldTraits = Omit<z.input<typeof fieldSchema>, 'name' | 'label' | 'type'>;

/** A value as the database stores it. Booleans are 0 and 1, and times are milliseconds since 1970. */
export type StoredValue = string | number | null;

const FIXED_LENGTHS: Partial<Record<FieldType, number>> = {
  id: 18,
  reference: 18,
  email: 80,
  phone: 40,
  url: 255,
  picklist: 255,
};

export function defineField(
  name: string,
  label: string,
  type: FieldType,
  traits: FieldTraits = {},
): Field {
  return fieldSchema.parse({ length: FIXED_LENGTHS[type] ?? 0, ...traits, name, label, type });
}

/** Creates a single-line text field. */
export function text(name: string, label: string, length: number, traits?: FieldTraits): Field {
  return defineField(name, label, 'string', { ...traits, length });
}

export function lookup(
  name: string,
  label: string,
  reference: z.input<typeof referenceSchema>,
  traits?: FieldTraits,
): Field {
  return defineField(name, label, 'reference', { ...traits, reference });
}

/** Returns a copy of the field that only the org can write. */
export function readOnly(field: Field): Field {
  return { ...field, createable: false, updateable: false };
}

/** Creates an address field with its parts. `prefix` is, for example, `Mailing`. */
export function addressFields(prefix: string, label: string, traits: FieldTraits = {}): Field[] {
  const compound = `${prefix}Address`;
  const part = { ...traits, compound };
  return [
    defineField(`${prefix}Street`, `${label} Street`, 'textarea', { ...part, length: 255 }),
    text(`${prefix}City`, `${label} City`, 40, part),
    text(`${prefix}State`, `${label} State/Province`, 80, part),
    text(`${prefix}PostalCode`, `${label} Zip/Postal Code`, 20, part),
    text(`${prefix}Country`, `${label} Country`, 80, part),
    readOnly(defineField(compound, `${label} Address`, 'address')),
  ];
}

/** Returns true if the table has a column for the field. The values of other fields are computed in each query. */
export function isStored(field: Field): boolean {
  return field.type !== 'address' && field.expression === undefined;
}

/** Returns true if the field's permissions can be changed. All users can see a required field. */
export function isGrantable(field: Field): boolean {
  const isOwed = field.required && field.type !== 'boolean';
  return !isOwed && (field.createable || field.updateable);
}

/** Returns true if SOQL compares the field's values as text. Letter case is then ignored. */
export function isText(field: Field): boolean {
  return TEXT_TYPES.has(field.type);
}

/** Returns true if the field's values are numbers. */
export function isNumeric(field: Field): boolean {
  return NUMERIC_TYPES.has(field.type);
}

const TEXT_TYPES = new Set<FieldType>([
  'string',
  'textarea',
  'email',
  'phone',
  'url',
  'picklist',
  'multipicklist',
]);

const NUMERIC_TYPES = new Set<FieldType>(['int', 'double', 'currency', 'percent']);

/** One field of an object, as `describe` shows it and as the database stores it. */

import { z } from 'zod';

/** The field types that this org supports, by Salesforce's names. */
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
  /** The object that the reference points to. */
  to: z.string(),
  /** The relationship name in SOQL, for example `Account` in `Account.Name`. */
  relationship: z.string(),
  /** The child relationship name, for example `Contacts` in `(SELECT Id FROM Contacts)`. */
  children: z.string().optional(),
  /** For a reference to several objects: the other objects. They have no records in this org. */
  others: z.array(z.string()).optional(),
});

/** The database stores custom fields in this form. */
export const fieldSchema = z.object({
  name: z.string(),
  label: z.string(),
  type: z.enum(FIELD_TYPES),
  /** The maximum number of characters, or 0 if that has no meaning for the type. */
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
  /** SQL of a calculated field. `{t}` represents the table from which it is calculated. */
  expression: z.string().optional(),
  /** The compound field that this field is part of, for example `MailingAddress`. */
  compound: z.string().optional(),
  /** In person accounts: the contact field that this field represents. */
  ofPerson: z.string().optional(),
  /**
   * True if users see the field only with a permission set that grants it. If this is false, every user sees the field.
   */
  needsGrant: z.boolean().default(false),
});

export type Field = z.output<typeof fieldSchema>;

/** The properties of a field that differ from the defaults. */
export type FieldTraits = Omit<z.input<typeof fieldSchema>, 'name' | 'label' | 'type'>;

/** A value as the database stores it: booleans as 0 and 1, times in milliseconds since 1970. */
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

/** Returns the field as a field that only the org can fill. */
export function readOnly(field: Field): Field {
  return { ...field, createable: false, updateable: false };
}

/** Creates an address and its parts. `prefix` is, for example, `Mailing`. */
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

/** True if the field is a column of the table. Other fields are computed during a query. */
export function isStored(field: Field): boolean {
  return field.type !== 'address' && field.expression === undefined;
}

/** True if its permissions can be granted. A field that every record must have is visible to every user. */
export function isGrantable(field: Field): boolean {
  const isOwed = field.required && field.type !== 'boolean';
  return !isOwed && (field.createable || field.updateable);
}

/** True if SOQL compares its values as strings and ignores case. */
export function isText(field: Field): boolean {
  return TEXT_TYPES.has(field.type);
}

/** True if its values are numbers. */
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

/** One field of an object, as `describe` shows it and as the database keeps it. */

import { z } from 'zod';

/** The types of fields that this org knows, by Salesforce's names. */
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

/** A type of fields. */
export type FieldType = (typeof FIELD_TYPES)[number];

const referenceSchema = z.object({
  /** The object that is pointed to. */
  to: z.string(),
  /** The name that leads there in SOQL, for example `Account` in `Account.Name`. */
  relationship: z.string(),
  /** The name that leads back, for example `Contacts` in `(SELECT Id FROM Contacts)`. */
  children: z.string().optional(),
  /** Of a reference that can lead to several objects: the others, of which this org has no records. */
  others: z.array(z.string()).optional(),
});

/** A field; custom fields are kept in this form in the database. */
export const fieldSchema = z.object({
  name: z.string(),
  label: z.string(),
  type: z.enum(FIELD_TYPES),
  /** The most characters; 0 where that has no meaning. */
  length: z.number().int().default(0),
  /** Digits in all of a number, and those behind its point. */
  precision: z.number().int().default(0),
  scale: z.number().int().default(0),
  /** Whether a record must have it. */
  required: z.boolean().default(false),
  createable: z.boolean().default(true),
  updateable: z.boolean().default(true),
  custom: z.boolean().default(false),
  externalId: z.boolean().default(false),
  /** Whether no two records may have the same value. */
  unique: z.boolean().default(false),
  picklist: z.array(z.string()).default([]),
  /** Whether other values than those of the picklist are refused. */
  restricted: z.boolean().default(false),
  reference: referenceSchema.optional(),
  /** What a new record has if nothing else is said. */
  defaultValue: z.union([z.string(), z.number()]).optional(),
  /** SQL of a calculated field, with `{t}` for the table it is calculated from. */
  expression: z.string().optional(),
  /** The compound field that this one is a part of, for example `MailingAddress`. */
  compound: z.string().optional(),
  /** The field of the person behind a person account that this one stands for. */
  ofPerson: z.string().optional(),
  /** Whether users see it only if a permission set says so; otherwise every user does. */
  needsGrant: z.boolean().default(false),
});

/** A field. */
export type Field = z.output<typeof fieldSchema>;

/** What makes a field differ from the defaults. */
export type FieldTraits = Omit<z.input<typeof fieldSchema>, 'name' | 'label' | 'type'>;

/** A value as the database keeps it: booleans as 0 and 1, moments in milliseconds since 1970. */
export type StoredValue = string | number | null;

/** Salesforce's lengths of fields that have a fixed one. */
const FIXED_LENGTHS: Partial<Record<FieldType, number>> = {
  id: 18,
  reference: 18,
  email: 80,
  phone: 40,
  url: 255,
  picklist: 255,
};

/** Makes a field. */
export function defineField(
  name: string,
  label: string,
  type: FieldType,
  traits: FieldTraits = {},
): Field {
  return fieldSchema.parse({ length: FIXED_LENGTHS[type] ?? 0, ...traits, name, label, type });
}

/** A text of one line. */
export function text(name: string, label: string, length: number, traits?: FieldTraits): Field {
  return defineField(name, label, 'string', { ...traits, length });
}

/** A lookup to another object. */
export function lookup(
  name: string,
  label: string,
  reference: z.input<typeof referenceSchema>,
  traits?: FieldTraits,
): Field {
  return defineField(name, label, 'reference', { ...traits, reference });
}

/** A field that is filled by the org itself. */
export function readOnly(field: Field): Field {
  return { ...field, createable: false, updateable: false };
}

/** An address and its parts; `prefix` is for example `Mailing`. */
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

/** Whether the field is a column of the table; the others are put together when they are asked for. */
export function isStored(field: Field): boolean {
  return field.type !== 'address' && field.expression === undefined;
}

/** Whether permissions can be given for it: every user sees what every record must have. */
export function isGrantable(field: Field): boolean {
  const isOwed = field.required && field.type !== 'boolean';
  return !isOwed && (field.createable || field.updateable);
}

/** Whether SOQL compares its values as texts, without regard to case. */
export function isText(field: Field): boolean {
  return TEXT_TYPES.has(field.type);
}

/** Whether its values are numbers. */
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

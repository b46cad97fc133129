/** A property of an object type: what it is, and how the API shows it. */

import { z } from 'zod';

/** What values a property may have. */
export const propertyTypeSchema = z.enum([
  'bool',
  'date',
  'datetime',
  'enumeration',
  'number',
  'phone_number',
  'string',
]);

/** What of a person's life a property may hold (HubSpot's Sensitive Data, Enterprise). */
export const DATA_SENSITIVITIES = ['non_sensitive', 'sensitive'] as const;

/** How a property is shown in forms; the values are those that fit each type. */
export const FIELD_TYPES: Readonly<Record<z.infer<typeof propertyTypeSchema>, readonly string[]>> =
  {
    bool: ['booleancheckbox', 'calculation_equation'],
    date: ['date'],
    datetime: ['date'],
    enumeration: ['booleancheckbox', 'checkbox', 'radio', 'select', 'calculation_equation'],
    number: ['number', 'calculation_equation'],
    phone_number: ['phonenumber'],
    string: ['text', 'textarea', 'file', 'html', 'phonenumber', 'calculation_equation'],
  };

/** How a number is shown. */
export const NUMBER_DISPLAY_HINTS = [
  'unformatted',
  'formatted',
  'currency',
  'percentage',
  'duration',
  'probability',
] as const;

/** What says how a number is to be read: versions until 2026-03 set it, and all of them show it. */
export const numberHints = {
  numberDisplayHint: z.enum(NUMBER_DISPLAY_HINTS).optional(),
  showCurrencySymbol: z.boolean().optional(),
  /** The property with the code of the currency in which the amount is; the company currency without one. */
  currencyPropertyName: z.string().optional(),
};

/** A choice of an enumeration, as it is given and as it is shown. */
export const optionSchema = z.object({
  label: z.string().min(1),
  value: z.string(),
  description: z.string().optional(),
  displayOrder: z.number().int().default(-1),
  hidden: z.boolean().default(false),
});

/** What can be said of a property; the same as the API shows, but for what follows from it. */
export const propertyDefinitionSchema = z.object({
  name: z.string(),
  label: z.string(),
  type: propertyTypeSchema,
  fieldType: z.string(),
  groupName: z.string(),
  description: z.string().default(''),
  options: z.array(optionSchema).default([]),
  displayOrder: z.number().int().default(-1),
  hasUniqueValue: z.boolean().default(false),
  hidden: z.boolean().default(false),
  formField: z.boolean().default(false),
  calculationFormula: z.string().optional(),
  externalOptions: z.boolean().default(false),
  ...numberHints,
  /** Only HubSpot's own: every write of it is refused. */
  readOnly: z.boolean().default(false),
  calculated: z.boolean().default(false),
  hubspotDefined: z.boolean().default(false),
  /** Fixed when it is made; values of other than `non_sensitive` ones need scopes of their own. */
  dataSensitivity: z.enum(DATA_SENSITIVITIES).default('non_sensitive'),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  userId: z.number().optional(),
});

/** A property. */
export type PropertyDefinition = z.output<typeof propertyDefinitionSchema>;

/** A property as it is kept. */
export interface Property extends PropertyDefinition {
  archivedAtMs: number | null;
}

/** Whether only HubSpot can set its value. */
export function isReadOnly({ readOnly, calculated }: PropertyDefinition): boolean {
  return readOnly || calculated;
}

/** A property as the API shows it. */
export function propertyBody(property: Property) {
  const { archivedAtMs, createdAtMs, updatedAtMs, userId, readOnly, hubspotDefined, ...shown } =
    property;
  const archived = archivedAtMs !== null;
  return {
    updatedAt: isoTime(updatedAtMs),
    createdAt: isoTime(createdAtMs),
    ...shown,
    ...(userId === undefined ? {} : { createdUserId: `${userId}`, updatedUserId: `${userId}` }),
    ...(archived ? { archivedAt: isoTime(archivedAtMs) } : {}),
    archived,
    hubspotDefined,
    modificationMetadata: {
      archivable: !hubspotDefined,
      readOnlyDefinition: hubspotDefined,
      ...(property.type === 'enumeration' ? { readOnlyOptions: hubspotDefined } : {}),
      readOnlyValue: readOnly || property.calculated,
    },
  };
}

/** A time as the API writes it, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

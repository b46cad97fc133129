/** A property of an object type: its definition and its form in the API. */

import { z } from 'zod';

export const propertyTypeSchema = z.enum([
  'bool',
  'date',
  'datetime',
  'enumeration',
  'number',
  'phone_number',
  'string',
]);

/** The sensitivity of a property's personal data (HubSpot's Sensitive Data, Enterprise). */
export const DATA_SENSITIVITIES = ['non_sensitive', 'sensitive'] as const;

/** The form elements that a property can have, by the property's type. */
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

/** The formats in which users see a number. */
const NUMBER_DISPLAY_HINTS = [
  'unformatted',
  'formatted',
  'currency',
  'percentage',
  'duration',
  'probability',
] as const;

/** Hints about the meaning of a number. API versions up to 2026-03 accept the hints, and all versions return them. */
export const numberHints = {
  numberDisplayHint: z.enum(NUMBER_DISPLAY_HINTS).optional(),
  showCurrencySymbol: z.boolean().optional(),
  /**
   * The property that contains the currency code of the amount. Without a currency property, the amount is in the
   * company currency.
   */
  currencyPropertyName: z.string().optional(),
};

/** An option of an enumeration property, in the form that requests and responses use. */
export const optionSchema = z.object({
  label: z.string().min(1),
  value: z.string(),
  description: z.string().optional(),
  displayOrder: z.number().int().default(-1),
  hidden: z.boolean().default(false),
});

/** The definition of a property, with the members that the API returns, except derived members. */
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
  /** True if the API rejects every write of the property. Only a property that HubSpot defines can have this value. */
  readOnly: z.boolean().default(false),
  calculated: z.boolean().default(false),
  hubspotDefined: z.boolean().default(false),
  /**
   * The sensitivity, which cannot change after the property has been created. Unless it is `non_sensitive`, a token
   * needs additional scopes for the property's values.
   */
  dataSensitivity: z.enum(DATA_SENSITIVITIES).default('non_sensitive'),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  userId: z.number().optional(),
});

export type PropertyDefinition = z.output<typeof propertyDefinitionSchema>;

/** A stored property. */
export interface Property extends PropertyDefinition {
  archivedAtMs: number | null;
}

/** Returns true if only HubSpot can write the property. */
export function isReadOnly({ readOnly, calculated }: PropertyDefinition): boolean {
  return readOnly || calculated;
}

/** Returns a property as the API shows it. */
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

/** Formats a time as the API does, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

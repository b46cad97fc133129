import type { MoneyField } from './money.ts';

/**
 * Field types that every CRM has, possibly under another name. A `percent` field contains the number that users see.
 * For a share of 0.72, this number is 72. A connector converts the share if its CRM stores one.
 */
export const CRM_FIELD_TYPES = [
  'text',
  'longText',
  'url',
  'integer',
  'number',
  'currency',
  'percent',
  'boolean',
  'date',
  'datetime',
  'picklist',
  'multiPicklist',
] as const;

export type CrmFieldType = (typeof CRM_FIELD_TYPES)[number];

/**
 * Dates look like `2026-11-20` and instants like `2026-11-20T02:00:00.000Z`. Multiple choices are joined by `;` in the
 * picklist's order. Blank text is null.
 */
export type FieldValue = string | number | boolean | null;

export type FieldValues = Readonly<Record<string, FieldValue>>;

export interface CrmField {
  /** The API name, for example `Donor_Net_Worth_Low__c`. */
  name: string;
  label: string;
  type: CrmFieldType;
  /**
   * The maximum length of a text value in characters, or null if the CRM sets no limit. A line break counts as two
   * characters.
   */
  maxLength: number | null;
  /** The maximum number of digits before the decimal point, or null if there is no limit. */
  integerDigits: number | null;
  /** The number of digits after the decimal point, or null if there is no limit. */
  decimalDigits: number | null;
  /** The values that a picklist accepts. Empty for other types. */
  options: readonly string[];
  /** True if a picklist accepts only its own options. */
  restricted: boolean;
  writable: boolean;
  /** The identity's part that this field contains. Omitted if none is. */
  readAs?: 'name' | 'address' | 'employer';
  /** Set for currency fields in a CRM that uses currencies other than US dollars. Omitted for other fields. */
  money?: MoneyField;
}

/**
 * Creates a writable field for any text, such as a column of a file. Takes only the name, so connectors can map lists
 * of names.
 */
export function plainField(name: string): CrmField {
  return {
    name,
    label: name,
    type: 'text',
    maxLength: null,
    integerDigits: null,
    decimalDigits: null,
    options: [],
    restricted: false,
    writable: true,
  };
}

/** A field to be created in the CRM. */
export interface FieldSpec {
  name: string;
  /** The label, with at most 40 characters. */
  label: string;
  type: CrmFieldType;
  /** The maximum length of a text value in characters. */
  maxLength?: number;
  /** If omitted, every value is accepted. */
  options?: readonly string[];
  /** The purpose of the field, as shown to the CRM's users. */
  description: string;
}

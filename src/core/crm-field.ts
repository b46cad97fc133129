import type { MoneyField } from './money.ts';

/**
 * Field types that every CRM has, although their names differ. A `percent` field contains the number that users see,
 * such as 72 for a share of 0.72. If the CRM stores a share, the connector converts it.
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
 * The value of a field. Dates look like `2026-11-20` and times like `2026-11-20T02:00:00.000Z`. Several choices are
 * joined with `;` in the order of the picklist. Blank text is null.
 */
export type FieldValue = string | number | boolean | null;

export type FieldValues = Readonly<Record<string, FieldValue>>;

export interface CrmField {
  /** The API name, for example `Donor_Net_Worth_Low__c`. */
  name: string;
  label: string;
  type: CrmFieldType;
  /**
   * The maximum length of a text value in characters, or null if there is no limit. A line break counts as two
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
  /**
   * The part of a contact's identity that this field contains. Omitted if the field contains no part of the identity.
   */
  readAs?: 'name' | 'address' | 'employer';
  /** The currency of the field. Set in a CRM that uses currencies other than US dollars. Omitted for other fields. */
  money?: MoneyField;
}

/**
 * Creates a field for any text, such as a column of a file. The function takes only the name, so that connectors can
 * use it with `map`.
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
  /** The options of a picklist. If omitted, the field accepts every value. */
  options?: readonly string[];
  /** The purpose of the field. Users of the CRM see this text. */
  description: string;
}

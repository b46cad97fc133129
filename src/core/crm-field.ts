import type { MoneyField } from './money.ts';

/**
 * The kinds of field that every CRM has, under some name. A `percent` field contains the number that users see, 72 for
 * a share of 0.72. If a CRM stores the share, its connector converts it.
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
 * A CRM field's value in canonical form, so equal values are `===`. Numbers are numbers, dates have the form
 * `2026-11-20`, and instants the form `2026-11-20T02:00:00.000Z`. Several selected values are joined by `;` in the
 * order of the picklist. Blank (empty or white space) is null.
 */
export type FieldValue = string | number | boolean | null;

/** Field values by field name. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** A field of the CRM's contact as the CRM describes it. */
export interface CrmField {
  /** The API name, for example `Donor_Net_Worth_Low__c`. */
  name: string;
  /** The name that users see. */
  label: string;
  type: CrmFieldType;
  /**
   * The maximum length of a text in characters, or null if the CRM sets no limit. A line break counts as two
   * characters.
   */
  maxLength: number | null;
  /** The maximum number of digits before the decimal point, or null if there is no limit. */
  integerDigits: number | null;
  /** The number of digits after the decimal point, or null if there is no limit. */
  decimalDigits: number | null;
  /** The values of a picklist that may be written. Empty for other types. */
  options: readonly string[];
  /** True if a picklist accepts only its own options. */
  restricted: boolean;
  /** False if the integration's user may not write it. */
  writable: boolean;
  /** The part of the identity that is read from the field. Omitted if none is. */
  readAs?: 'name' | 'address' | 'employer';
  /** For a currency field in a CRM with other currencies than US dollars. Omitted for other fields. */
  money?: MoneyField;
}

/**
 * Creates a writable field for any text, such as a column of a file. The name is the only parameter, so connectors can
 * map lists of names with this function.
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
  /** At most 40 characters. */
  label: string;
  type: CrmFieldType;
  /** The maximum length of a text in characters. */
  maxLength?: number;
  /** The values that a text may have, for a CRM that offers them in a list. If omitted, any value. */
  options?: readonly string[];
  /** The purpose of the field, as shown to the CRM's users. */
  description: string;
}

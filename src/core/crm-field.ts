import type { MoneyField } from './money.ts';

/** The kinds of field that every CRM has under one name or another. */
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
 * A value of a CRM field in canonical form, in which equal values are `===`. Numbers are numbers,
 * dates `2026-11-20`, instants `2026-11-20T02:00:00.000Z`, and several picked values are joined by
 * `;` in the order of the picklist. Blank (empty or white space) is null.
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
  /** Maximum number of characters of a text; null if the CRM sets no limit. */
  maxLength: number | null;
  /** Maximum number of digits before the decimal point of a number; null if there is no limit. */
  integerDigits: number | null;
  /** Digits after the decimal point of a number; null if there is no limit. */
  decimalDigits: number | null;
  /** The values of a picklist that may be written; empty for other types. */
  options: readonly string[];
  /** True if a picklist accepts only its options. */
  restricted: boolean;
  /** False if the integration's user may not write it. */
  writable: boolean;
  /** For a field of the identity: the part that is read from it. Omitted for all other fields. */
  readAs?: 'name' | 'address' | 'employer';
  /** For a currency field in a CRM that has other currencies than US dollars; omitted elsewhere. */
  money?: MoneyField;
}

/**
 * A writable field for any text, such as a column of a file. It has only the name as its parameter, so that connectors
 * can map lists of names with it.
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
  label: string;
  type: CrmFieldType;
  /** Maximum number of characters of a text. */
  maxLength?: number;
  /** The values that a text may have, for a CRM that offers them in a list; omitted: any. */
  options?: readonly string[];
  /** Purpose of the field, shown to the CRM's users. */
  description: string;
}

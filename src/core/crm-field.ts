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
 * A value of a CRM field in canonical form, in which equal values are `===`: numbers as numbers,
 * dates as `2026-11-20`, instants as `2026-11-20T02:00:00.000Z`, several picked values joined by
 * `;` in the order of the picklist, and blank (empty or white space) as null.
 */
export type FieldValue = string | number | boolean | null;

/** Field values by field name. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** A field of the CRM's contact as its own description has it. */
export interface CrmField {
  /** The name in the API, for example `Donor_Net_Worth_Low__c`. */
  name: string;
  /** The name on the screen. */
  label: string;
  type: CrmFieldType;
  /** The most characters a text may have; null where the CRM sets no limit. */
  maxLength: number | null;
  /** The most digits before the decimal point of a number; null where there is no limit. */
  integerDigits: number | null;
  /** Digits after the decimal point of a number; null where there is no limit. */
  decimalDigits: number | null;
  /** The values of a picklist that may be written; empty for other types. */
  options: readonly string[];
  /** True if a picklist takes only its options. */
  restricted: boolean;
  /** False if the integration's user may not write it. */
  writable: boolean;
  /** Of what makes a contact the person that it is: the part that is read from it. Left out of all other fields. */
  readAs?: 'name' | 'address' | 'employer';
  /** Of a currency field in a CRM that has other currencies than US dollars; left out elsewhere. */
  money?: MoneyField;
}

/**
 * A field of any text that may be written, as a column of a file is. It takes the name alone: connectors map
 * lists of names with it.
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
  /** The most characters of a text. */
  maxLength?: number;
  /** The values that a text may have, for a CRM that offers them for choosing; left out: any. */
  options?: readonly string[];
  /** What the field is for, shown to the CRM's users. */
  description: string;
}

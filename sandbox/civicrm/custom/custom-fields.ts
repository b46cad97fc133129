/** Custom groups, custom fields and their options, and the values that their columns accept. */

import { z } from 'zod';
import { ApiError } from '../core/errors.ts';
import type { Row, Tables } from '../core/tables.ts';

/** A custom field of contacts. In APIv4, the name of the field is `Group.field`. */
export interface CustomField {
  id: number;
  name: string;
  label: string;
  groupName: string;
  /** The type of contacts that have the field, or `Contact` for all types. */
  contactType: string;
  /** The subtypes of contacts that have the field. The list is empty if all subtypes have it. */
  subTypes: readonly string[];
  dataType: string;
  htmlType: string;
  textLength: number;
  /** True if the custom field can contain several options. */
  isSerialized: boolean;
  hasTime: boolean;
  isViewOnly: boolean;
  helpPre: string | null;
  optionGroupId: number | null;
  isActive: boolean;
}

export interface Option {
  value: string;
  label: string;
  name: string;
}

export interface CustomFields {
  list(): CustomField[];
  find(name: string): CustomField | undefined;
  optionsOf(field: CustomField): Option[];
  /** Converts a value to the form that the column stores. Throws an ApiError if the type does not accept the value. */
  toColumn(field: CustomField, value: unknown, isStrict: boolean): unknown;
}

const LARGEST_INT = 2_147_483_647;

/** The maximum of MySQL's column for the type Money, which is decimal(20,2). */
const LARGEST_MONEY = 1e18;

export function createCustomFields(tables: Tables): CustomFields {
  let cached = { revision: -1, fields: new Map<string, CustomField>() };
  return {
    list: () => [...present().values()],
    find(name) {
      const field = present().get(name);
      return field?.isActive === true ? field : undefined;
    },
    optionsOf({ optionGroupId, dataType }: CustomField): Option[] {
      if (dataType === 'Boolean') return YES_OR_NO;
      return [...tables.of('OptionValue').all()]
        .filter((row) => row['option_group_id'] === optionGroupId && row['is_active'] !== false)
        .map((row) => ({
          value: String(row['value']),
          label: String(row['label']),
          name: String(row['name']),
        }));
    },
    toColumn,
  };

  function present(): Map<string, CustomField> {
    const revision = tables.of('CustomField').revision() + tables.of('CustomGroup').revision();
    if (cached.revision === revision) return cached.fields;
    const fields = [...tables.of('CustomField').all()].flatMap((row) => {
      const group = tables.of('CustomGroup').get(Number(row['custom_group_id']));
      return group === undefined ? [] : [toCustomField(row, group)];
    });
    cached = { revision, fields: new Map(fields.map((field) => [field.name, field])) };
    return cached.fields;
  }
}

const YES_OR_NO: Option[] = [
  { value: '1', label: 'Yes', name: 'yes' },
  { value: '0', label: 'No', name: 'no' },
];

function toCustomField(row: Row, group: Row): CustomField {
  return {
    id: row.id,
    name: `${group['name']}.${row['name']}`,
    label: String(row['label']),
    groupName: String(group['name']),
    contactType: String(group['extends']),
    subTypes: z.array(z.string()).nullish().parse(group['extends_entity_column_value']) ?? [],
    dataType: String(row['data_type']),
    htmlType: String(row['html_type']),
    textLength: Number(row['text_length'] ?? 255),
    isSerialized: Number(row['serialize'] ?? 0) === 1,
    hasTime: Number(row['time_format'] ?? 0) > 0,
    isViewOnly: row['is_view'] === true,
    helpPre: row['help_pre'] == null ? null : String(row['help_pre']),
    optionGroupId: row['option_group_id'] == null ? null : Number(row['option_group_id']),
    isActive: row['is_active'] !== false,
  };
}

function toColumn(field: CustomField, value: unknown, isStrict: boolean): unknown {
  if (value === null || value === '' || value === undefined) return null;
  if (field.isSerialized) return (Array.isArray(value) ? value : [value]).map(String);
  switch (field.dataType) {
    case 'Int':
      return toNumber(field, value, isStrict, LARGEST_INT, (number) => Math.trunc(number));
    case 'Money':
      return toNumber(field, value, isStrict, LARGEST_MONEY, (number) => Number(number.toFixed(2)));
    case 'Float':
      return toNumber(field, value, isStrict, Number.MAX_VALUE, (number) => number);
    case 'Boolean':
      return value === true || value === 1 || value === '1';
    case 'Date':
      return toDate(field, String(value));
    case 'Memo':
      return spelled(String(value));
    default:
      return toText(field, String(value), isStrict);
  }
}

function toNumber(
  { name, dataType }: CustomField,
  value: unknown,
  isStrict: boolean,
  largest: number,
  round: (number: number) => number,
): number {
  const text = String(value).trim();
  const isInt = dataType === 'Int';
  if (!(isInt ? /^-?\d+$/ : /^-?\d*\.?\d+(e[+-]?\d+)?$/i).test(text)) {
    throw new ApiError(`${name}: value ${text} is not of the type ${dataType}`);
  }
  const number = round(Number(text));
  if (Math.abs(number) <= largest) return number;
  if (isStrict) throw new ApiError('DB Error: Out of range value for column');
  return Math.sign(number) * largest;
}

function toDate({ name, hasTime }: CustomField, text: string): string {
  const [, day, time = '00:00:00'] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2}))?/.exec(text) ?? [];
  if (day === undefined) throw new ApiError(`${name}: ${text} is not a valid date`);
  return hasTime ? `${day} ${time}` : day;
}

function toText({ textLength }: CustomField, text: string, isStrict: boolean): string {
  const stored = spelled(text);
  if (stored.length <= textLength) return stored;
  if (isStrict) throw new ApiError('DB Error: Data too long for column');
  return stored.slice(0, textLength);
}

/**
 * Returns a string in the form in which CiviCRM stores it. `<` and `>` are replaced by entities. CiviCRM would treat
 * the word "null" as a blank value. Therefore, the function changes the spelling of this word.
 */
function spelled(text: string): string {
  if (text === 'null') return 'Null';
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function decoded(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('&lt;', '<').replaceAll('&gt;', '>') : value;
}

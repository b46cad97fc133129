/** Reads the fields of contacts with `Contact.getFields`. */
import { z } from 'zod';
import type { CrmField, CrmFieldType } from '../../src/core/crm-field.ts';
import type { MoneyField } from '../../src/core/money.ts';
import type { CivicrmApi } from './api.ts';

const describedSchema = z.object({
  name: z.string(),
  label: z.string().nullish(),
  type: z.string(),
  data_type: z.string().nullish(),
  input_type: z.string().nullish(),
  input_attrs: z
    .union([
      z.object({ maxlength: z.coerce.number().optional(), time: z.unknown().optional() }),
      // PHP encodes an empty map as an empty list.
      z.array(z.never()),
    ])
    .nullish(),
  options: z
    .union([
      z.boolean(),
      z.array(z.object({ id: z.union([z.string(), z.number()]), label: z.string().nullish() })),
    ])
    .nullish(),
  serialize: z.number().nullish(),
  readonly: z.boolean().nullish(),
});

/** A field of individuals. */
export interface Field {
  name: string;
  label: string;
  /** True if an administrator has created the field. donor-sync writes only these fields. */
  isCustom: boolean;
  isWritable: boolean;
  /**
   * True if the field exists only for some subtypes of individuals. Users do not see the field on contacts of other
   * subtypes.
   */
  isOfSubtype: boolean;
  type: CrmFieldType;
  maxLength: number | null;
  /** The values of a field with options, in order. The list is null if the field has no options. */
  options: readonly string[] | null;
  /** The label that users see for each value. */
  labels: ReadonlyMap<string, string>;
}

export type Fields = ReadonlyMap<string, Field>;

/** A condition for individuals, because organisations have different fields. */
const PERSON = { contact_type: 'Individual' };

export async function readFields(api: CivicrmApi): Promise<Fields> {
  const params = { action: 'get', loadOptions: ['id', 'label'] };
  const rows = await api.ask('Contact', 'getFields', { ...params, values: PERSON });
  const withoutSubtype = { ...PERSON, contact_sub_type: '' };
  const common = await readNames(api, { action: 'get', values: withoutSubtype });
  const fields = rows.flatMap((row) => {
    const { data } = describedSchema.safeParse(row);
    return data === undefined ? [] : (toField(data, common) ?? []);
  });
  return new Map(fields.map((field) => [field.name, field]));
}

/**
 * Returns the groups of fields that only other types of contacts have, such as organisations. CiviCRM does not return
 * groups without fields.
 */
export async function readGroupsOfOthers(api: CivicrmApi): Promise<ReadonlySet<string>> {
  const groupsIn = (names: ReadonlySet<string>) =>
    new Set(
      [...names].filter((name) => name.includes('.')).map((name) => name.split('.')[0] ?? ''),
    );
  const all = groupsIn(await readNames(api, { action: 'get' }));
  const ofPeople = groupsIn(await readNames(api, { action: 'get', values: PERSON }));
  return new Set([...all].filter((group) => !ofPeople.has(group)));
}

async function readNames(api: CivicrmApi, params: object): Promise<ReadonlySet<string>> {
  const rows = await api.ask('Contact', 'getFields', params);
  return new Set(rows.map(({ name }) => String(name)));
}

type Described = z.output<typeof describedSchema>;

/**
 * Returns the field, or null if the field does not contain a plain value. For example, a file or a reference to a
 * contact is not a plain value.
 */
function toField(described: Described, common: ReadonlySet<string>): Field | null {
  const { name, label, type: kind, options, serialize, readonly } = described;
  if (kind !== 'Field' && kind !== 'Custom') return null;
  const type = toType(described);
  if (type === null) return null;
  const isList = Array.isArray(options) && type !== 'boolean';
  const isCustom = kind === 'Custom' && name.includes('.');
  return {
    name,
    label: label ?? name,
    isCustom,
    isWritable: isCustom && readonly !== true,
    isOfSubtype: isCustom && !common.has(name),
    type: isList ? (serialize == null || serialize === 0 ? 'picklist' : 'multiPicklist') : type,
    maxLength: type === 'text' || type === 'url' ? (lengthOf(described) ?? COLUMN_LENGTH) : null,
    options: isList ? options.map(({ id }) => String(id)) : null,
    labels: new Map(
      isList ? options.map(({ id, label }) => [String(id), label ?? String(id)]) : [],
    ),
  };
}

/** The maximum length of a string, unless `getFields` returns a different length. */
const COLUMN_LENGTH = 255;

function lengthOf({ input_attrs: attributes }: Described): number | undefined {
  return Array.isArray(attributes) ? undefined : attributes?.maxlength;
}

function toType({ data_type: type, input_type: input, input_attrs, options }: Described) {
  switch (type) {
    case 'Integer':
    case 'Int':
      // CiviCRM also describes a state, a country and a related contact as an integer.
      return input === 'EntityRef' || input === 'ChainSelect' ? null : 'integer';
    case 'Float':
      return 'number';
    case 'Money':
      return 'currency';
    case 'Boolean':
      return 'boolean';
    case 'Date': {
      const time = Array.isArray(input_attrs) ? null : input_attrs?.time;
      // A time without a time zone is not an instant.
      return time == null || time === 0 || time === '0' || time === false ? 'date' : null;
    }
    case 'String':
      return input === 'File' || (input === 'EntityRef' && options === false) ? null : 'text';
    case 'Text':
    case 'Memo':
      return 'longText';
    case 'Url':
    case 'Link':
      return 'url';
    default:
      return null;
  }
}

/**
 * The number of digits that always fit into CiviCRM's type Integer. The largest number in CiviCRM's type Integer has
 * ten digits. Some numbers with ten digits are too large for the type Integer.
 */
const INT_DIGITS = 9;
export const LARGEST_INT = 2_147_483_647;

/** CiviCRM's type Money is a decimal number with 20 digits, two of them after the point. */
const MONEY_DIGITS = 18;

export function toCrmFields(fields: Fields, money: MoneyField | null): CrmField[] {
  return [...fields.values()].map(({ name, label, type, maxLength, options, isWritable }) => ({
    name,
    label,
    type,
    maxLength,
    integerDigits: type === 'integer' ? INT_DIGITS : type === 'currency' ? MONEY_DIGITS : null,
    decimalDigits: type === 'integer' ? 0 : type === 'currency' ? 2 : null,
    options: options ?? [],
    restricted: options !== null,
    writable: isWritable,
    ...(type === 'currency' && money !== null ? { money } : {}),
  }));
}

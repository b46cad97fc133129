/** Reads the custom fields of constituents, and the built-in parts that can mark a contact. */
import { z } from 'zod';
import {
  type CrmField,
  type CrmFieldType,
  type FieldValue,
  plainField,
} from '../../src/core/crm-field.ts';
import { PROFILE_CURRENCY } from '../../src/core/money.ts';
import type { Http } from '../requests/http.ts';
import type { BloomerangRecord, CustomValue } from './record.ts';

const fieldsSchema = z.array(
  z.object({
    Id: z.number().int(),
    Name: z.string().trim(),
    DataType: z.string(),
    PickType: z.string(),
    IsActive: z.boolean().nullish(),
  }),
);

const valuesSchema = z.array(
  z.object({
    Id: z.number().int(),
    FieldId: z.number().int(),
    Value: z.string().nullish(),
    IsActive: z.boolean().nullish(),
  }),
);

export interface CustomField {
  id: number;
  /**
   * The field's name in donor-sync. The name is the field's name in Bloomerang. If another active field has the same
   * name, donor-sync appends the field's ID.
   */
  name: string;
  label: string;
  type: CrmFieldType;
  isFreeform: boolean;
  /** The labels of the choices, in their original order. */
  choices: ReadonlyMap<string, number>;
}

/** The active custom fields. The map's key is the field's name. */
export type CustomFields = ReadonlyMap<string, CustomField>;

/** Reads the custom fields and their choices. */
export async function readCustomFields(http: Http): Promise<CustomFields> {
  const path = '/customFields/Constituent/';
  const fields = await http.read({ path, query: { isActive: true } }, fieldsSchema);
  const values = await http.read(
    { path: '/customValues/Constituent', query: { isActive: true } },
    valuesSchema,
  );
  const active = fields.filter(({ IsActive, Name }) => IsActive !== false && Name !== '');
  const isTaken = (name: string, id: number) =>
    BUILT_IN.has(name) || active.some((each) => each.Name === name && each.Id !== id);
  return new Map(
    active.map(({ Id, Name, DataType, PickType }) => {
      const own = values.filter(({ FieldId, IsActive }) => FieldId === Id && IsActive !== false);
      const name = isTaken(Name, Id) ? `${Name} #${Id}` : Name;
      const isFreeform = PickType === 'Freeform';
      const field: CustomField = {
        id: Id,
        name,
        label: Name,
        type: isFreeform ? (FREEFORM_TYPES[DataType] ?? 'text') : toPickType(PickType),
        isFreeform,
        choices: new Map(own.map(({ Value, Id: valueId }) => [(Value ?? '').trim(), valueId])),
      };
      return [name, field];
    }),
  );
}

const FREEFORM_TYPES: Readonly<Record<string, CrmFieldType>> = {
  Text: 'longText',
  Currency: 'currency',
  Decimal: 'number',
  Year: 'integer',
  Date: 'date',
};

function toPickType(pickType: string): CrmFieldType {
  return pickType === 'PickMultiple' ? 'multiPicklist' : 'picklist';
}

/** The parts of a constituent that the settings can use as marks. donor-sync never writes these parts. */
const BUILT_IN: ReadonlyMap<string, { options: readonly string[]; isMultiple: boolean }> = new Map([
  ['Status', { options: ['Active', 'Inactive', 'Deceased'], isMultiple: false }],
  [
    'CommunicationRestrictions',
    { options: ['DoNotCall', 'DoNotMail', 'DoNotSolicit'], isMultiple: true },
  ],
  ['EmailInterestType', { options: ['All', 'Custom', 'OptedOut'], isMultiple: false }],
  [
    'PreferredCommunicationChannel',
    { options: ['Email', 'Phone', 'TextMessage', 'Mail'], isMultiple: false },
  ],
  ['Groups', { options: [], isMultiple: true }],
]);

/** Returns the names of all fields that settings can use. */
export function listFieldNames(custom: CustomFields): string[] {
  return [...BUILT_IN.keys(), ...custom.keys()];
}

/** Returns the fields in the form of the contract. */
export function toCrmFields(custom: CustomFields, currencyCode: string): CrmField[] {
  const builtIn = [...BUILT_IN].map(
    ([name, { options, isMultiple }]): CrmField => ({
      ...plainField(name),
      type: isMultiple ? 'multiPicklist' : 'picklist',
      options,
      restricted: options.length > 0,
      writable: false,
    }),
  );
  return [...builtIn, ...[...custom.values()].map((field) => toCrmField(field, currencyCode))];
}

function toCrmField({ name, label, type, choices }: CustomField, currencyCode: string): CrmField {
  const field: CrmField = { ...plainField(name), label, type };
  switch (type) {
    case 'picklist':
    case 'multiPicklist':
      return { ...field, options: [...choices.keys()], restricted: true };
    case 'integer':
      return { ...field, integerDigits: 4, decimalDigits: 0 };
    case 'currency': {
      const inDollars = currencyCode === PROFILE_CURRENCY;
      const money = { mode: 'usdOnly', from: null, code: currencyCode, rates: {} } as const;
      return { ...field, decimalDigits: 2, ...(inDollars ? {} : { money }) };
    }
    default:
      return field;
  }
}

/** Returns the values of a field in a record, or undefined if the field does not exist. */
export function textsOf(
  record: BloomerangRecord,
  name: string,
  custom: CustomFields,
): string | readonly string[] | undefined {
  switch (name) {
    case 'Status':
    case 'EmailInterestType':
    case 'PreferredCommunicationChannel':
      return record[name] ?? '';
    case 'CommunicationRestrictions':
      return record.CommunicationRestrictions ?? [];
    case 'Groups':
      return (record.GroupsDetails ?? []).flatMap(({ Name }) => Name ?? []);
    default: {
      const field = custom.get(name);
      if (field === undefined) return undefined;
      const value = toFieldValue(findCustomValue(record, field.id), field);
      if (field.type === 'multiPicklist') return value === null ? [] : String(value).split(';');
      return value === null ? '' : String(value);
    }
  }
}

export function findCustomValue(
  record: BloomerangRecord,
  fieldId: number,
): CustomValue | undefined {
  return record.CustomValues?.find(({ FieldId }) => FieldId === fieldId);
}

/** Returns null if Bloomerang has no field with this name. */
export function valueIn(record: BloomerangRecord, name: string, custom: CustomFields): FieldValue {
  const field = custom.get(name);
  if (field !== undefined) return toFieldValue(findCustomValue(record, field.id), field);
  const texts = textsOf(record, name, custom) ?? '';
  const joined = typeof texts === 'string' ? texts : texts.join(';');
  return joined === '' ? null : joined;
}

function toFieldValue(value: CustomValue | undefined, { type, choices }: CustomField): FieldValue {
  if (value === undefined) return null;
  if (type === 'multiPicklist') {
    const order = [...choices.keys()];
    const picked = (value.Values ?? []).flatMap(({ Value }) => Value ?? []);
    const sorted = picked.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
    return sorted.length === 0 ? null : sorted.join(';');
  }
  const text = typeof value.Value === 'string' ? value.Value : (value.Value?.Value ?? null);
  return text === null ? null : parseText(text, type);
}

/** Parses a text. Bloomerang returns the value as it was written or as its pages show it. */
function parseText(text: string, type: CrmFieldType): FieldValue {
  if (type === 'currency' || type === 'number' || type === 'integer') {
    const number = Number(text.replace(/[$,\s]/g, '').replace(/^\((.+)\)$/, '-$1'));
    return Number.isFinite(number) ? number : text;
  }
  if (type !== 'date') return text;
  const [, isoDate] = /^(\d{4}-\d{2}-\d{2})(?:$|T)/.exec(text) ?? [];
  if (isoDate !== undefined) return isoDate;
  const [, month = '', day = '', year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(text) ?? [];
  return year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** An entry of `CustomValues` in a request. A blank entry clears the field. */
export type Assignment =
  | { FieldId: number; Value: string | null }
  | { FieldId: number; ValueId: number | null }
  | { FieldId: number; ValueIds: readonly number[] };

/** Returns the entry for a value, or null if the field's choices do not contain the value. */
export function toAssignment(field: CustomField, value: FieldValue): Assignment | null {
  const { id: FieldId, type, isFreeform, choices } = field;
  if (isFreeform) return { FieldId, Value: value === null ? null : toText(value) };
  const texts = value === null ? [] : type === 'multiPicklist' ? String(value).split(';') : [value];
  const ids = texts.map((text) => choices.get(String(text)));
  const known = ids.filter((id) => id !== undefined);
  if (known.length < ids.length) return null;
  if (type === 'multiPicklist') return { FieldId, ValueIds: known };
  return { FieldId, ValueId: known[0] ?? null };
}

/** Returns a value as text. Numbers have no exponent. */
function toText(value: string | number | boolean): string {
  if (typeof value !== 'number') return String(value);
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 10 });
}

/** Returns true if Bloomerang's stored value equals the value that was sent. */
export function isSame(sent: FieldValue, stored: FieldValue, { type }: CustomField): boolean {
  if (typeof sent === 'number' && typeof stored === 'number') {
    return Math.abs(sent - stored) <= (type === 'currency' ? 0.005 : 1e-9 * Math.abs(sent));
  }
  return comparable(sent) === comparable(stored);
}

function comparable(value: FieldValue): string {
  return String(value ?? '')
    .replace(/\r\n?/g, '\n')
    .trim();
}

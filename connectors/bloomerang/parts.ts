/** Lists the parts of a constituent that a write of custom values must not change. */
import { z } from 'zod';
import type { Parts } from '../writing/write-check.ts';
import { type CustomFields, findCustomValue } from './fields.ts';
import type { BloomerangRecord } from './record.ts';

/** The texts and choices in the record of a constituent. */
const PLAIN_PARTS = [
  ...['Type', 'Status', 'FirstName', 'LastName', 'MiddleName', 'Prefix', 'Suffix', 'FullName'],
  ...['InformalName', 'FormalName', 'EnvelopeName', 'RecognitionName', 'JobTitle', 'Employer'],
  ...['Website', 'FacebookId', 'TwitterId', 'LinkedInId', 'Gender', 'Birthdate'],
  ...['ProfilePictureType', 'HouseholdId', 'PreferredCommunicationChannel', 'EmailInterestType'],
];

/** The addresses and similar parts, with the names of their contents. */
const DETAIL_PARTS: Readonly<Record<string, readonly string[]>> = {
  PrimaryAddress: ['Type', 'Street', 'City', 'State', 'PostalCode', 'Country'],
  PrimaryEmail: ['Type', 'Value'],
  PrimaryPhone: ['Type', 'Number', 'Extension'],
};

/**
 * Lists whose entries have an ID. If an entry is missing after a write, the write has deleted it. A restored address
 * gets a new ID.
 */
export const ID_LISTS: readonly string[] = [
  'AddressIds',
  'EmailIds',
  'PhoneIds',
  'CustomEmailInterests',
];

/** Values that Bloomerang may set if a request does not contain that part of the constituent. */
export const DEFAULTS: Readonly<Record<string, string>> = {
  Type: 'Individual',
  Status: 'Active',
  EmailInterestType: 'All',
  ProfilePictureType: 'None',
};

const scalarSchema = z.union([z.string(), z.number(), z.boolean()]);
const detailSchema = z.record(z.string(), z.unknown());
const listSchema = z.array(z.union([scalarSchema, z.looseObject({ Id: z.number() })]));

/** Returns the parts of a record that are not blank. */
export function toParts(record: BloomerangRecord): Parts {
  const parts = new Map<string, string>();
  const add = (name: string, value: unknown) => {
    const text = textOf(value);
    if (text !== '') parts.set(name, text);
  };
  for (const name of PLAIN_PARTS) add(name, record[name]);
  for (const [name, content] of Object.entries(DETAIL_PARTS)) {
    const detail = detailSchema.safeParse(record[name]).data;
    if (detail === undefined) continue;
    add(name, JSON.stringify(content.map((key) => textOf(detail[key]))));
  }
  for (const name of ID_LISTS) {
    for (const entry of listSchema.safeParse(record[name]).data ?? []) {
      const id = typeof entry === 'object' ? entry.Id : entry;
      add(`${name}: ${id}`, id);
    }
  }
  for (const restriction of record.CommunicationRestrictions ?? []) {
    add(`CommunicationRestrictions: ${restriction}`, restriction);
  }
  for (const { Id } of record.GroupsDetails ?? []) add(`GroupsDetails: ${Id}`, Id);
  for (const { FieldId } of record.CustomValues ?? []) {
    const { Value, Values } = findCustomValue(record, FieldId) ?? {};
    const shown = Values ?? (typeof Value === 'object' ? (Value?.Value ?? '') : Value);
    const texts = Array.isArray(shown) ? shown.map((each) => each.Value).toSorted() : shown;
    add(customPart(FieldId), JSON.stringify(texts));
  }
  return Object.fromEntries(parts);
}

function textOf(value: unknown): string {
  const { data } = scalarSchema.safeParse(value);
  return data === undefined ? '' : String(data).trim();
}

export function customPart(fieldId: number): string {
  return `CustomValues: ${fieldId}`;
}

/** Returns the PUT request that restores lost parts. Some parts cannot be restored through Bloomerang's API. */
export function toRestoration(
  record: BloomerangRecord,
  custom: CustomFields,
): Record<string, unknown> {
  const isIndividual = record.Type === 'Individual';
  // Bloomerang composes the full name of an individual itself, and it refuses requests that contain the full name.
  const settable = PLAIN_PARTS.slice(0, PLAIN_PARTS.indexOf('HouseholdId')).filter(
    (name) => !(isIndividual && name === 'FullName'),
  );
  const plain = settable.flatMap((name) => {
    const text = textOf(record[name]);
    return text === '' ? [] : [[name, text] as const];
  });
  const details = Object.entries(DETAIL_PARTS).flatMap(([name, content]) => {
    const detail = detailSchema.safeParse(record[name]).data;
    if (detail === undefined) return [];
    const entries = content.flatMap((key) => (detail[key] == null ? [] : [[key, detail[key]]]));
    return [[name, { ...Object.fromEntries(entries), IsPrimary: true }] as const];
  });
  const freeform = new Set(
    [...custom.values()].flatMap(({ id, isFreeform }) => (isFreeform ? id : [])),
  );
  const values = (record.CustomValues ?? []).map(({ FieldId, Value, Values }) => {
    if (Values != null) return { FieldId, ValueIds: Values.flatMap(({ Id }) => Id ?? []) };
    const isObject = typeof Value === 'object' && Value !== null;
    if (isObject && !freeform.has(FieldId)) return { FieldId, ValueId: Value.Id ?? null };
    return { FieldId, Value: isObject ? Value.Value : (Value ?? null) };
  });
  return { ...Object.fromEntries([...plain, ...details]), CustomValues: values };
}

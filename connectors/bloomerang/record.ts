/** The schema of a constituent in Bloomerang's responses. */
import { z } from 'zod';

/** The schema of a text. A text counts as blank if it is null, missing or only white space. */
const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => {
    const plain = value == null ? '' : String(value).trim();
    return plain === '' ? null : plain;
  });

const pickedSchema = z.looseObject({ Id: z.number().nullish(), Value: text });

const customValueSchema = z.looseObject({
  FieldId: z.number(),
  /** Bloomerang's specification says that the value is an object. donor-sync also accepts a plain string. */
  Value: z.union([pickedSchema, text]).optional(),
  Values: z.array(pickedSchema).nullish(),
});

export type CustomValue = z.output<typeof customValueSchema>;

const addressSchema = z.looseObject({
  Street: text,
  City: text,
  State: text,
  PostalCode: text,
  Country: text,
});

export const recordSchema = z.looseObject({
  Id: z.number().int(),
  Type: z.string(),
  Status: text,
  FirstName: text,
  LastName: text,
  Employer: text,
  EmailInterestType: text,
  PreferredCommunicationChannel: text,
  CommunicationRestrictions: z.array(z.string()).nullish(),
  PrimaryAddress: addressSchema.nullish(),
  CustomValues: z.array(customValueSchema).nullish(),
  GroupsDetails: z.array(z.looseObject({ Id: z.number(), Name: text })).nullish(),
  AuditTrail: z.looseObject({ LastModifiedName: text }).nullish(),
});

export type BloomerangRecord = z.output<typeof recordSchema>;

export const pageSchema = z.object({
  TotalFiltered: z.number().int(),
  Results: z.array(recordSchema),
});

export const INDIVIDUAL = 'Individual';

/** Returns true for a whole number. Every ID is a whole number. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,17}$/.test(id);
}

/**
 * Returns the canonical form of an ID. The canonical form has no leading zeros and no surrounding white space. Returns
 * null if the string cannot be a constituent's ID.
 */
export function canonicalId(typed: string): string | null {
  const id = typed.trim().replace(/^0+/, '');
  return isRecordId(id) ? id : null;
}

function inOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(', ');
}

/** Returns the lines of the primary address. The list is empty if the constituent's primary address is blank. */
export function addressLines({ PrimaryAddress }: BloomerangRecord): string[] {
  if (PrimaryAddress == null) return [];
  const { Street, City, State, PostalCode, Country } = PrimaryAddress;
  const place = [State, PostalCode].filter((part) => part !== null).join(' ');
  const parts = [Street === null ? null : inOneLine(Street), City, place, Country];
  const line = parts.filter((part) => part !== null && part !== '').join(', ');
  return line === '' ? [] : [line];
}

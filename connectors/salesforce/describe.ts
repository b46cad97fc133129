import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { SalesforceApi } from './api.ts';
import { getCrmCode } from './errors.ts';

/** The properties of a field that donor-sync reads from Salesforce's description. */
const describedFieldSchema = z.object({
  name: z.string(),
  label: z.string().default(''),
  type: z.string(),
  length: z.number().default(0),
  /** The maximum number of digits in an integer. */
  digits: z.number().default(0),
  /** `precision` is the number of all digits, and `scale` is the number of digits after the decimal point. */
  precision: z.number().default(0),
  scale: z.number().default(0),
  updateable: z.boolean().default(false),
  calculated: z.boolean().default(false),
  autoNumber: z.boolean().default(false),
  custom: z.boolean().default(false),
  /** False for long and encrypted texts, which a query's conditions cannot contain. */
  filterable: z.boolean().default(true),
  restrictedPicklist: z.boolean().default(false),
  picklistValues: z
    .array(z.object({ value: z.string(), active: z.boolean().default(true) }))
    .nullish(),
});

export type DescribedField = z.infer<typeof describedFieldSchema>;

const describeSchema = z.object({
  updateable: z.boolean().default(false),
  fields: z.array(describedFieldSchema),
  childRelationships: z.array(z.object({ childSObject: z.string() })).default([]),
});

/** The description of an object type. The description contains only the fields that donor-sync's CRM user can see. */
export interface ObjectDescription {
  /** True if the user may change any records of this type. */
  updateable: boolean;
  fields: ReadonlyMap<string, DescribedField>;
  /** The object types that have a lookup to this type, if the user can see them. */
  childObjects: ReadonlySet<string>;
}

/** Requests the description of an object type. */
export async function describeObject(
  api: SalesforceApi,
  objectName: string,
): Promise<ObjectDescription> {
  const described = describeSchema.safeParse(await api.describe(objectName));
  if (!described.success) {
    throw new ConfigurationError(
      `Salesforce describes ${objectName} in an unexpected form: check crm.url and crm.apiVersion.`,
      { code: 'crm_description_unreadable', cause: described.error },
    );
  }
  const { updateable, fields, childRelationships } = described.data;
  return {
    updateable,
    fields: new Map(fields.map((field) => [field.name, field])),
    childObjects: new Set(childRelationships.map(({ childSObject }) => childSObject)),
  };
}

/**
 * Requests the description of an object type. Returns null if the org does not have this type, or if the user may not
 * see it.
 */
export async function describeIfSeen(
  api: SalesforceApi,
  objectName: string,
): Promise<ObjectDescription | null> {
  try {
    return await describeObject(api, objectName);
  } catch (error) {
    if (UNSEEN_CODES.has(getCrmCode(error) ?? '')) return null;
    throw error;
  }
}

const UNSEEN_CODES: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'INSUFFICIENT_ACCESS',
  'INSUFFICIENT_ACCESS_OR_READONLY',
]);

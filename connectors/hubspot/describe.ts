import { z } from 'zod';
import type { HubspotApi } from './api.ts';
import { readAs } from './errors.ts';

const propertySchema = z.object({
  name: z.string(),
  label: z.string().catch(''),
  type: z.string(),
  fieldType: z.string().catch(''),
  options: z
    .array(
      z.object({
        value: z.string(),
        label: z.string().catch(''),
        hidden: z.boolean().catch(false),
      }),
    )
    .catch([]),
  externalOptions: z.boolean().catch(false),
  calculated: z.boolean().catch(false),
  /** True if no two contacts may have the same value. */
  hasUniqueValue: z.boolean().optional().catch(undefined),
  archived: z.boolean().catch(false),
  /** `percentage`, `currency` and others; only of numbers, and not in every version. */
  numberDisplayHint: z.string().optional().catch(undefined),
  showCurrencySymbol: z.boolean().optional().catch(undefined),
  modificationMetadata: z
    .object({ readOnlyValue: z.boolean().catch(false) })
    .optional()
    .catch(undefined),
});

/** A property as HubSpot describes it. */
export type DescribedProperty = z.infer<typeof propertySchema>;

/** The properties of contacts that the token can see, by name. */
export type Properties = ReadonlyMap<string, DescribedProperty>;

const replySchema = z.object({ results: z.array(propertySchema) });

/** Asks for the properties of contacts: one request. */
export async function describeProperties(
  api: Pick<HubspotApi, 'get' | 'paths'>,
): Promise<Properties> {
  const { results } = readAs(replySchema, await api.get(api.paths.properties));
  const present = results.filter(({ archived }) => !archived);
  return new Map(present.map((property) => [property.name, property]));
}

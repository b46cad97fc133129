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
  /** True if HubSpot does not allow two contacts to have the same value. */
  hasUniqueValue: z.boolean().optional().catch(undefined),
  archived: z.boolean().catch(false),
  /** The kind of Sensitive Data. HubSpot returns properties with Sensitive Data only if a request asks for them. */
  dataSensitivity: z.string().optional().catch(undefined),
  /**
   * How HubSpot shows a number, for example as `percentage` or `currency`. Only numbers have a display hint, and some
   * API versions do not return it.
   */
  numberDisplayHint: z.string().optional().catch(undefined),
  showCurrencySymbol: z.boolean().optional().catch(undefined),
  /** The name of the property that contains the currency of this property's amounts. */
  currencyPropertyName: z.string().optional().catch(undefined),
  modificationMetadata: z
    .object({ readOnlyValue: z.boolean().catch(false) })
    .optional()
    .catch(undefined),
});

/** HubSpot's description of a property. */
export type DescribedProperty = z.infer<typeof propertySchema>;

/** Returns true for a property whose values require additional scopes. */
export function isSensitive({ dataSensitivity = 'non_sensitive' }: DescribedProperty): boolean {
  return dataSensitivity !== 'non_sensitive';
}

/** Returns true for a number that HubSpot shows as an amount of money. */
export function isMoney({
  type,
  showCurrencySymbol = false,
  numberDisplayHint,
}: DescribedProperty): boolean {
  return type === 'number' && (showCurrencySymbol || numberDisplayHint === 'currency');
}

/** The contact properties that the token can see. The map's key is the property's name. */
export type Properties = ReadonlyMap<string, DescribedProperty>;

const replySchema = z.object({ results: z.array(propertySchema) });

/**
 * Requests the descriptions of all contact properties. If some properties store Sensitive Data, sends a second request.
 */
export async function describeProperties(
  api: Pick<HubspotApi, 'get' | 'paths'>,
  { sensitiveData }: { sensitiveData: boolean },
): Promise<Properties> {
  const { properties } = api.paths;
  const paths = [properties, ...(sensitiveData ? [`${properties}?dataSensitivity=sensitive`] : [])];
  const replies = await Promise.all(paths.map((path) => api.get(path)));
  const results = replies.flatMap((reply) => readAs(replySchema, reply).results);
  const present = results.filter(({ archived }) => !archived);
  return new Map(present.map((property) => [property.name, property]));
}

import { z } from 'zod';
import type { HubspotApi } from '../api.ts';
import type { Properties } from '../describe.ts';
import { readAs } from '../errors.ts';

/** Finds contacts that already have a value that must be unique. */

/** A contact and the values to write into it. */
interface Wanted {
  id: string;
  properties: Readonly<Record<string, string>>;
}

const replySchema = z.object({
  results: z.array(
    z.object({ id: z.string(), properties: z.record(z.string(), z.string().nullable()) }),
  ),
});

/**
 * Finds new values that already belong to a different contact. The two contacts may be in the same request. Sends one
 * request for each property that must be unique.
 */
export async function findTwins(
  { api, properties }: { api: Pick<HubspotApi, 'readRecords'>; properties: Properties },
  rows: readonly Wanted[],
): Promise<Map<string, string[]>> {
  const twins = new Map<string, string[]>();
  const names = new Set(rows.flatMap((row) => Object.keys(row.properties)));
  for (const name of names) {
    if (properties.get(name)?.hasUniqueValue !== true) continue;
    const owners = await findOwners(api, name, rows);
    for (const { id, properties: values } of rows) {
      const value = toKey(values[name] ?? '');
      if (value === '') continue;
      const owner = owners.get(value);
      if (owner === undefined) owners.set(value, id);
      else if (owner !== id) twins.set(id, [...(twins.get(id) ?? []), name]);
    }
  }
  return twins;
}

async function findOwners(
  api: Pick<HubspotApi, 'readRecords'>,
  name: string,
  rows: readonly Wanted[],
): Promise<Map<string, string>> {
  const values = new Set(rows.map(({ properties }) => properties[name] ?? ''));
  const ids = [...values].filter((value) => value !== '');
  const batch = { ids, idProperty: name, properties: [name] };
  const { results } = readAs(replySchema, await api.readRecords('contacts', batch));
  return new Map(results.map(({ id, properties }) => [toKey(properties[name] ?? ''), id]));
}

/**
 * Returns the value in lower case, because HubSpot ignores letter case when it compares unique values, for example
 * email addresses.
 */
function toKey(value: string): string {
  return value.trim().toLowerCase();
}

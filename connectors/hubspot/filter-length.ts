import { invalidFilter, MAX_SEARCH_CHARACTERS } from './filter.ts';
import { type ContactSearch, measureSearch } from './search.ts';
import type { HubspotSession } from './session.ts';

/** The longest ID that our own conditions can contain. Today, HubSpot's IDs have up to twelve digits. */
const ANY_ID = '9'.repeat(15);
const ANY_TIME = '9'.repeat(13);

/**
 * Throws a ConfigurationError if the filter is too long for a search. A search repeats our own conditions in each group
 * of the filter, and it contains the account's properties. HubSpot would refuse every search that is too long.
 */
export function requireFilterFits({
  filter,
  shape,
}: Pick<HubspotSession, 'filter'> & { shape: Pick<HubspotSession['shape'], 'properties'> }): void {
  if (filter.length === 0) return;
  const longest = Math.max(
    ...searchesWith(filter, shape.properties).map((search) => measureSearch(search, ANY_ID)),
  );
  if (longest <= MAX_SEARCH_CHARACTERS) return;
  throw invalidFilter(
    `It is too long: with its ${filter.length} groups and the properties that donor-sync reads, a search has ${toText(longest)} characters, and HubSpot accepts at most ${toText(MAX_SEARCH_CHARACTERS)}. Shorten the filter, or combine groups, for example by one IN with several values.`,
  );
}

function toText(count: number): string {
  return count.toLocaleString('en');
}

function searchesWith(
  groups: ContactSearch['groups'],
  properties: readonly string[],
): ContactSearch[] {
  const base = { groups, afterId: null };
  return [
    {
      ...base,
      conditions: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: ANY_TIME }],
      properties,
    },
    {
      ...base,
      conditions: [{ propertyName: 'hs_object_id', operator: 'IN', values: [ANY_ID] }],
      properties: [],
    },
  ];
}

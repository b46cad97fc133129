import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigurationError, isConfigurationError } from '../../src/core/errors.ts';
import { nearMiss } from '../../src/core/near-miss.ts';
import type { HubspotApi } from './api.ts';

const OPERATORS = [
  'EQ',
  'NEQ',
  'LT',
  'LTE',
  'GT',
  'GTE',
  'BETWEEN',
  'IN',
  'NOT_IN',
  'HAS_PROPERTY',
  'NOT_HAS_PROPERTY',
  'CONTAINS_TOKEN',
  'NOT_CONTAINS_TOKEN',
] as const;

const value = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]);

const filterSchema = z.strictObject({
  propertyName: z.string().min(1),
  operator: z.enum(OPERATORS),
  value: value.optional(),
  highValue: value.optional(),
  values: z.array(value).min(1).optional(),
});

/** A condition in HubSpot's filter language. */
export type Filter = z.infer<typeof filterSchema>;

/** A group of conditions. A contact must meet all conditions of a group. */
export type FilterGroup = readonly Filter[];

/**
 * The maximum sizes of a filter. HubSpot accepts five groups with six conditions each, and eighteen conditions in total
 * (CRM facts, section B4). Our own searches need two of the conditions.
 */
const OWN_FILTERS = 2;
const MAX_GROUPS = 5;
const MAX_FILTERS_PER_GROUP = 6 - OWN_FILTERS;
const MAX_FILTERS = 18;

/** The maximum number of characters in the body of a search. HubSpot sets this limit (CRM facts, B4). */
export const MAX_SEARCH_CHARACTERS = 3_000;

/** The maximum length of a filter. The rest of the search's body contains our own conditions. */
const MAX_LENGTH = MAX_SEARCH_CHARACTERS - 1_000;

/**
 * Matches a text that is nested too deeply. Each level of nesting makes the parser much slower. A real filter needs
 * less than a tenth of this depth.
 */
const TOO_DEEP = /(?:[[{]\s*|[?-]\s+){30}/;

/**
 * The maximum length of the text in the settings, including spaces and comments. A longer text would take too long to
 * parse.
 */
const MAX_TEXT_LENGTH = 5 * MAX_LENGTH;

const groupSchema = z.strictObject({ filters: z.array(filterSchema).min(1) });

const settingSchema = z.union([
  z.array(filterSchema).min(1),
  z.array(groupSchema).min(1),
  z.strictObject({ filterGroups: z.array(groupSchema).min(1) }),
]);

/**
 * Parses `contacts.filter`. The filter is YAML or JSON. A filter can be a list of conditions that a contact must all
 * meet. A filter can also be a list of groups (`filters: […]`), of which a contact must meet at least one. Throws a
 * ConfigurationError if the filter is invalid.
 */
export function parseFilter(text: string): FilterGroup[] {
  const parsed = settingSchema.safeParse(parseYaml(text));
  if (!parsed.success) throw invalidFilter(EXAMPLE);
  const listed = Array.isArray(parsed.data) ? parsed.data : parsed.data.filterGroups;
  const groups: FilterGroup[] = [];
  const alone: Filter[] = [];
  for (const each of listed) {
    if ('filters' in each) groups.push(each.filters);
    else alone.push(each);
  }
  if (alone.length > 0) groups.push(alone);
  const count = groups.reduce((sum, group) => sum + group.length + OWN_FILTERS, 0);
  const isTooMuch =
    groups.length > MAX_GROUPS ||
    count > MAX_FILTERS ||
    JSON.stringify(groups).length > MAX_LENGTH ||
    groups.some((group) => group.length > MAX_FILTERS_PER_GROUP);
  if (!isTooMuch) return groups;
  throw invalidFilter(
    `The filter has too many conditions. HubSpot accepts at most ${MAX_FILTERS_PER_GROUP} in a group, in at most ${MAX_GROUPS} groups. donor-sync adds two conditions to each group, so ${MAX_FILTERS} conditions in total, and ${MAX_LENGTH} characters, are allowed.`,
  );
}

const EXAMPLE =
  'Write a list of HubSpot filters, for example [{propertyName: lifecyclestage, operator: EQ, value: customer}].';

function parseYaml(text: string): unknown {
  if (text.length > MAX_TEXT_LENGTH) {
    throw invalidFilter(`It has more than ${MAX_TEXT_LENGTH} characters.`);
  }
  if (TOO_DEEP.test(text)) throw invalidFilter(`It is nested too deep. ${EXAMPLE}`);
  try {
    // The parser's warnings are switched off, because they would bypass the log and contain the filter.
    return parse(text, { logLevel: 'error' });
  } catch {
    throw invalidFilter(EXAMPLE);
  }
}

/** A filter that HubSpot rejected, with the data that helps to explain the rejection. */
interface Refused {
  filter: readonly FilterGroup[];
  /** The properties that the token can see. */
  properties: ReadonlyMap<string, unknown>;
}

/** Sends the filter to HubSpot to check it. Throws a ConfigurationError if HubSpot does not accept the filter. */
export async function requireFilter(
  session: Refused & { api: Pick<HubspotApi, 'searchContacts'> },
): Promise<void> {
  if (session.filter.length === 0) return;
  const filterGroups = session.filter.map((filters) => ({ filters }));
  try {
    await session.api.searchContacts({
      filterGroups,
      properties: [],
      sorts: [],
      limit: 1,
      after: '0',
    });
  } catch (error) {
    if (!isConfigurationError(error) || error.code !== 'crm_request_refused') throw error;
    throw refusedFilter(session, error);
  }
}

/**
 * Creates the error for a filter that HubSpot rejected. HubSpot does not report what is wrong with the filter.
 * donor-sync compares the filter with the account's properties to find the problem.
 */
function refusedFilter({ filter, properties }: Refused, cause: ConfigurationError) {
  const named = [...new Set(filter.flat().map(({ propertyName }) => propertyName))];
  const unknown = named.filter((name) => !properties.has(name) && !name.startsWith(ASSOCIATIONS));
  const message = unknown.length > 0 ? unknownWords(unknown, properties) : KNOWN_WORDS;
  return new ConfigurationError(message, { code: 'crm_filter_invalid', cause });
}

/**
 * The prefix in names such as `associations.company`. HubSpot's searches accept these names in the place of a property.
 */
const ASSOCIATIONS = 'associations.';

function unknownWords(unknown: readonly string[], properties: Refused['properties']): string {
  const listed = unknown.map((name) => {
    const meant = nearMiss(name, properties.keys());
    return meant === null ? name : `${name} (did you mean "${meant}"?)`;
  });
  return (
    `The filter names ${listed.join(' and ')}, which this HubSpot account does not have, or which ` +
    'this token cannot read. Write the internal name of each property into contacts.filter. You find it in HubSpot under ' +
    'Settings → Properties → the property.'
  );
}

const KNOWN_WORDS =
  'HubSpot refuses contacts.filter and does not say why. The account has every property in it. Check that ' +
  'each operator suits its property and has its operands. IN and NOT_IN need values. BETWEEN needs value ' +
  'and highValue. HAS_PROPERTY and NOT_HAS_PROPERTY need nothing. All other operators need value. Check that options are written as their ' +
  'internal names and dates in milliseconds.';

/** Creates the error for a filter that HubSpot would not accept. */
export function invalidFilter(reason: string): ConfigurationError {
  const message = `contacts.filter is not a valid HubSpot filter. ${reason}`;
  return new ConfigurationError(message, { code: 'crm_filter_invalid' });
}

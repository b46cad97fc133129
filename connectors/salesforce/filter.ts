import { ConfigurationError, isConfigurationError, messageOf } from '../../src/core/errors.ts';
import { nearMiss } from '../../src/core/near-miss.ts';
import { getCrmCode } from './errors.ts';
import { queryRecords, whereClause } from './query.ts';
import type { SalesforceSession } from './session.ts';

/** Lets Salesforce check `contacts.filter`. Throws a ConfigurationError if Salesforce rejects the filter. */
export async function requireFilter({
  api,
  filter,
  description,
}: Pick<SalesforceSession, 'api' | 'filter' | 'description'>): Promise<void> {
  if (filter === null) return;
  const soql = `SELECT Id FROM Contact${whereClause([filter])} LIMIT 1`;
  try {
    await queryRecords(api, soql);
  } catch (error) {
    if (!isConfigurationError(error) || error.code !== 'crm_request_refused') throw error;
    const refused = {
      code: getCrmCode(error),
      says: error.words?.reveal() ?? '',
      names: namesIn(filter),
      // The query that Salesforce checks contains the filter in parentheses.
      start: soql.indexOf(filter) + 1,
    };
    const message = refusalWords(refused, description.fields.keys()) ?? otherWords(error);
    throw new ConfigurationError(message, { code: 'crm_filter_invalid', cause: error });
  }
}

/** A query with the user's filter, and Salesforce's message about the query. */
interface Refused {
  code: string | null;
  says: string;
  /**
   * The names in the filter, without quoted strings. The error message repeats only these names from Salesforce's
   * message.
   */
  names: ReadonlySet<string>;
  /** The number of characters that precede the filter in the query. */
  start: number;
}

/** Explains the problem with the filter to its author. Returns null if Salesforce's message is not about the filter. */
function refusalWords(refused: Refused, fields: Iterable<string>): string | null {
  const column = named(refused, NO_COLUMN);
  if (column !== null) {
    const [name, entity = 'Contact'] = column;
    const near = entity === 'Contact' ? nearMiss(name, fields) : null;
    const meant = near === null ? '' : ` Did you mean "${near}"?`;
    return (
      `The filter names ${name}, a field that ${entity} does not have in this org or that the ` +
      `integration's user cannot see. Write the field's API name into contacts.filter (names of ` +
      `custom fields end in __c), or give the user read access to the field.${meant}`
    );
  }
  const relationship = named(refused, NO_RELATIONSHIP);
  if (relationship !== null) {
    return (
      `The filter uses ${relationship[0]}, a relationship that Contact does not have in this org, or that is ` +
      "hidden from the integration's user. Correct contacts.filter (names of custom relationships end in __r), " +
      'or give the user read access to the field behind it.'
    );
  }
  const typed = named(refused, NO_TEXT);
  if (typed !== null) {
    const [name, type = ''] = typed;
    return (
      `The filter compares ${name} with text in quotes, but the field does not hold text (${type}). Write the value in ` +
      'contacts.filter without quotes: true, 500, 2026-01-31, or 2026-01-31T00:00:00Z.'
    );
  }
  if (refused.code !== 'MALFORMED_QUERY') return null;
  return (
    `Salesforce cannot read contacts.filter${describePlace(refused)} (${refused.code}). Write a SOQL condition on Contact, without WHERE ` +
    "and ORDER BY, such as Title = 'Mayor' AND HasOptedOutOfEmail = false. Write text in single quotes, and " +
    "an apostrophe in it as \\'."
  );
}

const NO_COLUMN = /No such column '(\w+)'(?: on entity '(\w+)')?/;
const NO_RELATIONSHIP = /Didn't understand relationship '(\w+)'/;
const NO_TEXT =
  /filter criterion for field '(\w+)' must be of type (\w+) and should not be enclosed in quotes/;

/**
 * Returns the names that the pattern finds in Salesforce's message. The filter must contain the first of these names
 * too.
 */
function named({ says, names }: Refused, pattern: RegExp): [string, string | undefined] | null {
  const [, name, other] = pattern.exec(says) ?? [];
  return name === undefined || !names.has(name) ? null : [name, other];
}

function namesIn(filter: string): Set<string> {
  return new Set(filter.replace(/'(?:[^'\\]|\\[\s\S]?)*(?:'|$)/g, "''").match(/\w+/g));
}

/**
 * Describes the position of the mistake in the filter. Salesforce's message contains the column number in the whole
 * query.
 */
function describePlace({ says, start }: Refused): string {
  const character = Number(/ERROR at Row:1:Column:(\d+)/.exec(says)?.[1] ?? 0) - start;
  return character > 0 ? ` from character ${character} on` : '';
}

function otherWords(error: ConfigurationError): string {
  return `contacts.filter is not a valid Salesforce condition. ${messageOf(error)}`;
}

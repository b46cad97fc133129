import { ConfigurationError, isConfigurationError, messageOf } from '../../src/core/errors.ts';
import { queryRecords, whereClause } from './query.ts';
import type { SalesforceSession } from './session.ts';

/** Lets Salesforce look at `contacts.filter`; throws a ConfigurationError if it does not take it. */
export async function requireFilter({
  api,
  filter,
}: Pick<SalesforceSession, 'api' | 'filter'>): Promise<void> {
  if (filter === null) return;
  const soql = `SELECT Id FROM Contact${whereClause([filter])} LIMIT 1`;
  try {
    await queryRecords(api, soql);
  } catch (error) {
    if (!isConfigurationError(error) || error.code !== 'crm_request_refused') throw error;
    const place = placeOf(error, soql.indexOf(filter) + 1);
    const message = `contacts.filter is no condition that Salesforce understands${place}. ${messageOf(error)}`;
    throw new ConfigurationError(message, { code: 'crm_filter_invalid', cause: error });
  }
}

/** Where the filter is wrong, of which Salesforce names the column in the query. */
function placeOf(error: ConfigurationError, start: number): string {
  const [, column] = /ERROR at Row:1:Column:(\d+)/.exec(error.words?.reveal() ?? '') ?? [];
  // The filter stands in parentheses of ours.
  const character = Number(column ?? 0) - start;
  return character > 0 ? `, from its character ${character} on` : '';
}

import { ConfigurationError, messageOf } from '../../src/core/errors.ts';
import { queryRecords } from './query.ts';
import type { SalesforceSession } from './session.ts';
import { whereClause } from './soql.ts';

/** Lets Salesforce look at `contacts.filter`, and throws a ConfigurationError with its answer. */
export async function requireFilter({
  api,
  filter,
}: Pick<SalesforceSession, 'api' | 'filter'>): Promise<void> {
  if (filter === null) return;
  try {
    await queryRecords(api, `SELECT Id FROM Contact${whereClause([filter])} LIMIT 1`);
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.code !== 'crm_request_refused') throw error;
    const message = `contacts.filter is no condition that Salesforce understands. ${messageOf(error)}`;
    throw new ConfigurationError(message, { code: 'crm_filter_invalid', cause: error });
  }
}

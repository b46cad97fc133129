/**
 * Guards against paging that never ends. A CRM whose pages lead back to each other must not block a run
 * forever.
 */
import { FatalError } from '../../src/core/errors.ts';

/**
 * Creates the error for an endless list. `what` is the name of the records, such as `the archived contacts of HubSpot`.
 */
export function readingEndless(what: string): FatalError {
  return new FatalError(`Reading ${what} never finishes.`, { code: 'crm_reading_endless' });
}

/** Creates the error for an endless query. `query` is its name. */
export function queryEndless(query: string): FatalError {
  return new FatalError(`${query} never finishes.`, { code: 'crm_query_endless' });
}

/**
 * Protects against a list of pages that never ends. If the last page leads to the first page again, the run must not
 * hang.
 */
import { FatalError } from '../../src/core/errors.ts';

export function readingEndless(what: string): FatalError {
  return new FatalError(`Reading ${what} never finishes.`, { code: 'crm_reading_endless' });
}

/** Creates the error about an endless list. The argument `query` is the name of the query. */
export function queryEndless(query: string): FatalError {
  return new FatalError(`${query} never finishes.`, { code: 'crm_query_endless' });
}

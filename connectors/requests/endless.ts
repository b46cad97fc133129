/** Guards against paging that never ends. A CRM whose pages form a circle must not block a run. */
import { FatalError } from '../../src/core/errors.ts';

export function readingEndless(what: string): FatalError {
  return new FatalError(`Reading ${what} never finishes.`, { code: 'crm_reading_endless' });
}

/** `query` is its name. */
export function queryEndless(query: string): FatalError {
  return new FatalError(`${query} never finishes.`, { code: 'crm_query_endless' });
}

/** HubSpot's search lags a little behind its records. */
import { isNamed, toNameWords } from '../reading/name-search.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readAs } from './errors.ts';
import { recordPageSchema, textIn } from './record.ts';
import type { HubspotSession } from './session.ts';

const NAMES = ['firstname', 'lastname'];

/**
 * HubSpot also finds words in email addresses, phone numbers and companies, so more results are requested.
 */
const REQUESTED = 100;

export async function search(
  { api, filter, signal }: Pick<HubspotSession, 'api' | 'filter' | 'signal'>,
  text: string,
  most: number,
): Promise<string[]> {
  throwIfStopped(signal);
  const words = toNameWords(text);
  if (words.length === 0) return [];
  // Runs come first, and other tools keep some of the searches.
  await api.awaitWalk();
  const reply = await api.searchContacts({
    query: words.join(' '),
    filterGroups: filter.map((filters) => ({ filters })),
    sorts: ['hs_object_id'],
    properties: NAMES,
    limit: REQUESTED,
    after: '0',
  });
  const { results } = readAs(recordPageSchema, reply);
  const named = results.filter((record) =>
    isNamed(words, {
      firstName: textIn(record, 'firstname'),
      lastName: textIn(record, 'lastname'),
    }),
  );
  return named.slice(0, most).map(({ id }) => id);
}

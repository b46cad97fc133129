/** Searches contacts by name. HubSpot updates its search index with a delay. */
import { isNamed, toNameWords } from '../reading/name-search.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readAs } from './errors.ts';
import { recordPageSchema, textIn } from './record.ts';
import type { HubspotSession } from './session.ts';

const NAMES = ['firstname', 'lastname'];

/**
 * The number of results to request. HubSpot also finds words in email addresses, phone numbers and companies, so many
 * results do not match by name.
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
  // Runs have priority over this search, and some searches are reserved for other tools of the account.
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

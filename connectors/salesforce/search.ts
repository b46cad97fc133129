/**
 * Searches contacts by name with Salesforce's own search. The names are in the request's body, and not in its address.
 */
import { z } from 'zod';
import { toNameWords } from '../reading/name-search.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readAs } from './errors.ts';
import { contactId } from './ids.ts';
import { findIncluded } from './lookup.ts';
import type { SalesforceSession } from './session.ts';

const foundSchema = z.object({ searchRecords: z.array(z.object({ Id: z.string() })) });

/** The minimum number of characters in the longest word of a search. Salesforce refuses shorter words. */
const SHORTEST_WORD = 2;

/** Words that are operators in Salesforce's search language, in upper or lower case. */
const OPERATORS = new Set(['and', 'or', 'not']);

export async function search(
  session: SalesforceSession,
  text: string,
  most: number,
): Promise<string[]> {
  throwIfStopped(session.signal);
  const words = toNameWords(text).filter((word) => !OPERATORS.has(word.toLowerCase()));
  if (!words.some((word) => word.length >= SHORTEST_WORD)) return [];
  const reply = await session.api.send('POST', '/parameterizedSearch', {
    q: words.map((word) => `${word}*`).join(' '),
    in: 'NAME',
    sobjects: [{ name: 'Contact', fields: ['Id'], limit: most }],
    overallLimit: most,
  });
  const { searchRecords } = readAs(foundSchema, reply);
  const ids = searchRecords.flatMap(({ Id }) => contactId(Id) ?? []).slice(0, most);
  if (session.filter === null || ids.length === 0) return ids;
  const included = await findIncluded(session, ids);
  return ids.filter((id) => included.has(id));
}

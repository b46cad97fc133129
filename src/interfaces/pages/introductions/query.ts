/** Reads and writes the page's filters, which are in its address. */
import { z } from 'zod';
import { rankedIntroductions } from '../../../operations/introductions/introductions.ts';

const { capacity, from } = rankedIntroductions.input.shape;
const word = z.string().min(1).max(255).optional().catch(undefined);

/** The schema of the filters. An invalid value counts as omitted, so that an old address still opens the page. */
export const querySchema = z.object({
  network: word,
  member: word,
  capacity: capacity.catch(undefined),
  mine: z
    .string()
    .optional()
    .catch(undefined)
    .transform((text) => text === '1'),
  from: z.coerce.number().pipe(from.unwrap()).catch(0),
});

export type IntroductionsQuery = z.output<typeof querySchema>;

/** Returns the filters as query parameters for an address. */
export function toParameters(
  query: IntroductionsQuery,
  changes: Partial<IntroductionsQuery>,
): URLSearchParams {
  const { network, member, capacity, mine, from } = { ...query, ...changes };
  const words = new URLSearchParams();
  if (network !== undefined) words.set('network', network);
  if (member !== undefined) words.set('member', member);
  if (capacity !== undefined) words.set('capacity', capacity);
  if (mine) words.set('mine', '1');
  if (from > 0) words.set('from', String(from));
  return words;
}

/** Returns the address of a client's page with these filters. */
export function buildHref(
  client: string,
  query: IntroductionsQuery,
  changes: Partial<IntroductionsQuery>,
): string {
  const words = toParameters(query, changes);
  const path = `/introductions/${client}`;
  return words.size === 0 ? path : `${path}?${words}`;
}

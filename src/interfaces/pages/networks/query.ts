/** Reads the parameters in the address of a network's page. */
import { z } from 'zod';
import { type PictureFilter, SORTS, WEAKEST } from '../../../networks/network-picture.ts';

const word = z.string().trim().min(1).nullable().catch(null);

export const querySchema = z.object({
  weakest: z.coerce.number().int().min(WEAKEST).max(100).catch(WEAKEST),
  network: word,
  who: word,
  sort: z.enum(SORTS).catch('strength'),
  from: z.coerce.number().int().min(0).catch(0),
  names: z
    .literal('1')
    .transform(() => true)
    .catch(false),
});

export type NetworkQuery = z.infer<typeof querySchema>;

export function toFilter({ weakest, network, who }: NetworkQuery): PictureFilter {
  return { weakest, network, who };
}

/** Returns the address of the same page with different parameters. */
export function buildHref(
  id: string,
  query: NetworkQuery,
  changes: Partial<NetworkQuery>,
  path = '',
): string {
  const { weakest, network, who, sort, from, names } = { ...query, ...changes };
  const words = new URLSearchParams({
    ...(weakest === WEAKEST ? {} : { weakest: String(weakest) }),
    ...(network === null ? {} : { network }),
    ...(who === null ? {} : { who }),
    ...(sort === 'strength' ? {} : { sort }),
    ...(from === 0 ? {} : { from: String(from) }),
    ...(names ? { names: '1' } : {}),
  });
  return `/networks/${id}${path}${words.size === 0 ? '' : `?${words}`}`;
}

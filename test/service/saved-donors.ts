/** Shared helpers for the tests of donors, lists and exports. */

import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import type { PartnerSandbox } from '../../sandbox/partner/index.ts';
import { ask } from './partner.ts';

/** An ID that does not belong to any donor. */
export const UNKNOWN_DONOR = 'f'.repeat(32);

/** Returns the ids of the first donors in the stand-in that tests start (50 donors, seed 1). */
export function donorIds(count: number): string[] {
  const world = createWorld({ seed: 1, donors: 50 });
  return Array.from({ length: count }, (_, number) => world.donor(number).id);
}

/** Returns the number of credits left in a bucket. */
export async function creditsIn(
  partner: PartnerSandbox,
  bucket: string,
  apiKey?: string,
): Promise<number | undefined> {
  const { body } = await ask(partner, 'GET', '/credits', undefined, apiKey);
  return z.record(z.string(), z.number()).parse(body)[bucket];
}

/** Creates a list and returns its ID. */
export async function createList(
  partner: PartnerSandbox,
  name: string,
  apiKey?: string,
): Promise<string> {
  const { body } = await ask(partner, 'POST', '/lists', { name }, apiKey);
  return z.object({ list_id: z.string() }).parse(body).list_id;
}

const lists = z.object({
  lists: z.array(
    z.object({
      list_id: z.string(),
      name: z.string(),
      is_system: z.boolean(),
      donor_count: z.number(),
    }),
  ),
});

/** Reads a team's lists. */
export async function readLists(partner: PartnerSandbox, apiKey?: string) {
  return lists.parse((await ask(partner, 'GET', '/lists', undefined, apiKey)).body).lists;
}

/** Returns the ID of the list that every team has. */
export async function systemListId(partner: PartnerSandbox, apiKey?: string): Promise<string> {
  const all = await readLists(partner, apiKey);
  return z.string().parse(all.find((list) => list.is_system)?.list_id);
}

const listed = z.object({
  donors: z.array(z.object({ id: z.string() })),
  next_cursor: z.string().nullable(),
});

/** Returns the ids of the donors on a list, and the next page's cursor. */
export async function readListed(partner: PartnerSandbox, listId: string, query = '') {
  const { body } = await ask(partner, 'GET', `/lists/${listId}${query}`);
  const { donors, next_cursor } = listed.parse(body);
  return { ids: donors.map(({ id }) => id), nextCursor: next_cursor };
}

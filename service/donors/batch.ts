/** Functions for requests with many donors: the maximum number, the donors and the payment. */

import { z } from '@hono/zod-openapi';
import type { World } from '../donor.ts';
import { atOnce } from '../slices.ts';
import { countItems } from '../validation.ts';

/** The maximum number of donors in one request. */
export const MAX_DONOR_IDS = 100;

/** The list of donor IDs. An unknown ID is not an error, because the response lists unknown IDs. */
export const donorIdsSchema = z
  .array(z.string())
  .min(1)
  .openapi({ maxItems: MAX_DONOR_IDS, example: ['0123456789abcdef0123456789abcdef'] });

/** The body of a request that contains only donor IDs. */
export const donorIdsBodySchema = z.object({ donor_ids: donorIdsSchema }).openapi('DonorIds');

export function idsSchema(description: string) {
  return z.array(z.string()).openapi({ description });
}

/** The IDs of the donors that the balance could not pay for. */
export const unpaidIdsSchema = idsSchema('Donor ids that the balance did not cover');

/** The IDs in the request for which no donor exists. */
export const notFoundIdsSchema = idsSchema('Donor ids that do not exist');

/** How much of a request was processed (service document, sections 2.5 and 4.5). */
export const batchMetaSchema = z
  .object({
    requested: z.int(),
    processed: z.int(),
    partial: z.boolean().optional(),
    partial_reason: z.string().optional(),
  })
  .openapi('BatchMeta');

/** Returns the cost of a request, which is one credit for each donor ID. Returns 0 for a body in a different form. */
export function countDonorIds(body: unknown): number {
  return Array.isArray(body) ? 0 : countItems(body, 'donor_ids');
}

/** Returns metadata if the service processed only a part of the batch, and undefined otherwise. */
export function batchMeta(requested: number, processed: number): z.infer<typeof batchMetaSchema> {
  return processed < requested
    ? { requested, processed, partial: true, partial_reason: 'insufficient_credits' }
    : { requested, processed };
}

/** Returns the numbers of the existing donors without repetitions, and the IDs for which no donor exists. */
export function resolveDonors(
  world: World,
  ids: readonly string[],
): { numbers: number[]; notFoundIds: string[] } {
  return atOnce(resolveInPieces(world, ids));
}

/** Returns the result of `resolveDonors`, but pauses after each donor to let other requests run. */
export function* resolveInPieces(
  world: World,
  ids: readonly string[],
): Generator<void, { numbers: number[]; notFoundIds: string[] }> {
  const numbers = new Set<number>();
  const notFoundIds: string[] = [];
  for (const id of new Set(ids)) {
    const number = world.donorNumber(id);
    if (number === null) {
      notFoundIds.push(id);
    } else {
      numbers.add(number);
    }
    yield;
  }
  return { numbers: [...numbers], notFoundIds };
}

/** Describes how an entry in a response identifies its donor. */
export interface Naming<Entry> {
  idOf(entry: Entry): string;
  withId(entry: Entry, id: string): Entry;
}

/**
 * Returns the entries under the requested IDs. After two donors have been joined, an earlier ID leads to the joined
 * donor, and the caller may know only the earlier ID.
 */
export function underRequestedIds<Entry>(
  world: World,
  ids: readonly string[],
  entries: Entry[],
  { idOf, withId }: Naming<Entry>,
): Entry[] {
  const present = new Set(entries.map(idOf));
  const requested = new Set(ids);
  const earlier = new Map<string, string[]>();
  for (const id of requested) {
    const number = present.has(id) ? null : world.donorNumber(id);
    if (number === null) continue;
    const now = world.donor(number).id;
    earlier.set(now, [...(earlier.get(now) ?? []), id]);
  }
  if (earlier.size === 0) return entries;
  return entries.flatMap((entry) => [
    ...(requested.has(idOf(entry)) ? [entry] : []),
    ...(earlier.get(idOf(entry)) ?? []).map((id) => withId(entry, id)),
  ]);
}

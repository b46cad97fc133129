/** The shared parts of requests for many donors: the maximum number, the donors, and the payment. */

import { z } from '@hono/zod-openapi';
import type { World } from '../donor.ts';
import { atOnce } from '../slices.ts';
import { countItems } from '../validation.ts';

/** The maximum number of donors that one request may name. */
export const MAX_DONOR_IDS = 100;

/** A list of donor IDs. An unknown ID is not an error. The response lists it. */
export const donorIdsSchema = z
  .array(z.string())
  .min(1)
  .openapi({ maxItems: MAX_DONOR_IDS, example: ['0123456789abcdef0123456789abcdef'] });

/** The body of a request that only names donors. */
export const donorIdsBodySchema = z.object({ donor_ids: donorIdsSchema }).openapi('DonorIds');

/** Creates the schema of IDs in a response, for example of IDs that match no donor. */
export function idsSchema(description: string) {
  return z.array(z.string()).openapi({ description });
}

/** The IDs that were not covered by the balance. */
export const unpaidIdsSchema = idsSchema('Donor ids that the balance did not cover');

/** The IDs that belong to no donor. */
export const notFoundIdsSchema = idsSchema('Donor ids that do not exist');

/** The part of a request that was processed (service document, sections 2.5 and 4.5). */
export const batchMetaSchema = z
  .object({
    requested: z.int(),
    processed: z.int(),
    partial: z.boolean().optional(),
    partial_reason: z.string().optional(),
  })
  .openapi('BatchMeta');

/** Returns the cost of a batch that charges for each donor ID. A body in a different form costs nothing. */
export function countDonorIds(body: unknown): number {
  return Array.isArray(body) ? 0 : countItems(body, 'donor_ids');
}

/** Mentions a partial request only if there was one. */
export function batchMeta(requested: number, processed: number): z.infer<typeof batchMetaSchema> {
  return processed < requested
    ? { requested, processed, partial: true, partial_reason: 'insufficient_credits' }
    : { requested, processed };
}

/** Returns the numbers of the donors that exist, each of them once, and the IDs that belong to no donor. */
export function resolveDonors(
  world: World,
  ids: readonly string[],
): { numbers: number[]; notFoundIds: string[] } {
  return atOnce(resolveInPieces(world, ids));
}

/** Does the same for a large number of donors, with a pause after each. */
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

/** The way in which an entry of a response identifies its donor. */
export interface Naming<Entry> {
  idOf(entry: Entry): string;
  withId(entry: Entry, id: string): Entry;
}

/**
 * Returns the entries under the IDs that a request named. After a join, an earlier ID leads to the joined donor, but a
 * caller may know only the earlier ID.
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

import { z } from 'zod';
import { parseReply, type Reply } from './reply.ts';
import { idSchema } from './wire.ts';

/** Handles requests for many donors, and finds the donors without a result in the responses. */

/** The maximum number of donor IDs in one request (service document, section 8). */
export const MAX_DONORS_PER_REQUEST = 100;

/**
 * Returns the donors without duplicates, because the service would charge for each duplicate. Throws `RangeError`
 * unless the list contains 1 to 100 donors, because the service would respond with 400.
 */
export function distinctDonors(donorIds: readonly string[]): string[] {
  const distinct = [...new Set(donorIds)];
  if (distinct.length >= 1 && distinct.length <= MAX_DONORS_PER_REQUEST) return distinct;
  throw new RangeError(
    `A request names 1 to ${MAX_DONORS_PER_REQUEST} donors, not ${distinct.length}`,
  );
}

/** The donors of a request for which the response contains no result. */
export interface LeftOut {
  /** IDs that belong to no donor. */
  notFound: readonly string[];
  /** The donors that the balance did not cover (section 4.5, rule 3) or that the response did not mention. */
  unprocessed: readonly string[];
}

/** Returns the requested donors that are missing from the response, with the reason. */
export function leftOut(
  reply: Reply,
  asked: readonly string[],
  answered: Iterable<string>,
): LeftOut {
  const { not_found_ids: denied } = parseReply(leftOutSchema, reply);
  const unknown = new Set(denied);
  const known = new Set(answered);
  const missing = asked.filter((id) => !known.has(id));
  return {
    notFound: missing.filter((id) => unknown.has(id)),
    unprocessed: missing.filter((id) => !unknown.has(id)),
  };
}

/**
 * The donors that a response reports as missing. A response without this field, such as a bare list, reports no missing
 * donors.
 */
const leftOutSchema = z
  .object({ not_found_ids: z.array(idSchema).nullish().catch(null) })
  .catch({ not_found_ids: null });

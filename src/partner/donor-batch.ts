import { z } from 'zod';
import { parseReply, type Reply } from './reply.ts';
import { idSchema } from './wire.ts';

/** Requests that name many donors, and the data in their responses about donors without a result. */

/** Maximum number of donor IDs in one request (service document, section 8). */
export const MAX_DONORS_PER_REQUEST = 100;

/**
 * The donors, each once, because the service also charges for repeated donors. Throws `RangeError` unless there are 1
 * to 100: the service would respond with 400.
 */
export function distinctDonors(donorIds: readonly string[]): string[] {
  const distinct = [...new Set(donorIds)];
  if (distinct.length >= 1 && distinct.length <= MAX_DONORS_PER_REQUEST) return distinct;
  throw new RangeError(
    `A request names 1 to ${MAX_DONORS_PER_REQUEST} donors, not ${distinct.length}`,
  );
}

/** Donors of a request without a result. */
export interface LeftOut {
  /** IDs that belong to no donor. */
  notFound: readonly string[];
  /** Not covered by the balance (section 4.5, rule 3), or not mentioned in the response at all. */
  unprocessed: readonly string[];
}

/** The requested donors that are missing from the response, and why. */
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

/** A response without such a field, such as a bare list, names no missing donors. */
const leftOutSchema = z
  .object({ not_found_ids: z.array(idSchema).nullish().catch(null) })
  .catch({ not_found_ids: null });

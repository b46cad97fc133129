import { z } from 'zod';
import { parseReply, type Reply } from './reply.ts';
import { idSchema } from './wire.ts';

/** Requests that name many donors, and what their replies say of those who brought nothing. */

/** The most donor ids in one request (service document, section 8). */
export const MAX_DONORS_PER_REQUEST = 100;

/**
 * The donors, each once, because the service charges repeated ones too. Throws `RangeError` unless
 * they are 1 to 100: the service would answer 400.
 */
export function distinctDonors(donorIds: readonly string[]): string[] {
  const distinct = [...new Set(donorIds)];
  if (distinct.length >= 1 && distinct.length <= MAX_DONORS_PER_REQUEST) return distinct;
  throw new RangeError(
    `A request names 1 to ${MAX_DONORS_PER_REQUEST} donors, not ${distinct.length}`,
  );
}

/** Donors of a request who brought nothing. */
export interface LeftOut {
  /** No donor has these ids. */
  notFound: readonly string[];
  /** Not covered by the balance (section 4.5, rule 3), or not mentioned in the reply at all. */
  unprocessed: readonly string[];
}

/** Who of the asked is not among the answered, and why. */
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

/** A reply that says nothing of the kind, such as a bare list, leaves no donor out by name. */
const leftOutSchema = z
  .object({ not_found_ids: z.array(idSchema).nullish().catch(null) })
  .catch({ not_found_ids: null });

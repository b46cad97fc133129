import { z } from 'zod';
import type { Charge } from '../buckets.ts';
import { donorReferenceSchema } from '../donors/donor-reference.ts';
import { parseReply } from '../reply.ts';
import { type Operation, withSlashes } from '../routes.ts';
import { listUnder } from '../wire.ts';
import { linkShape, toLink } from './connection.ts';
import { allowedLimit, type DiscoverDeps } from './prospects.ts';

/** A connection of a donor to any other donor; its strength may be anything from 0 to 1. */
export type LookupConnection = z.output<typeof lookupConnectionSchema>;

export interface LookupOptions {
  /** At most so many, the strongest; the service's own choice unless told, never above its maximum. */
  limit?: number;
}

/** "Up to 20 seconds" (service document, section 8). */
const LOOKUP_WORK_MS = 20_000;

export const LOOKUP: Operation = {
  name: 'look up connections',
  lane: 'queries',
  charges: 'unknown',
  reads: 'json',
  workMs: LOOKUP_WORK_MS,
  namesThings: true,
  routes: withSlashes([{ method: 'POST', path: '/networks/lookup' }]),
};

const lookupConnectionSchema = z
  .object({ ...linkShape, donor: donorReferenceSchema })
  .transform((wire) => ({
    ...toLink(wire),
    /** The other donor. */
    donor: wire.donor,
  }));

/** Has the connections of any donor computed; `PartnerNotFound` for an unknown one. */
export async function lookupConnections(
  { send, routes }: DiscoverDeps,
  donorId: string,
  options: LookupOptions,
  charges: Charge,
  signal?: AbortSignal,
): Promise<LookupConnection[]> {
  const fields = { donor_id: donorId, limit: allowedLimit(routes, LOOKUP, options.limit) };
  const reply = await send(LOOKUP, { fields, charges }, signal);
  return parseReply(listUnder('connections', lookupConnectionSchema), reply);
}

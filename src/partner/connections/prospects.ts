import { z } from 'zod';
import type { Charge } from '../buckets.ts';
import { distinctDonors } from '../donor-batch.ts';
import { type DonorReference, donorReferenceSchema } from '../donors.ts';
import { parseReply, type Reply } from '../reply.ts';
import type { MayLeave } from '../request.ts';
import { type Operation, operation, type Routes } from '../routes.ts';
import { type Send, sendFor } from '../send.ts';
import { listUnder } from '../wire.ts';
import {
  type Connection,
  connectionSchema,
  type Filters,
  filterFields,
  linkShape,
  toLink,
} from './connection.ts';

/** Prospects are donors with connections to network members (service document, sections 4.1 and 4.2). */

/** A donor, as the team's networks know the donor. */
export interface Prospect {
  donor: DonorReference;
  /** The strength of the strongest connection, or 0 if the donor has no connection. */
  maxStrength: number;
  totalConnections: number;
  connections: readonly Connection[];
}

/** Conditions for prospects. */
export interface ProspectFilters extends Filters {
  /** The minimum strength, from 0.45 (the default) to 1. Weaker connections are ignored. */
  minStrength?: number;
}

/** Conditions for discovered prospects, and the maximum number to return. */
export interface DiscoverOptions extends ProspectFilters {
  /**
   * The maximum number of prospects. By default, the service chooses the number. The service's own maximum always
   * applies.
   */
  limit?: number;
}

/** The time that the service may take to search its whole database. */
const SEARCH_WORK_MS = 20_000;

export const DISCOVER = operation(
  'discover prospects',
  { charges: 'unknown', workMs: SEARCH_WORK_MS },
  [{ method: 'POST', path: '/networks/discover' }],
);

export const COMPARE = operation(
  'compare prospects',
  { charges: 'unknown', workMs: SEARCH_WORK_MS },
  [{ method: 'POST', path: '/networks/connections', listName: 'donor_ids' }],
);

/** The dependencies for discovering prospects. */
export interface DiscoverDeps {
  send: Send;
  routes: Routes;
}

/** Finds prospects in the service's whole database. */
export async function discoverProspects(
  { send, routes }: DiscoverDeps,
  options: DiscoverOptions,
  charges: Charge,
  signal?: AbortSignal,
): Promise<Prospect[]> {
  const limit = allowedLimit(routes, DISCOVER, options.limit);
  const fields = { ...prospectFields(options), limit };
  return prospectsIn(await send(DISCOVER, { fields, charges }, signal));
}

/** Reads the connections of 1 to 100 given prospects. */
export async function compareProspects(
  send: Send,
  donorIds: readonly string[],
  filters: ProspectFilters,
  charges: Charge,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<Prospect[]> {
  const payload = { list: distinctDonors(donorIds), fields: prospectFields(filters), charges };
  return sendFor(send, COMPARE, payload, prospectsIn, signal, mayLeave);
}

/** Returns the requested limit, but at most the service's published maximum. */
function allowedLimit(
  routes: Routes,
  operation: Operation,
  asked: number | undefined,
): number | undefined {
  const maxLimit = routes.known(operation)?.maxLimit ?? Number.POSITIVE_INFINITY;
  return asked === undefined ? undefined : Math.min(asked, maxLimit);
}

function prospectFields(filters: ProspectFilters) {
  return { ...filterFields(filters), min_strength: filters.minStrength };
}

const prospectSchema = z
  .object({
    donor: donorReferenceSchema,
    max_strength: z.number().min(0).max(1).nullish(),
    total_connections: z.int().nonnegative().nullish(),
    connections: z.array(connectionSchema).nullish(),
  })
  .transform((wire): Prospect => {
    const connections = wire.connections ?? [];
    return {
      donor: wire.donor,
      maxStrength: wire.max_strength ?? Math.max(0, ...connections.map(({ strength }) => strength)),
      totalConnections: wire.total_connections ?? connections.length,
      connections,
    };
  });

const prospectsSchema = listUnder('prospects', prospectSchema);

function prospectsIn(reply: Reply): Prospect[] {
  return parseReply(prospectsSchema, reply);
}

/** A connection between a donor and any other donor, with a strength from 0 to 1. */
export type LookupConnection = z.output<typeof lookupConnectionSchema>;

export interface LookupOptions {
  /**
   * The maximum number of connections. The strongest connections come first. By default, the service chooses the
   * number. The service's own maximum always applies.
   */
  limit?: number;
}

/** The time that the service may need. The service document allows up to 20 seconds (section 8). */
const LOOKUP_WORK_MS = 20_000;

export const LOOKUP = operation(
  'look up connections',
  { charges: 'unknown', workMs: LOOKUP_WORK_MS },
  [{ method: 'POST', path: '/networks/lookup' }],
);

const lookupConnectionSchema = z
  .object({ ...linkShape, donor: donorReferenceSchema })
  .transform((wire) => ({
    ...toLink(wire),
    /** The donor at the other end of the connection. */
    donor: wire.donor,
  }));

/** Lets the service compute a donor's connections. Throws `PartnerNotFound` for an unknown donor. */
export async function lookupConnections(
  { send, routes }: DiscoverDeps,
  donorId: string,
  options: LookupOptions,
  charges: Charge,
  signal?: AbortSignal,
): Promise<LookupConnection[]> {
  const fields = { donor_id: donorId, limit: allowedLimit(routes, LOOKUP, options.limit) };
  const read = (reply: Reply) =>
    parseReply(listUnder('connections', lookupConnectionSchema), reply);
  return sendFor(send, LOOKUP, { fields, charges }, read, signal);
}

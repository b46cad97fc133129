import { z } from 'zod';
import type { Charge } from '../buckets.ts';
import { donorReferenceSchema } from '../donors.ts';
import { type NetworkReference, networkReferenceSchema } from '../networks/network.ts';
import { parseReply, type Reply } from '../reply.ts';
import type { MayLeave } from '../request.ts';
import { operation } from '../routes.ts';
import { type Send, sendFor } from '../send.ts';

/** A relationship between two donors (service document, section 2.2). */
export interface Link {
  /** The likelihood that the two donors know each other, from 0 to 1. */
  strength: number;
  /** A short label for display. */
  snippet: string | null;
  /** The organisation that the two donors share. */
  entityName: string | null;
  /** The kind of the organisation, such as `nonprofit`, `company` or `school`. */
  entityType: string | null;
  /** The relationship of the first donor to the organisation. The service can send any word. */
  sourceRelationship: string | null;
  /** The relationship of the other donor to the organisation. */
  targetRelationship: string | null;
}

const textSchema = z.string().nullish();

/** The fields that all connections have. */
export const linkShape = {
  strength: z.number().min(0).max(1),
  snippet: textSchema,
  connecting_entity_name: textSchema,
  connecting_entity_type: textSchema,
  source_relationship: textSchema,
  target_relationship: textSchema,
};

const linkSchema = z.object(linkShape);

/** Converts a link into donor-sync's own form. */
export function toLink(wire: z.output<typeof linkSchema>): Link {
  return {
    strength: wire.strength,
    snippet: wire.snippet ?? null,
    entityName: wire.connecting_entity_name ?? null,
    entityType: wire.connecting_entity_type ?? null,
    sourceRelationship: wire.source_relationship ?? null,
    targetRelationship: wire.target_relationship ?? null,
  };
}

/** A donor's connection to a member of the team's networks. The strength of a connection is at least 0.45. */
export type Connection = z.output<typeof connectionSchema>;

export const connectionSchema = z
  .object({
    ...linkShape,
    source_donor: donorReferenceSchema,
    networks: z.array(networkReferenceSchema).nullish(),
  })
  .transform((wire) => ({
    ...toLink(wire),
    /** The network's member. */
    sourceDonor: wire.source_donor,
    /** The team's networks that contain the connection. Empty if the service does not report the networks. */
    networks: wire.networks ?? [],
  }));

/** The filters of a query (service document, section 4.2). */
export interface Filters {
  /** The networks to search. Defaults to all networks of the team. */
  networkIds?: readonly string[];
  /** Limits the query to some members of the networks. Defaults to all members. */
  inNetworkDonorIds?: readonly string[];
}

/** Returns the filters as fields of a request body. */
export function filterFields(filters: Filters) {
  refuseEmpty(filters);
  return {
    network_ids: filters.networkIds,
    in_network_donor_ids: filters.inNetworkDonorIds,
  };
}

/** Returns the filters as query parameters. A parameter with several values is repeated. */
function filterQuery(filters: Filters): URLSearchParams {
  refuseEmpty(filters);
  const query = new URLSearchParams();
  for (const id of filters.networkIds ?? []) query.append('network_ids', id);
  for (const id of filters.inNetworkDonorIds ?? []) query.append('in_network_donor_ids', id);
  return query;
}

/**
 * Rejects empty lists, because services interpret an empty list in different ways: as no members, or as all members.
 */
function refuseEmpty({ networkIds, inNetworkDonorIds }: Filters): void {
  if (networkIds?.length !== 0 && inNetworkDonorIds?.length !== 0) return;
  throw new RangeError('A filter needs at least one ID. Omit the filter to apply no restriction');
}

/** All connections between a donor and the members of the team's networks (service document, section 4.1). */
export interface DonorConnections {
  /** True if the donor is a member of at least one of the team's networks. */
  inNetwork: boolean;
  /** The networks that contain the donor. */
  networks: readonly NetworkReference[];
  connections: readonly Connection[];
}

export const DONOR_CONNECTIONS = operation('connections of a donor', { charges: 'unknown' }, [
  { method: 'GET', path: '/networks/donors/{id}/connections' },
]);

/** Returns all connections between a donor and network members. Throws `PartnerNotFound` for an unknown donor. */
export async function readDonorConnections(
  send: Send,
  donorId: string,
  filters: Filters,
  charges: Charge,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<DonorConnections> {
  const payload = { id: donorId, query: filterQuery(filters), charges };
  const read = (reply: Reply) => parseReply(donorConnectionsSchema, reply);
  return sendFor(send, DONOR_CONNECTIONS, payload, read, signal, mayLeave);
}

const donorConnectionsSchema = z
  .object({
    in_network: z.boolean().nullish(),
    networks: z.array(networkReferenceSchema).nullish(),
    connections: z.array(connectionSchema).nullish(),
  })
  .refine((wire) => wire.in_network != null || wire.networks != null, { path: ['in_network'] })
  .transform(
    ({ in_network: inNetwork, networks, connections }): DonorConnections => ({
      inNetwork: inNetwork ?? (networks ?? []).length > 0,
      networks: networks ?? [],
      connections: connections ?? [],
    }),
  );

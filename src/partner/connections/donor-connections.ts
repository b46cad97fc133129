import { z } from 'zod';
import type { Charge } from '../buckets.ts';
import { type NetworkReference, networkReferenceSchema } from '../networks/network.ts';
import { parseReply } from '../reply.ts';
import type { MayLeave } from '../request.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';
import { type Connection, connectionSchema } from './connection.ts';
import { type Filters, filterQuery } from './filters.ts';

/** All that connects one donor to the team's members (service document, section 4.1). */
export interface DonorConnections {
  /** True if the donor is a member of any of the team's networks. */
  inNetwork: boolean;
  /** The networks that the donor belongs to. */
  networks: readonly NetworkReference[];
  connections: readonly Connection[];
}

export const DONOR_CONNECTIONS: Operation = {
  name: 'connections of a donor',
  lane: 'queries',
  charges: 'unknown',
  reads: 'json',
  namesThings: true,
  routes: withSlashes([{ method: 'GET', path: '/networks/donors/{id}/connections' }]),
};

/** Every connection of a donor to members; `PartnerNotFound` for an unknown donor. */
export async function readDonorConnections(
  send: Send,
  donorId: string,
  filters: Filters,
  charges: Charge,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<DonorConnections> {
  const payload = { id: donorId, query: filterQuery(filters), charges };
  return parseReply(
    donorConnectionsSchema,
    await send(DONOR_CONNECTIONS, payload, signal, mayLeave),
  );
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

import { z } from 'zod';
import {
  PartnerBadRequest,
  PartnerEndpointMissing,
  PartnerValidationError,
  ReplyUnreadable,
} from '../errors.ts';
import { parseReply, type Reply } from '../reply.ts';
import { operation, type Routes } from '../routes.ts';
import { type Send, sendFor } from '../send.ts';
import { bareOrUnder, idSchema, listUnder, withIdAs } from '../wire.ts';

/** A network of the team (service document, section 2.1). */
export interface Network extends NetworkReference {
  name: string;
  color: string | null;
  /** The number of members. Null if the service does not report it. */
  memberCount: number | null;
}

/** A network to which a connection refers. */
export interface NetworkReference {
  networkId: string;
  /** The network's name. Null if the service sends only the ID. */
  name: string | null;
}

/** A network's record. The document does not describe its form, so the ID may have either of two names. */
export const networkSchema = withNetworkId(
  z.object({
    network_id: idSchema,
    name: z.string(),
    color: z.string().nullish().catch(null),
    member_count: z.int().nonnegative().nullish().catch(null),
  }),
).transform(
  (wire): Network => ({
    networkId: wire.network_id,
    name: wire.name,
    color: wire.color ?? null,
    memberCount: wire.member_count ?? null,
  }),
);

/** A network to which another record refers, as an object or as a bare ID. */
export const networkReferenceSchema = withNetworkId(
  z.object({ network_id: idSchema, name: z.string().nullish() }),
).transform((wire): NetworkReference => ({ networkId: wire.network_id, name: wire.name ?? null }));

function withNetworkId<Thing extends z.ZodType>(thing: Thing) {
  return withIdAs('network_id', 'id', thing);
}

/**
 * Creates, renames and deletes networks (service document, section 4.1). Creating, renaming and deleting networks is
 * free.
 */

/** The network that a create request created or found. */
export interface CreatedNetwork extends Network {
  /** True if a network with this name already existed and is now used. */
  adopted: boolean;
}

export const LIST_NETWORKS = operation(
  'list of networks',
  { charges: null, lane: 'networks', namesThings: false },
  [{ method: 'GET', path: '/networks' }],
);

export const CREATE_NETWORK = operation(
  'create a network',
  { charges: null, lane: 'networks', namesThings: false },
  [{ method: 'POST', path: '/networks' }],
);

export const RENAME_NETWORK = operation(
  'rename a network',
  { charges: null, lane: 'networks', reads: 'nothing' },
  [{ method: 'PUT', path: '/networks/{id}' }],
);

/**
 * Deletes a network. The endpoint is not documented. donor-sync uses it only if the service's openapi.json lists it.
 */
export const DELETE_NETWORK = operation(
  'delete a network',
  { charges: null, lane: 'networks', reads: 'nothing' },
  [{ method: 'DELETE', path: '/networks/{id}' }],
);

/** Returns the team's networks. */
export async function listNetworks(send: Send, signal?: AbortSignal): Promise<Network[]> {
  const read = (reply: Reply) => parseReply(listUnder('networks', networkSchema), reply);
  return sendFor(send, LIST_NETWORKS, {}, read, signal);
}

/**
 * Creates a network, or adopts the network that already has this name. The request can therefore be repeated if its
 * response was lost. The second attempt then finds the network that the first attempt created.
 */
export async function createNetwork(
  send: Send,
  routes: Routes,
  name: string,
  color: string,
  signal?: AbortSignal,
): Promise<CreatedNetwork> {
  try {
    const network = await createInColor(send, name, usableColor(routes, color), signal);
    return { ...network, adopted: false };
  } catch (error) {
    if (!(error instanceof PartnerBadRequest || error instanceof ReplyUnreadable)) throw error;
    const existing = (await listNetworks(send, signal)).find((network) => network.name === name);
    if (existing === undefined) throw error;
    // If a service creates a network without describing it, donor-sync reads the new network. Reading a new network
    // does not count as adopting it.
    return { ...existing, adopted: error instanceof PartnerBadRequest };
  }
}

/** Renames a network. Throws `PartnerBadRequest` if a different network has this name. */
export async function renameNetwork(
  send: Send,
  networkId: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  await send(RENAME_NETWORK, { id: networkId, fields: { name } }, signal);
}

/** Deletes a network if the service lists the operation. The routes must already be known. */
export async function deleteNetwork(
  send: Send,
  routes: Routes,
  networkId: string,
  signal?: AbortSignal,
): Promise<void> {
  if (!routes.known(DELETE_NETWORK)) {
    throw new PartnerEndpointMissing('DELETE /networks/{id}', null);
  }
  await send(DELETE_NETWORK, { id: networkId }, signal);
}

/** The colour that is used if the service rejects the requested colour. The allowed colours are not documented. */
const FALLBACK_COLOR = 'teal';

/** Returns the requested colour, unless the service has published a list of colours that does not contain it. */
function usableColor(routes: Routes, asked: string): string {
  const colors = routes.known(CREATE_NETWORK)?.colors ?? [];
  if (colors.length === 0 || colors.includes(asked)) return asked;
  return colors.includes(FALLBACK_COLOR) ? FALLBACK_COLOR : (colors[0] ?? asked);
}

async function createInColor(
  send: Send,
  name: string,
  color: string,
  signal: AbortSignal | undefined,
): Promise<Network> {
  try {
    return await create(send, name, color, signal);
  } catch (error) {
    if (!(error instanceof PartnerValidationError) || color === FALLBACK_COLOR) throw error;
    return create(send, name, FALLBACK_COLOR, signal);
  }
}

async function create(
  send: Send,
  name: string,
  color: string,
  signal: AbortSignal | undefined,
): Promise<Network> {
  const reply = await send(CREATE_NETWORK, { fields: { name, color } }, signal);
  return parseReply(bareOrUnder('network', networkSchema), reply);
}

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
  /** Null where the service does not say. */
  memberCount: number | null;
}

/** A network as a connection mentions it. */
export interface NetworkReference {
  networkId: string;
  /** Null where the service sends the id alone. */
  name: string | null;
}

/** A network record; its form is not documented, so that the id may be called either way. */
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

/** A network that is only mentioned: an object or a bare id. */
export const networkReferenceSchema = withNetworkId(
  z.object({ network_id: idSchema, name: z.string().nullish() }),
).transform((wire): NetworkReference => ({ networkId: wire.network_id, name: wire.name ?? null }));

function withNetworkId<Thing extends z.ZodType>(thing: Thing) {
  return withIdAs('network_id', 'id', thing);
}

/** Making, naming and ending networks (service document, section 4.1). All of it is free. */

/** What became of a network that was asked for. */
export interface CreatedNetwork extends Network {
  /** True if a network of that name was there before, and is used from now on. */
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

/** Not documented: used only where the service's openapi.json lists it. */
export const DELETE_NETWORK = operation(
  'delete a network',
  { charges: null, lane: 'networks', reads: 'nothing' },
  [{ method: 'DELETE', path: '/networks/{id}' }],
);

/** The team's networks. */
export async function listNetworks(send: Send, signal?: AbortSignal): Promise<Network[]> {
  const read = (reply: Reply) => parseReply(listUnder('networks', networkSchema), reply);
  return sendFor(send, LIST_NETWORKS, {}, read, signal);
}

/**
 * Creates a network, or adopts the one of that name. That also makes the request safe to repeat
 * when its answer was lost: the second one finds what the first has made.
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
    // What a service creates without describing it is not adopted, only found again.
    return { ...existing, adopted: error instanceof PartnerBadRequest };
  }
}

/** Gives a network another name; `PartnerBadRequest` where another network bears it. */
export async function renameNetwork(
  send: Send,
  networkId: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  await send(RENAME_NETWORK, { id: networkId, fields: { name } }, signal);
}

/** Deletes a network where the service lists that it can; the routes must have been learnt. */
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

/** What is tried where the asked colour is refused: the allowed ones are not documented. */
const FALLBACK_COLOR = 'teal';

/** The asked colour, unless the service is known not to have it. */
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

import {
  PartnerBadRequest,
  PartnerEndpointMissing,
  PartnerValidationError,
  ReplyUnreadable,
} from '../errors.ts';
import { parseReply } from '../reply.ts';
import { type Operation, type Routes, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';
import { bareOrUnder, listUnder } from '../wire.ts';
import { type Network, networkSchema } from './network.ts';

/** Making, naming and ending networks (service document, section 4.1). All of it is free. */

/** What became of the wish for a network. */
export interface CreatedNetwork extends Network {
  /** True if a network of that name was there before, and is used from now on. */
  adopted: boolean;
}

const COMMON = { lane: 'networks', charges: null } as const;

export const LIST_NETWORKS: Operation = {
  ...COMMON,
  name: 'list of networks',
  reads: 'json',
  namesThings: false,
  routes: withSlashes([{ method: 'GET', path: '/networks' }]),
};

export const CREATE_NETWORK: Operation = {
  ...COMMON,
  name: 'create a network',
  reads: 'json',
  namesThings: false,
  routes: withSlashes([{ method: 'POST', path: '/networks' }]),
};

export const RENAME_NETWORK: Operation = {
  ...COMMON,
  name: 'rename a network',
  reads: 'nothing',
  namesThings: true,
  routes: withSlashes([{ method: 'PUT', path: '/networks/{id}' }]),
};

/** Not documented: used only where the service's openapi.json lists it. */
export const DELETE_NETWORK: Operation = {
  ...COMMON,
  name: 'delete a network',
  reads: 'nothing',
  namesThings: true,
  routes: withSlashes([{ method: 'DELETE', path: '/networks/{id}' }]),
};

/** The team's networks. */
export async function listNetworks(send: Send, signal?: AbortSignal): Promise<Network[]> {
  return parseReply(listUnder('networks', networkSchema), await send(LIST_NETWORKS, {}, signal));
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

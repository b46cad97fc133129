import { z } from 'zod';
import { distinctDonors, type LeftOut, leftOut } from '../donor-batch.ts';
import { parseReply } from '../reply.ts';
import type { MayLeave } from '../request.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';
import { idSchema } from '../wire.ts';

/** Who is on a list (service document, section 4.4). */

/** What adding to a list did with each donor. */
export interface ListAddition extends LeftOut {
  added: readonly string[];
  alreadyListed: readonly string[];
}

/** One credit of the lists bucket for each donor. */
export const ADD_TO_LIST: Operation = {
  name: 'add donors to a list',
  lane: 'queries',
  charges: 'lists',
  reads: 'json',
  namesThings: true,
  routes: withSlashes([{ method: 'POST', path: '/lists/{id}/donors', listName: 'donor_ids' }]),
};

export const REMOVE_FROM_LIST: Operation = {
  name: 'remove donors from a list',
  lane: 'queries',
  charges: null,
  reads: 'nothing',
  namesThings: true,
  routes: withSlashes([
    { method: 'POST', path: '/lists/{id}/donors/remove', listName: 'donor_ids' },
  ]),
};

/** Adds 1 to 100 donors. */
export async function addToList(
  send: Send,
  listId: string,
  donorIds: readonly string[],
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<ListAddition> {
  const list = distinctDonors(donorIds);
  const reply = await send(ADD_TO_LIST, { id: listId, list }, signal, mayLeave);
  const { added_ids: added, already_listed_ids: listed } = parseReply(additionSchema, reply);
  const alreadyListed = listed ?? [];
  return { added, alreadyListed, ...leftOut(reply, list, [...added, ...alreadyListed]) };
}

/** Removes 1 to 100 donors. */
export async function removeFromList(
  send: Send,
  listId: string,
  donorIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  await send(REMOVE_FROM_LIST, { id: listId, list: distinctDonors(donorIds) }, signal);
}

const additionSchema = z.object({
  added_ids: z.array(idSchema),
  already_listed_ids: z.array(idSchema).nullish(),
});

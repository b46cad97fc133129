import { distinctDonors } from '../donor-batch.ts';
import type { MayLeave } from '../request.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';

/** Single members in, and members out (service document, section 4.1). */

/** How long the service may compute the connections of one donor ("a few seconds per donor"). */
const ADD_WORK_MS = 30_000;

/** Whether it costs a credit is not documented. */
export const ADD_MEMBER: Operation = {
  name: 'add a member',
  lane: 'networks',
  charges: 'unknown',
  reads: 'nothing',
  workMs: ADD_WORK_MS,
  namesThings: true,
  routes: withSlashes([{ method: 'POST', path: '/networks/{id}/members' }]),
};

export const REMOVE_MEMBERS: Operation = {
  name: 'remove members',
  lane: 'networks',
  charges: null,
  reads: 'nothing',
  namesThings: true,
  routes: withSlashes([
    { method: 'POST', path: '/networks/{id}/members/remove', listName: 'donor_ids' },
  ]),
};

/** Adds one donor; the service answers when the connections are computed. */
export async function addMember(
  send: Send,
  networkId: string,
  donorId: string,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<void> {
  const payload = { id: networkId, fields: { donor_id: donorId } };
  await send(ADD_MEMBER, payload, signal, mayLeave);
}

/** Removes 1 to 100 donors. */
export async function removeMembers(
  send: Send,
  networkId: string,
  donorIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  await send(REMOVE_MEMBERS, { id: networkId, list: distinctDonors(donorIds) }, signal);
}

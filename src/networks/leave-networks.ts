/** Removes a person from the networks immediately before the erasure of the person. */
import { findContacts } from '../contacts/contacts.ts';

import { isDonorSyncError } from '../core/errors.ts';
import { confirmHeld } from '../credits/confirm.ts';
import type { Lease } from '../database/leases.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import {
  dropNetworkMembers,
  findContactsByDonor,
  listErasedMembers,
  listNetworkMembers,
  recordLeavingMembers,
  recordRemovedMembers,
} from './statements/network-members.ts';
import { listNetworks, type NetworkRecord } from './statements/networks.ts';

type LeaveDeps = Pick<NetworkDeps, 'store' | 'partner' | 'clock'>;

/** The names of the networks from which the person is removed. */
export interface LeftNetworks {
  /** The networks that the person has left. donor-sync stores no more data about these memberships. */
  left: readonly string[];
  /**
   * The networks whose service could not be reached or is still adding the person. The next sync removes the person
   * from them.
   */
  pending: readonly string[];
}

/**
 * Removes the contact's donor from every mirrored network, unless a different contact of the integration is the same
 * donor. Records each removal before it sends the request. Costs no credits.
 */
export async function leaveNetworks(
  deps: LeaveDeps,
  lease: Lease,
  crmId: string,
): Promise<LeftNetworks> {
  const { store } = deps;
  const contact = (await findContacts(store.reader, lease.integrationId, [crmId])).get(crmId);
  const left: string[] = [];
  const pending: string[] = [];
  const donorId = contact?.donorId ?? null;
  if (donorId === null) return { left, pending };
  const contacts = await findContactsByDonor(store.reader, lease.integrationId, [donorId]);
  if ((contacts.get(donorId) ?? []).some((other) => other !== crmId)) return { left, pending };
  for (const row of await listNetworks(store.reader, lease.integrationId)) {
    const members = await listNetworkMembers(store.reader, row.id);
    const member = members.find((one) => one.donorId === donorId);
    if (member === undefined) continue;
    const isOut = member.state !== 'adding' && (await leave(deps, lease, row, donorId));
    (isOut ? left : pending).push(row.name);
  }
  return { left, pending };
}

async function leave(
  deps: LeaveDeps,
  lease: Lease,
  { id, networkId }: NetworkRecord,
  donorId: string,
): Promise<boolean> {
  await deps.store.checkpoint(lease, (trx) => recordLeavingMembers(trx, id, [donorId]));
  try {
    await removeMember(deps, lease, networkId, donorId);
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    return false;
  }
  await deps.store.checkpoint(lease, (trx) => dropNetworkMembers(trx, id, [donorId]));
  return true;
}

/**
 * Removes erased people from networks, if an interrupted erasure has not removed them. The removal needs neither a
 * group nor a decision. Therefore, it happens even if a group is unreadable or a decision about other members is open.
 */
export async function removeErased(deps: LeaveDeps, run: NetworkRun): Promise<void> {
  const { stopping, ending } = run.control;
  for (const { network, networkId, donorId } of await listErasedMembers(
    deps.store.reader,
    run.integration.id,
  )) {
    if (stopping.aborted) return;
    await removeMember(deps, run.lease, networkId, donorId, ending);
    await deps.store.checkpoint(run.lease, (trx) =>
      recordRemovedMembers(trx, run.id, network, [donorId]),
    );
  }
}

/** Removes a member. If the service does not know the network or the donor, there is nobody to remove. */
async function removeMember(
  deps: LeaveDeps,
  lease: Lease,
  networkId: string | null,
  donorId: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    if (networkId !== null) await takeOut(deps, lease, networkId, [donorId], signal);
  } catch (error) {
    if (!(error instanceof PartnerNotFound)) throw error;
  }
}

/**
 * Removes 1 to 100 donors from a network of the service. Costs no credits and can be repeated. A process that has lost
 * its lease must not send the request, because a different process may have added and paid for some of these donors
 * again.
 */
export async function takeOut(
  deps: LeaveDeps,
  lease: Lease,
  networkId: string,
  donorIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const mayLeave = () => confirmHeld(deps, { lease });
  await deps.partner.networks.removeMembers(networkId, donorIds, signal, mayLeave);
}

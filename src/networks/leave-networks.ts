/** One person leaves the networks at once, because they are to be forgotten. */
import { isDonorSyncError } from '../core/errors.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import type { Lease } from '../store/engine/leases.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import type { NetworkDeps } from './context.ts';

type LeaveDeps = Pick<NetworkDeps, 'store' | 'partner'>;

/** The networks that a person was in, by name. */
export interface LeftNetworks {
  /** The person is out of these, and nothing of them is left in their mirror. */
  left: readonly string[];
  /** The service could not be asked, or adds the person just now: the next sync removes them. */
  pending: readonly string[];
}

/**
 * Removes the contact's donor from every mirrored network, unless another contact of the
 * integration is the same donor. Free. The removal is on disk before it is sent, as always.
 */
export async function leaveNetworks(
  deps: LeaveDeps,
  lease: Lease,
  crmId: string,
): Promise<LeftNetworks> {
  const { store } = deps;
  const contact = (await store.contacts.find(lease.integrationId, [crmId])).get(crmId);
  const left: string[] = [];
  const pending: string[] = [];
  const donorId = contact?.donorId ?? null;
  if (donorId === null) return { left, pending };
  const contacts = await store.networks.findContacts(lease.integrationId, [donorId]);
  if ((contacts.get(donorId) ?? []).some((other) => other !== crmId)) return { left, pending };
  for (const row of await store.networks.list(lease.integrationId)) {
    const members = await store.networks.listMembers(row.id);
    const member = members.find((one) => one.donorId === donorId);
    if (member === undefined) continue;
    const isOut = member.state !== 'adding' && (await leave(deps, lease, row, donorId));
    (isOut ? left : pending).push(row.name);
  }
  return { left, pending };
}

async function leave(
  { store, partner }: LeaveDeps,
  lease: Lease,
  { id, networkId }: NetworkRecord,
  donorId: string,
): Promise<boolean> {
  await store.networks.recordLeaving(lease, id, [donorId]);
  try {
    if (networkId !== null) await partner.networks.removeMembers(networkId, [donorId]);
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    // A network or donor that the service does not know has no member to remove.
    if (!(error instanceof PartnerNotFound)) return false;
  }
  await store.networks.dropMembers(lease, id, [donorId]);
  return true;
}

/** One person leaves the networks at once, because they are to be forgotten. */
import { isDonorSyncError } from '../core/errors.ts';
import { confirmHeld } from '../credits/confirm.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import type { MayLeave } from '../partner/request.ts';
import type { Lease } from '../store/engine/leases.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';

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
    await removeMember(partner, networkId, donorId);
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    return false;
  }
  await store.networks.dropMembers(lease, id, [donorId]);
  return true;
}

/**
 * Who was erased leaves what an erasure could not remove them from. No group and no person is asked
 * about that: neither one that cannot be read nor a question about the others keeps anyone in.
 */
export async function removeErased(deps: NetworkDeps, run: NetworkRun): Promise<void> {
  const { store, partner } = deps;
  const { stopping, ending } = run.control;
  const mayLeave = () => confirmHeld(deps, run);
  for (const { network, networkId, donorId } of await store.networks.listErased(
    run.integration.id,
  )) {
    if (stopping.aborted) return;
    await removeMember(partner, networkId, donorId, ending, mayLeave);
    await store.networks.recordRemoved(run.lease, run.id, network, [donorId]);
  }
}

/** A network or donor that the service does not know has no member to remove. */
async function removeMember(
  { networks }: LeaveDeps['partner'],
  networkId: string | null,
  donorId: string,
  signal?: AbortSignal,
  mayLeave?: MayLeave,
): Promise<void> {
  try {
    if (networkId !== null) await networks.removeMembers(networkId, [donorId], signal, mayLeave);
  } catch (error) {
    if (!(error instanceof PartnerNotFound)) throw error;
  }
}

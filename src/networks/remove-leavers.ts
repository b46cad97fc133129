/** Leavers → out of the network. */
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import { isDeleted } from './deleted-network.ts';
import type { MemberPlan } from './plan-members.ts';

/** Removes who is not wanted any more. Throws PartnerNotFound if the network is gone. */
export async function removeLeavers(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  { leavers, leaving }: MemberPlan,
): Promise<void> {
  const { networks } = deps.store;
  // On disk first: should they be wanted again meanwhile, they are not taken for members.
  if (leavers.length > 0) await networks.recordLeaving(run.lease, row.id, leavers);
  const all = [...leaving, ...leavers];
  for (let start = 0; start < all.length; start += MAX_DONORS_PER_REQUEST) {
    if (run.control.stopping.aborted) return;
    const some = all.slice(start, start + MAX_DONORS_PER_REQUEST);
    await removeMembers(deps, run, row, some);
    await networks.recordRemoved(run.lease, run.id, row.id, some);
  }
}

/** Free, and harmless when it is done twice. */
async function removeMembers(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  donorIds: readonly string[],
): Promise<void> {
  if (row.networkId === null) return;
  try {
    await deps.partner.networks.removeMembers(row.networkId, donorIds, run.control.ending);
  } catch (error) {
    if (!(error instanceof PartnerNotFound) || (await isDeleted(deps, run, row))) throw error;
    // Donors whom the service does not know any more are in no network; the others are removed.
    if (donorIds.length === 1) return;
    for (const donorId of donorIds) await removeMembers(deps, run, row, [donorId]);
  }
}

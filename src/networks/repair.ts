/**
 * Adds and removes network members so that they match their groups, even if someone has changed the networks at the
 * service.
 */

import { type DriftOptions, findDrift, type NetworkDrift } from './drift.ts';
import { holdDeleted } from './ensure-network.ts';
import { findMembership, planMembers } from './membership.ts';
import { mirrorNetworks } from './mirror-networks.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import { readGroups } from './read-groups.ts';
import { dropNetworkMembers, recordNetworkMembers } from './statements/network-members.ts';
import { recordNetworkName } from './statements/networks.ts';

export interface RepairOptions extends DriftOptions {
  /** Called with the differences before any change. If this function throws, nothing is changed. */
  confirm(drifts: readonly NetworkDrift[]): Promise<void>;
}

/**
 * Updates the stored members so that they match the service's networks. After that, mirroring makes the changes.
 * donor-sync adds and pays again for members that someone removed. The repair removes members that someone added, and
 * tries failed members again.
 */
export async function repairNetworks(
  deps: NetworkDeps,
  run: NetworkRun,
  { maySpend, confirm }: RepairOptions,
): Promise<NetworkDrift[]> {
  await readGroups(deps, run);
  const drifts = await findDrift(deps, run, { maySpend });
  await confirm(drifts);
  for (const drift of drifts) await acceptDrift(deps, run, drift);
  await mirrorNetworks(deps, run);
  return drifts;
}

async function acceptDrift(
  deps: NetworkDeps,
  run: NetworkRun,
  { row, state, renamedTo, removedByHand, addedByHand }: NetworkDrift,
): Promise<void> {
  const membership = await findMembership(deps, row);
  if (state === 'deleted') return holdDeleted(deps, run, row, planMembers(membership));
  if (renamedTo !== null)
    await deps.store.checkpoint(run.lease, (trx) => recordNetworkName(trx, row.id, renamedTo));
  const failed = membership.members.flatMap(({ donorId, state: memberState }) =>
    memberState === 'failed' || memberState === 'not_found' ? [donorId] : [],
  );
  await deps.store.checkpoint(run.lease, (trx) =>
    dropNetworkMembers(trx, row.id, [...removedByHand, ...failed]),
  );
  await deps.store.checkpoint(run.lease, (trx) =>
    recordNetworkMembers(trx, row.id, addedByHand, { state: 'member', detail: null }),
  );
}

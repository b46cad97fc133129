/**
 * Makes the members of the service's networks equal to the wanted members. All data for the comparison comes from the
 * database.
 */

import { hasMissing } from '../contacts/many-at-once/missing.ts';
import { inParallel, splitIntoBatches } from '../core/parallel.ts';
import { settleOpen } from '../credits/spend.ts';
import type { NetworkDecision } from '../decisions/statements/network-questions.ts';
import { settleNetworkQuestion } from '../decisions/statements/network-questions.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { PartnerNotFound } from '../partner/errors.ts';
import type { Stages } from '../sync/control/stage.ts';
import { addJoiners } from './add-joiners.ts';
import { askPerson } from './ask-person.ts';
import {
  ensureNetwork,
  holdDeleted,
  holdRefused,
  isDeleted,
  isLeftAlone,
  isNetworkRefusal,
  renameNetworks,
} from './ensure-network.ts';
import { findPresent } from './find-memberships.ts';
import { followAdds, lookAtAdds } from './follow-adds.ts';
import { removeErased, takeOut } from './leave-networks.ts';
import { type MirroredNetwork, matchNetworks } from './match-networks.ts';
import { findMembership, type MemberPlan, planMembers } from './membership.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import { fingerprintGroups, readGroups } from './read-groups.ts';
import { addProof } from './settle-adds.ts';
import { beginNetworkCounts } from './statements/network-counts.ts';
import {
  dropNetworkMembers,
  recordLeavingMembers,
  recordNetworkMembers,
  recordRemovedMembers,
} from './statements/network-members.ts';
import { listNetworks, type NetworkRecord } from './statements/networks.ts';

/**
 * Adds and removes network members so that they match their groups, after the contacts are delivered. First finishes
 * work that an earlier run has left open. Finishes work that an earlier run has left open, and then processes names,
 * removals and additions, one network after the other. If nothing has changed, sends no request to the service.
 */
export async function mirrorNetworks(deps: NetworkDeps, run: NetworkRun): Promise<void> {
  if (run.only !== null) return;
  run.mirroredAll = run.integration.networks.length === 0 || (await mirrorGroups(deps, run));
  await removeErased(deps, run);
}

/** Resolves with true if every configured network was compared with its group. */
async function mirrorGroups(deps: NetworkDeps, run: NetworkRun): Promise<boolean> {
  const networks = await findNetworks(deps, run);
  await deps.store.checkpoint(run.lease, (trx) =>
    beginNetworkCounts(
      trx,
      run.id,
      networks.map(({ setting, row }) => ({ id: row.id, name: setting.name })),
    ),
  );
  await finishEarlierAdds(deps, run);
  await renameNetworks(deps, run, networks);
  let mirrored = 0;
  for (const network of await findNetworks(deps, run)) {
    if (run.control.stopping.aborted) return false;
    // A group that was only partly read is not used. The network of a partly read group does not change in this run.
    const isRead = network.row.readRun === run.id;
    if (isRead && (await mirrorNetwork(deps, run, network))) mirrored += 1;
  }
  await followAdds(deps, run);
  return mirrored === run.integration.networks.length;
}

async function findNetworks(deps: NetworkDeps, run: NetworkRun): Promise<MirroredNetwork[]> {
  const rows = await listNetworks(deps.store.reader, run.integration.id);
  const { settings } = matchNetworks(fingerprintGroups(deps, run), rows);
  return settings.flatMap(({ setting, row }) => (row === null ? [] : [{ setting, row }]));
}

/**
 * Finishes earlier bulk adds of the integration. A lost response of a different integration matters only if the run
 * adds members.
 */
async function finishEarlierAdds(deps: NetworkDeps, run: NetworkRun): Promise<void> {
  const proof = addProof(deps, run);
  const [open] = await proof.listOpen();
  if (open?.integrationId === run.integration.id) await settleOpen(deps, run, proof);
  await lookAtAdds(deps, run);
}

/** Mirrors one network. Resolves with false if the network waits for a user. */
async function mirrorNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  mirrored: MirroredNetwork,
): Promise<boolean> {
  const { row } = mirrored;
  if (await isLeftAlone(deps, row)) return true;
  const isKept = await hasMissing(deps.store.reader, run.integration.id);
  const plan = keptPlan(await planNetwork(deps, run, row), isKept);
  const mayRemove = isKept ? 'rejected' : await judgeLeavers(deps, run, row, plan);
  if (mayRemove === 'open') return false;
  try {
    if (mayRemove === 'approved') await removeLeavers(deps, run, row, plan);
    if (plan.outdated.length > 0) {
      await deps.store.checkpoint(run.lease, (trx) =>
        dropNetworkMembers(trx, row.id, plan.outdated),
      );
    }
    if (plan.joiners.length > 0) {
      const present = await ensureNetwork(deps, run, mirrored, plan.joiners);
      if (present !== null) await addJoiners(deps, run, present);
    }
    if (row.name === mirrored.setting.name || row.networkId === null) {
      await deps.store.checkpoint(run.lease, (trx) =>
        settleNetworkQuestion(trx, row.id, 'network_refused'),
      );
    }
    return true;
  } catch (error) {
    if (isNetworkRefusal(error)) await holdRefused(deps, run, row, error);
    else if (!(error instanceof PartnerNotFound) || !(await isDeleted(deps, run, row))) throw error;
    else await holdDeleted(deps, run, row, plan);
    return false;
  }
}

/**
 * Returns a plan without removals, if donor-sync does not know whether missing contacts have left. Missing contacts may
 * also be missing from their groups. Also keeps the row of a donor that could not be added, because adding the donor
 * again would cost a credit.
 */
function keptPlan(plan: MemberPlan, isKept: boolean): MemberPlan {
  return isKept ? { ...plan, leavers: [], leaving: [], outdated: [] } : plan;
}

/** Creates the plan once it is known which donors are members. */
async function planNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
): Promise<MemberPlan> {
  const plan = planMembers(await findMembership(deps, row));
  const { returned } = plan;
  if (returned.length === 0 || row.networkId === null) return plan;
  const present = await findPresent(deps, run, row.networkId, returned);
  const removed = returned.filter((donorId) => !present.includes(donorId));
  await deps.store.checkpoint(run.lease, (trx) =>
    recordNetworkMembers(trx, row.id, present, { state: 'member', detail: null }),
  );
  await deps.store.checkpoint(run.lease, (trx) => dropNetworkMembers(trx, row.id, removed));
  return planMembers(await findMembership(deps, row));
}

/** True if donor-sync may remove the leavers. If the group has shrunk implausibly, a user has to decide. */
async function judgeLeavers(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  { leavers, members, isImplausible }: MemberPlan,
): Promise<'open' | NetworkDecision> {
  const { store } = deps;
  if (!isImplausible) {
    await store.checkpoint(run.lease, (trx) => settleNetworkQuestion(trx, row.id, 'group_shrunk'));
    return 'approved';
  }
  return askPerson(deps, run, row.id, {
    kind: 'group_shrunk',
    matter: store.fingerprint('leavers', leavers.join()),
    detail: `${leavers.length} of ${members}`,
  });
}

/** Removes leavers from their network. */

/** Removes members that are no longer wanted. Throws PartnerNotFound if the network no longer exists. */
async function removeLeavers(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  { leavers, leaving }: MemberPlan,
): Promise<void> {
  // Records the removal first. If a group wants these people again before the removal, they then do not count as
  // members.
  if (leavers.length > 0)
    await deps.store.checkpoint(run.lease, (trx) => recordLeavingMembers(trx, row.id, leavers));
  const requests = splitIntoBatches([...leaving, ...leavers], MAX_DONORS_PER_REQUEST);
  await inParallel(requests, REMOVALS_AT_ONCE, async (some) => {
    if (run.control.stopping.aborted) return;
    await removeMembers(deps, run, row, some);
    await deps.store.checkpoint(run.lease, (trx) =>
      recordRemovedMembers(trx, run.id, row.id, some),
    );
  });
}

/**
 * The number of simultaneous requests. Each removal is recorded separately. A removal that was not recorded is
 * repeated.
 */
const REMOVALS_AT_ONCE = 4;

/** Removes members. Donors that the service does not know must not prevent the removal of other donors. */
async function removeMembers(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  donorIds: readonly string[],
): Promise<void> {
  if (row.networkId === null) return;
  try {
    await takeOut(deps, run.lease, row.networkId, donorIds, run.control.ending);
  } catch (error) {
    if (!(error instanceof PartnerNotFound) || (await isDeleted(deps, run, row))) throw error;
    // A donor that the service no longer knows is not in any network. The other donors are removed.
    if (donorIds.length === 1) return;
    for (const donorId of donorIds) await removeMembers(deps, run, row, [donorId]);
  }
}

/** The network stages of a run. Groups are read before the contacts, and networks are changed after the contacts. */
export const NETWORK_STAGES: Stages = { before: [readGroups], after: [mirrorNetworks] };

/** Networks that have another name in the settings than at the service. */
import { PartnerBadRequest, PartnerNotFound, PartnerValidationError } from '../partner/errors.ts';
import type { NetworkRecord } from '../store/networks/networks.ts';
import { askPerson } from './ask-person.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import { holdDeleted, isDeleted, isLeftAlone } from './deleted-network.ts';
import type { MirroredNetwork } from './match-networks.ts';
import { findMembership } from './membership.ts';
import { planMembers } from './plan-members.ts';
import { holdRefused, isNetworkRefusal } from './refused-network.ts';

/**
 * Gives every network the name of its setting, also where networks swap theirs. A name that cannot
 * be had is held, and the network keeps the one it has.
 */
export async function renameNetworks(
  deps: NetworkDeps,
  run: NetworkRun,
  networks: readonly MirroredNetwork[],
): Promise<void> {
  const freed: MirroredNetwork[] = [];
  for (const network of networks) {
    if (await isLeftAlone(deps, network.row)) continue;
    freed.push({ ...network, row: await freeName(deps, run, network, networks) });
  }
  for (const network of freed) {
    if (run.control.stopping.aborted) return;
    await renameNetwork(deps, run, network);
  }
}

/** Gives up a name that another network of the settings waits for; until the new one is free. */
async function freeName(
  { store, partner }: NetworkDeps,
  run: NetworkRun,
  { setting, row }: MirroredNetwork,
  networks: readonly MirroredNetwork[],
): Promise<NetworkRecord> {
  const isWaitedFor = networks.some(
    (other) => other.row.id !== row.id && other.setting.name === row.name,
  );
  if (row.networkId === null || row.name === setting.name || !isWaitedFor) return row;
  const name = `donor-sync ${row.id}`;
  // On disk first: killed or refused, the network is known to be without its name.
  await store.networks.recordName(run.lease, row.id, name);
  try {
    await partner.networks.rename(row.networkId, name, run.control.ending);
  } catch (error) {
    if (!isNetworkRefusal(error) && !(error instanceof PartnerNotFound)) throw error;
  }
  return { ...row, name };
}

async function renameNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  { setting: { name }, row }: MirroredNetwork,
): Promise<void> {
  const { store, partner } = deps;
  if (row.networkId === null) return;
  if (row.name !== name) {
    try {
      await partner.networks.rename(row.networkId, name, run.control.ending);
    } catch (error) {
      return holdUnnamed(deps, run, row, name, error);
    }
    await store.networks.recordName(run.lease, row.id, name);
  }
  await store.networkHolds.settle(run.lease, row.id, 'name_taken');
}

async function holdUnnamed(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  name: string,
  error: unknown,
): Promise<void> {
  if (error instanceof PartnerBadRequest) await holdName(deps, run, row, name);
  else if (error instanceof PartnerValidationError) await holdRefused(deps, run, row, error);
  else if (error instanceof PartnerNotFound && (await isDeleted(deps, run, row))) {
    await holdDeleted(deps, run, row, planMembers(await findMembership(deps, row)));
  } else throw error;
}

/** Another network has the name: a person is told. Resolves with null: there is no network. */
export async function holdName(
  deps: Pick<NetworkDeps, 'store' | 'newId'>,
  run: Pick<NetworkRun, 'lease'>,
  row: NetworkRecord,
  name: string,
): Promise<null> {
  const subject = deps.store.fingerprint('network_name', name);
  await askPerson(deps, run, row.id, { kind: 'name_taken', subject, detail: null });
  return null;
}

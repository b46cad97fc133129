/** The network of a group at the service, under the name of the settings. */
import type { PresentNetwork } from './add-joiners.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import type { MirroredNetwork } from './match-networks.ts';
import { holdName } from './rename-networks.ts';
import { findPresent } from './whereabouts.ts';

/**
 * The network at the service: known, adopted by its name, or created. Null while another group's
 * network has the name. Joiners who are in an adopted network already are not paid for again.
 */
export async function ensureNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  { setting: { name, color }, row }: MirroredNetwork,
  joiners: readonly string[],
): Promise<PresentNetwork | null> {
  const { store, partner } = deps;
  if (row.networkId !== null) return { ...row, networkId: row.networkId };
  const { ending } = run.control;
  const { networkId, adopted, memberCount } = await partner.networks.create(name, color, ending);
  // Asked before the joiners are looked for, since that may cost something.
  if (await store.networks.isTaken(networkId, row.id)) return holdName(deps, run, row, name);
  const isEmpty = !adopted || memberCount === 0;
  const present = isEmpty ? [] : await findPresent(deps, run, networkId, joiners);
  const binding = { id: row.id, networkId, name, partnerKey: run.partnerKey };
  if (!(await store.networks.bind(run.lease, binding, present))) {
    return holdName(deps, run, row, name);
  }
  for (const kind of ['name_taken', 'network_deleted'] as const) {
    await store.networkHolds.settle(run.lease, row.id, kind);
  }
  return { ...row, name, networkId };
}

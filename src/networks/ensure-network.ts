/** The network of a group at the service, under the name of the settings. */
import { PartnerBadRequest } from '../partner/errors.ts';
import type { NetworkRow } from '../store/networks.ts';
import type { PresentNetwork } from './add-joiners.ts';
import { askPerson } from './ask-person.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import type { MirroredNetwork } from './match-networks.ts';
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
  if (row.network_id !== null) return { ...row, network_id: row.network_id };
  const { ending } = run.control;
  const { networkId, adopted, memberCount } = await partner.networks.create(name, color, ending);
  if (await store.networks.isMirrored(networkId)) {
    await holdName(deps, run, row, name);
    return null;
  }
  const isEmpty = !adopted || memberCount === 0;
  const present = isEmpty ? [] : await findPresent(deps, run, networkId, joiners);
  await store.networks.bind(run.lease, { id: row.id, networkId, name }, present);
  for (const kind of ['name_taken', 'network_deleted'] as const) {
    await store.networkHolds.settle(run.lease, row.id, kind);
  }
  return { ...row, name, network_id: networkId };
}

/** The settings' name; if another network bears it already, a person is told. */
export async function renameNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  { setting: { name }, row }: MirroredNetwork,
): Promise<void> {
  const { store, partner } = deps;
  if (row.network_id === null) return;
  if (row.name !== name) {
    try {
      await partner.networks.rename(row.network_id, name, run.control.ending);
    } catch (error) {
      if (!(error instanceof PartnerBadRequest)) throw error;
      return holdName(deps, run, row, name);
    }
    await store.networks.recordName(run.lease, row.id, name);
  }
  await store.networkHolds.settle(run.lease, row.id, 'name_taken');
}

async function holdName(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRow,
  name: string,
): Promise<void> {
  const subject = deps.store.fingerprint('network_name', name);
  await askPerson(deps, run, row.id, { kind: 'name_taken', subject, detail: null });
}

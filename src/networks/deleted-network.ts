/** Networks that somebody has deleted at the service: they are not paid for again unasked. */
import type { NetworkRow } from '../store/networks/networks.ts';
import { askPerson } from './ask-person.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import type { MemberPlan } from './plan-members.ts';

/** Asks the service whether it has the network no more; false for one that was never there. */
export async function isDeleted(
  { partner }: NetworkDeps,
  { control }: NetworkRun,
  { network_id: networkId }: NetworkRow,
): Promise<boolean> {
  const listed = await partner.networks.list(control.ending);
  return networkId !== null && !listed.some((network) => network.networkId === networkId);
}

/** Asks a person whether the network is to be made anew. */
export async function holdDeleted(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRow,
  { members, leavers, joiners }: MemberPlan,
): Promise<void> {
  await askPerson(deps, run, row.id, {
    kind: 'network_deleted',
    subject: row.network_id ?? '',
    detail: String(members - leavers.length + joiners.length),
  });
}

/** True if the service has the network no more and nobody has asked for a new one. */
export async function isLeftAlone({ store }: NetworkDeps, row: NetworkRow): Promise<boolean> {
  if (row.network_id === null) return false;
  const decision = await store.networkHolds.findDecision(row.id, 'network_deleted', row.network_id);
  return decision === 'open' || decision === 'rejected';
}

/** Networks that somebody has deleted at the service: they are not paid for again unasked. */
import type { NetworkRecord } from '../store/networks/networks.ts';
import { askPerson } from './ask-person.ts';
import type { NetworkDeps, NetworkRun } from './context.ts';
import type { MemberPlan } from './plan-members.ts';

/** Asks the service whether it has the network no more; false for one that was never there. */
export async function isDeleted(
  { partner }: NetworkDeps,
  { control }: NetworkRun,
  { networkId }: NetworkRecord,
): Promise<boolean> {
  const listed = await partner.networks.list(control.ending);
  return networkId !== null && !listed.some((network) => network.networkId === networkId);
}

/** Asks a person whether the network is to be made anew. */
export async function holdDeleted(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  { members, leavers, joiners }: MemberPlan,
): Promise<void> {
  await askPerson(deps, run, row.id, {
    kind: 'network_deleted',
    subject: row.networkId ?? '',
    detail: String(members - leavers.length + joiners.length),
  });
}

/** True if the service has the network no more and nobody has asked for a new one. */
export async function isLeftAlone({ store }: NetworkDeps, row: NetworkRecord): Promise<boolean> {
  if (row.networkId === null) return false;
  const decision = await store.networkHolds.findDecision(row.id, 'network_deleted', row.networkId);
  return decision === 'open' || decision === 'rejected';
}

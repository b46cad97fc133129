/** Describes the state of an integration's networks. Reads only the database. */
import type { GroupSelector } from '../../connectors/contract.ts';
import type { Integration } from '../core/integration-settings.ts';
import { matchNetworks } from './match-networks.ts';
import { findMembership, planMembers } from './membership.ts';
import type { MirrorReader } from './network-deps.ts';
import { fingerprintGroups } from './read-groups.ts';
import { listNetworks, type NetworkRecord } from './statements/networks.ts';

/** The stored data about one network. */
export interface NetworkOverview {
  name: string;
  /** The group in the settings. Null if the setting was removed, so that donor-sync ignores the network. */
  group: GroupSelector | null;
  /** The network's ID at the service, or null if there is no network yet. */
  networkId: string | null;
  members: number;
  /** The number of donors who will join, and the number of contacts in the group that must be enhanced first. */
  joiners: number;
  toEnhance: number;
  /** The number of contacts in the group that wait for a decision. */
  waiting: number;
  /** Donors who could not be added. donor-sync does not try again until a user starts a repair. */
  failed: { donorId: string; reason: string }[];
  /** The time of the last complete reading of the group (epoch ms), or null if there was none. */
  readAt: number | null;
}

/** Returns the networks in the settings, then the networks whose setting was removed. */
export async function describeNetworks(
  deps: MirrorReader,
  integration: Integration,
): Promise<NetworkOverview[]> {
  const rows = await listNetworks(deps.store.reader, integration.id);
  const { settings, left } = matchNetworks(fingerprintGroups(deps, { integration }), rows);
  const overviews: NetworkOverview[] = [];
  for (const { setting, row } of settings) {
    overviews.push(
      row === null
        ? { ...UNKNOWN, name: setting.name, group: setting.group }
        : { ...(await describeOne(deps, row)), name: setting.name, group: setting.group },
    );
  }
  for (const row of left) overviews.push(await describeOne(deps, row));
  return overviews;
}

const UNKNOWN: Omit<NetworkOverview, 'name' | 'group'> = {
  networkId: null,
  members: 0,
  joiners: 0,
  toEnhance: 0,
  waiting: 0,
  failed: [],
  readAt: null,
};

async function describeOne(deps: MirrorReader, row: NetworkRecord): Promise<NetworkOverview> {
  const membership = await findMembership(deps, row);
  const { members, joiners } = planMembers(membership);
  return {
    name: row.name,
    group: null,
    networkId: row.networkId,
    members,
    joiners: joiners.length,
    toEnhance: membership.toEnhance,
    waiting: membership.waiting,
    failed: membership.members.flatMap(({ donorId, state, detail }) => {
      if (state === 'not_found') return [{ donorId, reason: 'donor_unknown' }];
      return state === 'failed' ? [{ donorId, reason: detail ?? 'member_failed' }] : [];
    }),
    readAt: row.readAt,
  };
}

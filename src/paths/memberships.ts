import { ConfigurationError } from '../core/errors.ts';
import type { Reader } from '../database/reader.ts';
import {
  listMirroredNetworks,
  type MirroredNetwork,
} from '../networks/statements/mirrored-networks.ts';
import type { Connection } from '../partner/connections/connection.ts';
import type { Store } from '../store.ts';
import type { InsightRun } from './insight-deps.ts';
import type { Members } from './statements/stale-paths.ts';

export type NetworkName = Pick<MirroredNetwork, 'networkId' | 'name'>;

/** The networks of an integration, and their members. */
export interface Memberships {
  /** The networks' IDs at the service, in the order of the settings. */
  networkIds: readonly string[];
  /** True if the networks have no members. Networks without members have no connections to compute. */
  isEmpty: boolean;
  /** Returns the networks of a donor, in the order of the settings. */
  of(donorId: string): readonly NetworkName[];
  /**
   * Returns the networks of a connection, in the order of the settings. If the service does not report a connection's
   * networks, returns the member's networks.
   */
  listNetworks(connection: Connection): readonly NetworkName[];
}

/** Indexes networks in the order of the settings, so that looking up many donors is fast. */
export function indexMemberships(networks: readonly MirroredNetwork[]): Memberships {
  const byDonor = new Map<string, NetworkName[]>();
  for (const network of networks) {
    for (const donorId of network.members) {
      const known = byDonor.get(donorId);
      if (known === undefined) byDonor.set(donorId, [network]);
      else known.push(network);
    }
  }
  return {
    networkIds: networks.map(({ networkId }) => networkId),
    isEmpty: byDonor.size === 0,
    of: (donorId) => byDonor.get(donorId) ?? [],
    listNetworks({ networks: named, sourceDonor }) {
      if (named.length === 0) return byDonor.get(sourceDonor.donorId) ?? [];
      const ids = new Set(named.map(({ networkId }) => networkId));
      return networks.filter(({ networkId }) => ids.has(networkId));
    },
  };
}

/** Returns the members' donor IDs by network, in the form in which the database stores them. */
export function membersByNetwork(networks: readonly MirroredNetwork[]): Members {
  return Object.fromEntries(networks.map(({ networkId, members }) => [networkId, members]));
}

/** Returns the networks. If there are none, throws a ConfigurationError that explains how to create networks. */
export async function requireNetworks(
  reader: Reader,
  integrationId: string,
): Promise<MirroredNetwork[]> {
  const mirrored = await listMirroredNetworks(reader, integrationId);
  if (mirrored.some(({ members }) => members.length > 0)) return mirrored;
  throw new ConfigurationError(
    `"${integrationId}" does not have any members in a network yet. Name groups of the CRM under networks in the settings, then run \`donor-sync sync ${integrationId}\`.`,
    { code: 'networks_missing', refusal: 'conflict', details: { integration: integrationId } },
  );
}

/** Returns the fingerprint of the settings for paths: their definition, their wording and their fields. */
export function fingerprintSettings(
  { fingerprint }: Pick<Store, 'fingerprint'>,
  { integration, mappings }: Pick<InsightRun, 'integration' | 'mappings'>,
  networks: readonly MirroredNetwork[],
): string {
  const text = JSON.stringify([
    integration.insights.minStrength,
    networks.map(({ networkId, name }) => [networkId, name]),
    mappings.filter(({ from }) => from.startsWith('warmPath.')),
  ]);
  return fingerprint('warm_path_settings', text);
}

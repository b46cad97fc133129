/** Reads the service's networks as they are in the mirror. */
import type { Reader } from '../../database/reader.ts';

/** A configured group that has a network at the service. */
export interface MirroredNetwork {
  /** The service's ID. */
  networkId: string;
  /** The name in the settings. */
  name: string;
  /** The members' donor IDs, in ascending order. */
  members: string[];
}

/**
 * Returns an integration's networks with their members, in the order of the settings. They have the state that the last
 * run with networks found. Networks that are no longer in the settings are left out.
 */
export async function listMirroredNetworks(
  reader: Reader,
  integrationId: string,
): Promise<MirroredNetwork[]> {
  const networks = await reader
    .selectFrom('network_counts')
    .innerJoin('networks', 'networks.id', 'network_counts.network')
    .select(['networks.id', 'networks.network_id', 'network_counts.name'])
    .where('network_counts.run_id', '=', (eb) =>
      eb
        .selectFrom('network_counts as counted')
        .innerJoin('runs', 'runs.id', 'counted.run_id')
        .select('runs.id')
        .where('runs.integration_id', '=', integrationId)
        .orderBy('runs.started_at', 'desc')
        .orderBy('runs.id', 'desc')
        .limit(1),
    )
    .where('networks.network_id', 'is not', null)
    .orderBy('network_counts.place')
    .execute();
  const mirrored: MirroredNetwork[] = [];
  for (const { id, network_id: networkId, name } of networks) {
    if (networkId !== null) {
      mirrored.push({ networkId, name, members: await listMembers(reader, id) });
    }
  }
  return mirrored;
}

async function listMembers(reader: Reader, network: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('network_members')
    .select('donor_id')
    .where('network', '=', network)
    .where('state', '=', 'member')
    .orderBy('donor_id')
    .execute();
  return rows.map((row) => row.donor_id);
}

/** Reads the stored networks and members. */
import type { Reader } from '../../database/reader.ts';

/** A group in the settings that has a network at the service. */
export interface MirroredNetwork {
  /** The network's ID at the service. */
  networkId: string;
  /** The name in the settings. */
  name: string;
  /** The members' donor IDs, in ascending order. */
  members: string[];
}

/**
 * Returns an integration's networks with their members, in the order of the settings. The data comes from the last run
 * that processed networks. Leaves out networks that are no longer in the settings.
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

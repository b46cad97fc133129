import type { Connection } from '../partner/connections/connection.ts';
import type { Memberships, NetworkName } from './memberships.ts';

/** A contact's best connection to a network. */
export interface WarmPath {
  /** The connection between the introducer (its source) and the contact. */
  connection: Connection;
  /** The introducer's network. */
  network: NetworkName;
  /** The number of network members who are connected to the contact. */
  people: number;
  /** The donor IDs of all these members, or null if the service did not name all of them. */
  connecting: readonly string[] | null;
}

/** The data from which a contact's path is chosen. */
export interface PathChoice {
  donorId: string;
  connections: readonly Connection[];
  /** The total number of connections. The list may contain fewer connections. */
  totalConnections: number;
  memberships: Memberships;
  minStrength: number;
}

/** A connection through which a member of a network could introduce the contact. */
export interface Introduction {
  connection: Connection;
  network: NetworkName;
}

/**
 * Returns the strongest connection, or null if there is none. If several connections are equally strong, chooses the
 * network that is first in the settings, then the introducer with the lower ID. The same connections therefore always
 * result in the same path. A pure function.
 */
export function findBestPath(choice: PathChoice): WarmPath | null {
  const found = findIntroductions(choice);
  const [best] = found;
  if (best === undefined) return null;
  const connecting = [...new Set(found.map((each) => each.connection.sourceDonor.donorId))].sort();
  const isWhole = choice.totalConnections <= choice.connections.length;
  return { ...best, people: connecting.length, connecting: isWhole ? connecting : null };
}

/**
 * Returns all connections through which someone could introduce the contact, best first. Nobody introduces themselves.
 * Members of the same network already know each other. Therefore, a member of the contact's own network is used only
 * through a different network. A pure function.
 */
export function findIntroductions({
  donorId,
  connections,
  memberships,
  minStrength,
}: Omit<PathChoice, 'totalConnections'>): Introduction[] {
  const own = new Set(memberships.of(donorId).map(({ networkId }) => networkId));
  const found = connections.flatMap((connection) => {
    const { strength, sourceDonor } = connection;
    if (strength < minStrength || sourceDonor.donorId === donorId) return [];
    const network = memberships.listNetworks(connection).find((each) => !own.has(each.networkId));
    return network === undefined ? [] : [{ connection, network }];
  });
  const place = new Map(memberships.networkIds.map((networkId, index) => [networkId, index]));
  return found.sort(
    (a, b) =>
      b.connection.strength - a.connection.strength ||
      (place.get(a.network.networkId) ?? 0) - (place.get(b.network.networkId) ?? 0) ||
      compareIds(a.connection.sourceDonor.donorId, b.connection.sourceDonor.donorId),
  );
}

function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

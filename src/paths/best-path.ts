import type { Connection } from '../partner/connections/connection.ts';
import type { Memberships, NetworkName } from './memberships.ts';

/** A contact's best connection to one of the networks. */
export interface WarmPath {
  /** The connection; its source is the introducer. */
  connection: Connection;
  /** The network that the introducer comes from. */
  network: NetworkName;
  /** How many people in the networks the contact is connected to. */
  people: number;
  /** Donor ids of all those people; null if the service did not name every one. */
  connecting: readonly string[] | null;
}

/** What a contact's path is chosen from. */
export interface PathChoice {
  donorId: string;
  connections: readonly Connection[];
  /** How many there are, which may be more than are listed. */
  totalConnections: number;
  memberships: Memberships;
  minStrength: number;
}

/** A connection by which a member of a network could introduce the contact. */
export interface Introduction {
  connection: Connection;
  network: NetworkName;
}

/**
 * The strongest connection, or null without any: pure. Of equal ones, that of the network which
 * the settings name first, then the one whose introducer has the lower id, so that the same
 * connections always make the same path.
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
 * Every connection that is of use to a person who wants to be introduced, the best first: pure.
 * No person introduces themselves, and who sits in a network with the contact anyway is no news to
 * it: of a contact's own networks only members who are in another one as well count, by that one.
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

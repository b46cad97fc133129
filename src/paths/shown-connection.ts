import type { MirroredNetwork } from '../networks/statements/mirrored-networks.ts';
import type { Connection } from '../partner/connections/connection.ts';
import { indexMemberships, type Memberships } from './memberships.ts';
import { describeConnection } from './sentence.ts';
import { roundedStrength } from './strength.ts';

/** A connection to a network member, in the form for pages and JSON. */
export interface ShownConnection {
  /** The strength from 0 to 1, rounded to hundredths. */
  strength: number;
  /** The member who could introduce the contact. The name is null if the service does not report it. */
  introducer: { donorId: string; name: string | null };
  /** The integration's networks that contain the member. */
  networks: string[];
  /** The organisation that the two people share. */
  organization: string | null;
  /** The service's word for the introducer's relationship, for example `sits_on_board_of`. */
  introducerIs: string | null;
  contactIs: string | null;
  sentence: string;
}

/** Describes the connections of a person with this name. The connections are sorted, strongest first. */
export function describeConnections(
  connections: readonly Connection[],
  networks: readonly MirroredNetwork[],
  calledName: string,
): ShownConnection[] {
  const memberships = indexMemberships(networks);
  return connections
    .toSorted((a, b) => b.strength - a.strength)
    .map((connection) => shownConnection(connection, memberships, calledName));
}

function shownConnection(
  connection: Connection,
  memberships: Memberships,
  calledName: string,
): ShownConnection {
  const { sourceDonor } = connection;
  const networks = memberships.listNetworks(connection).map(({ name }) => name);
  return {
    strength: roundedStrength(connection.strength),
    introducer: { donorId: sourceDonor.donorId, name: sourceDonor.name },
    networks,
    organization: connection.entityName,
    introducerIs: connection.sourceRelationship,
    contactIs: connection.targetRelationship,
    sentence: describeConnection({ connection, network: networks.join(', '), calledName }),
  };
}

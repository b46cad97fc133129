import type { MirroredNetwork } from '../../src/networks/statements/mirrored-networks.ts';
import type { Connection } from '../../src/partner/connections/connection.ts';

/** Creates a connection to Maria, who sat on a board with the contact, except for the test's overrides. */
export function aConnection(traits: Partial<Connection> = {}): Connection {
  return {
    strength: 0.8,
    snippet: 'Both on the board of Riverside Food Bank, 2012–2018',
    entityName: 'Riverside Food Bank',
    entityType: 'nonprofit',
    sourceRelationship: 'sits_on_board_of',
    targetRelationship: 'sits_on_board_of',
    sourceDonor: { donorId: 'maria', name: 'Maria Ortiz', profileUrl: null },
    networks: [{ networkId: 'board', name: 'Board' }],
    ...traits,
  };
}

/** A connection to a member with this id, of this strength, from these networks. */
export function connectionTo(
  donorId: string,
  strength: number,
  networkIds: readonly string[],
): Connection {
  return aConnection({
    strength,
    sourceDonor: { donorId, name: donorId, profileUrl: null },
    networks: networkIds.map((networkId) => ({ networkId, name: null })),
  });
}

/** Creates a network whose name is its id. */
export function aNetwork(networkId: string, members: readonly string[]): MirroredNetwork {
  return { networkId, name: networkId, members: [...members] };
}

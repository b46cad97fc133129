import type { MirroredNetwork } from '../../src/networks/statements/mirrored-networks.ts';
import type { Connection } from '../../src/partner/connections/connection.ts';

/** Returns a connection to Maria, who was on a board with the contact. `traits` overrides its values. */
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

/** Returns a network whose name is the same as its ID. */
export function aNetwork(networkId: string, members: readonly string[]): MirroredNetwork {
  return { networkId, name: networkId, members: [...members] };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../src/partner/connections/connection.ts';
import { findBestPath } from '../../src/paths/best-path.ts';
import { indexMemberships } from '../../src/paths/memberships.ts';
import { aNetwork, connectionTo } from './connections.ts';

const NETWORKS = [
  aNetwork('board', ['maria', 'ben', 'both']),
  aNetwork('staff', ['carl', 'both', 'anna-of-staff']),
];

function best(
  connections: Connection[],
  { donorId = 'anna', totalConnections = connections.length, minStrength = 0.45 } = {},
) {
  const memberships = indexMemberships(NETWORKS);
  return findBestPath({ donorId, connections, totalConnections, memberships, minStrength });
}

function introducerOf(path: ReturnType<typeof best>): string | undefined {
  return path?.connection.sourceDonor.donorId;
}

describe('findBestPath', () => {
  it('takes the strongest connection, and counts people rather than connections', () => {
    const path = best([
      connectionTo('maria', 0.6, ['board']),
      connectionTo('carl', 0.9, ['staff']),
      connectionTo('carl', 0.7, ['staff']),
    ]);
    expect(introducerOf(path)).toBe('carl');
    expect(path).toMatchObject({ people: 2, connecting: ['carl', 'maria'] });
    expect(path?.network.networkId).toBe('staff');
  });

  it('prefers the network that the settings name first where two are equal', () => {
    const path = best([
      connectionTo('carl', 0.8, ['staff']),
      connectionTo('maria', 0.8, ['board']),
    ]);
    expect(introducerOf(path)).toBe('maria');
  });

  it('names the first network of a member of several', () => {
    expect(best([connectionTo('both', 0.8, ['staff', 'board'])])?.network.name).toBe('board');
  });

  it('always chooses the same, in whatever order the service answers', () => {
    const connection = fc.record({
      member: fc.constantFrom('maria', 'ben', 'carl', 'both'),
      strength: fc.constantFrom(0.5, 0.7, 0.9),
    });
    fc.assert(
      fc.property(fc.array(connection, { maxLength: 8 }), (found) => {
        const connections = found.map(({ member, strength }) => connectionTo(member, strength, []));
        const [one, other] = [best(connections), best(connections.toReversed())];
        expect(one?.connection).toEqual(other?.connection);
        expect(one?.connecting).toEqual(other?.connecting);
      }),
    );
  });

  it('leaves out what is weaker than the settings want', () => {
    expect(best([connectionTo('maria', 0.69, ['board'])], { minStrength: 0.7 })).toBeNull();
  });

  it('never lets a person introduce themselves', () => {
    expect(best([connectionTo('maria', 1, ['board'])], { donorId: 'maria' })).toBeNull();
  });

  it('finds no path to the network that the contact is in', () => {
    const connections = [connectionTo('ben', 0.9, ['board']), connectionTo('carl', 0.5, ['staff'])];
    expect(introducerOf(best(connections, { donorId: 'maria' }))).toBe('carl');
    const inOwn = [connectionTo('both', 0.9, ['board', 'staff'])];
    expect(best(inOwn, { donorId: 'maria' })?.network.name).toBe('staff');
    expect(best(inOwn, { donorId: 'both' })).toBeNull();
  });

  it('knows where a member belongs if the service does not say', () => {
    expect(best([connectionTo('carl', 0.8, [])])?.network.name).toBe('staff');
  });

  it('leaves out members of networks that are not the integration’s', () => {
    expect(best([connectionTo('eve', 0.8, ['another-network'])])).toBeNull();
  });

  it('says that it does not know everybody if the service lists less than it counts', () => {
    const path = best([connectionTo('maria', 0.8, ['board'])], { totalConnections: 7 });
    expect(path).toMatchObject({ people: 1, connecting: null });
  });
});

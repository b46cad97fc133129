import { describe, expect, it } from 'vitest';
import {
  aNetworkOf,
  ask,
  createNetwork,
  donorAt,
  findProspects,
  lookUp,
  readDonorConnections,
  type Service,
  startService,
  UNKNOWN_ID,
} from './service.ts';

const FLOOR = 0.45;

describe('connections (sections 1 and 2.2)', () => {
  it('connections are stored if their strength is at least 0.45, and dropped otherwise (1, 8)', async () => {
    const service = await startService();
    const member = await findDonor(service, 'both');
    await aNetworkOf(service, 'Board', [member]);
    const known = (await lookUp(service, member)).connections;
    const prospects = await findProspects(service, '/networks/discover', { limit: 500 });
    expect(prospects.map(({ donor, max_strength }) => [donor.id, max_strength])).toEqual(
      known
        .filter(({ strength }) => strength >= FLOOR)
        .map(({ donor, strength }) => [donor.id, strength]),
    );
    expect(known.some(({ strength }) => strength < FLOOR)).toBe(true);
  });

  it('connections contain the shared organization, both relationships, the member and the networks (2.2)', async () => {
    const service = await startService();
    const member = await findDonor(service, 'strong');
    const id = await aNetworkOf(service, 'Board', [member]);
    const [prospect] = await findProspects(service, '/networks/discover', { limit: 1 });
    const [found] = (await lookUp(service, member, 1)).connections;
    const { donor, ...fields } = found ?? { donor: null };
    expect(prospect).toEqual({
      donor,
      max_strength: found?.strength,
      total_connections: 1,
      connections: [{ ...fields, networks: [{ network_id: id, name: 'Board' }] }],
    });
    expect(found?.source_donor.id).toBe(member);
  });

  it('connections list every searched network of the source donor (2.2)', async () => {
    const service = await startService();
    const member = await findDonor(service, 'strong');
    const board = await aNetworkOf(service, 'Board', [member]);
    const alumni = await aNetworkOf(service, 'Alumni', [member]);
    const [prospect] = await findProspects(service, '/networks/discover', {});
    expect(prospect?.connections).toHaveLength(1);
    expect(prospect?.connections[0]?.networks).toEqual([
      { network_id: board, name: 'Board' },
      { network_id: alumni, name: 'Alumni' },
    ]);
  });

  it('go when their donor leaves the last network (1)', async () => {
    const service = await startService();
    const member = await findDonor(service, 'strong');
    const board = await aNetworkOf(service, 'Board', [member]);
    const alumni = await aNetworkOf(service, 'Alumni', [member]);
    const body = { donor_ids: [member] };
    const before = await findProspects(service, '/networks/discover', {});
    await ask(service, 'POST', `/networks/${board}/members/remove`, body);
    const between = await findProspects(service, '/networks/discover', {});
    await ask(service, 'POST', `/networks/${alumni}/members/remove`, body);
    expect(between.map(({ donor }) => donor)).toEqual(before.map(({ donor }) => donor));
    expect(await findProspects(service, '/networks/discover', {})).toEqual([]);
  });
});

describe('connections of many members (sections 1 and 4.1)', () => {
  it('connections equal the results of lookups, even after members and networks have changed', async () => {
    const service = await startService();
    const members = await findDonors(service, 'both', 12);
    const [first = '', ...others] = members;
    const board = await aNetworkOf(service, 'Board', members.slice(0, 8));
    const alumni = await aNetworkOf(service, 'Alumni', members.slice(5));
    await expectOfMembers(service, { Board: members.slice(0, 8), Alumni: members.slice(5) });

    const leavers = { donor_ids: members.slice(0, 6) };
    await ask(service, 'POST', `/networks/${board}/members/remove`, leavers);
    await ask(service, 'PUT', `/networks/${board}`, { name: 'Trustees' });
    await expectOfMembers(service, { Trustees: members.slice(6, 8), Alumni: members.slice(5) });

    await ask(service, 'DELETE', `/networks/${alumni}`);
    await expectOfMembers(service, { Trustees: members.slice(6, 8) });

    await ask(service, 'POST', `/networks/${board}/members`, { donor_id: first });
    await expectOfMembers(service, { Trustees: [first, ...others.slice(5, 7)] });
  });

  it('connections have the same strength and text when they are looked up from the other donor', async () => {
    const service = await startService();
    const donor = await findDonor(service, 'both');
    for (const { donor: other, source_donor: source, ...link } of (
      await lookUp(service, donor)
    ).connections.slice(0, 20)) {
      const { connections } = await lookUp(service, other.id);
      const back = connections.find((connection) => connection.donor.id === donor);
      expect(back).toEqual({
        ...link,
        source_relationship: link.target_relationship,
        target_relationship: link.source_relationship,
        source_donor: other,
        donor: source,
      });
    }
  });
});

describe('discover (section 4.1)', () => {
  it('discover ranks prospects and their connections by strength, strongest first', async () => {
    const service = await startService();
    await aNetworkOf(service, 'Board', service.donorIds.slice(0, 40));
    const prospects = await findProspects(service, '/networks/discover', { limit: 500 });
    expect(prospects.length).toBeGreaterThan(10);
    expectDescending(prospects.map(({ max_strength }) => max_strength));
    for (const { max_strength, total_connections, connections } of prospects) {
      expect(connections).toHaveLength(total_connections);
      expect(connections[0]?.strength).toBe(max_strength);
      expectDescending(connections.map(({ strength }) => strength));
    }
  });

  it('names no member of a searched network', async () => {
    const service = await startService();
    const member = await findDonor(service, 'strong');
    const [found] = (await lookUp(service, member, 1)).connections;
    const other = found?.donor.id ?? '';
    const board = await aNetworkOf(service, 'Board', [member]);
    const alumni = await aNetworkOf(service, 'Alumni', [other]);
    const idsIn = async (body: object) =>
      (await findProspects(service, '/networks/discover', body)).map(({ donor }) => donor.id);
    expect(await idsIn({})).not.toContain(other);
    expect(await idsIn({ network_ids: [alumni] })).not.toContain(other);
    expect(await idsIn({ network_ids: [board] })).toContain(other);
  });

  it('discover returns only connections that have at least min_strength', async () => {
    const service = await startService();
    await aNetworkOf(service, 'Board', service.donorIds.slice(0, 40));
    const all = await findProspects(service, '/networks/discover', { limit: 500 });
    const strong = await findProspects(service, '/networks/discover', {
      limit: 500,
      min_strength: 0.7,
    });
    expect(strong.map(({ donor }) => donor.id)).toEqual(
      all.filter(({ max_strength }) => max_strength >= 0.7).map(({ donor }) => donor.id),
    );
    const strengths = strong.flatMap(({ connections }) => connections.map((one) => one.strength));
    expect(Math.min(...strengths)).toBeGreaterThanOrEqual(0.7);
    expect(strong.length).toBeLessThan(all.length);
  });

  it('discover has a default min_strength of 0.45 (4.2, 8)', async () => {
    const service = await startService();
    await aNetworkOf(service, 'Board', service.donorIds.slice(0, 20));
    const [byDefault, asked] = await Promise.all([
      findProspects(service, '/networks/discover', {}),
      findProspects(service, '/networks/discover', { min_strength: FLOOR }),
    ]);
    expect(byDefault.length).toBeGreaterThan(0);
    expect(byDefault).toEqual(asked);
  });

  it('discover returns at most as many prospects as the limit, which is 50 by default', async () => {
    const service = await startService();
    await aNetworkOf(service, 'Board', service.donorIds.slice(0, 80));
    const all = await findProspects(service, '/networks/discover', { limit: 500 });
    expect(all.length).toBeGreaterThan(50);
    expect(await findProspects(service, '/networks/discover', { limit: 7 })).toEqual(
      all.slice(0, 7),
    );
    expect(await findProspects(service, '/networks/discover', {})).toEqual(all.slice(0, 50));
  });

  it.each([
    { limit: 0 },
    { limit: 501 },
    { limit: 1.5 },
    { min_strength: 2 },
    { min_strength: 'strong' },
    { network_ids: 'x' },
    { in_network_donor_ids: [7] },
  ])('refuses %j with 422', async (body) => {
    const service = await startService();
    expect((await ask(service, 'POST', '/networks/discover', body)).status).toBe(422);
  });
});

describe('compare (section 4.1)', () => {
  it('compare ranks prospects by strength, and lists unconnected prospects last with strength 0 (2.2)', async () => {
    const service = await startService();
    const member = await findDonor(service, 'strong');
    await aNetworkOf(service, 'Board', [member]);
    const related = (await lookUp(service, member)).connections
      .filter(({ strength }) => strength >= FLOOR)
      .map(({ donor }) => donor.id);
    const unrelated = service.donorIds
      .filter((id) => id !== member && !related.includes(id))
      .slice(0, 3);
    const asked = [...unrelated, ...related.slice(0, 50).toReversed()];
    const prospects = await findProspects(service, '/networks/connections', { donor_ids: asked });
    expectDescending(prospects.map(({ max_strength }) => max_strength));
    expect(prospects.map(({ donor }) => donor.id).toSorted()).toEqual(asked.toSorted());
    expect(prospects.slice(-3)).toEqual(
      unrelated.map((id) => ({
        donor: expect.objectContaining({ id }),
        max_strength: 0,
        total_connections: 0,
        connections: [],
      })),
    );
    expect(prospects.at(-4)?.max_strength).toBeGreaterThanOrEqual(FLOOR);
  });

  it('compare returns the same data about each prospect as discover', async () => {
    const service = await startService();
    await aNetworkOf(service, 'Board', service.donorIds.slice(0, 40));
    const found = await findProspects(service, '/networks/discover', { min_strength: 0.6 });
    const compared = await findProspects(service, '/networks/connections', {
      donor_ids: found.map(({ donor }) => donor.id),
      min_strength: 0.6,
    });
    expect(compared).toEqual(found);
  });

  it('returns a prospect who is asked for twice once', async () => {
    const service = await startService();
    const donor = donorAt(service, 0);
    const body = { donor_ids: [donor, donor] };
    expect(await findProspects(service, '/networks/connections', body)).toHaveLength(1);
  });

  it.each([
    ['no donor_ids with 422', {}, 422],
    ['an empty list with 422', { donor_ids: [] }, 422],
    ['more than 100 donor ids with 400', { donor_ids: Array(101).fill('x') }, 400],
    ['a donor who does not exist with 404', { donor_ids: [UNKNOWN_ID] }, 404],
  ])('refuses %s (7)', async (_, body, status) => {
    const service = await startService();
    expect((await ask(service, 'POST', '/networks/connections', body)).status).toBe(status);
  });
});

describe('donor connections (section 4.1)', () => {
  it('donor connections show the networks of a donor and every connection to network members', async () => {
    const service = await startService();
    const member = await findDonor(service, 'strong');
    const [found] = (await lookUp(service, member, 1)).connections;
    const other = found?.donor.id ?? '';
    const board = await aNetworkOf(service, 'Board', [member, other]);
    expect(await readDonorConnections(service, other)).toMatchObject({
      donor_id: other,
      in_network: true,
      networks: [{ network_id: board, name: 'Board' }],
      connections: [{ strength: found?.strength, source_donor: { id: member } }],
    });
  });

  it('are as compare says them', async () => {
    const service = await startService();
    await aNetworkOf(service, 'Board', service.donorIds.slice(0, 40));
    const [prospect] = await findProspects(service, '/networks/discover', { limit: 1 });
    const one = await readDonorConnections(service, prospect?.donor.id ?? '');
    expect(one).toEqual({
      donor_id: prospect?.donor.id,
      in_network: false,
      networks: [],
      connections: prospect?.connections,
    });
  });

  it('are none for a donor without connections, and 404 for one who does not exist (7)', async () => {
    const service = await startService();
    await createNetwork(service, 'Board');
    expect((await readDonorConnections(service, donorAt(service, 0))).connections).toEqual([]);
    const unknown = await ask(service, 'GET', `/networks/donors/${UNKNOWN_ID}/connections`);
    expect(unknown).toEqual({ status: 404, body: { detail: expect.any(String) } });
  });
});

describe('lookup (section 4.1)', () => {
  it('lookup needs no network, and returns connections of any strength, strongest first', async () => {
    const service = await startService();
    const donor = await findDonor(service, 'both');
    const { donor_id: id, connections } = await lookUp(service, donor);
    expect(id).toBe(donor);
    expectDescending(connections.map(({ strength }) => strength));
    expect(connections.at(-1)?.strength).toBeLessThan(FLOOR);
    expect(new Set(connections.map(({ source_donor: source }) => source.id))).toEqual(
      new Set([donor]),
    );
  });

  it('lookup returns the strongest connections, up to the limit', async () => {
    const service = await startService();
    const donor = await findDonor(service, 'both');
    const { connections } = await lookUp(service, donor);
    expect((await lookUp(service, donor, 2)).connections).toEqual(connections.slice(0, 2));
  });

  it.each([
    [{}, 422],
    [{ donor_id: 7 }, 422],
    [{ donor_id: 'x', limit: 501 }, 422],
    [{ donor_id: UNKNOWN_ID }, 404],
  ])('refuses %j with %i (7)', async (body, status) => {
    const service = await startService();
    expect((await ask(service, 'POST', '/networks/lookup', body)).status).toBe(status);
  });
});

/** Finds a donor with a strong connection. For `both`, the donor has strong and weak connections in the same lookup. */
async function findDonor(service: Service, kind: 'strong' | 'both'): Promise<string> {
  const [donor] = await findDonors(service, kind, 1);
  return donor ?? '';
}

/** Finds the given number of donors of that kind. */
async function findDonors(service: Service, kind: 'strong' | 'both', count: number) {
  const found: string[] = [];
  for (const id of service.donorIds) {
    const { connections } = await lookUp(service, id);
    const isWhole = connections.length < 500;
    const isStrong = (connections[0]?.strength ?? 0) >= FLOOR;
    const isWeak = (connections.at(-1)?.strength ?? 1) < FLOOR;
    if (isWhole && isStrong && (isWeak || kind === 'strong')) found.push(id);
    if (found.length === count) return found;
  }
  throw new Error('Too few of the known donors have such connections.');
}

/**
 * Discovers all prospects and compares them with lookups of the members. `networks` maps the name of each network to
 * its members.
 */
async function expectOfMembers(service: Service, networks: Record<string, readonly string[]>) {
  const members = [...new Set(Object.values(networks).flat())];
  const namesOf = (id: string) =>
    Object.keys(networks).filter((name) => networks[name]?.includes(id));
  const expected: object[] = [];
  for (const member of members) {
    const { connections } = await lookUp(service, member);
    for (const { donor, strength } of connections) {
      if (strength < FLOOR || members.includes(donor.id)) continue;
      expected.push({ prospect: donor.id, member, strength, networks: namesOf(member) });
    }
  }
  const prospects = await findProspects(service, '/networks/discover', { limit: 500 });
  const found = prospects.flatMap(({ donor, connections }) =>
    connections.map(({ source_donor, strength, networks }) => ({
      prospect: donor.id,
      member: source_donor.id,
      strength,
      networks: networks.map(({ name }) => name),
    })),
  );
  expect(sorted(found)).toEqual(sorted(expected));
  expect(found).not.toEqual([]);
}

function sorted(entries: readonly object[]): string[] {
  return entries.map((entry) => JSON.stringify(entry)).toSorted();
}

function expectDescending(numbers: readonly number[]): void {
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
}

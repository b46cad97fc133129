import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import type { Bucket } from '../../src/partner/buckets.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { NEEDED_OPERATIONS, OTHER_OPERATIONS } from '../../src/partner/discovery.ts';
import { describeEndpoint } from '../../src/partner/routes.ts';
import { aClient, rejectionOf } from './test-client.ts';

const MEMBERS = 12;
const UNKNOWN = 'f'.repeat(32);

let sandbox: PartnerSandbox;
let client: PartnerClient;
let donorIds: string[];

beforeAll(async () => {
  sandbox = await startPartnerSandbox({
    donors: 400,
    rate: 0,
    networkJobTimeMs: 20,
    chargeQueries: true,
    chargeSingleAdd: true,
  });
  client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey });
  donorIds = await donorsOf(sandbox);
  await client.discover();
});
afterAll(() => sandbox.close());

describe('networks of the whole service', () => {
  it('are made, adopted, renamed and deleted', async () => {
    const made = await client.networks.create('Staff', 'mauve');
    expect(made).toMatchObject({ name: 'Staff', color: 'teal', memberCount: 0, adopted: false });
    const adopted = await client.networks.create('Staff', 'red');
    expect(adopted).toEqual({ ...made, adopted: true });
    await client.networks.rename(made.networkId, 'Team');
    expect(await client.networks.list()).toMatchObject([
      { networkId: made.networkId, name: 'Team' },
    ]);
    await client.networks.delete(made.networkId);
    expect(await client.networks.list()).toEqual([]);
    expect(await rejectionOf(client.networks.rename(made.networkId, 'Team'))).toMatchObject({
      code: 'partner_not_found',
    });
  });

  it('gain members one by one and by a job, and lose them', async () => {
    const { networkId } = await client.networks.create('Board', 'blue');
    const [first = '', ...others] = donorIds.slice(0, MEMBERS);
    expect(await costOf('networks', () => client.networks.addMember(networkId, first))).toBe(1);
    const asked = [first, ...others, UNKNOWN];
    const job = await client.networks.addMembers(networkId, asked);
    const outcomes = await client.networks.followBulkAdd(job);
    expect(outcomes.get(first)).toBe('alreadyMember');
    expect(outcomes.get(UNKNOWN)).toBe('notFound');
    expect(others.map((id) => outcomes.get(id))).toEqual(others.map(() => 'added'));
    await client.networks.removeMembers(networkId, others.slice(0, 2));
    expect(await client.networks.list()).toMatchObject([{ memberCount: MEMBERS - 2 }]);
  });

  it('take as many as are paid for, and then say which bucket is empty', async () => {
    const poor = await aPoorClient({ networks: 2 });
    const { networkId } = await poor.networks.create('Board', 'teal');
    const asked = donorIds.slice(0, 3);
    const outcomes = await poor.networks.followBulkAdd(
      await poor.networks.addMembers(networkId, asked),
    );
    expect([...outcomes.values()]).toEqual(['added', 'added', 'unpaid']);
    expect(await rejectionOf(poor.networks.addMembers(networkId, asked))).toMatchObject({
      code: 'credits_exhausted',
      bucket: 'networks',
      availableCredits: 0,
    });
  });

  it('are not added to twice when the answer to a bulk add is lost', async () => {
    const { networkId } = await client.networks.create('Advisors', 'teal');
    await playFaults([
      { on: { path: '/networks/*/members/batch' }, fault: { kind: 'resetAfter' } },
    ]);
    const spent = await costOf('networks', async () => {
      const lost = await rejectionOf(client.networks.addMembers(networkId, donorIds.slice(0, 3)));
      expect(lost).toMatchObject({ code: 'answer_lost', bucket: 'networks' });
    });
    await playFaults([]);
    expect(spent).toBe(3);
    await client.networks.delete(networkId);
  });
});

describe('connections of the whole service', () => {
  it('are discovered, and what they cost is learnt once', async () => {
    expect(client.connections.queryCost()).toBeUndefined();
    const spent = await costOf('searches', () => client.connections.discover({ limit: 3 }));
    expect(spent).toBe(1);
    expect(client.connections.queryCost()).toEqual({ bucket: 'searches', credits: 1 });
  });

  it('are strongest first, above the asked strength, and come from members', async () => {
    const [board] = await client.networks.list();
    const prospects = await client.connections.discover({
      networkIds: [board?.networkId ?? ''],
      minStrength: 0.6,
      limit: 100_000,
    });
    expect(prospects.length).toBeGreaterThan(1);
    const strengths = prospects.map(({ maxStrength }) => maxStrength);
    expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
    const connections = prospects.flatMap((prospect) => prospect.connections);
    expect(connections.filter(({ strength }) => strength < 0.6)).toEqual([]);
    const members = new Set(donorIds.slice(0, MEMBERS));
    expect(connections.filter(({ sourceDonor }) => !members.has(sourceDonor.donorId))).toEqual([]);
  });

  it('are compared for given prospects, those without any last', async () => {
    const [prospect] = await client.connections.discover({ limit: 1 });
    const known = prospect?.donor.donorId ?? '';
    const compared = await client.connections.compare([...donorIds.slice(MEMBERS), known]);
    expect(compared.length).toBeGreaterThan(1);
    expect(compared[0]?.maxStrength).toBeGreaterThanOrEqual(0.45);
    const { maxStrength, totalConnections, connections } =
      compared.find(({ donor }) => donor.donorId === known) ?? {};
    expect({ maxStrength, totalConnections, connections }).toEqual({
      maxStrength: prospect?.maxStrength,
      totalConnections: prospect?.totalConnections,
      connections: prospect?.connections,
    });
  });

  it('of one donor are those to the members that the filters leave', async () => {
    const [prospect] = await client.connections.discover({ limit: 1 });
    const introducer = prospect?.connections[0]?.sourceDonor.donorId ?? '';
    const found = await client.connections.ofDonor(prospect?.donor.donorId ?? '', {
      inNetworkDonorIds: [introducer],
    });
    expect(found).toMatchObject({ inNetwork: false, networks: [] });
    expect(found.connections.map(({ sourceDonor }) => sourceDonor.donorId)).toEqual([introducer]);
    const member = await client.connections.ofDonor(introducer);
    expect(member).toMatchObject({ inNetwork: true, networks: [{ name: 'Board' }] });
  });

  it('are looked up without any network', async () => {
    const [donorId = ''] = donorIds;
    const connections = await client.connections.lookup(donorId, { limit: 100_000 });
    expect(connections.length).toBeGreaterThan(1);
    expect(connections[0]?.strength).toBeGreaterThan(connections.at(-1)?.strength ?? 1);
    expect(connections.map(({ donor }) => donor.donorId)).not.toContain(donorId);
  });

  it('of an unknown donor are an error that costs nothing', async () => {
    const spent = await costOf('searches', async () => {
      expect(await rejectionOf(client.connections.lookup(UNKNOWN))).toMatchObject({
        code: 'partner_not_found',
      });
    });
    expect(spent).toBe(0);
  });
});

describe('donors of the whole service', () => {
  it('are read one by one, for a credit each', async () => {
    const [donorId = ''] = donorIds;
    expect(await costOf('donors', () => client.donors.read(donorId))).toBe(1);
    expect(await client.donors.read(donorId)).toMatchObject({ donorId });
    expect(await rejectionOf(client.donors.read(UNKNOWN))).toMatchObject({
      code: 'partner_not_found',
    });
  });

  it('are read in a batch as far as the balance reaches', async () => {
    const [first = '', second = ''] = donorIds;
    const poor = await aPoorClient({ donors: 2 });
    const batch = await poor.donors.readMany([first, UNKNOWN, second]);
    expect([...batch.profiles.keys()]).toEqual([first]);
    expect(batch).toMatchObject({ notFound: [UNKNOWN], unprocessed: [second] });
  });

  it('are described for nothing', async () => {
    const [first = '', second = ''] = donorIds;
    const spent = await costOf('donors', async () => {
      const { name, profile } = await client.donors.readMetadata(first);
      expect(name).toEqual(expect.stringMatching(/\w \w/));
      expect(profile).not.toMatchObject({ work: null });
      const batch = await client.donors.readMetadataOfMany([second, UNKNOWN]);
      expect([...batch.metadata.keys()]).toEqual([second]);
      expect(batch.notFound).toEqual([UNKNOWN]);
    });
    expect(spent).toBe(0);
  });
});

describe('lists and exports of the whole service', () => {
  it('keep the rules of names and of system lists', async () => {
    const [system] = await client.lists.list();
    expect(system).toMatchObject({ name: 'All Saved Donors', isSystem: true });
    expect(await rejectionOf(client.lists.delete(system?.listId ?? ''))).toMatchObject({
      code: 'partner_bad_request',
    });
    const { listId } = await client.lists.create('Ball');
    expect(await rejectionOf(client.lists.create('Ball'))).toMatchObject({
      code: 'partner_bad_request',
    });
    await client.lists.rename(listId, 'Spring ball');
    expect((await client.lists.read(listId)).list.name).toBe('Spring ball');
    await client.lists.delete(listId);
    expect(await rejectionOf(client.lists.read(listId))).toMatchObject({
      code: 'partner_not_found',
    });
  });

  it('hold donors, page by page', async () => {
    const { listId } = await client.lists.create('Gala');
    const [first = '', second = '', third = ''] = donorIds;
    await client.lists.addDonors(listId, [first]);
    expect(await client.lists.addDonors(listId, [first, second, third, UNKNOWN])).toEqual({
      added: [second, third],
      alreadyListed: [first],
      notFound: [UNKNOWN],
      unprocessed: [],
    });
    const page = await client.lists.read(listId, { limit: 2 });
    expect(page.list).toMatchObject({ donorCount: 3 });
    expect(page.entries.map(({ donorId }) => donorId)).toEqual([first, second]);
    const rest = await client.lists.read(listId, { cursor: page.nextCursor ?? '' });
    expect(rest).toMatchObject({ entries: [{ donorId: third }], nextCursor: null });
    await client.lists.removeDonors(listId, [first, second]);
    expect((await client.lists.read(listId)).list.donorCount).toBe(1);
  });

  it('are exported and downloaded', async () => {
    const [first = '', second = ''] = donorIds;
    const made = await client.exports.create({
      fields: ['id', 'full_name'],
      format: 'csv',
      donorIds: [first, second, UNKNOWN],
    });
    expect(made).toMatchObject({ donorCount: 2, notFound: [UNKNOWN], unpaid: [] });
    const { fileName, contentType, chunks } = await client.exports.download(made.exportId);
    expect(fileName).toMatch(/\.csv$/);
    expect(contentType).toContain('text/csv');
    const lines = (await textOf(chunks)).trim().split(/\r?\n/);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(first);
    expect((await client.exports.list()).entries).toMatchObject([{ exportId: made.exportId }]);
    expect((await client.exports.read(made.exportId)).format).toBe('csv');
  });
});

describe('search of the whole service', () => {
  it('finds donors by question, filters and parameters, for a credit each', async () => {
    const spent = await costOf('searches', async () => {
      const asked = await client.search.ask('people who sit on a board', { limit: 2 });
      expect(asked.entries).toHaveLength(2);
      expect(asked.interpretation?.understood).not.toEqual([]);
      const next = await client.search.ask('people who sit on a board', {
        limit: 2,
        cursor: asked.nextCursor ?? '',
      });
      const ids = [...asked.entries, ...next.entries].map(({ donorId }) => donorId);
      expect(new Set(ids).size).toBe(4);
      const filtered = await client.search.byFilters({ min_age: 40 }, { limit: 1 });
      const flat = await client.search.byParameters({ min_age: 40 }, { limit: 1 });
      expect(flat.entries).toEqual(filtered.entries);
      expect(flat.entries).toHaveLength(1);
    });
    expect(spent).toBe(4);
  });

  it('for nothing in particular is refused and costs nothing', async () => {
    const spent = await costOf('searches', async () => {
      expect(await rejectionOf(client.search.byFilters({}))).toMatchObject({
        code: 'partner_bad_request',
      });
    });
    expect(spent).toBe(0);
  });
});

describe('the whole service', () => {
  it('is healthy in all areas', async () => {
    const areas = await client.health();
    expect(areas).toHaveLength(6);
    expect(areas.filter(({ state }) => state !== 'healthy')).toEqual([]);
  });

  it('costs nothing for queries by default, and the client finds that out', async () => {
    const free = await startPartnerSandbox({ donors: 50, rate: 0 });
    const guest = aClient(free.baseUrl, { apiKey: free.apiKey });
    await guest.connections.discover();
    await free.close();
    expect(guest.connections.queryCost()).toBeNull();
  });

  it('has no endpoint that the client does not know, but for descriptions of itself and of its matches', async () => {
    const reply = await fetch(`${sandbox.baseUrl}/openapi.json`, {
      headers: { 'x-api-key': sandbox.apiKey },
    });
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(await reply.json());
    const listed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => shapeOf(`${method.toUpperCase()} ${path}`)),
    );
    const operations = [...NEEDED_OPERATIONS, ...OTHER_OPERATIONS];
    const known = operations.flatMap(({ routes }) => routes.map(describeEndpoint).map(shapeOf));
    expect(listed.length).toBeGreaterThan(40);
    expect(listed.filter((endpoint) => !known.includes(endpoint))).toEqual([
      'GET /enhancements/{}/explanation',
      'GET /explanation/{}',
      'GET /openapi.json',
      'GET /docs',
      'GET /redoc',
    ]);
  });
});

/** Returns an endpoint with the same name for all its parameters. */
function shapeOf(endpoint: string): string {
  return endpoint.replace(/\{[^}]*\}/g, '{}');
}

async function costOf(bucket: Bucket, act: () => Promise<unknown>): Promise<number> {
  const before = await client.readCredits();
  await act();
  return before[bucket] - (await client.readCredits())[bucket];
}

const peopleSchema = z.object({ people: z.array(z.object({ donorId: z.string().nullable() })) });

/** Returns the distinct donors in the sandbox's contact list. */
async function donorsOf({ rootUrl }: PartnerSandbox): Promise<string[]> {
  const reply = await fetch(`${rootUrl}/_sandbox/people?limit=40`);
  const { people } = peopleSchema.parse(await reply.json());
  return [...new Set(people.flatMap(({ donorId }) => donorId ?? []))];
}

/** Creates a client for a new team. The team has only these credits. */
async function aPoorClient(credits: Partial<Record<Bucket, number>>): Promise<PartnerClient> {
  const reply = await fetch(`${sandbox.rootUrl}/_sandbox/keys`, {
    method: 'POST',
    body: JSON.stringify({ credits }),
    headers: { 'content-type': 'application/json' },
  });
  const { apiKey } = z.object({ apiKey: z.string() }).parse(await reply.json());
  return aClient(sandbox.baseUrl, { apiKey });
}

async function playFaults(rules: readonly unknown[]): Promise<void> {
  const reply = await fetch(`${sandbox.rootUrl}/_sandbox/faults`, {
    method: 'PUT',
    body: JSON.stringify(rules),
    headers: { 'content-type': 'application/json' },
  });
  expect(reply.status).toBe(200);
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

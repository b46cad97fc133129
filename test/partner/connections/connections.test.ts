import { describe, expect, it } from 'vitest';
import type { PartnerClient } from '../../../src/partner/client.ts';
import { aClient, rejectionOf } from '../test-client.ts';
import { type Received, startTestService } from '../test-service.ts';

const BALANCES = { donors: 9, enhancements: 9, exports: 9, lists: 9, networks: 9, searches: 9 };

const WIRE = {
  strength: 0.82,
  snippet: 'Both sit on a board',
  connecting_entity_name: 'Riverside Food Bank',
  connecting_entity_type: 'nonprofit',
  source_relationship: 'sits_on_board_of',
  target_relationship: 'donates_to',
  source_donor: { id: 'd1', name: 'Ada Marlowe', service_url: 'https://x.example/d1', rank: 3 },
  networks: [{ network_id: 'n1', name: 'Board' }],
  weight: 12,
};

const LINK = {
  strength: 0.82,
  snippet: 'Both sit on a board',
  entityName: 'Riverside Food Bank',
  entityType: 'nonprofit',
  sourceRelationship: 'sits_on_board_of',
  targetRelationship: 'donates_to',
};

const CONNECTION = {
  ...LINK,
  sourceDonor: { donorId: 'd1', name: 'Ada Marlowe', profileUrl: 'https://x.example/d1' },
  networks: [{ networkId: 'n1', name: 'Board' }],
};

const PROSPECT = { donorId: 'd9', name: 'Bo Quill', profileUrl: null };

describe('a connection', () => {
  it.each([
    ['objects', WIRE, CONNECTION],
    [
      'bare ids',
      { ...WIRE, source_donor: 'd1', networks: ['n1'] },
      {
        ...CONNECTION,
        sourceDonor: { donorId: 'd1', name: null, profileUrl: null },
        networks: [{ networkId: 'n1', name: null }],
      },
    ],
    [
      'other names of ids, and the parts of a name',
      {
        ...WIRE,
        source_donor: { donor_id: 'd1', name: { first: 'Ada', middle: null, last: 'Marlowe' } },
        networks: [{ id: 'n1', name: 'Board' }],
      },
      { ...CONNECTION, sourceDonor: { ...CONNECTION.sourceDonor, profileUrl: null } },
    ],
    ['no networks', { ...WIRE, networks: undefined }, { ...CONNECTION, networks: [] }],
    [
      'an unknown relationship',
      { ...WIRE, target_relationship: 'chairs' },
      { ...CONNECTION, targetRelationship: 'chairs' },
    ],
  ])('is read with %s', async (_, wire, connection) => {
    const { client } = await answering({ in_network: false, networks: [], connections: [wire] });
    expect((await client.connections.ofDonor('d9')).connections).toEqual([connection]);
  });

  it.each([
    ['connections.0.strength', { ...WIRE, strength: undefined }],
    ['connections.0.strength', { ...WIRE, strength: 82 }],
    ['connections.0.source_donor', { ...WIRE, source_donor: null }],
    ['connections.0.source_donor.id', { ...WIRE, source_donor: { name: 'Ada' } }],
  ])('is an error that names %s', async (field, wire) => {
    const { client } = await answering({ in_network: true, connections: [wire] });
    const error = await rejectionOf(client.connections.ofDonor('d9'));
    expect(String(error)).toContain(`GET /networks/donors/{id}/connections`);
    expect(String(error)).toContain(`${field} is missing or malformed`);
    expect(String(error)).not.toContain('Ada');
  });
});

describe('connections.discover', () => {
  it('sends what is asked for, and nothing else', async () => {
    const { client, queries } = await answering({ prospects: [] });
    await client.connections.discover();
    await client.connections.discover({
      networkIds: ['n1'],
      inNetworkDonorIds: ['d1'],
      minStrength: 0.7,
      limit: 20,
    });
    expect(queries().map(({ body }) => body)).toEqual([
      {},
      { network_ids: ['n1'], in_network_donor_ids: ['d1'], min_strength: 0.7, limit: 20 },
    ]);
  });

  it('reads prospects with their connections', async () => {
    const prospect = { max_strength: 0.9, total_connections: 4, connections: [WIRE] };
    const { client } = await answering({
      prospects: [{ donor: { id: 'd9', name: 'Bo Quill' }, ...prospect }],
    });
    expect(await client.connections.discover()).toEqual([
      { donor: PROSPECT, maxStrength: 0.9, totalConnections: 4, connections: [CONNECTION] },
    ]);
  });

  it('takes absent connections for none, and counts where the service does not', async () => {
    const { client } = await answering([
      { donor: { id: 'd9', name: 'Bo Quill' }, connections: [WIRE] },
      { donor: 'd8' },
    ]);
    expect(await client.connections.discover()).toMatchObject([
      { donor: { donorId: 'd9' }, maxStrength: 0.82, totalConnections: 1 },
      { donor: { donorId: 'd8' }, maxStrength: 0, totalConnections: 0, connections: [] },
    ]);
  });

  it('asks for no more than the service says that it gives', async () => {
    const limit = { type: 'integer', maximum: 500 };
    const content = { 'application/json': { schema: { properties: { limit } } } };
    const paths = { '/networks/discover': { post: { requestBody: { content } } } };
    const { client, queries } = await answering({ paths, prospects: [] });
    await client.discover();
    await client.connections.discover({ limit: 900 });
    await client.connections.discover({ limit: 90 });
    expect(queries().map(({ body }) => body)).toEqual([{ limit: 500 }, { limit: 90 }]);
  });

  it.each([{ networkIds: [] }, { inNetworkDonorIds: [] }])(
    'refuses the empty filter %j, which could mean no donor or every donor',
    async (filters) => {
      const { client, queries } = await answering({ prospects: [] });
      const error = await rejectionOf(client.connections.discover(filters));
      expect(error).toBeInstanceOf(RangeError);
      expect(queries()).toEqual([]);
    },
  );
});

describe('connections.compare', () => {
  it('sends the prospects with the filters', async () => {
    const { client, queries } = await answering({ prospects: [{ donor: 'd9', max_strength: 0 }] });
    const compared = await client.connections.compare(['d9'], { minStrength: 0.5 });
    expect(compared).toMatchObject([{ donor: { donorId: 'd9' }, maxStrength: 0, connections: [] }]);
    expect(queries()).toMatchObject([
      {
        method: 'POST',
        path: '/networks/connections',
        body: { donor_ids: ['d9'], min_strength: 0.5 },
      },
    ]);
  });

  it('refuses more than a hundred prospects without asking', async () => {
    const { client, queries } = await answering({ prospects: [] });
    const donorIds = Array.from({ length: 101 }, (_, index) => `d${index}`);
    expect(await rejectionOf(client.connections.compare(donorIds))).toBeInstanceOf(RangeError);
    expect(queries()).toEqual([]);
  });
});

describe('connections.ofDonor', () => {
  it('repeats the filters in the address', async () => {
    const { client, queries } = await answering({ in_network: false });
    await client.connections.ofDonor('d9', {
      networkIds: ['n1', 'n2'],
      inNetworkDonorIds: ['d&1'],
    });
    expect(queries()).toMatchObject([
      {
        method: 'GET',
        path: '/networks/donors/d9/connections',
        query: 'network_ids=n1&network_ids=n2&in_network_donor_ids=d%261',
      },
    ]);
  });

  it.each([
    [{ in_network: false }, { inNetwork: false, networks: [], connections: [] }],
    [
      { networks: ['n1'] },
      { inNetwork: true, networks: [{ networkId: 'n1', name: null }], connections: [] },
    ],
    [{ networks: [] }, { inNetwork: false, networks: [], connections: [] }],
  ])('reads %j', async (body, expected) => {
    const { client } = await answering(body);
    expect(await client.connections.ofDonor('d9')).toEqual(expected);
  });

  it('does not take a reply that says nothing for "in no network"', async () => {
    const { client } = await answering({ message: 'ok' });
    const error = await rejectionOf(client.connections.ofDonor('d9'));
    expect(String(error)).toContain('in_network is missing');
  });
});

describe('connections.lookup', () => {
  it('reads connections of any strength to the other donors', async () => {
    const { source_donor: _, networks: __, ...link } = WIRE;
    const wire = { ...link, strength: 0.02, donor: { id: 'd9', name: 'Bo Quill' } };
    const { client, queries } = await answering({ donor_id: 'd1', connections: [wire] });
    expect(await client.connections.lookup('d1', { limit: 5 })).toEqual([
      { ...LINK, strength: 0.02, donor: PROSPECT },
    ]);
    expect(queries()).toMatchObject([
      { method: 'POST', path: '/networks/lookup', body: { donor_id: 'd1', limit: 5 } },
    ]);
  });

  it('waits for the seconds that the service may compute', async () => {
    const { baseUrl } = await startTestService(async ({ path }) => {
      if (path === '/credits') return Response.json(BALANCES);
      await new Promise((resolve) => setTimeout(resolve, 400));
      return Response.json({ connections: [] });
    });
    const client = aClient(baseUrl, { requestTimeoutMs: 200, submitTimeoutMs: 200 });
    await expect(client.connections.lookup('d1')).resolves.toEqual([]);
  });
});

interface Answering {
  client: PartnerClient;
  /** Returns the received requests, except for balances and descriptions. */
  queries(): Received[];
}

/** Starts a service whose queries are free and all return the same response. */
async function answering(body: unknown): Promise<Answering> {
  const { baseUrl, received } = await startTestService(({ path }) =>
    Response.json(path === '/credits' ? BALANCES : body),
  );
  const isQuery = ({ path }: Received) => path.startsWith('/networks');
  return { client: aClient(baseUrl), queries: () => received.filter(isQuery) };
}

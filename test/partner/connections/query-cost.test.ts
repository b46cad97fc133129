import { describe, expect, it } from 'vitest';
import type { PartnerClient } from '../../../src/partner/client.ts';
import { aClient, createNotedLog, rejectionOf } from '../test-client.ts';
import { type Received, startTestService } from '../test-service.ts';

const FULL = { donors: 50, enhancements: 50, exports: 50, lists: 50, networks: 50, searches: 50 };

const QUERIES: [string, (client: PartnerClient) => Promise<unknown>][] = [
  ['discover', (client) => client.connections.discover()],
  ['compare', (client) => client.connections.compare(['d1'])],
  ['ofDonor', (client) => client.connections.ofDonor('d1')],
  ['lookup', (client) => client.connections.lookup('d1')],
];

describe('connections.queryCost', () => {
  it.each(QUERIES)('is learnt from the balance around the first %s', async (_, ask) => {
    const { client } = await aService({ searches: 1 });
    expect(client.connections.queryCost()).toBeUndefined();
    await ask(client);
    expect(client.connections.queryCost()).toEqual({ bucket: 'searches', credits: 1 });
  });

  it('is null where queries are free', async () => {
    const { client } = await aService({});
    await client.connections.lookup('d1');
    expect(client.connections.queryCost()).toBeNull();
  });

  it('is learnt once for each kind, however many queries begin together', async () => {
    const { client, paths } = await aService({ searches: 1 });
    await Promise.all([...QUERIES, ...QUERIES].map(([, ask]) => ask(client)));
    expect(client.connections.queryCost()).toEqual({ bucket: 'searches', credits: 1 });
    expect(paths().filter((path) => path === '/credits')).toHaveLength(2 * QUERIES.length);
  });

  it('is not taken from a query of another kind', async () => {
    const { client } = await aService({ searches: 1 }, ({ path }) =>
      path === '/networks/discover' ? Response.json({ prospects: [] }) : undefined,
    );
    await client.connections.discover();
    expect(client.connections.queryCost('discover')).toBeNull();
    expect(client.connections.queryCost('compare')).toBeUndefined();
    await client.connections.compare(['d1']);
    expect(client.connections.queryCost('discover')).toBeNull();
    expect(client.connections.queryCost('compare')).toEqual({ bucket: 'searches', credits: 1 });
  });

  it('is not mistaken for what submissions spend meanwhile', async () => {
    const { client } = await aService({ enhancements: 100 });
    await client.connections.lookup('d1');
    expect(client.connections.queryCost()).toBeNull();
  });

  it('is looked for in the other buckets too, the searches first', async () => {
    const { client } = await aService({ donors: 1, networks: 1 });
    await client.connections.lookup('d1');
    expect(client.connections.queryCost()).toEqual({ bucket: 'networks', credits: 1 });
  });

  it.each([{ networks: 100 }, { networks: 100, searches: 1 }])(
    'is not mistaken for members that are added meanwhile: %o',
    async (meanwhile) => {
      // Only the first query happens at the same time as a bulk add.
      const { client } = await aService({}, undefined, (queries) =>
        balancesAfter(meanwhile, Math.min(1, queries)),
      );
      await client.connections.lookup('d1');
      await client.connections.lookup('d1');
      await client.connections.lookup('d1');
      expect(client.connections.queryCost('lookup')).toEqual(
        'searches' in meanwhile ? { bucket: 'searches', credits: 1 } : null,
      );
    },
  );

  it('is not taken for free because credits were added meanwhile', async () => {
    const { client } = await aService({}, undefined, (queries) => ({
      ...FULL,
      searches: 50 - queries + (queries === 0 ? 0 : 500),
    }));
    await client.connections.lookup('d1');
    expect(client.connections.queryCost('lookup')).toBeUndefined();
    await client.connections.lookup('d1');
    expect(client.connections.queryCost('lookup')).toEqual({ bucket: 'searches', credits: 1 });
  });

  it('is believed above one credit if the next query of the kind costs the same', async () => {
    const { client } = await aService({ searches: 3 });
    await client.connections.lookup('d1');
    expect(client.connections.queryCost('lookup')).toBeUndefined();
    await client.connections.lookup('d1');
    expect(client.connections.queryCost('lookup')).toEqual({ bucket: 'searches', credits: 3 });
  });

  it('is written to the log', async () => {
    const log = createNotedLog();
    const { baseUrl } = await aService({ searches: 1 });
    await aClient(baseUrl, { log }).connections.lookup('d1');
    expect(log.notes.join('\n')).toContain('"bucket":"searches","credits":1');
  });

  it('is learnt from the next query when the first is refused', async () => {
    let isRefused = true;
    const { client } = await aService({ searches: 1 }, () => {
      if (!isRefused) return undefined;
      isRefused = false;
      return Response.json({ detail: 'Donor not found' }, { status: 400 });
    });
    expect(await rejectionOf(client.connections.lookup('d1'))).toMatchObject({
      code: 'partner_bad_request',
    });
    expect(client.connections.queryCost()).toBeUndefined();
    await client.connections.lookup('d1');
    expect(client.connections.queryCost()).toEqual({ bucket: 'searches', credits: 1 });
  });

  it('keeps the answer when the balance cannot be read after it', async () => {
    let readings = 0;
    const { client } = await aService({ searches: 1 }, ({ path }) => {
      if (path === '/credits') readings += 1;
      return readings >= 2 && path === '/credits' ? Response.json({}) : undefined;
    });
    await expect(client.connections.lookup('d1')).resolves.toEqual([]);
    expect(client.connections.queryCost()).toBeUndefined();
  });
});

describe('a query whose answer is lost', () => {
  it('is not sent again while its cost is unknown', async () => {
    const { client, paths } = await aService({}, loseFirstLookup());
    expect(await rejectionOf(client.connections.lookup('d1'))).toMatchObject({
      code: 'answer_lost',
      bucket: null,
    });
    expect(lookupsIn(paths())).toBe(1);
  });

  it('is not sent again where queries cost something', async () => {
    const { client, paths } = await aService({ searches: 1 }, loseSecondLookup());
    await client.connections.lookup('d1');
    expect(await rejectionOf(client.connections.lookup('d1'))).toMatchObject({
      code: 'answer_lost',
      bucket: 'searches',
    });
    expect(lookupsIn(paths())).toBe(2);
  });

  it('is sent again where queries are free', async () => {
    const { client, paths } = await aService({}, loseSecondLookup());
    await client.connections.lookup('d1');
    await expect(client.connections.lookup('d1')).resolves.toEqual([]);
    expect(lookupsIn(paths())).toBe(3);
  });
});

function loseFirstLookup() {
  return loseLookup(1);
}

function loseSecondLookup() {
  return loseLookup(2);
}

/** Answers lookups like a gateway that has lost the connection to the service. */
function loseLookup(lost: number) {
  let lookups = 0;
  return ({ path }: Received) => {
    if (path !== '/networks/lookup') return undefined;
    lookups += 1;
    return lookups === lost ? new Response('Bad Gateway', { status: 502 }) : undefined;
  };
}

function lookupsIn(paths: readonly string[]): number {
  return paths.filter((path) => path === '/networks/lookup').length;
}

/** Starts a service whose queries each cost this many credits. `override` can return a different response. */
async function aService(
  costs: Partial<typeof FULL>,
  override: (received: Received) => Response | undefined = () => undefined,
  balances = (queries: number) => balancesAfter(costs, queries),
) {
  let queries = 0;
  const { baseUrl, received } = await startTestService((one) => {
    const special = override(one);
    if (special) return special;
    if (one.path === '/credits') return Response.json(balances(queries));
    queries += 1;
    return Response.json({ in_network: false, prospects: [], connections: [] });
  });
  return { baseUrl, client: aClient(baseUrl), paths: () => received.map(({ path }) => path) };
}

function balancesAfter(costs: Partial<typeof FULL>, queries: number) {
  const spent = Object.entries(costs).map(([bucket, credits]) => [bucket, 50 - credits * queries]);
  return { ...FULL, ...Object.fromEntries(spent) };
}

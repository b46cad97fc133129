import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aNetworkOf,
  ask,
  type Connection,
  createNetwork,
  donorAt,
  findProspects,
  openService,
  readDonorConnections,
  type Service,
  startService,
  UNKNOWN_ID,
} from './service.ts';

const MEMBERS = 40;

/** Members 15 to 24 belong to both networks. */
const ENDS_OF = { board: [0, 25], alumni: [15, MEMBERS] } as const;

type Filter = { network_ids?: string[]; in_network_donor_ids?: string[] };

/** Each search is a function. The function returns the IDs of the source donors that match a filter. */
const SEARCHES = {
  discover: async (service: Service, filter: Filter) =>
    sourcesOf(await findProspects(service, '/networks/discover', { ...filter, limit: 500 })),
  compare: async (service: Service, filter: Filter) =>
    sourcesOf(
      await findProspects(service, '/networks/connections', {
        ...filter,
        donor_ids: service.donorIds.slice(MEMBERS, MEMBERS + 100),
      }),
    ),
  'donor connections': async (service: Service, filter: Filter) => {
    const answers = await Promise.all(
      service.donorIds
        .slice(MEMBERS, MEMBERS + 100)
        .map((id) => readDonorConnections(service, id, toQuery(filter))),
    );
    return sourcesOf(answers);
  },
};

/** No test changes this service, so all tests share it. */
let started: Awaited<ReturnType<typeof startWithNetworks>>;

beforeAll(async () => {
  started = await startWithNetworks();
});
afterAll(() => started.service.close());

describe.each(Object.entries(SEARCHES))('the filters of %s (section 4.2)', (_, search) => {
  it('searches cover all donors in all networks if both filters are omitted', async () => {
    const { service } = started;
    const sources = await search(service, {});
    expect(sources.some((id) => isIn(service, 'board', id) && !isIn(service, 'alumni', id))).toBe(
      true,
    );
    expect(sources.some((id) => isIn(service, 'alumni', id) && !isIn(service, 'board', id))).toBe(
      true,
    );
  });

  it('searches cover all donors in the given networks', async () => {
    const { service, board } = started;
    const all = await search(service, {});
    const sources = await search(service, { network_ids: [board] });
    expect(sources).toEqual(all.filter((id) => isIn(service, 'board', id)));
    expect(sources).not.toEqual([]);
  });

  it('searches cover only the given donors, in any network', async () => {
    const { service } = started;
    const all = await search(service, {});
    const some = all.filter((_id, index) => index % 2 === 0);
    expect(await search(service, { in_network_donor_ids: some })).toEqual(some);
  });

  it('searches cover only the given donors in the given networks', async () => {
    const { service, board } = started;
    const all = await search(service, {});
    const sources = await search(service, { network_ids: [board], in_network_donor_ids: all });
    expect(sources).toEqual(all.filter((id) => isIn(service, 'board', id)));
    expect(sources.length).toBeLessThan(all.length);
  });

  it('searches find nothing for donors who are in no network', async () => {
    const { service } = started;
    const filter = { in_network_donor_ids: [donorAt(service, MEMBERS)] };
    expect(await search(service, filter)).toEqual([]);
  });
});

describe('filters that name what does not exist (section 7)', () => {
  it('filters with unknown donors, unknown networks or networks of another team return 404', async () => {
    const service = await startService();
    const theirs = await createNetwork(service, 'Board', await service.issueKey());
    const donor = donorAt(service, 0);
    const filters = [
      { network_ids: [UNKNOWN_ID] },
      { network_ids: [theirs] },
      { in_network_donor_ids: [UNKNOWN_ID] },
    ];
    for (const filter of filters) {
      const answers = [
        await ask(service, 'POST', '/networks/discover', filter),
        await ask(service, 'POST', '/networks/connections', { ...filter, donor_ids: [donor] }),
        await ask(service, 'GET', `/networks/donors/${donor}/connections${toQuery(filter)}`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    }
  });
});

describe('the filters of donor connections in a query (section 4.1)', () => {
  it('filters can be repeated parameters or a single parameter with commas', async () => {
    const { service, board, alumni } = started;
    const [prospect] = await findProspects(service, '/networks/discover', { limit: 1 });
    const id = prospect?.donor.id ?? '';
    const repeated = `?network_ids=${board}&network_ids=${alumni}`;
    const withCommas = `?network_ids=${board},${alumni}`;
    const answers = await Promise.all(
      ['', repeated, withCommas].map((query) => readDonorConnections(service, id, query)),
    );
    expect(answers[0]?.connections).not.toEqual([]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('connections list only the networks that were searched (2.2)', async () => {
    const { service, board } = started;
    const prospects = await findProspects(service, '/networks/discover', { network_ids: [board] });
    const named = prospects.flatMap(({ connections }) =>
      connections.flatMap(({ networks }) => networks.map((network) => network.network_id)),
    );
    expect(new Set(named)).toEqual(new Set([board]));
  });
});

async function startWithNetworks() {
  const service = await openService();
  const board = await aNetworkOf(service, 'Board', service.donorIds.slice(...ENDS_OF.board));
  const alumni = await aNetworkOf(service, 'Alumni', service.donorIds.slice(...ENDS_OF.alumni));
  return { service, board, alumni };
}

function isIn(service: Service, network: keyof typeof ENDS_OF, id: string): boolean {
  return service.donorIds.slice(...ENDS_OF[network]).includes(id);
}

function sourcesOf(found: readonly { connections: readonly Connection[] }[]): string[] {
  const ids = found.flatMap(({ connections }) => connections.map((one) => one.source_donor.id));
  return [...new Set(ids)].toSorted();
}

function toQuery(filter: Filter): string {
  const pairs = Object.entries(filter).flatMap(([name, ids]) => ids.map((id) => [name, id]));
  return `?${new URLSearchParams(pairs)}`;
}

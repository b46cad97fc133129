import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, createNetwork, creditsIn, donorAt, type Service, startService } from './service.ts';

const BUCKETS = ['donors', 'enhancements', 'exports', 'lists', 'networks', 'searches'];

/** Describes one request to an endpoint. */
interface Request {
  what: string;
  method: string;
  path: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
}

interface Charging extends Request {
  bucket: string;
  credits: number;
  /** Describes a variant of the request that fails with a 4xx status. */
  failing: { path?: string; body?: unknown };
}

interface Ids {
  donors: string[];
  list: string;
  network: string;
  export: string;
}

const donor_ids = ({ donors }: Ids) => ({ donor_ids: donors });

/** Lists the charged requests from the table in section 4.4. */
const CHARGING: Charging[] = [
  {
    what: 'GET /donors/{id}',
    method: 'GET',
    path: ({ donors }) => `/donors/${donors[0]}`,
    bucket: 'donors',
    credits: 1,
    failing: { path: '/donors/unknown' },
  },
  {
    what: 'POST /donors/batch',
    method: 'POST',
    path: () => '/donors/batch',
    body: donor_ids,
    bucket: 'donors',
    credits: 3,
    failing: { body: { donor_ids: [7] } },
  },
  {
    what: 'POST /enhancements',
    method: 'POST',
    path: () => '/enhancements',
    body: () => ({ persons: threePersons() }),
    bucket: 'enhancements',
    credits: 3,
    failing: { body: { persons: [{}] } },
  },
  {
    what: 'POST /exports',
    method: 'POST',
    path: () => '/exports',
    body: (ids) => ({ fields: ['id'], ...donor_ids(ids) }),
    bucket: 'exports',
    credits: 3,
    failing: { body: { donor_ids: ['x'] } },
  },
  {
    what: 'POST /lists/{id}/donors',
    method: 'POST',
    path: ({ list }) => `/lists/${list}/donors`,
    body: donor_ids,
    bucket: 'lists',
    credits: 3,
    failing: { path: '/lists/nothing/donors' },
  },
  {
    what: 'POST /networks/{id}/members/batch',
    method: 'POST',
    path: ({ network }) => `/networks/${network}/members/batch`,
    body: donor_ids,
    bucket: 'networks',
    credits: 3,
    failing: { path: '/networks/nothing/members/batch' },
  },
  {
    what: 'GET /search',
    method: 'GET',
    path: () => '/search?state=TX',
    bucket: 'searches',
    credits: 1,
    failing: { path: '/search' },
  },
  {
    what: 'POST /search',
    method: 'POST',
    path: () => '/search',
    body: () => ({ query: 'board members over 60' }),
    bucket: 'searches',
    credits: 1,
    failing: { body: { query: 'xyzzy' } },
  },
];

/** Lists the free requests from the list in section 4.4. */
const FREE: Request[] = [
  ...[
    '/donors/health',
    '/search/health',
    '/docs',
    '/redoc',
    '/openapi.json',
    '/test',
    '/credits',
  ].map(get),
  get('/exports'),
  get('/lists'),
  get('/networks'),
  {
    what: 'GET /donors/{id}/metadata',
    method: 'GET',
    path: ({ donors }) => `/donors/${donors[0]}/metadata`,
  },
  {
    what: 'POST /donors/metadata/batch',
    method: 'POST',
    path: () => '/donors/metadata/batch',
    body: donor_ids,
  },
  {
    what: 'POST /enhancements/results/batch',
    method: 'POST',
    path: () => '/enhancements/results/batch',
    body: () => ({ job_ids: ['x'] }),
  },
  {
    what: 'POST /enhancements/progress/batch',
    method: 'POST',
    path: () => '/enhancements/progress/batch',
    body: () => ({ job_ids: ['x'] }),
  },
  { what: 'GET /exports/{id}', method: 'GET', path: (ids) => `/exports/${ids.export}` },
  { what: 'GET /lists/{id}', method: 'GET', path: ({ list }) => `/lists/${list}` },
  {
    what: 'PATCH /lists/{id}',
    method: 'PATCH',
    path: ({ list }) => `/lists/${list}`,
    body: () => ({ name: 'Renamed' }),
  },
  {
    what: 'POST /lists/{id}/donors/remove',
    method: 'POST',
    path: ({ list }) => `/lists/${list}/donors/remove`,
    body: donor_ids,
  },
  {
    what: 'PUT /networks/{id}',
    method: 'PUT',
    path: ({ network }) => `/networks/${network}`,
    body: () => ({ name: 'Renamed' }),
  },
  {
    what: 'POST /networks/{id}/members/remove',
    method: 'POST',
    path: ({ network }) => `/networks/${network}/members/remove`,
    body: donor_ids,
  },
];

describe('the balance (section 2.7)', () => {
  it('the balance has six integers, one for each bucket', async () => {
    const service = await startService();
    const { status, body } = await ask(service, 'GET', '/credits');
    expect(status).toBe(200);
    const balance = z.record(z.string(), z.int().min(0)).parse(body);
    expect(Object.keys(balance).toSorted()).toEqual(BUCKETS);
  });
});

describe.each(CHARGING)('$what (sections 4.4 and 4.5)', (request) => {
  it('each request or item costs 1 credit, only from its own bucket (4.4, 4.5.1, 4.5.2)', async () => {
    const service = await startService();
    const ids = await prepare(service);
    const before = await balanceOf(service, service.apiKey);
    expect((await send(service, request, ids)).status).toBeLessThan(300);
    expect(await balanceOf(service, service.apiKey)).toEqual({
      ...before,
      [request.bucket]: (before[request.bucket] ?? 0) - request.credits,
    });
  });

  it('the endpoint returns 402 if its bucket is empty, even if other buckets have credits (4.5.6, 7.1)', async () => {
    const service = await startService();
    const apiKey = await service.issueKey({ [request.bucket]: 0 });
    const ids = await prepare(service, apiKey, request.bucket === 'exports');
    expect(await send(service, request, ids, apiKey)).toEqual({
      status: 402,
      body: {
        error: 'insufficient_partner_api_credits',
        message: expect.any(String),
        bucket: request.bucket,
        available_credits: 0,
      },
    });
  });

  it('a request is refunded if it fails with a 4xx or 5xx status (4.5.4, 4.5.5)', async () => {
    const service = await startService();
    const ids = await prepare(service);
    const before = await balanceOf(service, service.apiKey);
    const { path = request.path(ids), body = request.body?.(ids) } = request.failing;
    const refused = await ask(service, request.method, path, body);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    await service.failOnce();
    expect((await send(service, request, ids)).status).toBe(500);
    expect(await balanceOf(service, service.apiKey)).toEqual(before);
  });
});

describe.each(CHARGING.filter(({ credits }) => credits > 1))(
  '$what, partly paid (section 4.5.3)',
  (request) => {
    it('the service processes as many items as the balance allows (4.5.3)', async () => {
      const service = await startService();
      const apiKey = await service.issueKey({ [request.bucket]: 2 });
      const ids = await prepare(service, apiKey, request.bucket === 'exports');
      expect((await send(service, request, ids, apiKey)).status).toBeLessThan(300);
      expect(await creditsIn(service, request.bucket, apiKey)).toBe(0);
    });
  },
);

describe('free endpoints (section 4.4)', () => {
  it.each(FREE)(
    '$what never costs a credit, and works even if all buckets are empty',
    async (request) => {
      const service = await startService();
      const ids = await prepare(service);
      const before = await balanceOf(service, service.apiKey);
      expect((await send(service, request, ids)).status).toBeLessThan(300);
      expect(await balanceOf(service, service.apiKey)).toEqual(before);

      const poor = await service.issueKey(Object.fromEntries(BUCKETS.map((name) => [name, 0])));
      expect((await send(service, request, ids, poor)).status).not.toBe(402);
    },
  );
});

/** Creates the objects that the paths name: donors, and the team's list, network and export. */
async function prepare(
  service: Service,
  apiKey = service.apiKey,
  withoutExport = false,
): Promise<Ids> {
  const donors = [0, 1, 2].map((index) => donorAt(service, index));
  const list = await ask(service, 'POST', '/lists', { name: 'Gala' }, apiKey);
  const order = { fields: ['id'], donor_ids: donors };
  const made = withoutExport ? null : await ask(service, 'POST', '/exports', order, apiKey);
  return {
    donors,
    list: z.object({ list_id: z.string() }).parse(list.body).list_id,
    network: await createNetwork(service, 'Board', apiKey),
    export: made === null ? '' : z.object({ export_id: z.string() }).parse(made.body).export_id,
  };
}

async function send(service: Service, request: Request, ids: Ids, apiKey = service.apiKey) {
  const response = await fetch(service.baseUrl + request.path(ids), {
    method: request.method,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    ...(request.body && { body: JSON.stringify(request.body(ids)) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? JSON.parse(text) : null;
  return { status: response.status, body };
}

async function balanceOf(service: Service, apiKey: string): Promise<Record<string, number>> {
  const { body } = await ask(service, 'GET', '/credits', undefined, apiKey);
  return z.record(z.string(), z.number()).parse(body);
}

function get(path: string): Request {
  return { what: `GET ${path}`, method: 'GET', path: () => path };
}

function threePersons(): object[] {
  return ['a', 'b', 'c'].map((tracking_id) => ({
    tracking_id,
    name: { first: 'Ann', last: 'Lee' },
  }));
}

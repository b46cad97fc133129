import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from '../test-client.ts';
import { json, startService, startTestService } from '../test-service.ts';

const BOARD = { network_id: 'n1', name: 'Board', color: 'teal', member_count: 3 };
const OURS = { networkId: 'n1', name: 'Board', color: 'teal', memberCount: 3 };

const INVALID = { detail: [{ type: 'enum', loc: ['body', 'color'], msg: 'm', input: 'i' }] };

describe('networks.list', () => {
  it.each([
    ['a bare list', [BOARD]],
    ['a list under "networks"', { networks: [BOARD], page: 1 }],
    ['records with "id"', [{ ...BOARD, network_id: undefined, id: 'n1', owner: 'x' }]],
  ])('reads %s', async (_, body) => {
    const { baseUrl } = await startService(json(body));
    expect(await aClient(baseUrl).networks.list()).toEqual([OURS]);
  });

  it('does without what is not documented', async () => {
    const { baseUrl } = await startService(json([{ id: 7, name: 'Board' }]));
    expect(await aClient(baseUrl).networks.list()).toEqual([
      { networkId: '7', name: 'Board', color: null, memberCount: null },
    ]);
  });

  it.each([
    ['networks.1.network_id', [BOARD, { name: 'Staff' }]],
    ['networks.0.name', { networks: [{ id: 'n1' }] }],
    ['networks', { items: [] }],
  ])('names %s and the endpoint when it is lacking', async (field, body) => {
    const { baseUrl } = await startService(json(body));
    const error = await rejectionOf(aClient(baseUrl).networks.list());
    expect(error).toMatchObject({ code: 'partner_reply_unreadable' });
    expect(String(error)).toContain(`GET /networks cannot be read: ${field} is missing`);
  });
});

describe('networks.create', () => {
  it('sends name and colour, and tells what was made', async () => {
    const { baseUrl, received } = await startService(json(BOARD, 201));
    const made = await aClient(baseUrl).networks.create('Board', 'teal');
    expect(made).toEqual({ ...OURS, adopted: false });
    expect(received).toMatchObject([
      { method: 'POST', path: '/networks', body: { name: 'Board', color: 'teal' } },
    ]);
  });

  it('falls back to teal when the colour is refused', async () => {
    const { baseUrl, received } = await startService(json(INVALID, 422), json(BOARD, 201));
    await aClient(baseUrl).networks.create('Board', 'mauve');
    expect(received.map(({ body }) => body)).toEqual([
      { name: 'Board', color: 'mauve' },
      { name: 'Board', color: 'teal' },
    ]);
  });

  it('gives up when teal is refused as well', async () => {
    const { baseUrl, received } = await startService(json(INVALID, 422));
    const error = await rejectionOf(aClient(baseUrl).networks.create('Board', 'mauve'));
    expect(error).toMatchObject({ code: 'partner_validation' });
    expect(received).toHaveLength(2);
  });

  it.each([
    [['plum', 'teal'], 'mauve', 'teal'],
    [['plum', 'lime'], 'mauve', 'plum'],
    [['plum', 'teal'], 'plum', 'plum'],
  ])('knows of published colours %j and sends for %s at once %s', async (colors, asked, sent) => {
    const { baseUrl, received } = await startTestService(({ path }) =>
      Response.json(path === '/openapi.json' ? descriptionOf(colors) : BOARD),
    );
    const client = aClient(baseUrl);
    await client.discover();
    await client.networks.create('Board', asked);
    expect(received.slice(1)).toMatchObject([{ body: { color: sent } }]);
  });

  it('adopts the network of the same name', async () => {
    const { baseUrl } = await startTestService(({ method }) =>
      method === 'POST'
        ? Response.json({ detail: 'name taken' }, { status: 400 })
        : Response.json([{ ...BOARD, network_id: 'n0', name: 'Board of trustees' }, BOARD]),
    );
    const made = await aClient(baseUrl).networks.create('Board', 'teal');
    expect(made).toEqual({ ...OURS, adopted: true });
  });

  it('passes a refusal on that is about no name', async () => {
    const { baseUrl } = await startTestService(({ method }) =>
      method === 'POST'
        ? Response.json({ detail: 'no more networks' }, { status: 400 })
        : Response.json([BOARD]),
    );
    const error = await rejectionOf(aClient(baseUrl).networks.create('Staff', 'teal'));
    expect(error).toMatchObject({ code: 'partner_bad_request' });
  });

  it('finds what a service has made that does not describe it', async () => {
    const { baseUrl } = await startTestService(({ method }) =>
      method === 'POST'
        ? Response.json({ message: 'created' }, { status: 201 })
        : Response.json({ networks: [BOARD] }),
    );
    const made = await aClient(baseUrl).networks.create('Board', 'teal');
    expect(made).toEqual({ ...OURS, adopted: false });
  });

  it('survives a lost answer, because the second try finds what the first has made', async () => {
    let posts = 0;
    const { baseUrl } = await startTestService(({ method }) => {
      if (method === 'GET') return Response.json([BOARD]);
      posts += 1;
      return posts === 1
        ? new Response('Bad Gateway', { status: 502 })
        : Response.json({ detail: 'name taken' }, { status: 400 });
    });
    const made = await aClient(baseUrl).networks.create('Board', 'teal');
    expect(made).toMatchObject({ networkId: 'n1', adopted: true });
  });
});

describe('networks.rename', () => {
  it('sends the new name and needs no body in return', async () => {
    const { baseUrl, received } = await startService(() => new Response(null, { status: 204 }));
    await aClient(baseUrl).networks.rename('n/1', 'Trustees');
    expect(received).toMatchObject([
      { method: 'PUT', path: '/networks/n%2F1', body: { name: 'Trustees' } },
    ]);
  });

  it('says that the network is unknown, even when it is the first thing asked', async () => {
    const { baseUrl } = await startService(json({ detail: 'Network not found' }, 404));
    const error = await rejectionOf(aClient(baseUrl).networks.rename('n1', 'Trustees'));
    expect(error).toMatchObject({ code: 'partner_not_found', kind: 'skippable' });
  });

  it('says that the endpoint is missing when a gateway knows no such path', async () => {
    const { baseUrl } = await startService(() => new Response('nothing here', { status: 404 }));
    const error = await rejectionOf(aClient(baseUrl).networks.rename('n1', 'Trustees'));
    expect(error).toMatchObject({ code: 'partner_endpoint_missing' });
  });
});

describe('networks.delete', () => {
  it('sends nothing where the service does not list it', async () => {
    const { baseUrl, received } = await startService(json({ paths: {} }));
    const error = await rejectionOf(aClient(baseUrl).networks.delete('n1'));
    expect(error).toMatchObject({ code: 'partner_endpoint_missing', details: { status: null } });
    expect(received.map(({ path }) => path)).toEqual(['/openapi.json']);
  });

  it('deletes where the service lists it, having asked once', async () => {
    const { baseUrl, received } = await startTestService(({ path }) =>
      path === '/openapi.json'
        ? Response.json({ paths: { '/networks/{network}': { delete: {} } } })
        : new Response(null, { status: 204 }),
    );
    const client = aClient(baseUrl);
    await client.networks.delete('n1');
    await client.networks.delete('n2');
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /openapi.json',
      'DELETE /networks/n1',
      'DELETE /networks/n2',
    ]);
  });
});

/** Returns an API description that lists the creation of networks. `colors` are the allowed colours. */
function descriptionOf(colors: readonly string[]) {
  const color = { anyOf: [{ type: 'string', enum: colors }, { type: 'null' }] };
  const schema = { type: 'object', properties: { color } };
  return {
    paths: {
      '/networks': { post: { requestBody: { content: { 'application/json': { schema } } } } },
    },
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createHttp,
  createHttpPaces,
  type HttpRequest,
  type HttpSignIn,
  type HttpTarget,
  type HttpTokens,
} from '../../connectors/requests/http.ts';
import { testDeps } from '../../connectors/testing/options.ts';
import { RetriableError } from '../../src/core/errors.ts';

const KEY = 'key-3f9a-secret';
const ITEM = z.object({ name: z.string() });

describe('createHttp', () => {
  it('signs each request in, and returns the body in the form of the schema', async () => {
    const { answer, requests } = await ask([{ json: { name: 'Elm', more: 1 } }], {
      method: 'PUT',
      path: `/items/${encodeURIComponent('a/b')}`,
      query: { take: 50, after: undefined, q: 'x&y' },
      json: { value: 1 },
    });
    expect(answer).toEqual({ ok: true, status: 200, body: { name: 'Elm' } });
    expect(requests).toMatchObject([
      {
        method: 'PUT',
        url: '/v2/items/a%2Fb?take=50&q=x%26y',
        body: '{"value":1}',
        headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      },
    ]);
  });

  it('sends the headers of a single request, but never another key', async () => {
    const { requests } = await ask([{ json: { name: 'x' } }], {
      path: '/items',
      headers: { 'x-follow-merges': 'off', 'x-api-key': 'another key' },
    });
    expect(requests).toMatchObject([{ headers: { 'x-follow-merges': 'off', 'x-api-key': KEY } }]);
  });

  it('repeats a request after a temporary failure, and waits longer each time', async () => {
    const { answer, sleeps } = await ask([
      { status: 500 },
      { status: 503 },
      { json: { name: 'x' } },
    ]);
    expect(answer).toMatchObject({ ok: true });
    expect(sleeps).toEqual([1_000, 2_000]);
  });

  it('waits as long as Retry-After says after a 429', async () => {
    const limited = { status: 429, headers: { 'retry-after': '7' } };
    const { answer, sleeps, calls } = await ask([limited, { json: { name: 'x' } }]);
    expect(answer).toMatchObject({ ok: true });
    expect(sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(7_000);
    expect(calls).toEqual([{ throttled: true }, { throttled: false }]);
  });

  it.each([
    ['a failure that stays', { status: 502 }, 'retriable', 'crm_unavailable', 5],
    ['a limit that stays', { status: 429 }, 'retriable', 'crm_unavailable', 5],
    ['a rejected key', { status: 401 }, 'configuration', 'crm_unauthorized', 1],
    ['an unknown method', { status: 405 }, 'configuration', 'crm_request_refused', 1],
    [
      'another address',
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      'configuration',
      'crm_redirected',
      1,
    ],
    ['the page of a proxy', { text: '<html>' }, 'retriable', 'crm_unavailable', 5],
    ['a body in another form', { json: { title: 'x' } }, 'retriable', 'crm_unavailable', 1],
  ] as const)('throws for %s', async (_, reply, kind, code, times) => {
    const { error, requests } = await ask([reply]);
    expect(error).toMatchObject({ kind, code });
    expect(requests).toHaveLength(times);
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(KEY);
  });

  it.each([400, 403, 404, 409, 410, 412, 422, 423])(
    'returns a refusal of the request (%i)',
    async (status) => {
      const { answer, requests } = await ask([{ status, json: { error: 'TOO_LONG' } }]);
      expect(answer).toEqual({ ok: false, status, body: { error: 'TOO_LONG' } });
      expect(requests).toHaveLength(1);
    },
  );

  it.each([403, 423])('throws for a status of %i if it only reads', async (status) => {
    const server = await aServer([{ status }]);
    await expect(open(server).read({ path: '/items' }, ITEM)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_request_refused',
    });
    await server.close();
  });

  it('does not acknowledge a write whose answer cannot be read', async () => {
    const { error } = await ask([{ text: '<html>' }], {
      method: 'PUT',
      path: '/items/1',
      json: {},
    });
    expect(error).toMatchObject({ kind: 'retriable' });
  });

  it('leaves the reserved part of the daily requests to other tools', async () => {
    const daily = {
      read: (headers: Headers) => ({ max: 100, remaining: Number(headers.get('x-remaining')) }),
    };
    const server = await aServer([{ json: { name: 'x' }, headers: { 'x-remaining': '19' } }]);
    const http = open(server, { daily });
    await http.read({ path: '/items' }, ITEM);
    expect(http.limits()).toEqual({ daily: { max: 100, remaining: 19 } });
    await expect(http.read({ path: '/items' }, ITEM)).rejects.toMatchObject({
      code: 'crm_limit_reached',
    });
    expect(server.requests).toHaveLength(1);
    await server.close();
  });

  it('keeps its pace, also across two connectors with the same key', async () => {
    const server = await aServer([{ json: { name: 'x' } }]);
    const clock = aClock();
    const pace = { requests: 2, perMs: 1_000 };
    const world = aWorld();
    const all = [1, 2].map(() => open(server, { pace }, clock, undefined, world));
    for (const http of all) {
      for (let each = 0; each < 3; each += 1) await http.read({ path: '/items' }, ITEM);
    }
    expect(clock.slept()).toBeGreaterThanOrEqual(2_000);
    await server.close();
  });

  it.each([
    ['the same account', ['north', 'north'], true],
    ['two accounts', ['north', 'south'], false],
  ])('shares a pace between clients with tokens of %s', async (_, accounts, isShared) => {
    const server = await aServer([{ json: { name: 'x' } }]);
    const clock = aClock();
    const world = aWorld();
    const tokens: HttpTokens = { authorized: (send) => send('token') };
    for (const account of accounts) {
      const signIn = { tokens, account, headers: {}, pace: { requests: 2, perMs: 2_000 } };
      const http = open(server, signIn, clock, undefined, world);
      await http.read({ path: '/items' }, ITEM);
    }
    expect(clock.slept() > 0).toBe(isShared);
    await server.close();
  });

  it('ends a wait when the run stops', async () => {
    const stop = new AbortController();
    const server = await aServer([{ status: 500 }]);
    const deps = testDeps({ signal: stop.signal });
    const http = createHttp({ crm: 'Ledger', url: server.url, deps, firstWaitMs: 60_000 });
    const reading = http.read({ path: '/items' }, ITEM);
    setTimeout(() => stop.abort(), 20);
    await expect(reading).rejects.toBeInstanceOf(RetriableError);
    await server.close();
  });
});

interface Reply {
  status?: number;
  json?: unknown;
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Sends one request to a server. The server sends the replies in order, and repeats the last reply. */
async function ask(replies: readonly Reply[], request: HttpRequest = { path: '/items' }) {
  const server = await aServer(replies);
  const clock = aClock();
  const calls: object[] = [];
  const http = open(server, {}, clock, (call) => calls.push(call));
  const outcome = await http.ask(request, ITEM).then(
    (answer) => ({ answer, error: null }),
    (error: unknown) => ({ answer: null, error }),
  );
  await server.close();
  return { ...outcome, requests: server.requests, sleeps: clock.sleeps, calls };
}

function open(
  { url }: { url: string },
  options: Partial<HttpTarget> & HttpSignIn = {},
  clock = aClock(),
  onCall: (call: { throttled: boolean }) => void = () => {},
  world = aWorld(),
) {
  const deps = testDeps({ clock, onCall });
  const signIn = { url: `${url}/v2/`, headers: { 'x-api-key': KEY } };
  return createHttp({ crm: 'Ledger', deps, ...signIn, ...options }, world);
}

function aWorld() {
  return { paces: createHttpPaces(), random: () => 0.5 };
}

/** Returns a clock whose waits end immediately. Its time changes only during waits. */
function aClock() {
  const sleeps: number[] = [];
  const slept = () => sleeps.reduce((sum, ms) => sum + ms, 0);
  return {
    sleeps,
    slept,
    now: () => 1_800_000_000_000 + slept(),
    monotonicMs: slept,
    async sleep(ms: number) {
      sleeps.push(ms);
    },
  };
}

async function aServer(replies: readonly Reply[]) {
  const requests: { method: string; url: string; headers: object; body: string }[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const {
        status = 200,
        json,
        text,
        headers: more = {},
      } = replies[requests.length - 1] ?? replies.at(-1) ?? {};
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(text ?? (json === undefined ? '' : JSON.stringify(json)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    requests,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

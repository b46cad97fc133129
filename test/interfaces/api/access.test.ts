import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { silentLog } from '../../../src/core/log.ts';
import { createAccess } from '../../../src/interfaces/api/access.ts';
import { fixedAddress } from '../../../src/interfaces/api/request/address-book.ts';
import type { HttpEnv } from '../../../src/interfaces/api/request/context.ts';
import { answerError } from '../../../src/interfaces/api/request/errors.ts';
import { createTransport } from '../../../src/interfaces/api/request/transport.ts';
import { startHttpServer } from '../../../src/interfaces/api/server.ts';
import { createAttempts } from '../../../src/interfaces/api/sign-in/attempts.ts';
import { hashToken, newAccessToken } from '../../../src/people/access-token.ts';
import { listAccessTokens, revokeAccessToken } from '../../../src/people/statements/access.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const START = '/v1/integrations/riverside/runs';

async function codeOf(answer: Promise<{ read<B>(schema: z.ZodType<B>): B }>): Promise<string> {
  return (await answer).read(errorSchema).error.code;
}

describe('access tokens', () => {
  it('are needed as soon as there is one; before, this machine may do everything', async () => {
    const world = await open({ isIdle: true });
    expect((await world.request('/v1/runs')).status).toBe(200);
    expect((await world.request(START, { method: 'POST' })).status).toBe(202);
    const token = await world.addToken('viewer');
    const refused = await world.request('/v1/runs');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect((await world.request('/v1/runs', { token })).status).toBe(200);
  });

  it('let an admin start a run, and refuse a viewer', async () => {
    const world = await open({ isIdle: true });
    const viewer = await world.addToken('viewer');
    const admin = await world.addToken('admin');
    const post = { method: 'POST' };
    expect(await codeOf(world.request(START, { ...post, token: viewer }))).toBe(
      'role_insufficient',
    );
    expect((await world.request(START, { ...post, token: admin })).status).toBe(202);
    expect((await world.request('/v1/runs', { token: admin })).status).toBe(200);
  });

  it('are refused after they have been revoked', async () => {
    const world = await open({ isIdle: true });
    await world.addToken('admin');
    const token = await world.addToken('viewer');
    const { store } = world.application;
    const tokens = await listAccessTokens(store.reader);
    const row = tokens.find(({ hash }) => hash === hashToken(token));
    await store.act((trx) => revokeAccessToken(trx, row?.id ?? ''));
    expect((await world.request('/v1/runs', { token })).status).toBe(401);
  });

  it('are accepted only in a bearer header', async () => {
    const world = await open({ isIdle: true });
    const token = await world.addToken('viewer');
    for (const authorization of [token, `Basic ${token}`, 'Bearer', 'Bearer ', '']) {
      const { status } = await world.request('/v1/runs', { headers: { authorization } });
      expect(status, authorization).toBe(401);
    }
    expect((await world.request(`/v1/runs?token=${token}`)).status).toBe(401);
  });

  it('are protected against guessing, because an address has to wait after too many wrong tokens', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock });
    await world.addToken('viewer');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      statuses.push((await world.request('/v1/runs', { token: newAccessToken() })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429]);
    const refused = await world.request('/v1/runs', { token: newAccessToken() });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(world.logLines.filter((line) => line.includes('too many wrong tokens'))).toHaveLength(1);
    await clock.advance(60_000);
    expect((await world.request('/v1/runs', { token: newAccessToken() })).status).toBe(401);
  });

  it('are accepted if they are valid, even after many wrong tokens from the same address', async () => {
    const world = await open({ isIdle: true });
    const token = await world.addToken('viewer');
    for (let attempt = 0; attempt < 25; attempt += 1) {
      await world.request('/v1/runs', { token: newAccessToken() });
    }
    expect((await world.request('/v1/runs', { token })).status).toBe(200);
    const signedIn = await fetch(`${world.url}/sign-in`, {
      ...{ method: 'POST', redirect: 'manual', headers: { origin: world.url } },
      body: new URLSearchParams({ token }),
    });
    expect(signedIn.status).toBe(303);
  });

  it('are counted by the address from a trusted proxy, not by an address that a caller invents', async () => {
    const world = await open({ isIdle: true, trustedProxies: ['127.0.0.1'] });
    await world.addToken('viewer');
    const guess = async (forwardedFor: string) => {
      const headers = { 'x-forwarded-for': forwardedFor };
      return (await world.request('/v1/runs', { token: newAccessToken(), headers })).status;
    };
    for (let attempt = 0; attempt < 20; attempt += 1) {
      // Only the last address in the header is real. The caller has made up the first address.
      expect(await guess(`203.0.113.${attempt}, 198.51.100.7`)).toBe(401);
    }
    expect(await guess('198.51.100.7')).toBe(429);
    expect(await guess('198.51.100.8')).toBe(401);

    const plain = await open({ isIdle: true });
    await plain.addToken('viewer');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${attempt}` };
      const answer = await plain.request('/v1/runs', { token: newAccessToken(), headers });
      statuses.push(answer.status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

/** Headers that proxies and content delivery networks add. */
const PROXY_HEADERS = [
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-forwarded-host': 'sync.example.org' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-port': '443' },
  { 'x-forwarded-server': 'proxy' },
  { forwarded: 'for=203.0.113.9' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '203.0.113.9' },
  { 'cf-connecting-ip': '203.0.113.9' },
  { 'true-client-ip': '203.0.113.9' },
  { 'x-client-ip': '203.0.113.9' },
];

describe('without any token', () => {
  it.each(PROXY_HEADERS)('what comes with %j is not of this machine', async (headers) => {
    const world = await open({ isIdle: true });
    expect((await world.request('/v1/runs')).status).toBe(200);
    expect((await world.request('/v1/runs', { headers })).status).toBe(401);
    expect((await world.request('/metrics', { headers })).status).toBe(401);
  });

  it('nothing but health answers what comes from elsewhere, until there is a user', async () => {
    const world = await open({ isIdle: true });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const statusOf = async (path: string) => (await world.request(path, { headers })).status;
    const paths = ['/', '/sign-in', '/docs', '/openapi.json', '/assets/pages.css', '/nothing'];
    for (const path of paths) expect(await statusOf(path), path).toBe(401);
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
    // Routes with a key in their address check the key themselves.
    expect(await statusOf('/join/no-secret')).toBe(404);
    await world.addToken('viewer');
    for (const path of ['/sign-in', '/docs']) expect(await statusOf(path), path).toBe(200);
    expect(await statusOf('/v1/runs')).toBe(401);
  });

  it('a token that is sent counts for the metrics here too, and so does a wrong one', async () => {
    const world = await open({ isIdle: true });
    await world.addToken('viewer');
    const headers = { authorization: 'Bearer dst_wrong' };
    expect((await world.request('/metrics')).status).toBe(200);
    expect((await world.request('/metrics', { headers })).status).toBe(401);
  });

  it('nor is what comes to a service with a public address', async () => {
    const published = await open({ isIdle: true, publicUrl: 'https://sync.example.org' });
    expect((await published.request('/v1/runs')).status).toBe(401);
    expect((await published.request('/metrics')).status).toBe(401);
  });

  it('the header of a proxy is seen behind as many others as a caller can send', async () => {
    const world = await open({ isIdle: true });
    const many = 'a:b\r\n'.repeat(2_500);
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    socket.write(`GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${many}`);
    socket.write('X-Forwarded-For: 203.0.113.9\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401/);
  });

  it('a page of another site cannot start anything', async () => {
    const world = await open({ isIdle: true });
    const foreign = [{ origin: 'https://evil.example' }, { origin: 'null' }];
    for (const headers of [...foreign, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = world.request(START, { method: 'POST', headers });
      expect(await codeOf(answer), JSON.stringify(headers)).toBe('origin_foreign');
    }
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
    const ours = { origin: world.url, 'sec-fetch-site': 'same-origin' };
    expect((await world.request(START, { method: 'POST', headers: ours })).status).toBe(202);
  });
});

describe('sessions', () => {
  const closers: (() => Promise<void>)[] = [];
  let world: HttpWorld;
  let url: string;
  let token: string;

  beforeEach(async () => {
    world = await openHttpWorld({ isIdle: true });
    closers.push(world.close);
    token = await world.addToken('admin');
    const app = pages(world, 'http://127.0.0.1:8787');
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
    closers.unshift(server.close);
    url = server.url;
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  function send(path: string, headers: Record<string, string>) {
    return fetch(url + path, { method: 'POST', headers });
  }

  it('start with a token, and are accepted until they end', async () => {
    const signedIn = await send('/sign-in', { 'x-token': token, origin: url });
    expect(await signedIn.text()).toBe('session admin');
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^donor_sync_session=[\w-]{43};.*HttpOnly; SameSite=Lax$/);
    const [pair = ''] = cookie.split(';');
    const withCookie = { cookie: pair, origin: url };
    expect((await send('/change', withCookie)).status).toBe(200);
    await send('/sign-out', withCookie);
    expect((await send('/change', withCookie)).status).toBe(401);
  });

  it('change nothing if the request comes from another site or has no origin', async () => {
    const signedIn = await send('/sign-in', { 'x-token': token, origin: url });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    expect((await send('/change', { cookie })).status).toBe(403);
    expect((await send('/change', { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send('/sign-out', { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send('/change', { cookie, origin: url })).status).toBe(200);
  });

  it('do not start with a wrong token, or from the page of another site', async () => {
    const wrong = await send('/sign-in', { 'x-token': newAccessToken(), origin: url });
    expect(await wrong.text()).toBe('no principal');
    expect(wrong.headers.get('set-cookie')).toBeNull();
    const foreign = await send('/sign-in', { 'x-token': token, origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });

  it('are limited to https if the public address uses https', async () => {
    const app = pages(world, 'https://sync.example.org');
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
    closers.unshift(server.close);
    const headers = { 'x-token': token, origin: 'https://sync.example.org' };
    const signedIn = await fetch(`${server.url}/sign-in`, { method: 'POST', headers });
    const cookie = signedIn.headers.get('set-cookie');
    expect(cookie).toMatch(/^__Host-donor_sync_session=.*; Secure/);
  });
});

/** Returns an app whose few pages show the data that each page receives. */
function pages({ application: { store, sealer } }: HttpWorld, publicUrl: string): Hono<HttpEnv> {
  const clock = { now: Date.now };
  const attempts = createAttempts(clock);
  const addressOf = () => '127.0.0.1';
  const access = createAccess({
    store,
    sealer,
    clock,
    attempts,
    address: fixedAddress(publicUrl),
    getAddress: addressOf,
    transport: createTransport({
      address: fixedAddress(publicUrl),
      isTrusted: () => false,
      plainHttp: 'refuse',
    }),
    withoutToken: null,
  });
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => answerError(error, c, silentLog));
  app.post('/sign-in', async (c) => {
    const principal = await access.signIn(c, c.req.header('x-token') ?? '');
    return c.text(principal === null ? 'no principal' : `${principal.kind} ${principal.role}`);
  });
  app.post('/sign-out', async (c) => {
    await access.signOut(c);
    return c.text('bye');
  });
  app.post('/change', access.requireRole('admin'), (c) => c.text(c.var.principal.kind));
  return app;
}

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { hashToken, newAccessToken } from '../../src/application/access-token.ts';
import { silentLog } from '../../src/core/log.ts';
import { createAccess } from '../../src/http/access.ts';
import { answerError } from '../../src/http/answer-error.ts';
import { createAttempts } from '../../src/http/attempts.ts';
import type { HttpEnv } from '../../src/http/context.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
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

  it('let viewers read and admins do the rest', async () => {
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

  it('end when they are revoked', async () => {
    const world = await open({ isIdle: true });
    await world.addToken('admin');
    const token = await world.addToken('viewer');
    const { access } = world.application.store;
    const [row] = (await access.listTokens()).filter(({ hash }) => hash === hashToken(token));
    await access.revokeToken(row?.id ?? '');
    expect((await world.request('/v1/runs', { token })).status).toBe(401);
  });

  it('are not taken from anything but a bearer header', async () => {
    const world = await open({ isIdle: true });
    const token = await world.addToken('viewer');
    for (const authorization of [token, `Basic ${token}`, 'Bearer', 'Bearer ', '']) {
      const { status } = await world.request('/v1/runs', { headers: { authorization } });
      expect(status, authorization).toBe(401);
    }
    expect((await world.request(`/v1/runs?token=${token}`)).status).toBe(401);
  });

  it('cannot be guessed at for long: an address that fails too often has to wait', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock });
    const token = await world.addToken('viewer');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      statuses.push((await world.request('/v1/runs', { token: newAccessToken() })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429]);
    const refused = await world.request('/v1/runs', { token });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Another address, as the proxy on this machine tells, goes on.
    const headers = { 'x-forwarded-for': 'made up, 203.0.113.9' };
    expect((await world.request('/v1/runs', { token, headers })).status).toBe(200);
    await clock.advance(60_000);
    expect((await world.request('/v1/runs', { token })).status).toBe(200);
  });
});

describe('without any token', () => {
  it('only this machine is served: neither other names nor what a proxy passes on', async () => {
    const world = await open({ isIdle: true });
    const proxied = { 'x-forwarded-for': '203.0.113.9' };
    expect((await world.request('/v1/runs', { headers: proxied })).status).toBe(401);
    const published = await open({ isIdle: true, publicUrl: 'https://sync.example.org' });
    expect((await published.request('/v1/runs')).status).toBe(401);
    expect((await published.request('/metrics')).status).toBe(401);
  });

  it('a page of another site cannot start anything', async () => {
    const world = await open({ isIdle: true });
    const foreign = [{ origin: 'https://evil.example' }, { origin: 'null' }];
    for (const headers of [...foreign, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = world.request(START, { method: 'POST', headers });
      expect(await codeOf(answer), JSON.stringify(headers)).toBe('origin_foreign');
    }
    expect(await world.application.store.runRequests.list()).toEqual([]);
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

  it('begin with a token and stand for it until they end', async () => {
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

  it('change nothing for pages of other sites, nor for whoever does not say where it comes from', async () => {
    const signedIn = await send('/sign-in', { 'x-token': token, origin: url });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    expect((await send('/change', { cookie })).status).toBe(403);
    expect((await send('/change', { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send('/sign-out', { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send('/change', { cookie, origin: url })).status).toBe(200);
  });

  it('do not begin with a wrong token, nor from the page of another site', async () => {
    const wrong = await send('/sign-in', { 'x-token': newAccessToken(), origin: url });
    expect(await wrong.text()).toBe('nobody');
    expect(wrong.headers.get('set-cookie')).toBeNull();
    const foreign = await send('/sign-in', { 'x-token': token, origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });

  it('are for https alone where the service is public by https', async () => {
    const app = pages(world, 'https://sync.example.org');
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
    closers.unshift(server.close);
    const headers = { 'x-token': token, origin: 'https://sync.example.org' };
    const signedIn = await fetch(`${server.url}/sign-in`, { method: 'POST', headers });
    const cookie = signedIn.headers.get('set-cookie');
    expect(cookie).toMatch(/^__Host-donor_sync_session=.*; Secure/);
  });
});

/** A few pages that use what pages are given. */
function pages({ application: { store } }: HttpWorld, publicUrl: string): Hono<HttpEnv> {
  const clock = { now: Date.now };
  const access = createAccess({ store, clock, attempts: createAttempts(clock), publicUrl });
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => answerError(error, c, silentLog));
  app.post('/sign-in', async (c) => {
    const principal = await access.signIn(c, c.req.header('x-token') ?? '');
    return c.text(principal === null ? 'nobody' : `${principal.kind} ${principal.role}`);
  });
  app.post('/sign-out', async (c) => {
    await access.signOut(c);
    return c.text('bye');
  });
  app.post('/change', access.requireRole('admin'), (c) => c.text(c.var.principal.kind));
  return app;
}

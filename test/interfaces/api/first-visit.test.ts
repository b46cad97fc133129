import { describe, expect, it } from 'vitest';
import { createFirstVisit, type FirstVisit } from '../../../src/interfaces/api/request/secret.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { openPlainProxy } from '../../helpers/plain-proxy.ts';
import { errorSchema, type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';

const START = '/v1/integrations/riverside/runs';
const MINUTE_MS = 60_000;

const clock = createFakeClock(Date.now());

const open = closedAfterTest((options?: HttpWorldOptions) =>
  openHttpWorld({ isIdle: true, withoutToken: createFirstVisit(clock), ...options }),
);
const openProxy = closedAfterTest((target?: string) => openPlainProxy(target ?? ''));

async function openWithLink(options: HttpWorldOptions = {}) {
  const visit = createFirstVisit(clock);
  return { visit, world: await open({ ...options, withoutToken: visit }) };
}

/** Follows the link and presses its button; the cookie is empty if there is none. */
async function follow(
  { url }: Pick<HttpWorld, 'url'>,
  { path }: FirstVisit,
  options: RequestInit = {},
) {
  const response = await fetch(url + path, { method: 'POST', redirect: 'manual', ...options });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { status: response.status, cookie, setCookie: response.headers.get('set-cookie') };
}

describe('a service without any token', () => {
  it('lets no caller in by its address, behind a proxy that adds nothing or not', async () => {
    const world = await open();
    const proxy = await openProxy(world.url);
    for (const url of [world.url, proxy.url]) {
      expect((await fetch(`${url}/v1/runs`)).status).toBe(401);
      expect((await fetch(url + START, { method: 'POST' })).status).toBe(401);
      expect((await fetch(`${url}/`, { redirect: 'manual' })).headers.get('location')).toBe(
        '/sign-in',
      );
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('lets the browser in that follows the link first, and it may do everything', async () => {
    const { visit, world } = await openWithLink();
    const { status, cookie, setCookie } = await follow(world, visit);
    expect(status).toBe(303);
    expect(setCookie).toMatch(/HttpOnly; SameSite=Lax$/);
    const headers = { cookie, origin: world.url };
    const page = await world.request('/', { headers });
    expect(page.text).toContain('On this machine');
    expect((await world.request(START, { method: 'POST', headers })).status).toBe(202);
    // The next one who follows it gets nothing, and the first one stays.
    const second = await follow(world, visit);
    expect(second).toMatchObject({ status: 403, cookie: '' });
    expect((await world.request('/v1/runs', { headers })).status).toBe(200);
  });

  it('takes the cookie from our own pages alone', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    for (const origin of [{}, { origin: 'https://evil.example' }]) {
      const headers = { cookie, ...origin };
      const answer = await world.request(START, { method: 'POST', headers });
      expect([answer.status, answer.read(errorSchema).error.code]).toEqual([403, 'origin_foreign']);
    }
  });

  it('ends the link after 15 minutes, and with the first token', async () => {
    const late = await openWithLink();
    await clock.advance(15 * MINUTE_MS + 1);
    expect(await follow(late.world, late.visit)).toMatchObject({ status: 403, cookie: '' });

    const { visit, world } = await openWithLink();
    await world.addToken('viewer');
    expect(await follow(world, visit)).toMatchObject({ status: 403, cookie: '' });
  });

  it('ends the session of the link with the first token, and after a day', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    expect((await world.request('/v1/runs', { headers: { cookie } })).status).toBe(200);
    await world.addToken('viewer');
    expect((await world.request('/v1/runs', { headers: { cookie } })).status).toBe(401);

    const other = await openWithLink();
    const session = await follow(other.world, other.visit);
    await clock.advance(24 * 60 * MINUTE_MS + 1);
    const { status } = await other.world.request('/v1/runs', {
      headers: { cookie: session.cookie },
    });
    expect(status).toBe(401);
  });

  it('spends the link on no look and no forwarded request', async () => {
    const { visit, world } = await openWithLink();
    for (const method of ['HEAD', 'GET', 'GET']) {
      expect(await follow(world, visit, { method })).toMatchObject({ status: 200, cookie: '' });
    }
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect(await follow(world, visit, foreign)).toMatchObject({ status: 403, cookie: '' });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect(await follow(world, visit, { headers })).toMatchObject({ status: 403, cookie: '' });
    expect((await follow(world, visit)).status).toBe(303);
  });

  it('lets the first visitor in on this machine alone, whatever the public address is', async () => {
    const publicUrl = 'https://sync.example.org';
    const { visit, world } = await openWithLink({ publicUrl });
    const { cookie } = await follow(world, visit);
    expect((await world.request('/v1/runs', { headers: { cookie } })).status).toBe(200);
    const forwarded = { cookie, 'x-forwarded-proto': 'https' };
    expect((await world.request('/v1/runs', { headers: forwarded })).status).toBe(401);
  });

  it('stops who guesses at the link', async () => {
    const world = await open();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      statuses.push(
        (await world.request(`/first-visit/guess-${attempt}`, { method: 'POST' })).status,
      );
    }
    expect(statuses).toEqual([...Array(20).fill(403), 429]);
  });

  it('has the link in no log', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    await world.request('/v1/runs', { headers: { cookie } });
    const log = world.logLines.join('');
    expect(log).toContain('/first-visit/:secret');
    expect(log).not.toContain(visit.path.split('/').at(-1));
    expect(log).not.toContain(cookie.split('=').at(-1));
  });
});

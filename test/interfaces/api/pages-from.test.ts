/**
 * Tests `server.pagesFrom`. With this setting, a public address offers only webhooks and doors to everyone. All other
 * routes accept only internal addresses.
 */
import { expect, it } from 'vitest';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const PATHS = ['/', '/sign-in', '/v1/runs', '/openapi.json', '/docs', '/metrics', '/first-visit'];

it('answers callers outside only at webhooks and health checks, and as if nothing else existed', async () => {
  const world = await open({
    ...{ isIdle: true, pagesFrom: ['10.0.0.0/8', '2001:db8::/32'], trustedProxies: ['127.0.0.1'] },
  });
  const hook = await world.addHook();
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  for (const outside of ['203.0.113.9', '2001:db9::1', '127.0.0.1']) {
    for (const path of PATHS) {
      const { status } = await world.request(path, from(outside));
      expect([outside, path, status]).toEqual([outside, path, 404]);
    }
    expect((await world.request('/healthz', from(outside))).status).toBe(200);
    expect((await world.request(hook, { method: 'POST', ...from(outside) })).status).toBe(202);
    // Dots and a second slash do not lead to a page.
    for (const path of ['/hooks/../v1/runs', '//v1/runs', '/doors/%2e%2e/v1/runs']) {
      expect((await world.request(path, from(outside))).status).toBe(404);
    }
  }
  for (const inside of ['10.1.2.3', '2001:db8::7']) {
    // No user exists yet, so even the sign-in page is closed to other machines.
    expect((await world.request('/sign-in', from(inside))).status).toBe(401);
  }
});

it('trusts no header of a caller who is not a trusted proxy', async () => {
  const world = await open({ isIdle: true, pagesFrom: ['10.0.0.0/8'] });
  const headers = { 'x-forwarded-for': '10.1.2.3', 'x-real-ip': '10.1.2.3', host: 'localhost' };
  expect((await world.request('/v1/runs', { headers })).status).toBe(404);
});

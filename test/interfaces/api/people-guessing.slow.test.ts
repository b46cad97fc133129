/** Tests password guessing. Each attempt takes time, and the service soon refuses further attempts. */

import { describe, expect, it } from 'vitest';
import { isPassword } from '../../../src/people/sign-in/password.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { openHttpWorld } from './http-world.ts';
import { get, join, PASSWORD, signIn } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

describe('a user who signs in', () => {
  it('has to wait after ten wrong passwords from the same address', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock, trustedProxies: ['127.0.0.1'] });
    const { id, email } = await join(world, 'Anna', 'viewer');
    const from = (place: number) => ({ 'x-forwarded-for': `198.51.100.${place}` });
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await signIn(world, email, `guess ${guess}`, from(1))).status).toBe(401);
    }
    expect((await signIn(world, email, PASSWORD, from(1))).status).toBe(429);
    await clock.advance(15 * 60_000);
    expect((await signIn(world, email, PASSWORD, from(1))).status).toBe(303);

    const refused = await listAuditEntries(world.application.store, {
      action: 'session.refused',
      limit: 9,
    });
    // Sends one request first, and then the others together.
    expect(refused.map(({ details }) => details)).toEqual([
      { person: id, attempts: 9 },
      { person: id, attempts: 1 },
    ]);
  });

  it('is asked to wait after ten from one connection of IPv6, whatever addresses it takes, and elsewhere is not', async () => {
    const clock = { ...createFakeClock(Date.now()), sleep: async () => {} };
    const world = await open({ isIdle: true, clock, trustedProxies: ['127.0.0.1'] });
    const { email } = await join(world, 'Anna', 'viewer');
    const from = (network: string, host: number) => ({
      'x-forwarded-for': `2001:db8:0:${network}::${host.toString(16)}`,
    });
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await signIn(world, email, `guess ${guess}`, from('7', guess + 1))).status).toBe(401);
    }
    expect((await signIn(world, email, PASSWORD, from('7', 99))).status).toBe(429);
    expect((await signIn(world, email, PASSWORD, from('8', 99))).status).toBe(303);
  });

  it('is slowed down, told and never locked out while strangers guess from many addresses', async () => {
    const slept: number[] = [];
    const clock = {
      ...createFakeClock(Date.now()),
      sleep: async (ms: number) => void slept.push(ms),
    };
    const world = await open({ isIdle: true, clock, trustedProxies: ['127.0.0.1'] });
    const { email } = await join(world, 'Anna', 'viewer');
    const from = (place: number) => ({ 'x-forwarded-for': `198.51.100.${place}` });
    for (let place = 0; place < 17; place += 1) {
      expect((await signIn(world, email, `guess ${place}`, from(place))).status).toBe(401);
    }
    expect(slept).toEqual([1, 2, 4, 8, 16, 20, 20].map((seconds) => seconds * 1_000));
    const signedIn = await signIn(world, email, PASSWORD, from(99));
    expect(signedIn).toMatchObject({ status: 303, location: '/account?note=attacked' });
    expect(slept).toHaveLength(8);
    const page = await get(world, '/account?note=attacked', signedIn.cookie ?? '');
    expect(await page.text()).toContain('Someone has tried ten or more wrong passwords');
  });

  it('does not wait in a browser that the account knows, which is counted by itself', async () => {
    const slept: number[] = [];
    const clock = {
      ...createFakeClock(Date.now()),
      sleep: async (ms: number) => void slept.push(ms),
    };
    const world = await open({ isIdle: true, clock, trustedProxies: ['127.0.0.1'] });
    const { email } = await join(world, 'Anna', 'viewer');
    const other = await join(world, 'Ben', 'viewer');
    const from = (place: number) => ({ 'x-forwarded-for': `198.51.100.${place}` });
    const first = await fetch(`${world.url}/sign-in`, {
      ...{ method: 'POST', redirect: 'manual' },
      body: new URLSearchParams({ email, password: PASSWORD, to: '/' }),
    });
    const device = /donor_sync_device=[^;]+/.exec(first.headers.get('set-cookie') ?? '')?.[0] ?? '';
    for (let place = 0; place < 12; place += 1) {
      await signIn(world, email, `guess ${place}`, from(place));
    }
    for (let guess = 0; guess < 11; guess += 1) {
      await signIn(world, email, `guess ${guess}`, from(7));
    }
    for (let guess = 0; guess < 10; guess += 1) {
      await signIn(world, other.email, `guess ${guess}`, from(7));
    }
    const waits = slept.length;
    const known = { ...from(7), cookie: device };
    expect((await signIn(world, email, PASSWORD, known)).status).toBe(303);
    expect(slept).toHaveLength(waits);
    // The cookie does not help with a different account. Guesses with the cookie also have a limit.
    expect((await signIn(world, other.email, PASSWORD, known)).status).toBe(429);
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess += 1) {
      statuses.push((await signIn(world, email, `guess ${guess}`, known)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it('is asked to wait after twenty from one address, whatever accounts are tried', async () => {
    const world = await open({ isIdle: true });
    const { email } = await join(world, 'Anna', 'viewer');
    const statuses: number[] = [];
    for (let guess = 0; guess < 20; guess += 1) {
      statuses.push((await signIn(world, `user${guess}@example.org`)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await signIn(world, email)).status).toBe(429);
  });

  it('is not asked to wait for what was not looked at, as too many signed in at that moment', async () => {
    const world = await open({ isIdle: true });
    const { email } = await join(world, 'Anna', 'viewer');
    for (const _ of [1, 2]) {
      const others = Array.from({ length: 20 }, () =>
        isPassword('a guess', null).catch(() => null),
      );
      const mine = Array.from({ length: 10 }, () => signIn(world, email));
      const statuses = (await Promise.all(mine)).map(({ status }) => status);
      expect(statuses).toContain(503);
      await Promise.all(others);
    }
    expect((await signIn(world, email)).status).toBe(303);
  });
});

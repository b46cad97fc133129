/** Guessing at passwords: each takes a while, and soon there is none to take. */
import { describe, expect, it } from 'vitest';
import { isPassword } from '../../src/application/sign-in/password.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { openHttpWorld } from './http-world.ts';
import { join, PASSWORD, signIn } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

describe('a person who signs in', () => {
  it('is asked to wait after ten wrong passwords, from wherever they come, and others are not', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock, trustedProxies: ['127.0.0.1'] });
    const { id, email } = await join(world, 'Anna', 'viewer');
    const other = await join(world, 'Ben', 'viewer');
    const from = (place: number) => ({ 'x-forwarded-for': `198.51.100.${place}` });
    for (let place = 0; place < 10; place += 1) {
      expect((await signIn(world, email, `guess ${place}`, from(place))).status).toBe(401);
    }
    expect((await signIn(world, email, PASSWORD, from(99))).status).toBe(429);
    expect((await signIn(world, other.email, PASSWORD, from(99))).status).toBe(303);
    await clock.advance(15 * 60_000);
    expect((await signIn(world, email, PASSWORD, from(99))).status).toBe(303);

    const refused = await world.application.store.audit.list({
      action: 'session.refused',
      limit: 9,
    });
    // One at once, the rest together.
    expect(refused.map(({ details }) => details)).toEqual([
      { person: id, attempts: 9 },
      { person: id, attempts: 1 },
    ]);
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

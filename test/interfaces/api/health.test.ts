import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const checkSchema = z.strictObject({ ok: z.boolean(), problem: z.string().nullable() });
const readinessSchema = z.strictObject({
  status: z.string(),
  checks: z.strictObject({ store: checkSchema, schedules: checkSchema }),
});

/** Opens a service that was ready and then lost its database. Returns a function that requests `/readyz`. */
async function openAndLoseDatabase(clock: FakeClock): Promise<() => Promise<number>> {
  const { url, application } = await open({ isIdle: true, clock });
  const ask = async () => (await fetch(`${url}/readyz`)).status;
  expect(await ask()).toBe(200);
  await application.close();
  return ask;
}

describe('GET /healthz and /readyz', () => {
  it('need no token', async () => {
    const world = await open({ isIdle: true, publicUrl: 'https://sync.example.org' });
    await world.addToken('viewer');
    expect((await world.request('/healthz')).text).toBe('{"status":"ok"}');
    const ready = await world.request('/readyz');
    expect(ready.status).toBe(200);
    const fine = { ok: true, problem: null };
    const checks = { store: fine, schedules: fine };
    expect(ready.read(readinessSchema)).toEqual({ status: 'ready', checks });
  });

  it('report that the server is alive but not ready if the database is unavailable', async () => {
    const world = await open({ isIdle: true });
    await world.application.close();
    expect((await world.request('/healthz')).status).toBe(200);
    const unready = await world.request('/readyz');
    expect(unready.status).toBe(503);
    expect(unready.read(readinessSchema).checks.store).toEqual({
      ok: false,
      problem: 'cannot be written',
    });
  });

  it('look at the database once a second at most, however often they are asked', async () => {
    const clock = createFakeClock(Date.now());
    const ask = await openAndLoseDatabase(clock);
    expect(await ask()).toBe(200);
    await clock.advance(1_000);
    expect(await ask()).toBe(503);
  });

  it('look again when the clock was set back', async () => {
    const clock = createFakeClock(Date.now());
    const ask = await openAndLoseDatabase(clock);
    await clock.advance(-86_400_000);
    expect(await ask()).toBe(503);
  });

  it('see that the schedules are not read any more', async () => {
    const clock = createFakeClock(Date.now());
    let lastTickAt: number | null = null;
    const world = await open({ isIdle: true, clock, lastTickAt: () => lastTickAt });
    expect((await world.request('/readyz')).status).toBe(200);
    await clock.advance(180_001);
    const unready = await world.request('/readyz');
    expect(unready.status).toBe(503);
    expect(unready.read(readinessSchema).checks.schedules.problem).toContain('not checked since');
    lastTickAt = clock.now();
    expect((await world.request('/readyz')).status).toBe(200);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, creditsIn, type Service, startService } from './service.ts';

const LAST_DAY = '2026-03-10';

describe('authentication (section 5)', () => {
  it('every endpoint requires a key, and an unrecognized key is rejected with 403 (5.1, 5.3)', async () => {
    const service = await startService();
    for (const [method, path] of await operationsOf(service)) {
      for (const key of ['unrecognized', null]) {
        const answer = await ask(service, method, path, undefined, key);
        expect(answer.status, `${method} ${path}`).toBe(403);
      }
    }
  });

  it('the service rejects an unrecognized key before it validates the request (5.3)', async () => {
    const service = await startService();
    expect(await ask(service, 'POST', '/enhancements', { persons: 7 }, 'unrecognized')).toEqual({
      status: 403,
      body: { detail: expect.any(String) },
    });
  });

  it('a key gives access only to the data of its team (5.2)', async () => {
    const service = await startService();
    const other = await service.issueKey();
    const { body } = await ask(service, 'POST', '/lists', { name: 'Gala' });
    const { list_id: id } = z.object({ list_id: z.string() }).parse(body);
    expect((await ask(service, 'GET', `/lists/${id}`)).status).toBe(200);
    expect((await ask(service, 'GET', `/lists/${id}`, undefined, other)).status).toBe(404);
  });

  it('a key gives access only to the credit balance of its team (5.2)', async () => {
    const service = await startService();
    const other = await service.issueKey({ searches: 5 });
    await ask(service, 'GET', '/search?state=TX', undefined, other);
    expect(await creditsIn(service, 'searches', other)).toBe(4);
    expect(await creditsIn(service, 'searches')).toBe(100_000);
  });

  it('the service accepts a key on its deactivation date, and rejects it with 401 from the next day (5.4)', async () => {
    let now = `${LAST_DAY}T23:59:59.999Z`;
    const service = await startService({ clock: () => Date.parse(now) });
    const key = await service.issueKey({}, LAST_DAY);
    expect((await ask(service, 'GET', '/test', undefined, key)).status).toBe(200);
    now = '2026-03-11T00:00:00.000Z';
    const { status, body } = await ask(service, 'GET', '/test', undefined, key);
    expect(status).toBe(401);
    expect(body).toEqual({
      detail: expect.stringMatching(/expired on 2026-03-10.*request a new key/),
    });
  });

  it('the service never charges an expired key (5.5)', async () => {
    let now = `${LAST_DAY}T12:00:00Z`;
    const service = await startService({ clock: () => Date.parse(now) });
    const key = await service.issueKey({ searches: 5 }, LAST_DAY);
    now = '2026-03-12T12:00:00Z';
    expect((await ask(service, 'GET', '/search?state=TX', undefined, key)).status).toBe(401);
    now = `${LAST_DAY}T13:00:00Z`;
    expect(await creditsIn(service, 'searches', key)).toBe(5);
  });

  it('the service returns 200 at /test if the key is recognized and its team is active (4.4)', async () => {
    const service = await startService();
    expect((await ask(service, 'GET', '/test')).status).toBe(200);
  });
});

const pathsSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Returns every operation that the service lists, with a value in place of each identifier. */
async function operationsOf(service: Service): Promise<[method: string, path: string][]> {
  const { body } = await ask(service, 'GET', '/openapi.json');
  return Object.entries(pathsSchema.parse(body).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, 'x'),
    ]),
  );
}

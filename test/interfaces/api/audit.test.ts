import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { savePause } from '../../../src/clients/statements/schedules.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const pageSchema = z.strictObject({
  entries: z.array(
    z.strictObject({
      seq: z.int(),
      at: z.iso.datetime(),
      who: z.strictObject({
        kind: z.string(),
        name: z.string().nullable(),
        from: z.string().nullable(),
      }),
      action: z.string(),
      integration: z.string().nullable(),
      contact: z.string().nullable(),
      contactErased: z.boolean(),
      details: z.record(z.string(), z.unknown()),
      readable: z.boolean(),
    }),
  ),
  next: z.string().nullable(),
});

describe('GET /v1/audit', () => {
  it('has the token and the address of a caller that asked for a run', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    await world.request('/v1/integrations/riverside/runs', { method: 'POST', token });
    const answer = await world.request('/v1/audit?action=run.asked', { token });
    const { entries } = answer.read(pageSchema);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      who: { kind: 'token', name: expect.any(String), from: '127.0.0.1' },
      integration: 'riverside',
      details: { trigger: 'manual' },
    });
  });

  it('has what webhooks ask for, with their address and without the contacts', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    await world.request(await world.addHook(), { method: 'POST' });
    const answer = await world.request('/v1/audit?action=run.asked', { token });
    const [entry] = answer.read(pageSchema).entries;
    expect(entry?.who).toEqual({ kind: 'webhook', name: null, from: '127.0.0.1' });
  });

  it('is for admins alone', async () => {
    const world = await open();
    const token = await world.addToken('viewer');
    expect((await world.request('/v1/audit', { token })).status).toBe(403);
    expect((await world.request('/v1/audit')).status).toBe(401);
  });

  it('comes in pages, the newest first, and refuses what it cannot mean', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    const { store } = world.application;
    for (const id of ['a', 'b', 'c']) await store.act((trx) => savePause(trx, id));
    const seen: (string | null)[] = [];
    let cursor = '';
    do {
      const path = `/v1/audit?action=schedule.paused&limit=2${cursor}`;
      const { entries, next } = (await world.request(path, { token })).read(pageSchema);
      seen.push(...entries.map(({ integration }) => integration));
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(seen).toEqual(['c', 'b', 'a']);
    for (const query of ['cursor=x', 'action=x', 'since=yesterday']) {
      expect((await world.request(`/v1/audit?${query}`, { token })).status).toBe(422);
    }
  });
});

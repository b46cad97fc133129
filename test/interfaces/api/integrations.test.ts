import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const integrationSchema = z.looseObject({
  id: z.string(),
  lastRun: z.looseObject({ id: z.string() }).nullable(),
  lastSuccessAt: z.iso.datetime().nullable(),
});
const listSchema = z.strictObject({ integrations: z.array(integrationSchema) });
const pageSchema = listSchema.extend({ next: z.string().nullable() });
const shownSchema = z.strictObject({ integration: integrationSchema });
const startedSchema = z.object({ run: z.object({ id: z.string() }) });

describe('GET /v1/integrations', () => {
  it('shows each client with its last run, and does not show the service key', async () => {
    const world = await open();
    const before = (await world.request('/v1/integrations')).read(listSchema).integrations;
    expect(before).toEqual([
      {
        id: 'riverside',
        name: 'Riverside Food Bank',
        crm: 'memory',
        schedule: null,
        lastRun: null,
        lastSuccessAt: null,
      },
    ]);
    const started = await world.request('/v1/integrations/riverside/runs', { method: 'POST' });
    const { run } = started.read(startedSchema);
    await world.untilEnded(run.id);
    const after = await world.request('/v1/integrations/riverside');
    const { integration } = after.read(shownSchema);
    expect(integration.lastRun).toMatchObject({ id: run.id, status: 'succeeded' });
    expect(integration.lastSuccessAt).not.toBeNull();
    expect(after.text).not.toContain(world.service.apiKey);
  });

  it('gives them page by page if that is asked for, in their order', async () => {
    const world = await open({ isIdle: true, others: ['harbor', 'lakeside', 'northside'] });
    const started = await world.request('/v1/integrations/harbor/runs', { method: 'POST' });
    expect(started.status).toBe(202);
    const all = (await world.request('/v1/integrations')).read(listSchema).integrations;
    const seen: unknown[] = [];
    let path = '/v1/integrations?limit=3';
    for (let pages = 1; ; pages += 1) {
      const { integrations, next } = (await world.request(path)).read(pageSchema);
      seen.push(...integrations);
      if (next === null) {
        expect(pages).toBe(2);
        break;
      }
      path = `/v1/integrations?limit=3&cursor=${next}`;
    }
    expect(seen).toEqual(all);
    for (const query of ['limit=0', 'limit=501', 'cursor=odd']) {
      expect((await world.request(`/v1/integrations?${query}`)).status, query).toBe(422);
    }
  });

  it('knows only what the settings have', async () => {
    const world = await open({ isIdle: true });
    const answer = await world.request('/v1/integrations/unknown');
    expect([answer.status, answer.read(errorSchema).error.code]).toEqual([
      ...[404, 'integration_unknown'],
    ]);
  });
});

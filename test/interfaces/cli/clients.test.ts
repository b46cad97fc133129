import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { beginSetup } from '../../../src/clients/setup/draft.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from '../api/http-world.ts';

const open = closedAfterTest(openCliWorld);

const clientSchema = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  crm: z.string(),
  schedule: z.unknown(),
  lastRun: z.looseObject({ status: z.string() }).nullable(),
  lastSuccessAt: z.iso.datetime().nullable(),
});

describe('donor-sync clients', () => {
  it('lists the clients with their last run, in the shape of the API', async () => {
    const world = await open({ integrations: ['riverside', 'harbor'] });
    expect((await world.run(['sync', 'harbor'])).exitCode).toBe(0);
    const listSchema = z.strictObject({ integrations: z.array(clientSchema) });
    const { integrations } = await world.runJson(['clients', 'list'], listSchema);
    expect(integrations).toMatchObject([
      { id: 'riverside', crm: 'csv', lastRun: null, lastSuccessAt: null },
      { id: 'harbor', crm: 'csv', lastRun: { status: 'succeeded' } },
    ]);
    const { stdout } = await world.run(['clients', 'list']);
    expect(stdout).toMatch(/riverside.*on request.*none/);
    expect(stdout).toMatch(/harbor.*on request.*succeeded/);
  });

  it('lists page by page, and says how to get the next one', async () => {
    const world = await open({ integrations: ['riverside', 'harbor'] });
    const { stdout } = await world.run(['clients', 'list', '--limit', '1']);
    const [, cursor = ''] = /--cursor (\S+)/.exec(stdout) ?? [];
    const next = await world.run(['clients', 'list', '--limit', '1', '--cursor', cursor]);
    expect(next.stdout).toContain('harbor');
    expect(next.stdout).not.toContain('riverside');
    const wrong = await world.run(['clients', 'list', '--limit', '0']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('from 1 to 500')]);
  });

  it('shows one client, and knows a near miss', async () => {
    const world = await open({ integrations: ['riverside', 'harbor'] });
    const shown = await show(world, 'harbor');
    expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringContaining('harbor')]);
    const missed = await show(world, 'harbour');
    expect([missed.exitCode, missed.stderr]).toEqual([2, expect.stringContaining('"harbor"')]);
  });
});

const show = (world: CliWorld, id: string) => world.run(['clients', 'show', id]);

describe('donor-sync setups', () => {
  it('lists no set-up while there is none, and knows none by an unknown ID', async () => {
    const world = await open();
    const { stdout } = await world.run(['setups', 'list']);
    expect(stdout).toContain('There are no unfinished set-ups.');
    const { exitCode, stderr } = await world.run(['setups', 'show', 'lakeside']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('There is no set-up for "lakeside".'),
    ]);
  });
});

describe('GET /v1/setups', () => {
  const openHttp = closedAfterTest(openHttpWorld);

  it('shows a caller who reaches some clients no other set-up', async () => {
    const world = await openHttp({ isIdle: true });
    const id = await beginSetup(world.application, 'Lakeside Shelter');
    const mine = await world.addToken('admin', [id]);
    const other = await world.addToken('admin', ['riverside']);
    expect((await world.request('/v1/setups', { token: mine })).text).toContain(id);
    expect((await world.request('/v1/setups', { token: other })).text).not.toContain(id);
    expect((await world.request(`/v1/setups/${id}`, { token: other })).status).toBe(404);
  });
});

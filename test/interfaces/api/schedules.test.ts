/** Tests schedules over HTTP, in the API and on the pages. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findSchedule } from '../../../src/clients/statements/schedules.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const SCHEDULED = { integration: { schedule: { cron: '0 2 * * *', timezone: 'America/Chicago' } } };

const plannedSchema = z.object({ nextRunAt: z.iso.datetime().nullable(), paused: z.boolean() });
const shownSchema = z.object({ integration: z.string(), schedule: plannedSchema.nullable() });
const listSchema = z.strictObject({
  schedules: z.array(plannedSchema.extend({ integration: z.string() })),
});

const ONE = '/v1/integrations/riverside/schedule';

describe('the schedule of a client', () => {
  it('is listed and shown with the same next run, before anything has planned it', async () => {
    const world = await open({ isIdle: true, ...SCHEDULED, others: ['harbor'] });
    const { schedules } = (await world.request('/v1/schedules')).read(listSchema);
    expect(schedules).toMatchObject([{ integration: 'riverside', paused: false }]);
    const shown = (await world.request(ONE)).read(shownSchema);
    expect(shown.integration).toBe('riverside');
    expect(shown.schedule?.nextRunAt).toBe(schedules[0]?.nextRunAt);
    expect(shown.schedule?.nextRunAt).not.toBeNull();
    const other = (await world.request('/v1/integrations/harbor/schedule')).read(shownSchema);
    expect(other).toEqual({ integration: 'harbor', schedule: null });
  });

  it('shows a run that ended at its credit limit as such, as the page of the run does', async () => {
    const integration = { ...SCHEDULED.integration, budget: { perRun: 1, perMonth: null } };
    const world = await open({ integration });
    await world.addPeople(2);
    const trigger = 'manual';
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger });
    await world.untilEnded(runId);
    for (const path of ['/clients/riverside/schedule', `/runs/${runId}`]) {
      const { text } = await world.request(path);
      expect(text, path).toContain('At its limit');
      expect(text, path).not.toContain('Stopped early');
    }
  });

  it('is paused and resumed, each with an audit entry', async () => {
    const world = await open({ isIdle: true, ...SCHEDULED });
    const paused = await world.request(`${ONE}/pause`, { method: 'POST' });
    expect(paused.read(shownSchema).schedule).toEqual({ nextRunAt: null, paused: true });
    const resumed = await world.request(`${ONE}/resume`, { method: 'POST' });
    expect(resumed.read(shownSchema).schedule).toMatchObject({ paused: false });
    expect(resumed.read(shownSchema).schedule?.nextRunAt).not.toBeNull();
    const entries = await listAuditEntries(world.application.store, { limit: 10 });
    expect(entries.map(({ action }) => action).slice(0, 2)).toEqual([
      'schedule.resumed',
      'schedule.paused',
    ]);
  });

  it('is paused on both pages that offer it, each of which leads back to itself', async () => {
    const world = await open({ isIdle: true, ...SCHEDULED });
    const pressed = [
      ['/clients/riverside/schedule/pause', 1, '/clients/riverside/schedule?note=paused'],
      ['/clients/riverside/schedule/resume', 0, '/clients/riverside/schedule?note=resumed'],
      ['/integrations/riverside/pause', 1, '/clients/riverside?note=pause'],
      ['/integrations/riverside/resume?back=home', 0, '/?note=resume#'],
    ] as const;
    for (const [path, paused, page] of pressed) {
      const answer = await press(world, path);
      expect(answer.status, path).toBe(303);
      expect(answer.headers.get('location'), path).toContain(page);
      const row = await findSchedule(world.application.store.reader, 'riverside');
      expect(row?.paused, path).toBe(paused);
    }
  });
});

describe('a client without a schedule', () => {
  it('cannot be paused: the API and both pages refuse it alike, and nothing is recorded', async () => {
    const world = await open({ isIdle: true });
    const refused = await world.request(`${ONE}/pause`, { method: 'POST' });
    expect(refused.status).toBe(409);
    const { code, message } = refused.read(errorSchema).error;
    expect(code).toBe('schedule_missing');
    expect(message).toContain('"riverside" has no schedule. Nothing was changed.');
    for (const path of ['/clients/riverside/schedule/pause', '/integrations/riverside/resume']) {
      const page = await press(world, path);
      expect(page.status, path).toBe(409);
      expect(await page.text(), path).toContain('has no schedule. Nothing was changed.');
    }
    const entries = await listAuditEntries(world.application.store, { limit: 10 });
    expect(entries.filter(({ action }) => action.startsWith('schedule.'))).toEqual([]);
  });
});

function press({ url }: HttpWorld, path: string): Promise<Response> {
  return fetch(url + path, { method: 'POST', redirect: 'manual', headers: { origin: url } });
}

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const stoppedSchema = z.strictObject({
  run: z.looseObject({ id: z.string(), status: z.string() }),
  state: z.string(),
});

async function start(here: HttpWorld): Promise<string> {
  const answer = await here.request('/v1/integrations/riverside/runs', { method: 'POST' });
  return answer.read(startedSchema).run.id;
}

function stop(here: HttpWorld, run: string) {
  return here.request(`/v1/runs/${run}/stop`, { method: 'POST' });
}

async function listStops({ application }: HttpWorld) {
  const entries = await listAuditEntries(application.store, { limit: 100 });
  return entries.filter(({ action }) => action === 'run.stopped').map(({ details }) => details);
}

describe('POST /v1/runs/:run/stop', () => {
  it('takes a queued run out of the queue, once, and records it', async () => {
    const here = await open({ isIdle: true });
    const run = await start(here);
    const answer = await stop(here, run);
    expect(answer.status).toBe(202);
    expect(answer.read(stoppedSchema)).toMatchObject({ run: { id: run }, state: 'dropped' });
    const again = await stop(here, run);
    expect(again.status).toBe(404);
    expect(again.read(errorSchema).error.code).toBe('run_unknown');
    expect(await listStops(here)).toEqual([{ run, begun: false }]);
  });

  it('stops a run in progress, and refuses one that has ended', async () => {
    const jobs = holdJobs();
    const here = await open({ service: jobs.service });
    await here.addPeople(4);
    const run = await start(here);
    while ((await here.application.findRunning('riverside'))?.run !== run) {
      await here.clock.sleep(20);
    }
    expect((await stop(here, run)).read(stoppedSchema)).toMatchObject({ state: 'stopping' });
    jobs.letEnd();
    await here.untilEnded(run);
    const over = await stop(here, run);
    expect(over.status).toBe(409);
    expect(over.read(errorSchema).error).toMatchObject({
      code: 'run_over',
      message: expect.stringContaining('Nothing was changed.'),
    });
    expect(await listStops(here)).toEqual([{ run, begun: true }]);
  });
});

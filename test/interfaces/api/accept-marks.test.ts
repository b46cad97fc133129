import { expect, it } from 'vitest';
import { z } from 'zod';
import { listRunRecords } from '../../../src/sync/statements/runs.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { controlService } from '../../helpers/service-control.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

/** Opens a CRM in which a mark excludes most contacts. A run has already stopped because of this. */
async function openMarked(): Promise<HttpWorld> {
  const here = await open();
  await here.addPeople(30);
  const mark = { kind: 'deceased', field: 'Gone', contacts: 50, marked: 30 } as const;
  here.crm.marks = [{ ...mark, values: new Map([['yes', 30]]) }];
  await sync(here);
  return here;
}

async function sync({ runner, untilEnded }: HttpWorld): Promise<void> {
  const { runId } = await runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await untilEnded(runId);
}

const lastRun = async ({ application: { store } }: HttpWorld) =>
  (await listRunRecords(store.reader, { integrationId: 'riverside', limit: 1 }))[0];

it('asks on the page of the client, and confirms what was asked', async () => {
  const here = await openMarked();
  expect(await lastRun(here)).toMatchObject({ reasonCode: 'marks_unconfirmed' });
  expect(await controlService(here.service).spent()).toBe(0);
  const page = await here.request('/clients/riverside');
  expect(page.text).toContain('excludes 30 of 50 contacts');
  expect(page.text).toContain('Confirm these marks');
  const pressed = await fetch(`${here.url}/integrations/riverside/accept-marks`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: here.url, 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(pressed.status).toBe(303);
  await expect
    .poll(async () => (await lastRun(here))?.status, { timeout: 20_000 })
    .toBe('succeeded');
  expect(await controlService(here.service).spent()).toBe(30);
  expect((await here.request('/clients/riverside')).text).not.toContain('Confirm these marks');
});

it('is confirmed over the API, but for a value that nobody was asked about', async () => {
  const here = await openMarked();
  const [mark] = here.crm.marks;
  if (mark === undefined) throw new Error('no mark');
  here.crm.marks = [
    {
      ...mark,
      values: new Map([
        ['yes', 29],
        ['x', 1],
      ]),
    },
  ];
  const start = async () => {
    const answer = await here.request('/v1/integrations/riverside/runs', {
      method: 'POST',
      body: { acceptMarks: true },
    });
    expect(answer.status).toBe(202);
    const { run } = answer.read(z.object({ run: z.object({ id: z.string() }) }));
    await here.untilEnded(run.id);
    return (await lastRun(here))?.reasonCode;
  };
  expect(await start()).toBe('marks_unconfirmed');
  expect(await start()).toBe(null);
});

/**
 * Tests how pages show people whom the service does not know. The product counts the people as failed, but the pages do
 * not show a failure.
 */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { openHttpWorld } from './http-world.ts';
import { get, join } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

const runSchema = z.object({
  run: z.object({ id: z.string(), contacts: z.object({ failed: z.int(), written: z.int() }) }),
});

async function openRun() {
  const world = await open({ integration: WITHOUT_TRIAL });
  const token = await world.addToken('admin');
  await world.addPeople(8);
  const unknown = world.crm.addContact({
    firstName: 'Zenobia',
    lastName: 'Quillfeather',
    addresses: [],
  });
  const started = await world.request('/v1/integrations/riverside/runs', { method: 'POST', token });
  const { id } = started.read(z.object({ run: z.object({ id: z.string() }) })).run;
  await world.untilEnded(id);
  const { run } = (await world.request(`/v1/runs/${id}`, { token })).read(runSchema);
  const { cookie } = await join(world, 'Ada', 'admin');
  const see = async (path: string) => (await get(world, path, cookie)).text();
  const page = (query = '') => see(`/runs/${id}${query}`);
  return { run, page, see, world, token, unknown };
}

it('shows unknown people as neutral, in a tab of their own, without a retry', async () => {
  const { run, page } = await openRun();
  expect(run.contacts.failed).toBe(1);
  const text = await page();
  expect(text).not.toContain('Retry failed');
  expect(text).toMatch(/outcome=unknown#contacts"[^>]*>Unknown to the service <span[^>]*>1</);
  expect(text).toMatch(/>Failed <span[^>]*>0</);
  const unknown = await page('?outcome=unknown');
  expect(unknown).toContain('unknown to the service');
  expect(unknown).toContain('format=csv&amp;outcome=failed&amp;reason=no_match');
  expect(await page('?outcome=failed')).toContain('No contact in this run matches.');
});

it('shows unknown people as failed in no list of runs, and keeps the count of the report', async () => {
  const { run, see, world, token } = await openRun();
  for (const path of ['/runs', '/clients/riverside']) {
    expect(await see(path), path).toMatch(/data-label="Failed"[^>]*>0</);
  }
  const again = await world.request(`/v1/runs/${run.id}`, { token });
  expect(again.read(runSchema).run.contacts.failed).toBe(1);
});

it('shows an unknown contact as neutral on its page, and offers to write nothing again', async () => {
  const { see, unknown, world } = await openRun();
  const text = await see(`/clients/riverside/contacts/${unknown}`);
  expect(text).toContain('The service does not know this person');
  expect(text).toContain('nothing was written');
  expect(text).toContain('unknown to the service');
  expect(text).not.toContain('status-failed');
  expect(text).not.toContain('The values are only in the CRM');
  expect(text).not.toContain('Write again');
  const [written] = world.crm.writes;
  const known = await see(`/clients/riverside/contacts/${written?.id}`);
  expect(known).toContain('Write again');
});

it('explains the tab of unchanged contacts, although contacts with a fresh profile are not listed', async () => {
  const { see, world } = await openRun();
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  const { contacts } = (
    await world.request(`/v1/runs/${runId}`, { token: await world.addToken('admin') })
  ).read(z.object({ run: z.object({ contacts: z.object({ unchanged: z.int() }) }) })).run;
  expect(contacts.unchanged).toBeGreaterThan(0);
  const text = await see(`/runs/${runId}?outcome=unchanged`);
  expect(text).not.toContain('No contact in this run matches.');
  expect(text).toContain(`${contacts.unchanged} contacts are not listed one by one`);
});

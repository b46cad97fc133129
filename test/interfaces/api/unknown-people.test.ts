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
  world.crm.addContact({ firstName: 'Zenobia', lastName: 'Quillfeather', addresses: [] });
  const started = await world.request('/v1/integrations/riverside/runs', { method: 'POST', token });
  const { id } = started.read(z.object({ run: z.object({ id: z.string() }) })).run;
  await world.untilEnded(id);
  const { run } = (await world.request(`/v1/runs/${id}`, { token })).read(runSchema);
  const { cookie } = await join(world, 'Ada', 'admin');
  const page = async (query = '') => (await get(world, `/runs/${id}${query}`, cookie)).text();
  return { run, page };
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

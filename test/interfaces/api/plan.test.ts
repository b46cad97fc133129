/**
 * Tests plans over HTTP. The service makes a plan after the response, and spends no credit on it. The stored result
 * contains no contacts or values.
 */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { controlService } from '../../helpers/service-control.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);
const PATH = '/v1/integrations/riverside/plan';

const approvalSchema = z.object({ approval: z.looseObject({ id: z.string(), state: z.string() }) });
const shownSchema = z.object({
  approval: z.object({ state: z.string() }),
  result: z.unknown(),
  error: z.object({ code: z.string() }).nullable(),
});

it('says what a sync would spend, spends nothing, and keeps no contact', async () => {
  const world = await open({ integration: WITHOUT_TRIAL });
  await world.addPeople(6);
  const token = await world.addToken('admin');
  const control = controlService(world.service);
  const spent = await control.spent();
  const outcomeOf = async (body: object) => {
    const asked = await world.request(PATH, { method: 'POST', token, body });
    expect(asked.status).toBe(202);
    const { id } = asked.read(approvalSchema).approval;
    const show = async () =>
      (await world.request(`/v1/approvals/${id}`, { token })).read(shownSchema);
    await expect
      .poll(async () => (await show()).approval.state, { timeout: 20_000 })
      .toMatch(/done|failed/);
    return show();
  };
  const { result } = await outcomeOf({ full: true });
  expect(result).toMatchObject({
    integration: 'riverside',
    read: 6,
    enhance: { never_enhanced: 6 },
    contacts: [],
    credits: { enhancements: { needed: 6, allowed: 6, limit: null } },
    waiting: { profiles: 0, changes: [] },
  });
  const unknown = await outcomeOf({ contact: 'UNKNOWN' });
  expect(unknown).toMatchObject({
    approval: { state: 'failed' },
    error: { code: 'contact_unknown' },
  });
  expect(await control.spent()).toBe(spent);
});

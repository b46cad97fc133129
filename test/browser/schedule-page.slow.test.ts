import { describe, expect, it } from 'vitest';
import { applyIntegrations } from '../../src/clients/apply-settings.ts';
import { cronText } from '../../src/clients/schedules/cron-text.ts';
import { findSchedule } from '../../src/clients/statements/schedules.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const { openWorld, visit } = openRooms();

/** Stores a client in the database, as `apply` does. */
async function apply(world: HttpWorld, id: string, cron: string): Promise<void> {
  const { application } = world;
  const [one] = application.select(['riverside']);
  if (one === undefined) throw new Error('there is no integration');
  const schedule = { cron, timezone: 'America/Chicago', catchUp: true, jitterMs: 0 };
  await applyIntegrations(application, application.settings, [{ ...one, id, name: id, schedule }]);
  await application.refresh();
}

describe('the page of a schedule', () => {
  it('shows another schedule before it is saved, with its next runs and both changes of the clocks', async () => {
    const world = await openWorld({ isIdle: true });
    await apply(world, 'harbor', '30 1 * * *');
    const view = await visit(world, '/clients/harbor/schedule');
    const { page } = view;
    await page.getByRole('heading', { name: 'Every day at 01:30' }).waitFor();
    await expectSound(view);
    await page.getByLabel('Runs').selectOption('weekdays');
    await page.getByLabel('At', { exact: true }).fill('02:30');
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.locator('.current');
    await preview.getByText('on Monday to Friday at 02:30').waitFor();
    expect(await preview.getByText('The next runs:').innerText()).toMatch(/(at 02:30.*){3}/);
    expect(await preview.getByText('clocks go').count()).toBe(2);
    await expectSound(view);
    expect(world.application.integrations.get('harbor')?.schedule?.cron).toBe('30 1 * * *');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. The schedule applies from now on.').waitFor();
    expect(world.application.integrations.get('harbor')?.schedule).toMatchObject({
      ...{ cron: '30 2 * * 1-5', timezone: 'America/Chicago', jitterMs: 0 },
    });
    const audit = await world.request('/v1/audit?integration=harbor');
    expect(audit.text).toContain('settings.applied');
  });

  it('says where the clock leaves a time out when the run begins', async () => {
    const world = await openWorld({ isIdle: true });
    await apply(world, 'harbor', '30 2 * * *');
    const { page } = await visit(world, '/clients/harbor/schedule');
    const forward = page.getByText(/clocks go forward by an hour/);
    expect(await forward.innerText()).toContain('its first run starts at 03:00');
    const back = page.getByText(/clocks go back by an hour/);
    expect(await back.innerText()).toContain('its first run starts at 02:30');
  });

  it('refuses a line of cron and a time zone that are none, and says why', async () => {
    const world = await openWorld({ isIdle: true });
    await apply(world, 'harbor', '30 1 * * *');
    const view = await visit(world, '/clients/harbor/schedule?rhythm=cron&cron=61+*+*+*+*');
    await view.page.getByRole('alert').getByText('the minute (field 1) must be').waitFor();
    expect(await view.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await view.page.goto(`${world.url}/clients/harbor/schedule?rhythm=daily&timezone=Mars`);
    await view.page.getByRole('alert').waitFor();
    await expectSound(view);
  });

  it('pauses and resumes, also what stands in the file of the operator, which alone changes the rest of that', async () => {
    const schedule = { cron: '0 2 * * *', timezone: 'Europe/Berlin' };
    const world = await openWorld({ integration: { schedule } });
    const { runId } = await world.runner.request({
      integrationId: 'riverside',
      trigger: 'manual',
    });
    await world.untilEnded(runId);
    const view = await visit(world, '/clients/riverside/schedule');
    const { page } = view;
    await page.getByText('Set in donor-sync.yaml').waitFor();
    expect(await page.getByRole('heading', { name: 'Change it' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Done' }).getAttribute('href')).toBe(
      `/runs/${runId}`,
    );
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused. No scheduled run starts').waitFor();
    expect(await findSchedule(world.application.store.reader, 'riverside')).toMatchObject({
      paused: 1,
    });
    await expectSound(view);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Resumed. The next run').waitFor();
    const form = { rhythm: 'daily', time: '04:00', timezone: 'UTC' };
    const refused = await world.request('/clients/riverside/schedule', {
      ...{ method: 'POST', body: String(new URLSearchParams(form)) },
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.url },
    });
    expect(refused.status).toBe(409);
  });
});

describe('a line of cron in words', () => {
  it.each([
    ['0 2 * * *', 'every day at 02:00'],
    ['30 2 * * 1-5', 'on Monday to Friday at 02:30'],
    ['0 6,18 * * *', 'every day at 06:00 and 18:00'],
    ['0 2 * * sun', 'on Sunday at 02:00'],
    ['0 2 * * 7', 'on Sunday at 02:00'],
    ['0 2 1,15 * *', 'on day 1 and 15 of each month at 02:00'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['15 * * * *', 'every hour at 15 minutes past'],
    ['0 */6 * * *', 'every 6 hours at 0 minutes past'],
    ['0 2 1 6 *', 'by the cron expression 0 2 1 6 *'],
    ['5-10 2 * * *', 'by the cron expression 5-10 2 * * *'],
  ])('%s is %s', (cron, text) => {
    expect(cronText(cron)).toBe(text);
  });
});

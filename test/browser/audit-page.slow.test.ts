import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../src/core/clock.ts';
import { noteEntries } from '../../src/privacy/audit/record.ts';
import { clockWithinADay } from '../helpers/within-a-day.ts';
import { expectSound, openRooms, withDatabase } from './rooms.ts';

const { openWorld, visit } = openRooms();

describe('the page of the audit', () => {
  it('lists who did what, and finds what was done to one client on a day by one user', async () => {
    const clock = clockWithinADay();
    const world = await openWorld({ clock, isIdle: true, others: ['harbor'] });
    const anna = world.application.store.actingAs({
      kind: 'token',
      name: 'Anna',
      from: '192.0.2.7',
    });
    const ben = world.application.store.actingAs({ kind: 'command', name: 'ben', from: 'desk' });
    await noteEntries(anna.act, [{ action: 'names.shown', integrationId: 'riverside' }]);
    await noteEntries(ben.act, [{ action: 'names.shown', integrationId: 'harbor' }]);
    const view = await visit(world, '/audit');
    const { page } = view;
    await page.getByRole('row', { name: /Anna \(access token\)/ }).waitFor();
    await page.getByRole('row', { name: /ben \(command line\)/ }).waitFor();
    await expectSound(view);

    await page.getByLabel('Client', { exact: true }).fill('riverside');
    await page.getByRole('combobox', { name: 'Action' }).fill('names.sho');
    await page.getByRole('option', { name: 'names.shown' }).click();
    await page.getByLabel('Done by').fill('ann');
    await page.getByLabel('From day').fill(isoTime(clock.now()).slice(0, 10));
    await page.getByRole('button', { name: 'Show' }).click();
    const rows = page.getByRole('table').locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('192.0.2.7');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    const text = (await file.createReadStream().then((stream) => stream.toArray())).join('');
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).toContain('Anna,token,192.0.2.7,names.shown,riverside');
    expect(view.complaints).toEqual([]);
  });

  it('says in words what was done, with names and links instead of IDs', async () => {
    const world = await openWorld();
    await world.addPeople(1);
    const { act } = world.application.store;
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    await noteEntries(act, [
      { action: 'person.removed', details: { person: randomUUID() } },
      { action: 'run.stopped', integrationId: 'riverside', details: { run: randomUUID() } },
    ]);
    const view = await visit(world, '/audit');
    const { page } = view;
    const row = page.getByRole('row').filter({ hasText: 'Requested a run' });
    await row.getByText('Riverside Food Bank').waitFor();
    await row.getByText('trigger: by hand').waitFor();
    await page.getByText('User: no longer a user').waitFor();
    await page.getByText('A run that is waiting or no longer recorded').waitFor();
    const text = await page.getByRole('table').innerText();
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(text).not.toContain('run.asked');
    await row.getByText('Code').click();
    await row.getByText(`run.asked run ${runId}`).waitFor();
    await expectSound(view);
    await row.getByRole('link', { name: /^The run of / }).click();
    await page.waitForURL(`${world.url}/runs/${runId}`);
  });

  it('pages through many entries', async () => {
    const world = await openWorld({ isIdle: true });
    const entries = Array.from({ length: 120 }, () => ({ action: 'audit.exported' as const }));
    await noteEntries(world.application.store.act, [...entries]);
    const view = await visit(world, '/audit?action=audit.exported');
    const { page } = view;
    const rows = page.getByRole('table').locator('tbody tr');
    expect(await rows.count()).toBe(50);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'Older' }).click();
    await expect.poll(() => rows.count()).toBe(20);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Newest' }).click();
    await expect.poll(() => rows.count()).toBe(50);
  });

  it('keeps its pages as they are while others add entries', async () => {
    const world = await openWorld({ isIdle: true });
    const add = (count: number) =>
      noteEntries(
        world.application.store.act,
        Array.from({ length: count }, () => ({ action: 'audit.exported' as const })),
      );
    await add(120);
    const { page } = await visit(world, '/audit?action=audit.exported');
    const numbers = () => page.locator('tbody tr .detail', { hasText: 'no. ' }).allInnerTexts();
    const go = async (name: string) => {
      const before = page.url();
      await page.getByRole('link', { name, exact: true }).click();
      await page.waitForURL((url) => url.href !== before);
      return numbers();
    };
    const first = await numbers();
    await add(30);
    const second = await go('Older');
    expect(second.filter((number) => first.includes(number))).toEqual([]);
    await add(30);
    await go('Older');
    expect(await go('First page')).toEqual(first);
    expect(await go('Older')).toEqual(second);
    expect((await go('Newest')).filter((number) => first.includes(number))).toEqual([]);
  });

  it('says that nothing was changed, and once something was, what', async () => {
    const world = await openWorld({ isIdle: true });
    await noteEntries(world.application.store.act, [{ action: 'audit.exported' }]);
    const view = await visit(world, '/audit');
    const { page } = view;
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Nothing was changed').waitFor();
    await expectSound(view);
    await withDatabase(world, (db) =>
      db
        .updateTable('audit_entries')
        .set({ action: 'hold.decided' })
        .where('seq', '=', 1)
        .execute(),
    );
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The audit was changed').waitFor();
    await page.getByText('Entry 1 was changed, or added by another program.').waitFor();
    await expectSound(view);
  });

  it('shows who reaches some clients alone what is about them, and no check of the whole', async () => {
    const world = await openWorld({ isIdle: true, others: ['harbor'] });
    await noteEntries(world.application.store.act, [
      { action: 'names.shown', integrationId: 'riverside' },
    ]);
    const token = await world.addToken('admin', ['harbor']);
    const { page } = await visit(world, '/audit', { token });
    expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0);
    expect(await page.getByText('riverside').count()).toBe(0);
    const refused = await world.request('/v1/audit/verify', { method: 'POST', token });
    expect(refused.status).toBe(403);
  });
});

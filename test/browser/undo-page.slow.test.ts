/**
 * Tests the undo of a run in a browser. The page first shows which values the undo will restore and which values it
 * will keep. Then the page shows the undo's progress, and marks the run as undone.
 */
import { describe, expect, it } from 'vitest';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const rooms = openRooms();

async function openRun(settings = {}) {
  const world = await rooms.openWorld({ integration: WITHOUT_TRIAL, settings });
  const ids = await world.addPeople(8);
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  const written = ids.filter((id) => fieldsOf(world, id).length > 0);
  expect(written.length).toBeGreaterThan(3);
  return { world, runId, written };
}

function fieldsOf(world: HttpWorld, id: string): string[] {
  const values = Object.entries(world.crm.records.get(id)?.values ?? {});
  return values.flatMap(([name, value]) => (value ? [name] : []));
}

function nameOf(world: HttpWorld, id: string): string {
  const contact = world.crm.records.get(id)?.contact;
  return `${contact?.firstName} ${contact?.lastName}`;
}

describe('the undo of a run', () => {
  it('shows by keyboard what stays as it is, with names, and then restores the rest', async () => {
    const { world, runId, written } = await openRun();
    const [edited = ''] = written;
    const [field = ''] = fieldsOf(world, edited);
    world.crm.setValue(edited, field, 'typed by a user');
    const { cookie } = await join(world, 'Ada', 'admin');
    const view = await rooms.visit(world, `/runs/${runId}`, { cookie });
    const { page } = view;
    await page.getByRole('button', { name: 'Undo run' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Undo this run of Riverside Food Bank?' }).waitFor();
    const card = page.getByRole('region', { name: 'Undo this run of Riverside Food Bank?' });
    expect(await card.innerText()).toContain('someone has changed the value since the run');
    await page.getByText('The contacts', { exact: true }).focus();
    await page.keyboard.press('Enter');
    const row = card.getByRole('row').filter({ hasText: edited });
    await expect.poll(() => row.innerText()).toContain(nameOf(world, edited));
    expect(await row.innerText()).toContain(field);
    await expectSound(view);
    expect(fieldsOf(world, written[1] ?? '').length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Undo run' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`${written.length - 1} restored by Ada, 1 value kept`).waitFor();
    // The numbers of the run stay, and say what is left of them.
    const pipe = page.getByRole('list', { name: 'Contacts at each station' });
    expect(await pipe.innerText()).toContain(`${written.length - 1} restored since`);
    const tabs = page.getByRole('navigation', { name: 'Outcomes' });
    expect(await tabs.innerText()).toContain(
      `Written ${written.length} (${written.length - 1} restored)`,
    );
    const reasons = page.getByRole('list', { name: 'Reasons' });
    expect(await reasons.innerText()).toMatch(
      new RegExp(
        `written, then restored\\s+an undo .+\\s+${written.length - 1} of ${written.length}`,
      ),
    );
    const file = await world.request(`/v1/runs/${runId}/contacts?format=csv`, {
      headers: { cookie },
    });
    const lines = file.text.trim().split('\n');
    expect(lines[0]).toMatch(/,Undone$/);
    expect(lines.filter((line) => line.endsWith(',yes'))).toHaveLength(written.length - 1);
    expect(lines.find((line) => line.startsWith(edited))).not.toMatch(/,yes$/);
    await page.getByText(`Outcomes of ${world.crm.records.size} contacts`).waitFor();
    await page.getByText('A value is kept if someone has changed it since the run').waitFor();
    await expectSound(view);
    expect(fieldsOf(world, edited)).toEqual([field]);
    expect(fieldsOf(world, written[1] ?? '')).toEqual([]);
    expect(view.complaints).toEqual([]);
  });

  it('works without JavaScript, and goes back without a change', async () => {
    const { world, runId, written } = await openRun();
    const { cookie } = await join(world, 'Ada', 'admin');
    const { page } = await rooms.visit(world, `/runs/${runId}`, {
      cookie,
      javaScriptEnabled: false,
    });
    await page.getByRole('button', { name: 'Undo run' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Undo run' }).click();
    expect(fieldsOf(world, written[0] ?? '').length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Undo run' }).click();
    await page
      .getByText('The undo was requested. This page shows its progress and its result.')
      .waitFor();
    await expect.poll(() => fieldsOf(world, written[0] ?? ''), { timeout: 20_000 }).toEqual([]);
  });

  it('says on a phone in the dark that another user has to confirm it, and waits until they have', async () => {
    const { world, runId, written } = await openRun({ twoPeople: { undo: 1 } });
    const { cookie } = await join(world, 'Ada', 'admin');
    const ben = await join(world, 'Ben', 'admin');
    const phone = { width: 375, height: 800, colorScheme: 'dark' } as const;
    const view = await rooms.visit(world, `/runs/${runId}`, { cookie, ...phone });
    const { page } = view;
    await page.getByRole('button', { name: 'Undo run' }).click();
    await page.getByText('Another user must confirm the undo before it starts.').waitFor();
    await expectSound(view);
    await page.getByRole('button', { name: 'Request the undo' }).click();
    await page.getByText('Nothing has been done yet').waitFor();
    expect(fieldsOf(world, written[0] ?? '').length).toBeGreaterThan(0);

    const other = await rooms.visit(world, '/decisions', { cookie: ben.cookie });
    const waiting = other.page.getByRole('region', { name: 'Waiting for a second user' });
    await waiting.getByText(/undo/i).first().waitFor();
    await waiting.getByRole('button', { name: 'Confirm' }).first().click();
    const dialog = other.page.getByRole('dialog', { name: 'Confirm it?' });
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await other.page
      .getByRole('status')
      .getByText(/Confirmed/)
      .first()
      .waitFor();
    await page.goto(`${world.url}/runs/${runId}`);
    await page.getByText(`${written.length} restored by Ben`).waitFor();
    const reasons = await page.getByRole('list', { name: 'Reasons' }).innerText();
    expect(reasons).toContain('written, then restored');
    expect(reasons).not.toMatch(/^written$/m);
    expect(fieldsOf(world, written[0] ?? '')).toEqual([]);
  });
});

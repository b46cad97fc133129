import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { isoTime } from '../../src/core/clock.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { findRunById } from '../../src/sync/statements/runs.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { clockWithinADay } from '../helpers/within-a-day.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const openWorld = closedAfterTest(openHttpWorld);
async function open({ url }: HttpWorld, options?: ViewOptions): Promise<View> {
  const view = await openView(browser, url, options);
  onTestFinished(view.close);
  return view;
}

const MANUAL = { integrationId: 'riverside', trigger: 'manual' } as const;

describe('the page of a run', () => {
  it('is watched live, stopped by a person, and taken up by the next run for no further credit', async () => {
    const jobs = holdJobs();
    const world = await openWorld({ service: jobs.service });
    await world.addPeople(12);
    const { page, complaints } = await open(world);
    const { runId } = await world.runner.request(MANUAL);
    await page.goto(`${world.url}/runs/${runId}`);
    await page.evaluate('window.isSamePage = true');
    const submitted = page.locator('[data-station="submitted"]');
    await expect.poll(() => submitted.innerText()).toBe('12');
    // The jobs do not end, so the run makes no progress. The page receives no further report, but the displayed rate
    // falls to zero.
    const rate = page.locator('#rate-text');
    await expect
      .poll(() => rate.innerText())
      .toContain('Now 0.0 submitted and 0.0 written a second');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click();
    await page.getByText('The run is stopping.').waitFor();
    await page.getByText('A user stopped the run').waitFor();
    await page.getByText('Stopped early').first().waitFor();
    expect(await rate.innerText()).toContain('The run has ended.');
    const { store } = world.application;
    expect(await findRunById(store.reader, runId)).toMatchObject({
      reasonCode: 'stopped_by_person',
    });
    jobs.letEnd();
    const next = await world.runner.request(MANUAL);
    await world.untilEnded(next.runId);
    expect(await findRunById(store.reader, next.runId)).toMatchObject({
      status: 'succeeded',
      spentEnhancements: 0,
    });
    expect(complaints).toEqual([]);
  });

  it('shows a decider what stood in a contact before and what stands there now, and keeps it nowhere', async () => {
    const world = await openWorld();
    const [contact = ''] = await world.addPeople(1);
    const { runId } = await world.runner.request(MANUAL);
    await world.untilEnded(runId);
    const { page, complaints } = await open(world);
    await page.goto(`${world.url}/runs/${runId}`);
    await page.locator('#contacts .contact-name').first().waitFor();
    await page.getByRole('button', { name: 'Changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('rowheader', { name: 'Donor Net Worth', exact: true }).waitFor();
    const worth = world.crm.records.get(contact)?.values['Donor Net Worth'];
    expect(await dialog.innerText()).toContain(String(worth));
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.content()).not.toContain(String(worth));
    expect(complaints).toEqual([]);
    const shown = await listAuditEntries(world.application.store, {
      action: 'names.shown',
      limit: 5,
    });
    // Showing the names adds an entry to the audit log.
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatchObject({ crmId: contact, details: { run: runId } });
  });

  it('gives all contacts of a filter as one file of JSON', async () => {
    const world = await openWorld();
    const ids = await world.addPeople(5);
    const { runId } = await world.runner.request(MANUAL);
    await world.untilEnded(runId);
    const file = await world.request(`/v1/runs/${runId}/contacts?format=json-file`);
    expect(file.headers.get('content-disposition')).toContain(`run-${runId}.json`);
    const contacts = file.read(z.array(z.object({ crmId: z.string() })));
    expect(contacts.map(({ crmId }) => crmId).sort()).toEqual([...ids].sort());
    const none = await world.request(
      `/v1/runs/${runId}/contacts?format=json-file&contact=no-such-id`,
    );
    expect(none.read(z.array(z.unknown()))).toEqual([]);
  });
});

describe('the list of runs', () => {
  it('is filtered by client, state, cause and days, and goes on by a cursor', async () => {
    const clock = clockWithinADay();
    const world = await openWorld({ clock, others: ['harbor'] });
    await world.addPeople(1);
    const { runId } = await world.runner.request(MANUAL);
    await world.untilEnded(runId);
    const has = async (query: string) =>
      (await world.request(`/runs?${query}`)).text.includes(`/runs/${runId}"`);
    const today = isoTime(clock.now()).slice(0, 10);
    expect(await has('')).toBe(true);
    expect(await has(`client=riverside&status=succeeded&trigger=manual&from=${today}`)).toBe(true);
    expect(await has('client=harbor')).toBe(false);
    expect(await has('status=failed')).toBe(false);
    expect(await has('trigger=webhook')).toBe(false);
    expect(await has('until=2020-01-01')).toBe(false);
  });
});

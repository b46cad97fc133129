import { afterEach, describe, expect, it } from 'vitest';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { listRunRecords } from '../../src/sync/statements/runs.ts';
import { expectSound, openRooms } from './rooms.ts';

const { openWorld, visit } = openRooms();

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Opens a HubSpot portal without the mapped fields. */
async function openPortal(apiKey?: string) {
  const crm = await startHubspotSandbox({ contacts: 5, donors: 500 });
  closers.push(() => crm.close());
  const auth = { type: 'token', token: crm.token };
  return openWorld({
    ...{ isIdle: true, ...(apiKey === undefined ? {} : { apiKey }) },
    integration: { crm: { kind: 'hubspot', url: crm.baseUrl, auth } },
  });
}

describe('the page of fields', () => {
  it('says of each field what the CRM says, when it was written and how many have it', async () => {
    const world = await openWorld();
    await world.addPeople(10);
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    const view = await visit(world, '/clients/riverside/fields');
    const { page } = view;
    await page.getByRole('heading', { name: /^All \d+ fields can be written$/ }).waitFor();
    const row = page.getByRole('row', { name: /^donorId/ });
    expect(await row.innerText()).toMatch(/fine.*just now.*100 %/s);
    await expectSound(view);
  });

  it('creates what is missing', async () => {
    const world = await openPortal();
    const view = await visit(world, '/clients/riverside/fields');
    const { page } = view;
    await page.getByRole('heading', { name: /cannot be written/ }).waitFor();
    await expectSound(view);
    await page.getByRole('button', { name: 'Create what is missing' }).click();
    await page.getByText('What was missing was created.').waitFor();
    await page.getByRole('heading', { name: /^All \d+ fields can be written$/ }).waitFor();
  });
});

describe('the page of the doctor', () => {
  it('says what it asks, asks it at a button, and finds all well without spending', async () => {
    const world = await openWorld({ isIdle: true });
    await world.addPeople(3);
    const view = await visit(world, '/clients/riverside/doctor');
    const { page } = view;
    await page.getByText('Nothing is spent').waitFor();
    await expectSound(view);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.getByText('The Partner Data Service accepts the service key.').waitFor();
    await expectSound(view);
    expect(await listRunRecords(world.application.store.reader, { limit: 1 })).toEqual([]);
  });

  it('has a button for what a browser can help with', async () => {
    const world = await openPortal('pk_wrong');
    const view = await visit(world, '/clients/riverside/doctor');
    const { page } = view;
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('heading', { name: '2 problems to fix' }).waitFor();
    const key = page.getByRole('link', { name: 'Enter another key' });
    expect(await key.getAttribute('href')).toBe('/setup/riverside/key');
    expect((await world.request('/setup/riverside/key')).text).toContain('Settings of Riverside');
    await expectSound(view);
    await page.getByRole('button', { name: 'Create the missing fields' }).click();
    await page.getByText('What was missing was created.').waitFor();
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type HubspotSandbox, startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import {
  type SalesforceSandbox,
  startSalesforceSandbox,
} from '../../../sandbox/salesforce/index.ts';
import type { HookSigning } from '../../../src/clients/hook-address.ts';
import { findHookByClient } from '../../../src/clients/statements/hooks.ts';
import { listContactIds } from '../../../src/contacts/contacts.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import type { RunReport } from '../../../src/core/run.ts';
import { createMissingFields } from '../../../src/fields/describe.ts';
import { listRereads } from '../../../src/jobs/statements/rereads.ts';
import { listRunRecords } from '../../../src/sync/statements/runs.ts';
import { findRunReport } from '../../../src/sync/views/run.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { until } from '../../jobs/runner-world.ts';
import { control, edit, send } from '../../testbed/asking.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);
const CONTACTS = 12;
/** On a slow day, HubSpot's search shows a change after this delay (ms). */
const LAG_MS = 20_000;

const calledSchema = z.object({
  status: z.number(),
  answer: z.string(),
  isAcknowledged: z.boolean().optional(),
});
const acceptedSchema = z.object({ runId: z.string().nullable() });
const appSchema = z.object({ appId: z.number(), clientSecret: z.string() });

/** Returns this machine's clock. A test can move the clock forward. */
function aMovedClock() {
  let movedMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + movedMs,
    monotonicMs: () => systemClock.monotonicMs() + movedMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
  return {
    clock,
    advance(ms: number): void {
      movedMs += ms;
    },
  };
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closers.length > 0) await closers.pop()?.();
});

/** Opens a HubSpot account with delayed searches, and a service that has synced it once. */
async function openHubspot(integration: Record<string, unknown> = {}) {
  const { clock, advance } = aMovedClock();
  const crm = await startHubspotSandbox({
    ...{ contacts: CONTACTS, donors: 500, searchLagMs: LAG_MS, webhookBatchMs: 10 },
    ...{ searchPerSecond: 0, ratePer10s: 0 },
    clock: () => clock.now(),
  });
  closers.push(() => crm.close());
  const app = appSchema.parse((await control(crm, 'GET', '/oauth')).body);
  const here = await open({
    ...{ clock, isPublic: true },
    service: { clock: () => clock.now() },
    integration: {
      crm: {
        ...{ kind: 'hubspot', url: crm.baseUrl, auth: { type: 'token', token: crm.token } },
        ...{ searchesPerSecond: 0, requestsPerTenSeconds: 0 },
      },
      ...integration,
    },
  });
  await syncAll(here);
  return { here, crm, app, advance };
}

async function openSalesforce() {
  const { clock, advance } = aMovedClock();
  const crm = await startSalesforceSandbox({
    ...{ contacts: CONTACTS, donors: 500, clock: () => clock.now() },
  });
  closers.push(() => crm.close());
  const { body } = await control(crm, 'POST', '/tokens', { user: 'administrator' });
  const { token } = z.object({ token: z.string() }).parse(body);
  const here = await open({
    clock,
    service: { clock: () => clock.now() },
    integration: {
      crm: { kind: 'salesforce', url: crm.baseUrl, auth: { type: 'token', token } },
    },
  });
  await syncAll(here);
  return { here, crm, advance };
}

async function syncAll(here: HttpWorld): Promise<void> {
  const [integration] = here.application.select(['riverside']);
  if (!integration) throw new Error('no integration');
  const opened = await here.application.open(integration, new AbortController().signal);
  const connector = await opened.deps.openConnector(null);
  await createMissingFields(connector, opened.mappings);
  await connector.close();
  await opened.close();
  const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  expect(await endOf(here, runId)).toMatchObject({
    ...{ status: 'succeeded', reason: null },
    contacts: { read: CONTACTS },
  });
}

/** Returns the report of the run that handles the request with this ID. */
async function endOf({ application }: HttpWorld, runId: string | null): Promise<RunReport> {
  let report: RunReport | null = null;
  await until(async () => {
    report = await findRunReport(application.store.reader, runId ?? '');
    return report !== null && report.finishedAt !== null;
  });
  if (report === null) throw new Error('no run');
  return report;
}

async function runsOf({ application }: HttpWorld) {
  return listRunRecords(application.store.reader, { limit: 50 });
}

async function ignoredOf({ application }: HttpWorld): Promise<number | undefined> {
  return (await findHookByClient(application.store.reader, 'riverside'))?.ignoredCount;
}

async function contactsOf(here: HttpWorld): Promise<string[]> {
  const { store } = here.application;
  const ids: string[] = [];
  for await (const portion of listContactIds(store.reader, 'riverside')) ids.push(...portion);
  return ids;
}

function moveHouse(crm: { rootUrl: string }, id: string): Promise<string> {
  const values = { address: '12 Orchard Lane', city: 'Burlington', state: 'VT', zip: '05401' };
  return edit(crm, { action: 'update', id, values });
}

async function callByWorkflow(crm: HubspotSandbox, order: Record<string, unknown>) {
  const { status, body } = await control(crm, 'POST', '/webhooks/workflow', order);
  expect(status).toBe(201);
  const called = calledSchema.parse(body);
  return { ...called, runId: () => acceptedSchema.parse(JSON.parse(called.answer)).runId };
}

describe('a webhook of HubSpot, whose searches lag', () => {
  it('of an app leads to the contacts that its events name, read by their ids', async () => {
    const { here, crm, app } = await openHubspot();
    const signing: HookSigning = { kind: 'hubspot', secret: app.clientSecret };
    const path = await here.addHook(signing);
    // HubSpot signs the address that it calls.
    const targetUrl = here.url + path;
    const api = `${crm.baseUrl}/webhooks/v3/${app.appId}`;
    const asked = { headers: { authorization: `Bearer ${crm.token}` } };
    await send(`${api}/settings`, 'PUT', {
      ...asked,
      body: { targetUrl, throttling: { maxConcurrentRequests: 10 } },
    });
    const body = { eventType: 'contact.propertyChange', propertyName: 'address', active: true };
    await send(`${api}/subscriptions`, 'POST', { ...asked, body });
    const [one = '', other = ''] = await contactsOf(here);
    await Promise.all([moveHouse(crm, one), moveHouse(crm, other)]);
    await until(async () => (await runsOf(here)).length === 2);
    const [run] = await runsOf(here);
    const report = await endOf(here, run?.id ?? '');
    expect(report).toMatchObject({ trigger: 'webhook', status: 'succeeded' });
    expect(report.contacts).toMatchObject({ read: 2, chosen: 2, submitted: 2 });
  });

  it.each([
    ['all properties', 'all'],
    [
      'its id among properties that were picked',
      { name: 'firstname', hs_object_id: 'hs_object_id' },
    ],
    ['its id under a key of the administrator', { 'Record ID': 'hs_object_id' }],
  ])('of a workflow that sends %s leads to that contact', async (_, body) => {
    const { here, crm, app } = await openHubspot();
    const url = here.url + (await here.addHook({ kind: 'hubspot', secret: app.clientSecret }));
    const [id = ''] = await contactsOf(here);
    await moveHouse(crm, id);
    const called = await callByWorkflow(crm, { url, id, body });
    expect(called.status).toBe(202);
    const report = await endOf(here, called.runId());
    expect(report.contacts).toMatchObject({ read: 1, chosen: 1, submitted: 1 });
  });

  it('is no replay where a workflow sends the same of a contact again', async () => {
    const { here, crm, app } = await openHubspot();
    const url = here.url + (await here.addHook({ kind: 'hubspot', secret: app.clientSecret }));
    const [id = ''] = await contactsOf(here);
    const order = { url, id, body: { hs_object_id: 'hs_object_id' } };
    await endOf(here, (await callByWorkflow(crm, order)).runId());
    await moveHouse(crm, id);
    expect((await callByWorkflow(crm, order)).runId()).not.toBeNull();
  });

  it('that names no contact is answered at once, and read again when the index has caught up', async () => {
    const { here, crm, advance } = await openHubspot();
    const url = here.url + (await here.addHook());
    const [id = ''] = await contactsOf(here);
    await moveHouse(crm, id);
    const order = { url, id, body: { name: 'firstname' }, signature: 'none' };
    const called = await callByWorkflow(crm, order);
    expect((await endOf(here, called.runId())).contacts.chosen).toBe(0);
    advance(30_000);
    await until(async () => (await runsOf(here)).length === 3);
    const [second] = await runsOf(here);
    expect((await endOf(here, second?.id ?? '')).contacts).toMatchObject({ submitted: 1 });
    advance(90_000);
    await until(async () => (await runsOf(here)).length === 4);
    const [third] = await runsOf(here);
    expect(await endOf(here, third?.id ?? '')).toMatchObject({ status: 'succeeded' });
    expect(await listRereads(here.application.store.reader)).toEqual([]);
  });

  it('reads no contact by id where a filter says who belongs to the integration', async () => {
    const filter = '[{ propertyName: firstname, operator: HAS_PROPERTY }]';
    const { here, crm, advance } = await openHubspot({ contacts: { filter } });
    const url = here.url + (await here.addHook());
    const outside = await edit(crm, { action: 'create', values: { lastname: 'Outside' } });
    const order = { url, id: outside, body: { id: 'hs_object_id' }, signature: 'none' };
    await endOf(here, (await callByWorkflow(crm, order)).runId());
    advance(30_000);
    await until(async () => (await runsOf(here)).length === 3);
    const [second] = await runsOf(here);
    await endOf(here, second?.id ?? '');
    expect(await contactsOf(here)).not.toContain(outside);
  });

  it('about contacts of another account is counted, and begins no run', async () => {
    const { here } = await openHubspot();
    const path = await here.addHook();
    const [id] = await contactsOf(here);
    const events = [{ subscriptionType: 'contact.creation', portalId: 7, objectId: Number(id) }];
    const answer = await here.request(path, { method: 'POST', body: events });
    expect(answer.read(acceptedSchema).runId).toBeNull();
    expect(await ignoredOf(here)).toBe(1);
    expect(await runsOf(here)).toHaveLength(1);
  });
});

describe('a webhook of Salesforce', () => {
  async function sendMessage(crm: SalesforceSandbox, order: Record<string, unknown>) {
    return calledSchema.parse((await control(crm, 'POST', '/outbound-message', order)).body);
  }

  it('in an Outbound Message is acknowledged, and leads to its contacts', async () => {
    const { here, crm } = await openSalesforce();
    const url = here.url + (await here.addHook());
    const ids = (await contactsOf(here)).slice(0, 5);
    const fields = ['FirstName', 'LastName'];
    const sent = await sendMessage(crm, { url, ids, fields });
    expect(sent).toMatchObject({ status: 200, isAcknowledged: true });
    await until(async () => (await runsOf(here)).length === 2);
    const [run] = await runsOf(here);
    expect((await endOf(here, run?.id ?? '')).contacts.read).toBe(5);
    expect(run?.contact).toBe('*');
  });

  it('about another kind of record is acknowledged, and leads to what changed', async () => {
    const { here, crm } = await openSalesforce();
    const url = here.url + (await here.addHook());
    const order = { url, type: 'Account', ids: ['001Hs00000000001'] };
    expect(await sendMessage(crm, order)).toMatchObject({ isAcknowledged: true });
    await until(async () => (await runsOf(here)).length === 2);
    expect(await runsOf(here)).toMatchObject([{ contact: '', trigger: 'webhook' }, {}]);
  });

  it('of a Flow leads to the contact that it names, in either form of its id', async () => {
    const { here, crm } = await openSalesforce();
    const url = here.url + (await here.addHook());
    const [id = ''] = await contactsOf(here);
    const body = { contact: id.slice(0, 15) };
    const { answer } = calledSchema.parse(
      (await control(crm, 'POST', '/flow-callout', { url, body })).body,
    );
    const { runId } = acceptedSchema.parse(JSON.parse(answer));
    expect((await endOf(here, runId)).contacts.read).toBe(1);
  });

  it('for an id that the CRM does not have is counted, and fails no run', async () => {
    const { here, crm, advance } = await openSalesforce();
    const path = await here.addHook();
    const [id = ''] = await contactsOf(here);
    const gone = '003Hs00000zzzzz';
    await control(crm, 'POST', '/flow-callout', { url: here.url + path, body: [gone, id] });
    await until(async () => (await runsOf(here)).length === 2);
    const [run] = await runsOf(here);
    const report = await endOf(here, run?.id ?? '');
    expect(report).toMatchObject({ status: 'succeeded', contacts: { read: 1 } });
    expect(await ignoredOf(here)).toBe(1);
    const one = await here.request(`${path}?contact=${gone}`, { method: 'POST' });
    const { runId } = one.read(acceptedSchema);
    // After this time, the burst of calls has ended and the run can start.
    advance(15_000);
    expect(await endOf(here, runId)).toMatchObject({ status: 'succeeded', reason: null });
    expect(await ignoredOf(here)).toBe(2);
    const { text } = await here.request('/metrics');
    expect(text).toContain('donor_sync_webhook_contacts_ignored{integration="riverside"} 2');
  });
});

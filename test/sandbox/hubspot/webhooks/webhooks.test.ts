import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Signature } from '@hubspot/api-client';
import { SubscriptionCreateRequestEventTypeEnum } from '@hubspot/api-client/lib/codegen/webhooks/models/SubscriptionCreateRequest.js';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { HubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { type Answer, control, edit } from '../../../testbed/asking.ts';
import { ask, contactIds, startAccount } from '../account.ts';
import { type Received, type Receiver, startReceiver } from './webhook-receiver.ts';

/** The time in which the sandbox would repeat a call many times, if it repeated calls. */
const QUIET_MS = 300;
/** HubSpot tells receivers to refuse older requests. */
const STALE_MS = 300_000;
const MANY = 130;
/** A long limit for busy machines. */
const PATIENCE_MS = 60_000;

const appSchema = z.object({
  appId: z.number(),
  clientSecret: z.string(),
  developerKey: z.string(),
});

async function appOf(account: HubspotSandbox) {
  return appSchema.parse((await control(account, 'GET', '/oauth')).body);
}

async function setUp(
  account: HubspotSandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const { appId } = await appOf(account);
  return ask(account, method, `/webhooks/v3/${appId}${path}`, body === undefined ? {} : { body });
}

/** Starts an account with an app. The app has a webhook address and these subscriptions. */
async function startSubscribed(
  subscriptions: readonly object[],
  options: Parameters<typeof startAccount>[0] = {},
) {
  const receiver = await startReceiver();
  const account = await startAccount({ webhookBatchMs: 20, webhookRetryMs: 20, ...options });
  await setUp(account, 'PUT', '/settings', settingsFor(receiver.url));
  for (const subscription of subscriptions) {
    const { status } = await setUp(account, 'POST', '/subscriptions', {
      active: true,
      ...subscription,
    });
    expect(status).toBe(201);
  }
  return { account, receiver };
}

function settingsFor(targetUrl: string) {
  return { targetUrl, throttling: { maxConcurrentRequests: 10 } };
}

function eventsOf({ received }: Receiver) {
  return received.flatMap(({ events }) => events);
}

function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: PATIENCE_MS });
}

/** Returns them in the order in which they happened. */
async function waitForEvents(receiver: Receiver, count: number) {
  await eventually(() => expect(eventsOf(receiver).length).toBeGreaterThanOrEqual(count));
  // Simultaneous deliveries can overtake each other.
  return eventsOf(receiver).sort((one, other) => one.eventId - other.eventId);
}

function createContact(account: HubspotSandbox, properties: Record<string, string>) {
  return ask(account, 'POST', '/crm/v3/objects/contacts', { body: { properties } });
}

/** Checks it as HubSpot tells receivers to. */
function isSigned(request: Received, secret: string): boolean {
  const timestamp = request.headers['x-hubspot-request-timestamp'];
  const uri = request.url.replaceAll('%2F', '/');
  const signed = `${request.method}${uri}${request.body}${timestamp}`;
  const right = createHmac('sha256', secret).update(signed).digest('base64');
  return request.headers['x-hubspot-signature-v3'] === right;
}

describe('setting webhooks up', () => {
  it.each(['/webhooks/v3', '/webhooks/2026-03', '/app-webhooks/2026-09'])(
    'keeps settings and subscriptions at %s',
    async (base) => {
      const account = await startAccount();
      const { appId, developerKey } = await appOf(account);
      const url = (path: string) => `${base}/${appId}${path}?hapikey=${developerKey}`;
      const asked = (method: string, path: string, body?: unknown) =>
        ask(account, method, url(path), { body, token: 'none' });
      expect((await asked('GET', '/settings')).status).toBe(404);
      const settings = settingsFor('http://localhost:9/hook');
      expect((await asked('PUT', '/settings', settings)).status).toBe(200);
      expect((await asked('GET', '/settings')).body).toMatchObject(settings);
      const order = { eventType: 'contact.propertyChange', propertyName: 'city' };
      const created = await asked('POST', '/subscriptions', order);
      expect(created).toMatchObject({ status: 201, body: { ...order, active: false } });
      const { id } = z.object({ id: z.string() }).parse(created.body);
      expect((await asked('PATCH', `/subscriptions/${id}`, { active: true })).body).toMatchObject({
        id,
        active: true,
      });
      const inputs = [{ id: Number(id), active: false }];
      expect(await asked('POST', '/subscriptions/batch/update', { inputs })).toMatchObject({
        status: 200,
        body: { status: 'COMPLETE', results: [{ id, active: false }] },
      });
      expect((await asked('GET', '/subscriptions')).body).toMatchObject({ results: [{ id }] });
      expect((await asked('DELETE', `/subscriptions/${id}`)).status).toBe(204);
      expect((await asked('GET', `/subscriptions/${id}`)).status).toBe(404);
      expect((await asked('DELETE', '/settings')).status).toBe(204);
    },
  );

  it('needs the right key and the right app', async () => {
    const account = await startAccount();
    const { appId, developerKey } = await appOf(account);
    const path = `/webhooks/v3/${appId}/subscriptions`;
    expect((await ask(account, 'GET', path, { token: 'none' })).status).toBe(401);
    const wrong = `${path}?hapikey=wrong`;
    expect((await ask(account, 'GET', wrong, { token: 'none' })).status).toBe(401);
    const other = `/webhooks/v3/1/subscriptions?hapikey=${developerKey}`;
    expect((await ask(account, 'GET', other, { token: 'none' })).status).toBe(404);
  });

  it('refuses addresses on other machines', async () => {
    const account = await startAccount();
    const answer = await setUp(
      account,
      'PUT',
      '/settings',
      settingsFor('https://example.com/hook'),
    );
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('This sandbox sends to this machine only.');
  });

  it.each([
    ['without a property', { eventType: 'contact.propertyChange' }],
    ['to a property of a creation', { eventType: 'contact.creation', propertyName: 'city' }],
    ['without a type of objects', { eventType: 'object.creation' }],
    ['to what there is not', { eventType: 'contact.birthday' }],
  ])('refuses a subscription %s', async (_, order) => {
    const account = await startAccount();
    expect((await setUp(account, 'POST', '/subscriptions', order)).status).toBe(400);
  });

  it('takes a subscription once', async () => {
    const account = await startAccount();
    const order = { eventType: 'contact.creation' };
    expect((await setUp(account, 'POST', '/subscriptions', order)).status).toBe(201);
    expect((await setUp(account, 'POST', '/subscriptions', order)).status).toBe(409);
  });

  it('is done by the real client', async () => {
    const account = await startAccount();
    const { appId, developerKey } = await appOf(account);
    const { webhooks } = new Client({ basePath: account.baseUrl, developerApiKey: developerKey });
    await webhooks.settingsApi.configure(appId, settingsFor('http://127.0.0.1:9/hook'));
    const { id } = await webhooks.subscriptionsApi.create(appId, {
      eventType: SubscriptionCreateRequestEventTypeEnum.ContactCreation,
      active: true,
    });
    const all = await webhooks.subscriptionsApi.getAll(appId);
    expect(all.results.map((subscription) => subscription.id)).toEqual([id]);
  });
});

describe('events', () => {
  it('tell once, signed, of a contact that was deleted for privacy, and of no deletion besides', async () => {
    const { account, receiver } = await startSubscribed([
      { eventType: 'contact.privacyDeletion' },
      { eventType: 'contact.deletion' },
      { eventType: 'contact.creation' },
    ]);
    const [id = ''] = await contactIds(account, 1);
    for (let time = 0; time < 2; time += 1) {
      const body = { objectId: id };
      await ask(account, 'POST', '/crm/objects/2026-09/contacts/gdpr-delete', { body });
    }
    await createContact(account, { lastname: 'Osei' });
    const [deletion, creation] = await waitForEvents(receiver, 2);
    const { appId, clientSecret } = await appOf(account);
    expect(deletion).toMatchObject({
      ...{ subscriptionType: 'contact.privacyDeletion', objectId: Number(id) },
      ...{ portalId: account.portalId, appId },
    });
    expect(creation).toMatchObject({ subscriptionType: 'contact.creation' });
    expect(receiver.received.every((request) => isSigned(request, clientSecret))).toBe(true);
    expect(JSON.stringify(deletion)).not.toContain('@');
  });

  it('tell of what happens to contacts', async () => {
    const { account, receiver } = await startSubscribed([
      { eventType: 'contact.creation' },
      { eventType: 'contact.propertyChange', propertyName: 'city' },
      { eventType: 'contact.deletion' },
      { eventType: 'contact.restore' },
    ]);
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { city: 'Oz' } });
    await edit(account, { action: 'archive', id });
    await edit(account, { action: 'restore', id });
    await createContact(account, { lastname: 'Osei' });
    const events = await waitForEvents(receiver, 4);
    const { appId } = await appOf(account);
    const common = {
      appId,
      portalId: account.portalId,
      objectId: Number(id),
      eventId: expect.any(Number),
      subscriptionId: expect.any(Number),
      occurredAt: expect.any(Number),
      attemptNumber: 0,
    };
    expect(events).toEqual([
      expect.objectContaining({
        ...common,
        subscriptionType: 'contact.propertyChange',
        propertyName: 'city',
        propertyValue: 'Oz',
        changeSource: 'CRM_UI',
      }),
      expect.objectContaining({
        ...common,
        subscriptionType: 'contact.deletion',
        changeFlag: 'DELETED',
      }),
      expect.objectContaining({ ...common, subscriptionType: 'contact.restore' }),
      expect.objectContaining({
        subscriptionType: 'contact.creation',
        changeFlag: 'CREATED',
        changeSource: 'INTEGRATION',
      }),
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(4);
  });

  it('tell which records were merged into which', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.merge' }]);
    const [one = '', two = ''] = await contactIds(account, 2);
    const merged = await edit(account, { action: 'merge', primaryId: one, otherId: two });
    expect(await waitForEvents(receiver, 1)).toEqual([
      expect.objectContaining({
        subscriptionType: 'contact.merge',
        primaryObjectId: Number(one),
        mergedObjectIds: [Number(two)],
        newObjectId: Number(merged),
      }),
    ]);
  });

  it('can be of the generic kind', async () => {
    const { account, receiver } = await startSubscribed([
      { eventType: 'object.creation', objectTypeId: '0-2' },
      { eventType: 'object.propertyChange', objectTypeId: '0-1', propertyName: 'lastname' },
    ]);
    await createContact(account, { lastname: 'Osei' });
    expect(await waitForEvents(receiver, 1)).toEqual([
      expect.objectContaining({
        subscriptionType: 'object.propertyChange',
        objectTypeId: '0-1',
        propertyValue: 'Osei',
      }),
    ]);
  });

  it('do not come for other properties, or from a subscription that is paused', async () => {
    const { account, receiver } = await startSubscribed([
      { eventType: 'contact.propertyChange', propertyName: 'city' },
      { eventType: 'contact.propertyChange', propertyName: 'lastname', active: false },
      { eventType: 'contact.propertyChange', propertyName: 'zip' },
    ]);
    const [id = ''] = await contactIds(account, 1);
    for (const values of [{ lastname: 'Osei' }, { address: '1 Main St' }, { zip: '92501' }]) {
      await edit(account, { action: 'update', id, values });
    }
    expect(await waitForEvents(receiver, 1)).toEqual([
      expect.objectContaining({ propertyName: 'zip' }),
    ]);
  });
});

describe('deliveries', () => {
  it('are signed in every version of the signature', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }]);
    await createContact(account, { lastname: 'Osei' });
    await waitForEvents(receiver, 1);
    const [request] = receiver.received;
    const { clientSecret } = await appOf(account);
    expect(request !== undefined && isSigned(request, clientSecret)).toBe(true);
    expect(request !== undefined && isSigned(request, 'another secret')).toBe(false);
    expect(
      Signature.isValid({
        signatureVersion: 'v1',
        signature: String(request?.headers['x-hubspot-signature']),
        clientSecret,
        requestBody: request?.body ?? '',
      }),
    ).toBe(true);
  });

  it('hold up to a hundred events', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }], {
      webhookBatchMs: QUIET_MS,
    });
    const inputs = Array.from({ length: 100 }, (_, index) => ({
      properties: { email: `new${index}@example.org` },
    }));
    const batch = '/crm/v3/objects/contacts/batch/create';
    await ask(account, 'POST', batch, { body: { inputs } });
    for (let number = 0; number < MANY - 100; number += 1) {
      await createContact(account, { email: `single${number}@example.org` });
    }
    const events = await waitForEvents(receiver, MANY);
    expect(new Set(events.map(({ objectId }) => objectId)).size).toBe(MANY);
    expect(Math.max(...receiver.received.map(({ events: some }) => some.length))).toBe(100);
  });

  it('are tried again until they are taken', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }]);
    receiver.answerWith(503);
    await createContact(account, { lastname: 'Osei' });
    await waitForEvents(receiver, 2);
    receiver.answerWith(204);
    await nothingWaits(account);
    const attempts = eventsOf(receiver).map(({ attemptNumber }) => attemptNumber);
    expect(attempts).toEqual(attempts.map((_, index) => index));
    const { deliveries } = await sent(account);
    expect(deliveries.at(0)?.status).toBe(503);
    expect(deliveries.at(-1)?.status).toBe(204);
  });

  it('are given up after ten more attempts', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }], {
      webhookRetryMs: 1,
    });
    receiver.answerWith(500);
    await createContact(account, { lastname: 'Osei' });
    await waitForEvents(receiver, 11);
    await nothingWaits(account);
    expect(receiver.received.length).toBe(11);
  });

  it('follow no redirect', async () => {
    const elsewhere = await startReceiver();
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }], {
      webhookRetryMs: 1,
    });
    receiver.answerWith(307, { location: elsewhere.url });
    await createContact(account, { lastname: 'Osei' });
    await waitForEvents(receiver, 11);
    expect(elsewhere.received).toEqual([]);
  });

  it('are not made after the sandbox was closed', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }]);
    receiver.answerWith(500);
    await createContact(account, { lastname: 'Osei' });
    await waitForEvents(receiver, 1);
    await createContact(account, { lastname: 'Mensah' });
    await account.close();
    // Deliveries that were sent earlier can still arrive.
    await sleep(QUIET_MS);
    const count = receiver.received.length;
    await sleep(QUIET_MS);
    expect(receiver.received.length).toBe(count);
  });

  it('are not made of events from a time without an address', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }]);
    await setUp(account, 'DELETE', '/settings');
    await createContact(account, { lastname: 'Osei' });
    await setUp(account, 'PUT', '/settings', settingsFor(receiver.url));
    await createContact(account, { lastname: 'Mensah' });
    await waitForEvents(receiver, 1);
    await nothingWaits(account);
    expect(eventsOf(receiver).length).toBe(1);
  });
});

describe('deliveries that tests ask for', () => {
  it('repeat an earlier one', async () => {
    const { account, receiver } = await startSubscribed([{ eventType: 'contact.creation' }]);
    await createContact(account, { lastname: 'Osei' });
    await waitForEvents(receiver, 1);
    await nothingWaits(account);
    const [first] = (await sent(account)).deliveries;
    const path = `/webhooks/deliveries/${first?.id}/replay`;
    expect((await control(account, 'POST', path)).status).toBe(201);
    const [one, two] = receiver.received;
    expect(two?.body).toBe(one?.body);
    expect((await control(account, 'POST', '/webhooks/deliveries/999/replay')).status).toBe(404);
  });

  it('are forged', async () => {
    const clock = aClock();
    const { account, receiver } = await startSubscribed([], { clock: clock.read });
    const { clientSecret } = await appOf(account);
    const events = [
      { eventId: 1, subscriptionType: 'contact.deletion', objectId: 1, attemptNumber: 0 },
    ];
    const forge = (order: object) =>
      control(account, 'POST', '/webhooks/forge', { events, ...order });
    await forge({});
    await forge({ signature: 'wrong' });
    await forge({ signature: 'missing' });
    await forge({ ageMs: STALE_MS + 1 });
    const [honest, wrong, missing, stale] = receiver.received;
    expect(honest && isSigned(honest, clientSecret)).toBe(true);
    expect(wrong && isSigned(wrong, clientSecret)).toBe(false);
    expect(missing?.headers).not.toHaveProperty('x-hubspot-signature-v3');
    expect(stale && isSigned(stale, clientSecret)).toBe(true);
    expect(Number(stale?.headers['x-hubspot-request-timestamp'])).toBe(clock.read() - STALE_MS - 1);
  });

  it('need an address', async () => {
    const account = await startAccount();
    expect((await control(account, 'POST', '/webhooks/forge', { events: [] })).status).toBe(400);
  });
});

const sentSchema = z.object({
  deliveries: z.array(z.object({ id: z.number(), status: z.number().nullable() })),
  waiting: z.number(),
});

async function sent(account: HubspotSandbox) {
  return sentSchema.parse((await control(account, 'GET', '/webhooks/deliveries')).body);
}

/** Waits until every event has been accepted or abandoned. */
function nothingWaits(account: HubspotSandbox) {
  return eventually(async () => expect((await sent(account)).waiting).toBe(0));
}

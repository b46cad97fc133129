/** Tests alerts over HTTP: listing them, sending a test alert, and requesting a check. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endAlert, raiseAlert } from '../../../src/clients/statements/alerts.ts';
import { startWebhook } from '../../clients/alerts/receivers.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

let webhook: Awaited<ReturnType<typeof startWebhook>>;
beforeEach(async () => {
  webhook = await startWebhook();
});
afterEach(() => webhook.close());

const listSchema = z.strictObject({
  alerts: z.array(
    z.looseObject({ integration: z.string(), text: z.string(), overAt: z.string().nullable() }),
  ),
  total: z.number(),
});
const checkSchema = z.strictObject({
  alerts: z.array(z.looseObject({ subject: z.string(), sent: z.boolean() })),
});

/** This key has expired. The product reports the problem even if no run has started. */
const EXPIRED = {
  partner: { baseUrl: 'http://127.0.0.1:9', apiKey: 'key', expiresOn: '2020-01-01' },
};

describe('GET /v1/alerts', () => {
  it('lists what was reported of the clients within reach, in words and newest first', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const { connection } = world.application.store;
    await raiseAlert(connection, 'harbor', 'held');
    await raiseAlert(connection, 'riverside', 'second_person/0199-an-id');
    await raiseAlert(connection, 'gone', 'held');
    await endAlert(connection, 'harbor', 'held');
    const all = (await world.request('/v1/alerts')).read(listSchema);
    expect(all.total).toBe(2);
    const byClient = new Map(all.alerts.map((alert) => [alert.integration, alert]));
    expect(byClient.get('riverside')).toMatchObject({
      ...{ text: 'a request is waiting for a second user', overAt: null },
    });
    expect(byClient.get('harbor')?.overAt).not.toBeNull();
    // An alert that is over still says what it was about.
    expect(byClient.get('harbor')?.text).toBe('a decision is pending');
    const page = await world.request('/clients/harbor/alerts');
    expect(page.text).toContain('a decision is pending');
    expect(page.text).not.toContain('no decisions are pending');
    const one = await world.request('/v1/alerts?integration=harbor');
    expect(one.read(listSchema).alerts).toMatchObject([{ integration: 'harbor' }]);
    const unknown = await world.request('/v1/alerts?integration=gone');
    expect(unknown.read(errorSchema).error.code).toBe('integration_unknown');
    const token = await world.addToken('viewer', ['harbor']);
    const limited = await world.request('/v1/alerts', { token });
    expect(limited.read(listSchema)).toMatchObject({
      ...{ alerts: [{ integration: 'harbor' }], total: 1 },
    });
  });
});

describe('POST /v1/alerts/test', () => {
  it('sends through the channels for all, and for one client through its own', async () => {
    const own = await startWebhook();
    const world = await open({
      isIdle: true,
      alerts: { webhook: { url: webhook.url } },
      integration: { alerts: { webhook: { url: own.url } } },
      others: ['harbor'],
    });
    const ok = { channels: [{ channel: 'webhook', ok: true, problem: null }] };
    const all = await world.request('/v1/alerts/test', { method: 'POST' });
    expect(JSON.parse(all.text)).toEqual(ok);
    expect([webhook.bodies.length, own.bodies.length]).toEqual([1, 0]);
    const path = '/v1/integrations/riverside/alerts/test';
    const token = await world.addToken('admin', ['riverside']);
    const one = await world.request(path, { method: 'POST', token });
    expect(JSON.parse(one.text)).toEqual(ok);
    expect([webhook.bodies.length, own.bodies.length]).toEqual([1, 1]);
    const without = path.replace('riverside', 'harbor');
    const other = await world.request(without, {
      ...{ method: 'POST', token: await world.addToken('admin') },
    });
    expect(other.status).toBe(409);
    expect(other.read(errorSchema).error.code).toBe('alerts_own_unset');
    await own.close();
  });

  it('is refused if the settings name no recipients, as a check is', async () => {
    const world = await open({ isIdle: true });
    for (const word of ['test', 'check']) {
      const refused = await world.request(`/v1/alerts/${word}`, { method: 'POST' });
      expect(refused.status, word).toBe(409);
      const { code, message } = refused.read(errorSchema).error;
      expect(code).toBe('alerts_unset');
      expect(message).toContain('Nothing was sent. Add alerts.email or alerts.webhook.');
    }
  });
});

describe('POST /v1/alerts/check', () => {
  it('sends a new problem once, and says while it could not be sent', async () => {
    const alerts = { webhook: { url: webhook.url }, on: ['keyExpires'] };
    const world = await open({ isIdle: true, alerts, integration: EXPIRED });
    webhook.answer(500);
    const check = async () => {
      const checked = await world.request('/v1/alerts/check', { method: 'POST' });
      return checked.read(checkSchema).alerts;
    };
    expect(await check()).toMatchObject([{ subject: 'key_expires', sent: false }]);
    webhook.answer(200);
    expect(await check()).toMatchObject([{ subject: 'key_expires', sent: true }]);
    expect(webhook.bodies).toHaveLength(1);
    expect(await check()).toHaveLength(1);
    expect(webhook.bodies).toHaveLength(1);
  });

  it('sends through the own channel of a client too, without any for all', async () => {
    const own = { alerts: { webhook: { url: webhook.url } } };
    const world = await open({ isIdle: true, integration: { ...EXPIRED, ...own } });
    const checked = await world.request('/v1/alerts/check', { method: 'POST' });
    expect(checked.read(checkSchema).alerts).toMatchObject([{ sent: true }]);
    expect(webhook.bodies).toHaveLength(1);
  });
});

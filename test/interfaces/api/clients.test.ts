/** Tests clients in the database over HTTP. A token, a user and the operator can each change certain settings. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyIntegrations } from '../../../src/clients/apply-settings.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { aClient } from '../../operations/examples.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';
import { openOAuthWorld } from './oauth-world.ts';
import { join } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

const appliedSchema = z.strictObject({
  dryRun: z.boolean(),
  integrations: z.array(z.strictObject({ id: z.string(), change: z.string() })),
});
const previewSchema = z.object({ preview: z.object({ question: z.string(), digest: z.string() }) });

async function stored({ application }: HttpWorld, id: string) {
  await application.refresh();
  return application.integrations.get(id);
}

/** Stores a client as the operator does on the server. */
async function byOperator({ application }: HttpWorld, client: object): Promise<void> {
  const parsed = integrationSchema.parse(client);
  await applyIntegrations(application, application.settings, [parsed]);
}

async function byToken(world: HttpWorld, client: object, more: object = {}) {
  const token = await world.addToken('owner');
  const body = { integrations: [client], ...more };
  return world.request('/v1/integrations', { method: 'POST', token, body });
}

async function byUser(world: HttpWorld, client: object, reach?: readonly string[]) {
  const { cookie } = await join(world, 'Olga', 'admin', reach);
  const headers = { cookie, origin: world.url, accept: 'application/json' };
  const body = { integrations: [client] };
  return world.request('/v1/integrations', { method: 'POST', headers, body });
}

/** Each of these settings changes a client's host. */
const OTHER_HOSTS: readonly [string, object][] = [
  ['partner.baseUrl', { partner: { baseUrl: 'https://93.184.215.15', apiKey: 'key' } }],
  ['partner.baseUrl', { partner: { baseUrl: 'https://93.184.215.14:8443', apiKey: 'key' } }],
  [
    'crm.url',
    { crm: { kind: 'hubspot', url: 'https://93.184.215.16', auth: { type: 'token', token: 't' } } },
  ],
  [
    'crm.url',
    {
      crm: {
        ...{ kind: 'salesforce', url: 'https://login.salesforce.com' },
        auth: { type: 'token', token: 't' },
      },
    },
  ],
  ['alerts.webhook.url', { alerts: { webhook: { url: 'https://93.184.215.17/hook' } } }],
];

describe('POST /v1/integrations', () => {
  it('counts hosts that settings name without an address', async () => {
    const world = await open({ isIdle: true });
    const org = (instanceHosts: string[]) => {
      const url = 'https://login.salesforce.com';
      const auth = { type: 'token', token: 'token' };
      return aClient('lakeside', { crm: { kind: 'salesforce', url, auth, instanceHosts } });
    };
    await byOperator(world, org(['proxy.example.org']));
    expect((await byToken(world, org(['proxy.example.org']))).status).toBe(200);
    const refused = await byToken(world, org(['proxy.example.org', '93.184.215.18']));
    expect(refused.read(errorSchema).error.code).toBe('person_needed');
  });

  it('lets a token change what leads to no other host, and records who did it', async () => {
    const world = await open({ isIdle: true });
    await byOperator(world, aClient('lakeside'));
    const changed = aClient('lakeside', { budget: { perMonth: 12 } });
    const dry = await byToken(world, changed, { dryRun: true });
    expect(dry.read(appliedSchema)).toEqual({
      dryRun: true,
      integrations: [{ id: 'lakeside', change: 'changed' }],
    });
    expect((await stored(world, 'lakeside'))?.budget.perMonth).toBeNull();
    const { status, text } = await byToken(world, changed);
    expect(status, text).toBe(200);
    const now = await stored(world, 'lakeside');
    expect(now?.budget.perMonth).toBe(12);
    // The guard does not apply to addresses that the operator has set.
    expect(now?.addresses).toBeUndefined();
    const [entry] = await listAuditEntries(world.application.store, { limit: 1 });
    expect(entry).toMatchObject({ action: 'settings.applied', actor: { kind: 'token' } });
  });

  it.each(OTHER_HOSTS)('refuses a token that sets another host (%s)', async (setting, more) => {
    const world = await open({ isIdle: true });
    await byOperator(world, aClient('lakeside'));
    const before = await stored(world, 'lakeside');
    const refused = await byToken(world, aClient('lakeside', more));
    expect(refused.status).toBe(403);
    const { code, message } = refused.read(errorSchema).error;
    expect(code).toBe('person_needed');
    expect(message).toContain(`${setting} of "lakeside"`);
    expect(message).toContain('Nothing was changed.');
    expect(message).toContain('donor-sync apply FILE');
    expect(await stored(world, 'lakeside')).toEqual(before);
  });

  it('refuses a token that brings a client with hosts of its own, and stores no other either', async () => {
    const world = await open({ isIdle: true });
    await byOperator(world, aClient('lakeside'));
    const token = await world.addToken('owner');
    const integrations = [aClient('lakeside', { name: 'Lakeside' }), aClient('harbor')];
    const body = { integrations };
    const refused = await world.request('/v1/integrations', { method: 'POST', token, body });
    expect(refused.read(errorSchema).error.code).toBe('person_needed');
    expect(await stored(world, 'harbor')).toBeUndefined();
    expect((await stored(world, 'lakeside'))?.name).toBeUndefined();
  });

  it('lets a token create a client at the service that the operator has named', async () => {
    const world = await open({
      ...{ isIdle: true, settings: { setup: { service: 'https://93.184.215.14' } } },
    });
    const { status, text } = await byToken(world, aClient('harbor'));
    expect(status, text).toBe(200);
    expect((await stored(world, 'harbor'))?.addresses).toBe('public');
  });

  it.each([
    ['twoPeople', { twoPeople: { undo: null } }],
    ['server', { server: { signIn: { passwords: true } } }],
    ['allowInsecureHttp', { allowInsecureHttp: ['127.0.0.1'] }],
  ])('knows no %s, which belongs to the settings file', async (name, more) => {
    const world = await open({ isIdle: true });
    await byOperator(world, aClient('lakeside'));
    const refused = await byToken(world, aClient('lakeside', { name: 'Lakeside' }), more);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(name);
    expect((await stored(world, 'lakeside'))?.name).toBeUndefined();
  });

  it('lets a user set a public host, at which requests are held to public addresses', async () => {
    const world = await open({ isIdle: true });
    const { status, text } = await byUser(world, aClient('harbor'));
    expect(status, text).toBe(200);
    const harbor = await stored(world, 'harbor');
    expect(harbor?.addresses).toBe('public');
    // Sending the same document again changes nothing.
    const again = await world.request('/v1/integrations', {
      ...{ method: 'POST', token: await world.addToken('admin') },
      body: { integrations: [harbor] },
    });
    expect(again.read(appliedSchema).integrations).toEqual([{ id: 'harbor', change: 'unchanged' }]);
    // The guard cannot be removed.
    const { addresses: _, ...freed } = harbor ?? {};
    await byToken(world, freed);
    expect((await stored(world, 'harbor'))?.addresses).toBe('public');
  });

  it.each([
    [
      'a host of a private network',
      'setup_address_private',
      { partner: { baseUrl: 'https://10.0.0.1', apiKey: 'key' } },
    ],
    [
      'a variable',
      'setup_variable_refused',
      { partner: { baseUrl: 'https://93.184.215.14', apiKey: `\${DONOR_SYNC_SECRET_KEY}` } },
    ],
    [
      'a file of the machine',
      'operator_needed',
      { crm: { kind: 'csv', path: '/etc/passwd', columns: { id: 'a', fullName: 'b' } } },
    ],
    ['a package', 'operator_needed', { crm: { kind: 'left-pad' } }],
    ['settings that are not valid', 'settings_invalid', { budget: { perMonth: 'much' } }],
  ])('refuses %s from a user too', async (_, code, more) => {
    const world = await open({ isIdle: true });
    const refused = await byUser(world, aClient('harbor', more));
    expect(refused.read(errorSchema).error.code).toBe(code);
    expect(await stored(world, 'harbor')).toBeUndefined();
  });

  it('refuses a client of the settings file, and says where it is changed', async () => {
    const world = await open({ isIdle: true });
    const refused = await byUser(world, aClient('riverside'));
    expect(refused.status).toBe(409);
    const { code, message } = refused.read(errorSchema).error;
    expect(code).toBe('set_in_file');
    expect(message).toContain('Change the client in that file');
  });

  it('refuses a caller who reaches some clients another one, whether it is there or not', async () => {
    const world = await open({ isIdle: true });
    await byOperator(world, aClient('lakeside'));
    await byOperator(world, aClient('harbor'));
    await world.application.refresh();
    const answers: string[] = [];
    for (const id of ['lakeside', 'nowhere']) {
      const token = await world.addToken('owner', ['harbor']);
      const body = { integrations: [aClient(id)] };
      const refused = await world.request('/v1/integrations', { method: 'POST', token, body });
      expect(refused.status).toBe(403);
      answers.push(refused.text.replaceAll(id, 'ID'));
    }
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toContain('reach_insufficient');
  });
});

describe('DELETE /v1/integrations/:integration', () => {
  it('removes a client of the database at once, and refuses one of the settings file', async () => {
    const world = await open({ isIdle: true });
    await byOperator(world, aClient('lakeside'));
    await world.application.refresh();
    const token = await world.addToken('admin');
    const path = '/v1/integrations/lakeside';
    const asked = await world.request(`${path}/preview`, { method: 'POST', token });
    const { question, digest } = asked.read(previewSchema).preview;
    expect(question).toContain('Remove the settings of "lakeside"');
    const removed = await world.request(`${path}?digest=${digest}`, { method: 'DELETE', token });
    expect(removed.read(z.unknown())).toEqual({ removed: 'lakeside', files: [] });
    expect((await world.request(path, { token })).status).toBe(404);
    const ofFile = '/v1/integrations/riverside/preview';
    const refused = await world.request(ofFile, { method: 'POST', token });
    expect(refused.status).toBe(409);
    expect(refused.read(errorSchema).error.code).toBe('not_applied');
  });
});

describe('GET /v1/connections', () => {
  const openOAuth = closedAfterTest(() => openOAuthWorld('hubspot'));

  it('says which account is connected, which waits, and which needs no connecting', async () => {
    const world = await openOAuth();
    const token = await world.addToken('admin');
    const read = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${world.url}/v1/connections`, { headers });
      return z
        .object({ connections: z.array(z.looseObject({ integration: z.string() })) })
        .parse(await answer.json()).connections;
    };
    const riverside = async () =>
      (await read()).find(({ integration }) => integration === 'riverside');
    expect(await riverside()).toEqual({ integration: 'riverside', crm: 'hubspot', state: 'waits' });
    await world.keepRefreshToken('worthless');
    expect(await riverside()).toMatchObject({ state: 'connected' });
    expect(await read()).toContainEqual(
      expect.objectContaining({ integration: 'hillside', state: 'by_settings' }),
    );
    expect(JSON.stringify(await read())).not.toContain('worthless');
  });
});

describe('POST /v1/integrations/:integration/disconnect', () => {
  const openOAuth = closedAfterTest(() => openOAuthWorld('hubspot'));

  it('has the CRM revoke the token, after a preview; then there is nothing to disconnect', async () => {
    const world = await openOAuth();
    await world.keepRefreshToken('worthless');
    const token = await world.addToken('admin');
    const send = (path: string) => post(world.url + path, token);
    const path = '/v1/integrations/riverside/disconnect';
    const asked = await send(`${path}/preview`);
    const { question, digest } = previewSchema.parse(asked.body).preview;
    expect(question).toContain('Disconnect "riverside" from its CRM account?');
    expect(await send(path)).toMatchObject({ status: 422 });
    expect(await send(`${path}?digest=${digest}`)).toEqual({
      status: 200,
      body: { disconnected: 'riverside', problem: null },
    });
    expect(await world.refreshToken()).toBeNull();
    expect(await send(`${path}/preview`)).toMatchObject({
      status: 409,
      body: { error: { code: 'not_connected' } },
    });
    expect(await send('/v1/integrations/hillside/disconnect/preview')).toMatchObject({
      status: 422,
      body: { error: { code: 'consent_not_wanted' } },
    });
  });
});

async function post(address: string, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(address, { method: 'POST', headers });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

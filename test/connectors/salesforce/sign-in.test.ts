import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineSalesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { refreshTokenSecret } from '../../../connectors/salesforce/sign-in/auth.ts';
import { connectorDeps, toArray } from '../connector-options.ts';
import {
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

function escaped(pem: string): string {
  return pem.trim().replaceAll('\n', '\\n');
}

function toPem(
  ...[kind, options]: ['ec', { namedCurve: string }] | ['rsa', { modulusLength: number }]
): string {
  const { privateKey } =
    kind === 'ec' ? generateKeyPairSync(kind, options) : generateKeyPairSync(kind, options);
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

describe('signing in to Salesforce', () => {
  let crm: ScriptedSalesforce;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('names the org by its id and its host', async () => {
    const { account } = await crm.connector();
    expect(account).toEqual({ id: '00D000000000001EAA', name: new URL(crm.url).host });
  });

  it('signs in with client credentials', async () => {
    await crm.connector();
    expect(tokenRequests()).toEqual([
      { grant_type: 'client_credentials', client_id: 'app', client_secret: 'secret' },
    ]);
  });

  it.each([
    ['PKCS#8', 'pkcs8', (pem: string) => pem],
    ['PKCS#1', 'pkcs1', (pem: string) => pem],
    ['PKCS#8 on one line, as in a variable', 'pkcs8', escaped],
    ['PKCS#1 on one line, as in a variable', 'pkcs1', escaped],
  ] as const)(
    'signs an assertion by the key of the certificate, written as %s',
    async (_, type, write) => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const pem = privateKey.export({ type, format: 'pem' }).toString();
      const auth = { type: 'jwt', clientId: 'app', username: 'sync@example.org' };
      await crm.connector({ auth: { ...auth, privateKey: write(pem) } });
      const [{ grant_type, assertion = '' } = {}] = tokenRequests();
      expect(grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
      const [header, claims = '', signature = ''] = assertion.split('.');
      const verify = createVerify('sha256').update(`${header}.${claims}`);
      expect(verify.verify(publicKey, signature, 'base64url')).toBe(true);
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
        iss: 'app',
        sub: 'sync@example.org',
        aud: crm.url,
      });
    },
  );

  it.each([
    'https://riverside.my.salesforce.com',
    'https://riverside--dev.sandbox.my.salesforce.com',
    'https://login.salesforce.com',
  ])('signs an assertion for %s, as External Client Apps know no other address', async (url) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const auth = { type: 'jwt', clientId: 'app', username: 'sync@example.org', privateKey: pem };
    const body = {
      access_token: 't',
      instance_url: url,
      id: `${url}/id/00D000000000001/005000000000001`,
    };
    crm.script(({ path }) => (path.endsWith('/token') ? { body } : null));
    const definition = defineSalesforceConnector({ fetch: leadHere(), random: () => 0 });
    const settings = definition.settingsSchema.parse({ kind: 'salesforce', url, auth });
    const contacts = { filter: null, optOutField: null };
    await definition.open({ settings, contacts, deps: connectorDeps() });
    const [, claims = ''] = tokenRequests()[0]?.['assertion']?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: url });
  });

  it('says what helps if the org does not know the app', async () => {
    const said = 'External client app is not installed in this org';
    const body = { error: 'app_not_found', error_description: said };
    crm.script(({ path }) => (path.endsWith('/token') ? { status: 400, body } : null));
    await expect(crm.connector()).rejects.toMatchObject({
      code: 'crm_unauthorized',
      message: expect.stringMatching(/app_not_found: External.*My Domain.*refreshed sandbox/),
    });
  });

  it.each([
    ['no key', 'nonsense'],
    ['a key that Salesforce takes no signature of', toPem('ec', { namedCurve: 'P-256' })],
    ['a key that is too short', toPem('rsa', { modulusLength: 1024 })],
  ])('says which setting holds %s, and asks nothing', async (_, privateKey) => {
    const auth = { type: 'jwt', clientId: 'app', username: 'u', privateKey };
    await expect(crm.connector({ auth })).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_private_key_unreadable',
      message: expect.stringContaining('crm.auth.privateKey'),
    });
    expect(tokenRequests()).toEqual([]);
  });

  it('explains a refusal of the token endpoint', async () => {
    crm.script(({ path }) =>
      path.endsWith('/token')
        ? { status: 400, body: { error: 'invalid_client', error_description: 'invalid secret' } }
        : null,
    );
    await expect(crm.connector()).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_unauthorized',
      message: expect.stringContaining('clientSecret'),
    });
  });

  it.each([
    ['invalid assertion', 'certificate in the app does not belong to crm.auth.privateKey'],
    ["user hasn't approved this consumer", 'preauthorize the app'],
    ['expired authorization code', 'clock of this machine'],
    ['something new', 'Check that the certificate'],
  ])('explains a certificate that is refused, without a word of tokens (%s)', async (said, why) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const auth = { type: 'jwt', clientId: 'app', username: 'sync@example.org', privateKey: pem };
    crm.script(({ path }) =>
      path.endsWith('/token')
        ? { status: 400, body: { error: 'invalid_grant', error_description: said } }
        : null,
    );
    const message = await messageFrom(crm.connector({ auth }));
    expect(message).toContain(why);
    expect(message).not.toContain('refresh token');
  });

  it('asks for the My Domain where an address that all orgs share is used', async () => {
    crm.script(({ path }) =>
      path.endsWith('/token')
        ? {
            status: 400,
            body: {
              error: 'invalid_grant',
              error_description: 'request not supported on this domain',
            },
          }
        : null,
    );
    expect(await messageFrom(crm.connector())).toMatch(/My Domain URL.*Setup → My Domain/);
  });

  it.each([
    [404, 'NOT_FOUND'],
    [410, 'UNSUPPORTED_API_VERSION'],
  ])('tells a retired version of the API from a missing record (%i %s)', async (status, code) => {
    crm.script(({ path }) => {
      if (path === '/services/data') return { body: [{ version: '68.0' }, { version: '69.0' }] };
      return path.startsWith('/sobjects') ? refused(status, code) : null;
    });
    await expect(crm.connector()).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_version_unknown',
      message: expect.stringMatching(/retired API version 67\.0.*crm\.apiVersion: "69\.0"/),
    });
  });

  it('asks again when the token endpoint is down, and ends resumably if it stays down', async () => {
    crm.script(({ path }) => (path.endsWith('/token') ? { status: 503, body: '<html>' } : null));
    await expect(crm.connector()).rejects.toMatchObject({ code: 'crm_unavailable' });
    expect(tokenRequests().length).toBeGreaterThan(1);
  });

  it('renews an expired session in the middle of a run, once for all who wait', async () => {
    const connector = await crm.connector();
    let expired = false;
    crm.script(({ path, authorization }) => {
      if (path.endsWith('/token') && expired) return token('second-token');
      const isOld = authorization === 'Bearer first-token';
      return expired && isOld ? refused(401, 'INVALID_SESSION_ID') : null;
    });
    crm.script(({ path, authorization }) =>
      path.startsWith('/queryAll?') && authorization === 'Bearer second-token' ? records() : null,
    );
    expired = true;
    const ids = [1, 2, 3].map((digit) => `00300000000000${digit}`);
    const found = await Promise.all(ids.map((id) => connector.readByIds([id], [])));
    expect(found.flat().map(({ state }) => state)).toEqual(['missing', 'missing', 'missing']);
    expect(tokenRequests()).toHaveLength(2);
  });

  it('gives up after two renewals if Salesforce refuses what it has just given', async () => {
    crm.script(({ path }) =>
      path.startsWith('/services/') ? null : refused(401, 'INVALID_SESSION_ID'),
    );
    await expect(crm.connector()).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_unauthorized',
    });
    expect(tokenRequests()).toHaveLength(3);
  });

  it('does not try to renew a bare token', async () => {
    crm.script(({ path }) =>
      path.startsWith('/services/') ? null : refused(401, 'INVALID_SESSION_ID'),
    );
    await expect(crm.connector({ auth: { type: 'token', token: 'bare' } })).rejects.toMatchObject({
      code: 'crm_unauthorized',
    });
    expect(crm.asked.map(({ path }) => path)).toEqual([
      '/services/oauth2/userinfo',
      '/sobjects/Contact/describe',
    ]);
  });

  describe('with a refresh token', () => {
    const auth = { type: 'refreshToken', clientId: 'app', refreshToken: 'from-settings' };

    it('has a rotated refresh token on disk before it uses the access token', async () => {
      const events: string[] = [];
      const secrets = keeper(events);
      crm.script(({ path }) => {
        if (!path.endsWith('/token')) events.push('used');
        return path.endsWith('/token') ? token('t', 'rotated') : null;
      });
      await crm.connector({ auth }, { secrets });
      expect(events).toEqual(['kept rotated', `kept ${crm.url}`, 'used']);
    });

    it('begins with the token that an earlier run was given', async () => {
      const secrets = keeper([]);
      await secrets.write(refreshTokenSecret('from-settings'), 'from-store');
      await crm.connector({ auth }, { secrets });
      expect(tokenRequests().map(({ refresh_token }) => refresh_token)).toEqual(['from-store']);
    });

    it('begins with the settings again when a user has put a new token there', async () => {
      const secrets = keeper([]);
      await secrets.write(refreshTokenSecret('older'), 'from-store');
      await crm.connector({ auth }, { secrets });
      expect(tokenRequests().map(({ refresh_token }) => refresh_token)).toEqual(['from-settings']);
    });

    it('takes what another process has stored when its own token has just been used up', async () => {
      const secrets = keeper([]);
      crm.script(({ path, body }) => {
        if (!path.endsWith('/token') || body.includes('from-neighbour')) return null;
        secrets.store.set(refreshTokenSecret('from-settings'), 'from-neighbour');
        return { status: 400, body: { error: 'invalid_grant', error_description: 'expired' } };
      });
      await crm.connector({ auth }, { secrets });
      expect(tokenRequests().map(({ refresh_token }) => refresh_token)).toEqual([
        'from-settings',
        'from-neighbour',
      ]);
    });

    it('asks once and gives up when the token is worthless', async () => {
      crm.script(({ path }) =>
        path.endsWith('/token')
          ? { status: 400, body: { error: 'invalid_grant', error_description: 'expired' } }
          : null,
      );
      await expect(crm.connector({ auth }, { secrets: keeper([]) })).rejects.toMatchObject({
        code: 'crm_unauthorized',
      });
      expect(tokenRequests()).toHaveLength(1);
    });
  });

  it('counts every request, the repeated ones too, and says which were throttled', async () => {
    const calls: boolean[] = [];
    let busy = 2;
    crm.script(({ path }) => {
      if (!path.endsWith('/describe') || busy === 0) return null;
      busy -= 1;
      return { status: 429, body: [] };
    });
    await crm.connector({}, { onCall: ({ throttled }) => calls.push(throttled) });
    expect(calls).toEqual([false, true, true, false]);
    expect(crm.asked).toHaveLength(calls.length);
  });

  it('says where to go when the org has moved', async () => {
    crm.script(({ path }) =>
      path.endsWith('/describe')
        ? { status: 302, headers: { location: 'https://new.my.salesforce.com/x' } }
        : null,
    );
    await expect(crm.connector()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('https://new.my.salesforce.com'),
    });
  });

  it('stops before the share of the daily requests that belongs to other tools', async () => {
    const connector = await crm.connector({ dailyReservePercent: 20 });
    let used = 799;
    crm.script(({ path }) => {
      if (!path.startsWith('/query?')) return null;
      used += 1;
      return { ...records(), headers: { 'sforce-limit-info': `api-usage=${used}/1000` } };
    });
    await toArray(connector.readPages(null));
    await toArray(connector.readPages(null));
    const askedBefore = crm.asked.length;
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_limit_reached',
      message: expect.stringContaining('20 %'),
    });
    expect(crm.asked).toHaveLength(askedBefore);
  });

  it('stops when Salesforce says that the day is over', async () => {
    const connector = await crm.connector();
    crm.script(() => refused(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'));
    const askedBefore = crm.asked.length;
    await expect(connector.listGroups()).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_limit_reached',
    });
    expect(crm.asked).toHaveLength(askedBefore + 1);
  });

  it('waits and asks again when only too many requests ran at once', async () => {
    const connector = await crm.connector();
    let busy = 1;
    crm.script(() => {
      busy -= 1;
      if (busy < 0) return records();
      return refused(403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentRequests Limit exceeded.');
    });
    expect(await connector.listGroups()).toEqual([]);
  });

  /** Returns a `fetch` for a network in which every host name resolves to the scripted org. */
  function leadHere(): typeof globalThis.fetch {
    return (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      return fetch(crm.url + pathname + search, init);
    };
  }

  function tokenRequests(): Record<string, string>[] {
    return crm.asked
      .filter(({ path }) => path === '/services/oauth2/token')
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  }

  function token(access_token: string, refresh_token?: string) {
    const id = `${crm.url}/id/00D000000000001EAA/005000000000001AAA`;
    return { body: { access_token, instance_url: crm.url, id, refresh_token } };
  }
});

function keeper(events: string[]) {
  const store = new Map<string, string>();
  return {
    store,
    read: async (name: string) => store.get(name) ?? null,
    async write(name: string, value: string) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      store.set(name, value);
      events.push(`kept ${value}`);
    },
  };
}

async function messageFrom(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

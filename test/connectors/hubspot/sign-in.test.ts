import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { refreshTokenSecret } from '../../../connectors/hubspot/sign-in/auth.ts';
import {
  createHubspotOAuth,
  type HubspotOAuth,
} from '../../../connectors/hubspot/sign-in/oauth.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { type Account, openAccount } from './account.ts';

const REDIRECT_URI = 'http://localhost:8787/oauth/hubspot/callback';
const CODE_VERIFIER = 'v'.repeat(64);

describe('signing in to HubSpot', () => {
  let account: Account;
  let oauth: HubspotOAuth;
  const open: { close(): unknown }[] = [];

  beforeEach(async () => {
    await openWith({});
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function openWith(options: Parameters<typeof openAccount>[0]): Promise<void> {
    for (const one of open.splice(0).reverse()) await one.close();
    account = await openAccount(options);
    const { baseUrl: url, clientId, clientSecret } = account.sandbox;
    const signal = new AbortController().signal;
    oauth = createHubspotOAuth({
      fetch: globalThis.fetch,
      url,
      clientId,
      clientSecret,
      clock: systemClock,
      signal,
      random: () => 0,
    });
    open.push(account, oauth);
  }

  async function connect(...args: Parameters<Account['connector']>) {
    const connector = await account.connector(...args);
    open.push(connector);
    return connector;
  }

  describe('with a token', () => {
    it('names the account by its number', async () => {
      const id = String(account.sandbox.portalId);
      expect((await connect()).account).toEqual({ id, name: `HubSpot account ${id}` });
    });

    it('says which setting holds a token that HubSpot does not know', async () => {
      const auth = { type: 'token', token: 'pat-na1-unknown' };
      await expect(connect({ auth })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_unauthorized',
        message: expect.stringContaining('crm.auth'),
      });
    });

    it('does not try to renew what cannot be renewed', async () => {
      const connector = await connect();
      await account.putFaults([{ fault: { kind: 'invalidAuthentication' } }]);
      const before = (await account.requests()).length;
      await expect(connector.readByIds(['1'], [])).rejects.toMatchObject({
        code: 'crm_unauthorized',
      });
      expect(await account.requests()).toHaveLength(before + 1);
    });

    it('names the scope that nothing goes without', async () => {
      const token = await account.issueToken({ scopes: ['oauth'] });
      await expect(connect({ auth: { type: 'token', token } })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_scope_missing',
        message: expect.stringContaining('crm.'),
      });
    });
  });

  describe('connecting an account', () => {
    it('brings a token for the code with which a user came back', async () => {
      const grant = await oauth.exchangeCode(await comeBack());
      expect(grant).toMatchObject({ hubId: String(account.sandbox.portalId) });
      expect(grant.scopes).toContain('crm.objects.contacts.write');
      const facts = await oauth.introspect(grant.accessToken, 'access_token');
      expect(facts).toMatchObject({ isActive: true, hubId: grant.hubId });
    });

    it.each([
      'http://127.0.0.1:8787/oauth/hubspot/callback',
      'http://sync.example.org/oauth/hubspot/callback',
    ])('names %s, which HubSpot would refuse, before a user goes there', (redirectUri) => {
      const { consent, settingsSchema } = hubspotConnector;
      const auth = { type: 'oauth', clientId: 'id', clientSecret: 'secret' };
      const settings = settingsSchema.parse({ kind: 'hubspot', auth });
      const request = { redirectUri, state: 'state', codeVerifier: 'v'.repeat(64) };
      expect(() => consent?.begin(settings, request)).toThrow(/only to https addresses.*--port/);
    });

    it('hands over the state as it was given', async () => {
      const url = await authorized('a state & more');
      expect(url.searchParams.get('state')).toBe('a state & more');
    });

    it('is refused without the verifier that belongs to the challenge', async () => {
      const reply = { ...(await comeBack()), codeVerifier: 'w'.repeat(64) };
      await expect(oauth.exchangeCode(reply)).rejects.toMatchObject({ code: 'crm_unauthorized' });
    });

    it('makes a token worthless by revoking it', async () => {
      const { refreshToken } = await oauth.exchangeCode(await comeBack());
      await oauth.revoke(refreshToken ?? '', 'refresh_token');
      await expect(oauth.refresh(refreshToken ?? '')).rejects.toMatchObject({
        code: 'crm_unauthorized',
        message: expect.stringContaining('connect the account again'),
      });
    });

    it('sends people to the screens of HubSpot, not to its API', () => {
      const { clientId, clientSecret } = account.sandbox;
      const signal = new AbortController().signal;
      const real = createHubspotOAuth({
        fetch: globalThis.fetch,
        url: 'https://api.hubapi.com',
        clientId,
        clientSecret,
        clock: systemClock,
        signal,
        random: () => 0,
      });
      const request = { redirectUri: REDIRECT_URI, state: 's', codeVerifier: CODE_VERIFIER };
      const url = new URL(real.authorizeUrl(request));
      expect(url.origin).toBe('https://app.hubspot.com');
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
      expect(url.href).not.toContain(CODE_VERIFIER);
      real.close();
    });
  });

  describe('with a refresh token', () => {
    it('says that the account is not connected yet', async () => {
      const auth = await oauthSettings();
      const { refreshToken: _, ...without } = auth;
      await expect(connect({ auth: without })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_unauthorized',
        message: expect.stringContaining('connect'),
      });
    });

    it('finds the token that was kept when the account was connected', async () => {
      const { refreshToken, ...auth } = await oauthSettings();
      const secrets = keeper([]);
      secrets.store.set(refreshTokenSecret(auth), refreshToken);
      const id = String(account.sandbox.portalId);
      expect((await connect({ auth }, { secrets })).account).toMatchObject({ id });
    });

    it('says what the token endpoint refuses', async () => {
      const auth = { ...(await oauthSettings()), clientSecret: 'wrong' };
      await expect(connect({ auth })).rejects.toMatchObject({
        code: 'crm_unauthorized',
        message: expect.stringContaining('clientSecret'),
      });
    });

    it('has a rotated refresh token on disk before the access token is used', async () => {
      await openWith({ rotateRefreshTokens: true });
      const auth = await oauthSettings();
      const asked: number[] = [];
      const secrets = keeper(asked, async () => (await account.requests()).length);
      const before = (await account.requests()).length;
      await connect({ auth }, { secrets });
      const kept = [...secrets.store.values()][0] ?? '';
      expect(kept).not.toBe(auth.refreshToken);
      expect(asked[0]).toBe(before + 1);
      await connect({ auth }, { secrets });
      expect([...secrets.store.values()][0]).not.toBe(kept);
    });

    it('comes together with another process that refreshes at the same moment', async () => {
      await openWith({ rotateRefreshTokens: true });
      const auth = await oauthSettings();
      const secrets = keeper([]);
      const deps = { secrets, clock: systemClock };
      const id = String(account.sandbox.portalId);
      const both = await Promise.all([connect({ auth }, deps), connect({ auth }, deps)]);
      expect(both.map((each) => each.account.id)).toEqual([id, id]);
      expect((await connect({ auth }, deps)).account).toMatchObject({ id });
    });

    it('renews an expired token in the middle of a run, once for all who wait', async () => {
      const ids = await account.addContacts(people(3));
      const connector = await connect({ auth: await oauthSettings() });
      const before = await refreshes();
      await account.putFaults([{ nth: 1, fault: { kind: 'expireTokens' } }]);
      const found = await Promise.all(ids.map((id) => connector.readByIds([id], [])));
      expect(found.flat().map(({ state }) => state)).toEqual(['found', 'found', 'found']);
      expect(await refreshes()).toBe(before + 1);
    });

    it('renews a token before it expires', async () => {
      let now = Date.now();
      const clock = { now: () => now, sleep: () => Promise.resolve() };
      const connector = await connect({ auth: await oauthSettings() }, { clock });
      const before = await refreshes();
      now += 1_700_000;
      await connector.readByIds(['1'], []);
      expect(await refreshes()).toBe(before + 1);
    });

    it('gives up after two renewals if HubSpot refuses what it has just given', async () => {
      const connector = await connect({ auth: await oauthSettings() });
      const before = await refreshes();
      const on = { path: '/crm/*' };
      await account.putFaults([{ on, fault: { kind: 'invalidAuthentication' } }]);
      await expect(connector.readByIds(['1'], [])).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_unauthorized',
      });
      expect(await refreshes()).toBe(before + 2);
    });

    it('switches off only what a withheld scope is for', async () => {
      const withheldScopes = ['crm.lists.read'];
      const auth = await oauthSettings();
      await account.control('PUT', 'oauth', { withheldScopes });
      const again = await oauth.exchangeCode(await comeBack());
      const refreshToken = again.refreshToken ?? auth.refreshToken;
      const connector = await connect({ auth: { ...auth, refreshToken } });
      await expect(connector.listGroups()).rejects.toMatchObject({
        code: 'crm_scope_missing',
        message: expect.stringContaining('crm.lists.read'),
      });
      const asked = (await account.requests()).filter(({ path }) => path.includes('/lists/'));
      expect(asked).toEqual([]);
      expect(await connector.readByIds(['1'], [])).toMatchObject([{ state: 'missing' }]);
    });
  });

  async function authorized(state: string): Promise<URL> {
    const request = { redirectUri: REDIRECT_URI, state, codeVerifier: CODE_VERIFIER };
    const page = `${oauth.authorizeUrl(request)}&approve=true`;
    const reply = await fetch(page, { redirect: 'manual' });
    return new URL(reply.headers.get('location') ?? '');
  }

  async function comeBack() {
    const code = (await authorized('state')).searchParams.get('code') ?? '';
    return { code, redirectUri: REDIRECT_URI, codeVerifier: CODE_VERIFIER };
  }

  async function oauthSettings() {
    const { refreshToken } = await oauth.exchangeCode(await comeBack());
    const { clientId, clientSecret } = account.sandbox;
    return { type: 'oauth', clientId, clientSecret, refreshToken: refreshToken ?? '' } as const;
  }

  async function refreshes(): Promise<number> {
    return (await account.requests()).filter(({ path }) => path.endsWith('/token')).length;
  }
});

/** Stores secrets. Before it stores each secret, records the value that `look` returns. */
function keeper(notes: number[], look?: () => Promise<number>) {
  const store = new Map<string, string>();
  return {
    store,
    read: async (name: string) => store.get(name) ?? null,
    async write(name: string, value: string) {
      await systemClock.sleep(5);
      if (look !== undefined) notes.push(await look());
      store.set(name, value);
    },
  };
}

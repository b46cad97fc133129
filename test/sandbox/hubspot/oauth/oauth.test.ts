import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@hubspot/api-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { control } from '../../../testbed/asking.ts';
import { ask, startAccount } from '../account.ts';
import {
  approve,
  authorizeUrl,
  install,
  keysOf,
  open,
  REDIRECT_URI,
  redeem,
  refresh,
  sendForm,
  tokensOf,
} from './installation.ts';

const HALF_AN_HOUR_MS = 1_800_000;

async function isGood(account: HubspotSandbox, token: string): Promise<boolean> {
  const { status } = await ask(account, 'GET', '/crm/v3/objects/contacts', { token });
  return status === 200;
}

describe('the page on which an app is installed', () => {
  it('sends the person back with a code and the state', async () => {
    const account = await startAccount();
    const { location } = await open(authorizeUrl(account, { approve: 'true' }));
    expect(location?.origin + (location?.pathname ?? '')).toBe(REDIRECT_URI);
    expect(location?.searchParams.get('state')).toBe('s1');
    expect(location?.searchParams.get('code')).toMatch(/^na1-[\da-f-]{36}$/);
  });

  it('asks a person, and obeys them', async () => {
    const account = await startAccount();
    const url = authorizeUrl(account);
    const page = await open(url);
    expect(page.location).toBeNull();
    expect(page.text).toContain('<li>crm.lists.read</li>');
    expect(page.text).toContain('<button name="decision" value="deny">');
    const form = Object.fromEntries(new URL(url).searchParams);
    const allowed = await sendForm(account, '/authorize', { ...form, decision: 'allow' });
    expect(allowed.headers.get('location')).toMatch(/\?code=na1-[\da-f-]{36}&state=s1$/);
    const denied = await sendForm(account, '/authorize', { ...form, decision: 'deny' });
    expect(denied.headers.get('location')).toBe(
      `${REDIRECT_URI}?error=access_denied&error_description=User+denied+access&state=s1`,
    );
  });

  it('denies at once where that is asked for', async () => {
    const account = await startAccount();
    const { location } = await open(authorizeUrl(account, { approve: 'false' }));
    expect(location?.searchParams.get('error')).toBe('access_denied');
  });

  it.each([
    ['an unknown app', { client_id: 'other' }],
    ['an address on another machine', { redirect_uri: 'https://example.com/callback' }],
    ['no address', { redirect_uri: '' }],
    ['http to 127.0.0.1', { redirect_uri: 'http://127.0.0.1:8787/oauth/hubspot/callback' }],
    ['an unknown scope', { scope: 'crm.everything' }],
    ['no scope', { scope: '' }],
    ['a challenge in clear', { code_challenge_method: 'plain' }],
    ['a decision that is none', { decision: 'perhaps' }],
  ])('redirects no user for %s', async (_, parameters) => {
    const account = await startAccount();
    const page = await open(authorizeUrl(account, { approve: 'true', ...parameters }));
    expect(page).toMatchObject({ status: 400, location: null });
    expect(page.text).toContain('The app could not be connected');
  });

  it('knows only the registered addresses, if there are any', async () => {
    const account = await startAccount();
    await control(account, 'PUT', '/oauth', { redirectUris: ['https://example.org/back'] });
    const other = await open(authorizeUrl(account, { approve: 'true' }));
    expect(other.location).toBeNull();
    const registered = { approve: 'true', redirect_uri: 'https://example.org/back' };
    const { location } = await open(authorizeUrl(account, registered));
    expect(location?.host).toBe('example.org');
  });
});

describe('a code', () => {
  it.each(['v1', 'v3', '2026-03', '2026-09'])(
    'gives tokens at the endpoint of %s',
    async (version) => {
      const account = await startAccount();
      const answer = await redeem(account, await approve(account), {}, version);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          token_type: 'bearer',
          access_token: expect.any(String),
          refresh_token: expect.stringMatching(/^na1-[\da-f-]{36}$/),
          expires_in: 1800,
          hub_id: account.portalId,
          user_id: expect.any(Number),
          scopes: ['oauth', 'crm.objects.contacts.read', 'crm.lists.read'],
          token_use: 'access_token',
        },
      });
      expect(await isGood(account, tokensOf(answer).token)).toBe(true);
    },
  );

  it('is good for one use', async () => {
    const account = await startAccount();
    const code = await approve(account);
    await redeem(account, code);
    expect(await redeem(account, code)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: 'missing or unknown auth code',
        status: 'BAD_AUTH_CODE',
        message: 'missing or unknown auth code',
      },
    });
  });

  it('is good for a few minutes', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const code = await approve(account);
    clock.advance(HALF_AN_HOUR_MS);
    const { body } = await redeem(account, code);
    expect(body).toMatchObject({ error: 'invalid_grant', status: 'EXPIRED_AUTH_CODE' });
  });

  it.each([
    ['another verifier', { code_verifier: 'w'.repeat(64) }, 'BAD_CODE_VERIFIER'],
    ['another address', { redirect_uri: 'http://localhost:1/' }, 'MISMATCH_REDIRECT_URI_AUTH_CODE'],
    ['another app', { client_id: 'other' }, 'BAD_CLIENT_ID'],
    ['another secret', { client_secret: 'other' }, 'BAD_CLIENT_SECRET'],
    ['another grant', { grant_type: 'password' }, 'BAD_GRANT_TYPE'],
  ])('is refused with %s', async (_, parameters, status) => {
    const account = await startAccount();
    const answer = await redeem(account, await approve(account), parameters);
    expect(answer).toMatchObject({ status: 400, body: { status } });
  });

  it('needs a verifier exactly where the app gave a challenge', async () => {
    const account = await startAccount();
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT_URI,
      ...keysOf(account),
    };
    const code = await approve(account, { code_challenge: null });
    expect((await sendForm(account, '/v3/token', { ...form, code })).status).toBe(200);
    const silent = await sendForm(account, '/v3/token', { ...form, code: await approve(account) });
    expect(silent.body).toMatchObject({ status: 'BAD_CODE_VERIFIER' });
  });

  it('gives tokens to the real client', async () => {
    const account = await startAccount();
    const client = new Client({ basePath: account.baseUrl });
    const answer = await client.oauth.tokensApi.create(
      'authorization_code',
      await approve(account, { code_challenge: null }),
      REDIRECT_URI,
      account.clientId,
      account.clientSecret,
    );
    expect(answer.expiresIn).toBe(1800);
    const info = await client.oauth.accessTokensApi.get(answer.accessToken);
    expect(info).toMatchObject({ hubId: account.portalId, tokenType: 'access' });
  });
});

describe('an access token', () => {
  it('ends after its time, and a refresh token gives another', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const { token, refreshToken } = await install(account);
    clock.advance(HALF_AN_HOUR_MS);
    expect(await ask(account, 'GET', '/crm/v3/objects/contacts', { token })).toMatchObject({
      status: 401,
      body: { category: 'EXPIRED_AUTHENTICATION' },
    });
    const second = tokensOf(await refresh(account, refreshToken));
    expect(await isGood(account, second.token)).toBe(true);
  });

  it('has the optional scopes as well', async () => {
    const account = await startAccount();
    const { scopes } = await install(account, { optional_scope: 'crm.objects.contacts.write' });
    expect(scopes).toContain('crm.objects.contacts.write');
  });

  it('lacks a scope that the account withholds, also when it is renewed', async () => {
    const account = await startAccount();
    const before = await install(account);
    await control(account, 'PUT', '/oauth', { withheldScopes: ['crm.lists.read'] });
    const renewed = tokensOf(await refresh(account, before.refreshToken));
    for (const { token, scopes } of [await install(account), renewed]) {
      expect(scopes).toEqual(['oauth', 'crm.objects.contacts.read']);
      expect(await ask(account, 'GET', '/crm/lists/2026-09/1', { token })).toMatchObject({
        status: 403,
        body: { category: 'MISSING_SCOPES' },
      });
    }
    const { status } = await ask(account, 'GET', '/crm/lists/2026-09/1', { token: before.token });
    expect(status).toBe(200);
  });
});

describe('a refresh token', () => {
  it('gives access again and again', async () => {
    const account = await startAccount();
    const { refreshToken } = await install(account);
    for (let turn = 0; turn < 2; turn += 1) {
      const renewed = tokensOf(await refresh(account, refreshToken));
      expect(renewed.refreshToken).toBe(refreshToken);
      expect(await isGood(account, renewed.token)).toBe(true);
    }
  });

  it('changes with each use where rotation is on, and an old one is good for nothing', async () => {
    const account = await startAccount({ rotateRefreshTokens: true });
    const { refreshToken } = await install(account);
    const second = tokensOf(await refresh(account, refreshToken)).refreshToken;
    expect(second).not.toBe(refreshToken);
    const answer = await refresh(account, refreshToken);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: 'invalid_grant',
      error_description: 'refresh token is invalid, expired or revoked',
      status: 'BAD_REFRESH_TOKEN',
      message: 'refresh token is invalid, expired or revoked',
      category: 'VALIDATION_ERROR',
      correlationId: expect.any(String),
    });
    expect((await refresh(account, second)).status).toBe(200);
  });

  it('starts to change when rotation is switched on', async () => {
    const account = await startAccount();
    const { refreshToken } = await install(account);
    await control(account, 'PUT', '/oauth', { rotateRefreshTokens: true });
    expect(tokensOf(await refresh(account, refreshToken)).refreshToken).not.toBe(refreshToken);
  });

  it('outlives the sandbox where there is a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hubspot-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const options = { db: join(folder, 'account.db') };
    const account = await startAccount(options);
    const { refreshToken } = await install(account);
    await account.close();
    expect((await refresh(await startAccount(options), refreshToken)).status).toBe(200);
  });
});

describe('what a token is for', () => {
  it('is given for both kinds of tokens', async () => {
    const account = await startAccount();
    const { token, refreshToken, scopes } = await install(account);
    const ofInstallation = {
      active: true,
      client_id: account.clientId,
      hub_id: account.portalId,
      app_id: expect.any(Number),
      scopes,
    };
    const access = await introspect(account, token);
    expect(access.body).toMatchObject({
      ...ofInstallation,
      token,
      token_use: 'access_token',
      expires_in: expect.any(Number),
    });
    const refreshing = await introspect(account, refreshToken);
    expect(refreshing.body).toMatchObject({ ...ofInstallation, token_use: 'refresh_token' });
  });

  it('is not given for tokens that are none, nor to strangers', async () => {
    const account = await startAccount();
    expect((await introspect(account, 'nonsense')).body).toEqual({ active: false });
    const stranger = { token: account.token, ...keysOf(account), client_secret: 'guessed' };
    const answer = await sendForm(account, '/2026-09/token/introspect', stranger);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
  });

  it('is given at the older addresses', async () => {
    const account = await startAccount();
    const { token, refreshToken, scopes } = await install(account);
    const access = await ask(account, 'GET', `/oauth/v1/access-tokens/${token}`);
    expect(access).toMatchObject({ status: 200, body: { token, scopes, token_type: 'access' } });
    const path = `/oauth/v1/refresh-tokens/${refreshToken}`;
    expect((await ask(account, 'GET', path)).body).toMatchObject({ token_type: 'refresh', scopes });
    expect((await ask(account, 'DELETE', path)).status).toBe(204);
    expect((await ask(account, 'GET', path)).status).toBe(404);
    expect((await ask(account, 'GET', '/oauth/v1/access-tokens/nonsense')).status).toBe(404);
  });
});

describe('revoking', () => {
  it('ends the one token that is named', async () => {
    const account = await startAccount();
    const { token, refreshToken } = await install(account);
    expect((await revoke(account, refreshToken)).status).toBe(200);
    expect((await refresh(account, refreshToken)).status).toBe(400);
    expect(await isGood(account, token)).toBe(true);
    await revoke(account, token);
    expect(await isGood(account, token)).toBe(false);
  });
});

function introspect(account: HubspotSandbox, token: string) {
  return sendForm(account, '/2026-09/token/introspect', { token, ...keysOf(account) });
}

function revoke(account: HubspotSandbox, token: string) {
  return sendForm(account, '/2026-03/token/revoke', { token, ...keysOf(account) });
}

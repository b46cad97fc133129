import { createPrivateKey, sign } from 'node:crypto';
import jsforce from 'jsforce';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import type { Answer } from '../../../testbed/asking.ts';
import { ask, sendForm, startOrg } from '../org.ts';

const REDIRECT_URI = 'http://localhost:8787/oauth/salesforce/callback';
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const tokens = z.object({ access_token: z.string(), refresh_token: z.string().optional() });

/** Creates an OAuth app with the real client, as the connector does. */
function anApp(org: SalesforceSandbox) {
  return new jsforce.OAuth2({
    loginUrl: org.baseUrl,
    clientId: org.clientId,
    clientSecret: org.clientSecret,
    redirectUri: REDIRECT_URI,
    useVerifier: true,
  });
}

/** Opens an authorization page. Returns the redirect target. */
async function open(url: string): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
}

/** Authorises the app as the integration user. Returns the code. */
async function approve(oauth2: ReturnType<typeof anApp>): Promise<string> {
  const url = oauth2.getAuthorizationUrl({ scope: 'api refresh_token', state: 's1' });
  const back = await open(`${url}&login_hint=integration@riverside.example.org`);
  expect(back.searchParams.get('state')).toBe('s1');
  return back.searchParams.get('code') ?? '';
}

async function signIn(org: SalesforceSandbox) {
  const oauth2 = anApp(org);
  const { access_token, refresh_token } = tokens.parse(
    await oauth2.requestToken(await approve(oauth2)),
  );
  return { token: access_token, refreshToken: refresh_token ?? '' };
}

function refresh(org: SalesforceSandbox, refreshToken: string): Promise<Answer> {
  return sendForm(org, '/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: org.clientId,
    client_secret: org.clientSecret,
  });
}

function assertion(org: SalesforceSandbox, claims: object = {}): string {
  const all = {
    iss: org.clientId,
    sub: org.username,
    aud: org.baseUrl,
    exp: Math.floor(Date.now() / 1000) + 180,
    ...claims,
  };
  const head = [{ alg: 'RS256' }, all]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = createPrivateKey(org.privateKey);
  return `${head}.${sign('RSA-SHA256', Buffer.from(head), key).toString('base64url')}`;
}

function sendJwt(org: SalesforceSandbox, jwt: string): Promise<Answer> {
  return sendForm(org, '/token', { grant_type: JWT_GRANT, assertion: jwt });
}

function isGood(org: SalesforceSandbox, token: string): Promise<boolean> {
  return ask(org, 'GET', '/limits', { token }).then(({ status }) => status === 200);
}

describe('the web server flow', () => {
  it('lets the real client in with PKCE and tells it who it is', async () => {
    const org = await startOrg();
    const oauth2 = anApp(org);
    const code = await approve(oauth2);
    const connection = new jsforce.Connection({ oauth2, version: '67.0' });
    const user = await connection.authorize(code);
    expect(user).toMatchObject({ id: expect.stringMatching(/^005/) });
    expect(connection.instanceUrl).toBe(org.baseUrl);
    expect(connection.refreshToken).toBeTruthy();
    expect(await connection.identity()).toMatchObject({
      username: org.username,
      organization_id: user.organizationId,
    });
  });

  it('gives no time of expiry, as Salesforce gives none', async () => {
    const org = await startOrg();
    const oauth2 = anApp(org);
    const answer = await oauth2.requestToken(await approve(oauth2));
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^00D\w{12,15}![.\w]*$/),
      refresh_token: expect.any(String),
      instance_url: org.baseUrl,
      id: expect.stringMatching(/\/id\/00D\w{15}\/005\w{15}$/),
      token_type: 'Bearer',
      issued_at: expect.stringMatching(/^\d{13}$/),
      signature: expect.any(String),
      scope: 'api refresh_token',
    });
  });

  it('takes a code only once', async () => {
    const org = await startOrg();
    const oauth2 = anApp(org);
    const code = await approve(oauth2);
    await oauth2.requestToken(code);
    await expect(oauth2.requestToken(code)).rejects.toMatchObject({
      name: 'invalid_grant',
      message: 'expired authorization code',
    });
  });

  it('takes no code with another verifier, or for another address', async () => {
    const org = await startOrg();
    const code = await approve(anApp(org));
    await expect(anApp(org).requestToken(code)).rejects.toThrow('invalid code verifier');
    const oauth2 = anApp(org);
    const other = await approve(oauth2);
    oauth2.redirectUri = 'http://localhost:9/other';
    await expect(oauth2.requestToken(other)).rejects.toMatchObject({
      name: 'redirect_uri_mismatch',
    });
  });

  it('insists on PKCE', async () => {
    const org = await startOrg();
    const url = new URL(`${org.baseUrl}/services/oauth2/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: org.clientId,
      redirect_uri: REDIRECT_URI,
    }).toString();
    const back = await open(url.href);
    expect(back.searchParams.get('error_description')).toBe('missing required code challenge');
  });

  it('asks a person who gave no login hint, and obeys them', async () => {
    const org = await startOrg();
    const oauth2 = anApp(org);
    const url = new URL(oauth2.getAuthorizationUrl({ scope: 'api', state: 's2' }));
    const page = await (await fetch(url)).text();
    expect(page).toContain('<button name="decision" value="deny">');
    const form = Object.fromEntries(url.searchParams);
    const denied = await sendForm(org, '/authorize', { ...form, decision: 'deny' });
    expect(denied.headers.get('location')).toBe(
      `${REDIRECT_URI}?error=access_denied&error_description=end-user+denied+authorization&state=s2`,
    );
    const allowed = await sendForm(org, '/authorize', { ...form, decision: 'allow' });
    expect(allowed.headers.get('location')).toContain('code=aPrx');
  });

  it('sends no user to an app that it does not know', async () => {
    const org = await startOrg();
    const path = `/services/oauth2/authorize?response_type=code&client_id=x&redirect_uri=${REDIRECT_URI}`;
    expect((await ask(org, 'GET', path)).status).toBe(400);
  });
});

describe('refresh tokens', () => {
  it('give access again and again', async () => {
    const org = await startOrg();
    const { refreshToken } = await signIn(org);
    for (let turn = 0; turn < 2; turn += 1) {
      const { body } = await refresh(org, refreshToken);
      const answer = tokens.parse(body);
      expect(answer.refresh_token).toBeUndefined();
      expect(await isGood(org, answer.access_token)).toBe(true);
    }
  });

  it('change with each use where rotation is on, and an old one is good for nothing', async () => {
    const org = await startOrg({ rotateRefreshTokens: true });
    const { refreshToken } = await signIn(org);
    const { refresh_token: second = '' } = tokens.parse((await refresh(org, refreshToken)).body);
    expect(second).not.toBe(refreshToken);
    expect(await refresh(org, refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'expired access/refresh token' },
    });
    expect((await refresh(org, second)).status).toBe(200);
  });

  it('end when they are revoked', async () => {
    const org = await startOrg();
    const { token, refreshToken } = await signIn(org);
    for (const one of [token, refreshToken]) {
      expect((await sendForm(org, '/revoke', { token: one })).status).toBe(200);
    }
    expect(await isGood(org, token)).toBe(false);
    expect((await refresh(org, refreshToken)).status).toBe(400);
    expect((await sendForm(org, '/revoke', { token })).body).toMatchObject({
      error: 'invalid_token',
    });
  });
});

describe('the JWT bearer flow', () => {
  it('gives an access token and no refresh token', async () => {
    const org = await startOrg();
    const { body } = await sendJwt(org, assertion(org));
    expect(body).not.toHaveProperty('refresh_token');
    expect(await isGood(org, tokens.parse(body).access_token)).toBe(true);
  });

  it.each([
    ['milliseconds in exp', { exp: Date.now() + 180_000 }],
    ['the address of Salesforce', { aud: 'https://login.salesforce.com' }],
  ])('accepts %s', async (_, claims) => {
    const org = await startOrg();
    expect((await sendJwt(org, assertion(org, claims))).status).toBe(200);
  });

  it('accepts its own address with a slash at the end, as the sf command sends it', async () => {
    const org = await startOrg();
    expect((await sendJwt(org, assertion(org, { aud: `${org.baseUrl}/` }))).status).toBe(200);
  });

  it.each([
    ['an expired one', { exp: 1_700_000_000 }, 'expired authorization code'],
    ['another audience', { aud: 'https://example.org' }, 'audience is invalid'],
    [
      'the login address of all sandboxes',
      { aud: 'https://test.salesforce.com' },
      'External client app is not installed in this org',
    ],
    ['an unknown user', { sub: 'unknown@example.org' }, "user hasn't approved this consumer"],
    ['another app', { iss: 'other' }, 'client identifier invalid'],
  ])('refuses %s', async (_, claims, description) => {
    const org = await startOrg();
    const { status, body } = await sendJwt(org, assertion(org, claims));
    expect(status).toBe(400);
    expect(body).toMatchObject({ error_description: description });
  });

  it('refuses what was changed after it was signed', async () => {
    const org = await startOrg();
    const [head, , signature] = assertion(org).split('.');
    const [, claims] = assertion(org, { exp: Math.floor(Date.now() / 1000) + 999 }).split('.');
    const { body } = await sendJwt(org, `${head}.${claims}.${signature}`);
    expect(body).toEqual({ error: 'invalid_grant', error_description: 'invalid assertion' });
    expect((await sendJwt(org, 'nonsense')).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('client credentials', () => {
  it('sign in as the integration user, with the right secret only', async () => {
    const org = await startOrg();
    const connection = new jsforce.Connection({ oauth2: anApp(org), version: '67.0' });
    await connection.authorize({ grant_type: 'client_credentials' });
    expect((await connection.identity()).username).toBe(org.username);
    const form = { grant_type: 'client_credentials', client_id: org.clientId };
    for (const secret of [{}, { client_secret: 'wrong' }]) {
      const { status, body } = await sendForm(org, '/token', { ...form, ...secret });
      expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    }
  });

  it('refuse a kind of grant that does not exist', async () => {
    const org = await startOrg();
    const { body } = await sendForm(org, '/token', { grant_type: 'password' });
    expect(body).toMatchObject({ error: 'unsupported_grant_type' });
  });
});

describe('access tokens', () => {
  it('are refused with INVALID_SESSION_ID when they are unknown, absent or expired', async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read, tokenLifetimeMs: 1000 });
    expect(await isGood(org, org.token)).toBe(true);
    clock.advance(1000);
    for (const token of [org.token, 'unknown']) {
      const { status, body } = await ask(org, 'GET', '/limits', { token });
      expect(status).toBe(401);
      expect(body).toEqual([
        { message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' },
      ]);
    }
    const bare = await fetch(`${org.baseUrl}/services/data/v67.0/limits`);
    expect(bare.status).toBe(401);
  });

  it('make the real client refresh once and go on', async () => {
    const org = await startOrg();
    const { refreshToken } = await signIn(org);
    const connection = new jsforce.Connection({
      oauth2: anApp(org),
      instanceUrl: org.baseUrl,
      accessToken: 'expired',
      refreshToken,
      version: '67.0',
    });
    expect((await connection.query('SELECT Id FROM Contact LIMIT 1')).totalSize).toBe(1);
    expect(connection.accessToken).not.toBe('expired');
  });

  it('say whose they are', async () => {
    const org = await startOrg();
    const { body } = await ask(org, 'GET', '/services/oauth2/userinfo');
    expect(body).toMatchObject({
      user_id: expect.stringMatching(/^005/),
      organization_id: expect.stringMatching(/^00D/),
      preferred_username: org.username,
    });
    const unknown = await ask(org, 'GET', '/services/oauth2/userinfo', { token: 'x' });
    expect(unknown).toMatchObject({ status: 403, body: 'Bad_OAuth_Token' });
  });
});

/**
 * Tests the cookies of a service with an https address. Browsers send the cookies only over https and only to this
 * host. A neighbouring host cannot set the cookies.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { beginConsent } from '../../../src/clients/consents.ts';
import { createFirstVisit } from '../../../src/interfaces/api/request/secret.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { openOAuthWorld } from './oauth-world.ts';
import { startOidcProvider } from './oidc-provider.ts';
import { invite, PASSWORD } from './people-world.ts';

const PUBLIC_URL = 'https://sync.example.org';
const HOST_ALONE = /^__Host-donor_sync_\w+=[^;]+;(?=.*; HttpOnly)(?=.*; Secure).*; Path=\//;

const open = closedAfterTest((options: HttpWorldOptions = {}) =>
  openHttpWorld({ isIdle: true, publicUrl: PUBLIC_URL, ...options }),
);
const openProvider = closedAfterTest(startOidcProvider);
const openOAuth = closedAfterTest(() => openOAuthWorld('salesforce', PUBLIC_URL));

async function cookiesOf(url: string, init: RequestInit = {}): Promise<string[]> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return response.headers.getSetCookie();
}

function form(fields: Record<string, string>): RequestInit {
  const body = new URLSearchParams(fields);
  return { method: 'POST', body, headers: { origin: PUBLIC_URL } };
}

it('the server sets __Host- cookies for a session and for a known browser', async () => {
  const world = await open();
  const { path, email } = await invite(world, 'Anna', 'viewer');
  const joined = await cookiesOf(world.url + path, form({ fresh: PASSWORD }));
  const signedIn = await cookiesOf(`${world.url}/sign-in`, form({ email, password: PASSWORD }));
  expect([joined.length, signedIn.length]).toEqual([1, 2]);
  for (const cookie of [...joined, ...signedIn]) expect(cookie).toMatch(HOST_ALONE);
});

it('the server requires a __Host- cookie for a sign-in through an identity provider', async () => {
  const provider = await openProvider();
  const { issuer, clientId, clientSecret } = provider;
  const world = await open({ provider: { issuer, clientId, clientSecret } });
  await world.addToken('viewer');
  await invite(world, 'Anna', 'viewer');
  provider.user = { sub: 'anna', email: 'anna@example.org', email_verified: true };
  const comeBack = async (prefix: string) => {
    const begun = await fetch(`${world.url}/sign-in/provider`, { redirect: 'manual' });
    const cookies = begun.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(HOST_ALONE);
    const [way = ''] = cookies[0]?.split(';') ?? [];
    const sent = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const { pathname, search } = new URL(sent.headers.get('location') ?? '');
    const headers = { cookie: way.replace('__Host-', prefix) };
    return (await fetch(world.url + pathname + search, { redirect: 'manual', headers })).status;
  };
  expect([await comeBack(''), await comeBack('__Host-')]).toEqual([401, 303]);
});

it('the server sets a __Host- cookie while a user connects a CRM', async () => {
  const world = await openOAuth();
  const { application, clock, integration } = world;
  const { signal } = new AbortController();
  const ticket = await beginConsent({ application, clock, signal }, integration);
  const cookies = await cookiesOf(`${world.url}/oauth/salesforce/start?ticket=${ticket}`);
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatch(HOST_ALONE);
});

it('the server sets a __Host- cookie for the first visit if the public address is used', async () => {
  const visit = createFirstVisit(createFakeClock(Date.now()));
  const world = await open({ withoutToken: visit });
  const asked = request(new URL(visit.path, world.url), {
    ...{ method: 'POST', headers: { host: 'sync.example.org', origin: PUBLIC_URL } },
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  expect(answer.statusCode).toBe(303);
  expect(answer.headers['set-cookie']).toHaveLength(1);
  expect(answer.headers['set-cookie'][0]).toMatch(HOST_ALONE);
});

/** Tests sign-in with an identity provider. Only invited users can sign in. */

import { describe, expect, it } from 'vitest';
import { setPersonDisabled } from '../../../src/people/statements/people.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { startOidcProvider } from './oidc-provider.ts';
import { get, invite, SESSION } from './people-world.ts';

const openWorld = closedAfterTest(openHttpWorld);
const openProvider = closedAfterTest(startOidcProvider);

const ANNA = { sub: 'anna-at-provider', email: 'Anna@example.org', email_verified: true };
const WAY = /donor_sync_provider=([^;]+)/;

async function open(options: HttpWorldOptions = {}, more: { allowedDomains?: string[] } = {}) {
  const provider = await openProvider();
  const { issuer, clientId, clientSecret } = provider;
  const world = await openWorld({
    ...{ isIdle: true, isPublic: true, ...options },
    provider: { issuer, clientId, clientSecret, ...more },
  });
  // The sign-in form appears only after a user or a token has been created.
  await world.addToken('viewer');
  return { world, provider };
}

/** Starts a sign-in at the provider. The browser then returns to this address and sends this cookie. */
async function goThere({ url }: HttpWorld, to = '/account') {
  const begun = await fetch(`${url}/sign-in/provider?to=${encodeURIComponent(to)}`, {
    redirect: 'manual',
  });
  const way = WAY.exec(begun.headers.get('set-cookie') ?? '')?.[0] ?? '';
  const sent = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  return { way, back: sent.headers.get('location') ?? '' };
}

async function comeBack(address: string, cookie: string) {
  const response = await fetch(address, { redirect: 'manual', headers: { cookie } });
  return {
    status: response.status,
    location: response.headers.get('location'),
    cookie: SESSION.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? null,
    text: await response.text(),
  };
}

async function signIn(world: HttpWorld, to?: string) {
  const { way, back } = await goThere(world, to);
  return comeBack(back, way);
}

const HOUR_MS = 3_600_000;
const REFUSED = { status: 401, cookie: null };

describe('a sign-in through an identity provider', () => {
  it('lets an invited user in without a password, and recognises the user later', async () => {
    const { world, provider } = await open();
    const { id, path } = await invite(world, 'Anna', 'viewer');
    provider.user = ANNA;
    expect((await world.request('/sign-in')).text).toContain('Sign in with 127.0.0.1');
    const first = await signIn(world);
    expect(first).toMatchObject({ status: 303, location: '/account' });
    expect((await get(world, '/account', first.cookie ?? '')).status).toBe(200);
    expect((await world.request(path)).status).toBe(404);
    // The service recognises the user by the subject, even if the email address has changed.
    provider.user = { ...ANNA, email: 'anna.married@example.org' };
    expect((await signIn(world)).status).toBe(303);
    provider.user = { ...ANNA, sub: 'another-at-provider' };
    expect(await signIn(world)).toMatchObject(REFUSED);
    await world.application.store.act((trx) => setPersonDisabled(trx, id, true));
    provider.user = ANNA;
    expect(await signIn(world)).toMatchObject(REFUSED);
  });

  it('takes the address from where the provider says it', async () => {
    const { world, provider } = await open();
    await invite(world, 'Anna', 'viewer');
    provider.user = ANNA;
    provider.tellsEmailApart = true;
    expect((await signIn(world)).status).toBe(303);
  });

  it.each([
    ['who was not invited', { ...ANNA, email: 'ben@example.org' }],
    ['whose address is not verified', { ...ANNA, email_verified: false }],
    ['whose address no one speaks of', { sub: ANNA.sub }],
  ])('lets in no person %s', async (_, user) => {
    const { world, provider } = await open();
    await invite(world, 'Anna', 'viewer');
    provider.user = user;
    const refused = await signIn(world);
    expect(refused).toMatchObject(REFUSED);
    expect(refused.text).toContain('could not sign you in');
    const [entry] = await listAuditEntries(world.application.store, {
      action: 'session.refused',
      limit: 1,
    });
    expect(entry?.details).toMatchObject({ by: 'provider' });
  });

  it('lets in no person of another domain than those that are allowed, nor one whose link is too old', async () => {
    const clock = createFakeClock(Date.now());
    const { world, provider } = await open({ clock }, { allowedDomains: ['example.org'] });
    await invite(world, 'Anna', 'viewer');
    provider.user = { ...ANNA, email: 'anna@example.org.evil.example' };
    expect(await signIn(world)).toMatchObject(REFUSED);
    await clock.advance(7 * 86_400_000);
    provider.user = ANNA;
    expect(await signIn(world)).toMatchObject(REFUSED);
  });

  it.each([
    { nonce: 'of another sign-in' },
    { aud: 'another client' },
    { iss: 'https://another.example' },
    { exp: '1h ago' },
    { key: 'foreign' as const },
    { key: 'none' as const },
  ])('refuses an ID token with a wrong claim or key: %j', async (lie) => {
    const { world, provider } = await open();
    await invite(world, 'Anna', 'viewer');
    provider.user = ANNA;
    provider.lie = lie;
    expect(await signIn(world)).toMatchObject(REFUSED);
    provider.lie = {};
    expect((await signIn(world)).status).toBe(303);
  });

  it.each(['5m', '30d'])(
    'is required again after a day, even if the token of the provider lasts %s',
    async (exp) => {
      const clock = createFakeClock(Date.now());
      const { world, provider } = await open({ clock });
      const { id } = await invite(world, 'Anna', 'viewer');
      provider.user = ANNA;
      provider.lie = { exp };
      const { cookie } = await signIn(world);
      const status = async (session = cookie) =>
        (await get(world, '/account', session ?? '')).status;
      for (let hour = 1; hour < 24; hour += 1) {
        await clock.advance(HOUR_MS);
        expect([hour, await status()]).toEqual([hour, 200]);
      }
      await clock.advance(HOUR_MS);
      expect(await status()).toBe(303);
      const again = await signIn(world);
      expect([again.status, await status(again.cookie)]).toEqual([303, 200]);
      await world.application.store.act((trx) => setPersonDisabled(trx, id, true));
      expect(await status(again.cookie)).toBe(303);
    },
  );

  it('can be completed only once, in the same browser, and within ten minutes', async () => {
    const clock = createFakeClock(Date.now());
    const { world, provider } = await open({ clock });
    await invite(world, 'Anna', 'viewer');
    provider.user = ANNA;
    const { way, back } = await goThere(world);
    const other = await goThere(world);
    for (const cookie of ['', other.way, 'donor_sync_provider=made-up']) {
      expect(await comeBack(back, cookie), cookie).toMatchObject(REFUSED);
    }
    const fresh = await goThere(world);
    expect((await comeBack(fresh.back, fresh.way)).status).toBe(303);
    expect(await comeBack(fresh.back, fresh.way)).toMatchObject(REFUSED);
    await clock.advance(10 * 60_000);
    expect(await comeBack(back, way)).toMatchObject(REFUSED);
  });

  it('is begun by no page of another site, and leads to none', async () => {
    const { world, provider } = await open();
    await invite(world, 'Anna', 'viewer');
    provider.user = ANNA;
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await world.request('/sign-in/provider', { headers })).status).toBe(403);
    expect((await signIn(world, 'https://evil.example')).location).toBe('/');
    expect((await signIn(world, '//evil.example')).location).toBe('/');
  });

  it('says so when the provider is away, and asks it again the next time', async () => {
    const { world, provider } = await open();
    await provider.close();
    expect((await world.request('/sign-in/provider')).status).toBe(503);
    expect((await world.request('/sign-in')).status).toBe(200);
  });

  it('is nowhere without a provider in the settings', async () => {
    const world = await openWorld({ isIdle: true });
    expect((await world.request('/sign-in/provider')).status).toBe(404);
    expect((await world.request('/sign-in/provider/callback')).status).toBe(404);
  });
});

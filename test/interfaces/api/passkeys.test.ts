/**
 * Tests passkeys over HTTP with a software authenticator. The tests check which responses the service accepts or
 * refuses.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requireOtherWays } from '../../../src/people/sign-in/require-other-ways.ts';
import { listPasskeys } from '../../../src/people/statements/passkeys.ts';
import { findPersonBy, recordSubject } from '../../../src/people/statements/people.ts';
import { disablePerson, removePerson } from '../../../src/people/user-accounts.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { type Dishonesty, makePasskey, type Passkey, usePasskey } from './authenticator.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { get, invite, join, PASSWORD, send, signIn } from './people-world.ts';

const ORIGIN = 'http://localhost:8787';
const MINUTE_MS = 60_000;
const ASKING = /donor_sync_passkey=[\w-]{43}/;

const openWorld = closedAfterTest(openHttpWorld);

function open(options: HttpWorldOptions = {}) {
  return openWorld({ isIdle: true, publicUrl: ORIGIN, ...options });
}

/** Returns the challenge in a page's first passkey form, and the value that the form sends back. */
function questionIn(page: string, action = '[^"]*') {
  const form = new RegExp(
    `<form[^>]*?(action="${action}")?[^>]*data-passkey="\\w+"[\\s\\S]*?</form>`,
  );
  const [found = ''] = form.exec(page) ?? [];
  const options = /data-options="([^"]*)"/.exec(found)?.[1]?.replaceAll('&quot;', '"') ?? '';
  const way = /name="way" value="([^"]*)"/.exec(found)?.[1] ?? '';
  return { isThere: found !== '', options, way };
}

async function ask(world: HttpWorld, path: string, cookie = '') {
  const response = await get(world, path, cookie);
  const asking = ASKING.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? '';
  return { ...questionIn(await response.text()), asking };
}

async function addPasskey(world: HttpWorld, cookie: string, lies: Dishonesty = {}, name = 'Phone') {
  const { options, way } = await ask(world, '/account', cookie);
  const { passkey, response } = makePasskey(options, ORIGIN, lies);
  const added = await send(world, '/account/passkeys', { name, way, response }, { cookie });
  return { passkey, added, form: { name, way, response } };
}

/** Signs Anna in, and gives her a passkey. */
async function withPasskey(world: HttpWorld) {
  const anna = await join(world, 'Anna', 'viewer');
  const { passkey, added } = await addPasskey(world, anna.cookie);
  expect(added).toMatchObject({ status: 303, location: '/account?note=passkeyAdded#passkeys' });
  return { ...anna, passkey };
}

async function signInBy(world: HttpWorld, passkey: Passkey, lies: Dishonesty = {}, headers = {}) {
  const { options, way, asking } = await ask(world, '/sign-in');
  const response = usePasskey(passkey, options, ORIGIN, lies);
  const form = { way, response, to: '/account' };
  const answer = await send(world, '/sign-in', form, { cookie: asking, ...headers });
  return { ...answer, form, asking };
}

async function entries(world: HttpWorld, ...actions: string[]) {
  const all = await listAuditEntries(world.application.store, { limit: 50 });
  return all
    .filter(({ action }) => actions.includes(action))
    .map(({ action, details }) => ({ action, details }));
}

const REFUSED = { status: 401, cookie: null };

describe('a passkey', () => {
  it('can be added by a signed-in user, and later replaces the password at sign-in', async () => {
    const world = await open();
    expect((await ask(world, '/sign-in')).isThere).toBe(false);
    const { id, cookie, passkey } = await withPasskey(world);
    const again = await signInBy(world, passkey, {}, {});
    expect(again).toMatchObject({ status: 303, location: '/account' });
    expect(again.cookie).not.toBe(cookie);
    const page = await (await get(world, '/account', again.cookie ?? '')).text();
    expect(page).toContain('Phone');
    expect(page).toContain('just now');
    expect(await world.files()).not.toContainEqual(expect.stringContaining('Phone'));
    const [own] = await listPasskeys(world.application.store.reader, id);
    expect(await entries(world, 'passkey.added', 'session.begun')).toEqual([
      { action: 'session.begun', details: { person: id, by: 'passkey', passkey: own?.id } },
      { action: 'passkey.added', details: { person: id, passkey: own?.id } },
      { action: 'session.begun', details: { person: id } },
    ]);
  });

  it('ends the session that the browser had before the sign-in', async () => {
    const world = await open();
    const { cookie, passkey } = await withPasskey(world);
    const { options, way, asking } = await ask(world, '/sign-in');
    const response = usePasskey(passkey, options, ORIGIN);
    const both = { cookie: `${cookie}; ${asking}` };
    const again = await send(world, '/sign-in', { way, response, to: '/' }, both);
    expect(again.status).toBe(303);
    expect(again.cookie).not.toBe(cookie);
    expect((await get(world, '/account', cookie)).status).toBe(303);
    expect((await get(world, '/account', again.cookie ?? '')).status).toBe(200);
  });

  it('takes the place of a password where a person joins, whose link is used up by it', async () => {
    const world = await open();
    const { path, id } = await invite(world, 'Anna', 'viewer');
    const { options, way } = await ask(world, path);
    const elsewhere = await invite(world, 'Ben', 'viewer');
    const { passkey, response } = makePasskey(options, ORIGIN);
    const wrong = await send(world, elsewhere.path, { way, response });
    expect(wrong).toMatchObject({ status: 422, cookie: null });
    const joined = await send(world, path, { way, response });
    expect(joined).toMatchObject({ status: 303, location: '/' });
    expect((await send(world, path, { way, response })).cookie).toBeNull();
    expect(await findPersonBy(world.application.store.reader, 'id', id)).toMatchObject({
      password: null,
    });
    expect((await signInBy(world, passkey)).status).toBe(303);
    expect((await signIn(world, 'anna@example.org', '')).status).toBe(401);
  });

  it.each([
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['for another service', { rpId: 'evil.example' }],
    ['inside a page of another site', { crossOrigin: true }],
    ['without a user who unlocked it', { isVerified: false }],
    ['with a response of another kind', { type: 'webauthn.create' }],
    ['with the ID of another user', { userHandle: 'YmVu' }],
    ['with a signature of another key', { signature: Buffer.alloc(70, 1) }],
  ] satisfies [string, Dishonesty][])('does not sign a user in %s', async (_what, lies) => {
    const world = await open();
    const { id, passkey } = await withPasskey(world);
    expect(await signInBy(world, passkey, lies)).toMatchObject(REFUSED);
    expect(await entries(world, 'session.refused')).toEqual([
      { action: 'session.refused', details: { by: 'passkey', person: id, attempts: 1 } },
    ]);
    expect((await signInBy(world, passkey)).status).toBe(303);
  });

  it.each([
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['for another service', { rpId: 'evil.example' }],
    ['inside a page of another site', { crossOrigin: true }],
    ['without a user who unlocked it', { isVerified: false }],
    ['with a response of another kind', { type: 'webauthn.get' }],
  ] satisfies [string, Dishonesty][])('is not accepted %s', async (_what, lies) => {
    const world = await open();
    const { id, cookie } = await join(world, 'Anna', 'viewer');
    const { added } = await addPasskey(world, cookie, lies);
    expect(added.status).toBe(422);
    expect(added.text).toContain('was not accepted');
    expect(await listPasskeys(world.application.store.reader, id)).toEqual([]);
  });

  it('answers a question once, within five minutes, for the browser that was asked', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ clock });
    const { passkey } = await withPasskey(world);
    const { form, asking } = await signInBy(world, passkey);
    expect(await send(world, '/sign-in', form, { cookie: asking })).toMatchObject(REFUSED);

    const { options, way, asking: mine } = await ask(world, '/sign-in');
    const { asking: others } = await ask(world, '/sign-in');
    const answer = () => ({ way, response: usePasskey(passkey, options, ORIGIN), to: '/' });
    expect(await send(world, '/sign-in', answer(), { cookie: others })).toMatchObject(REFUSED);
    expect(await send(world, '/sign-in', answer())).toMatchObject(REFUSED);
    const changed = { ...answer(), way: `${way.slice(0, -4)}AAAA` };
    expect(await send(world, '/sign-in', changed, { cookie: mine })).toMatchObject(REFUSED);
    await clock.advance(5 * MINUTE_MS);
    expect(await send(world, '/sign-in', answer(), { cookie: mine })).toMatchObject(REFUSED);
    expect((await signInBy(world, passkey)).status).toBe(303);
  });

  it('is accepted only once for the same challenge, even in simultaneous requests', async () => {
    const world = await open();
    const { passkey } = await withPasskey(world);
    const { options, way, asking } = await ask(world, '/sign-in');
    const form = { way, response: usePasskey(passkey, options, ORIGIN), to: '/' };
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => send(world, '/sign-in', form, { cookie: asking })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401]);
  });

  it('is added for the session that was asked, and for the question that was asked', async () => {
    const world = await open();
    const anna = await withPasskey(world);
    const ben = await join(world, 'Ben', 'viewer');
    const { options, way } = await ask(world, '/account', anna.cookie);
    const { response } = makePasskey(options, ORIGIN);
    const form = { name: 'Key', way, response };
    const asBen = await send(world, '/account/passkeys', form, { cookie: ben.cookie });
    expect(asBen.status).toBe(422);
    const signing = await ask(world, '/sign-in');
    const mixed = { ...form, way: signing.way };
    const asAnna = { cookie: anna.cookie };
    expect((await send(world, '/account/passkeys', mixed, asAnna)).status).toBe(422);
    expect((await send(world, '/account/passkeys', form, asAnna)).status).toBe(303);
    const replayed = await send(world, '/account/passkeys', form, asAnna);
    expect(replayed.status).toBe(422);
    expect(await listPasskeys(world.application.store.reader, ben.id)).toEqual([]);
    expect(await listPasskeys(world.application.store.reader, anna.id)).toHaveLength(2);
  });

  it('that there are two of is refused, and the audit says so', async () => {
    const world = await open();
    const { id, passkey } = await withPasskey(world);
    const clone = { ...passkey };
    expect((await signInBy(world, passkey)).status).toBe(303);
    expect((await signInBy(world, passkey)).status).toBe(303);
    expect(await signInBy(world, clone)).toMatchObject(REFUSED);
    const [own] = await listPasskeys(world.application.store.reader, id);
    expect(await entries(world, 'passkey.refused')).toEqual([
      { action: 'passkey.refused', details: { person: id, passkey: own?.id, why: 'counter' } },
    ]);
    expect((await signInBy(world, passkey)).status).toBe(303);
  });

  it('lets no one in whose person was disabled or taken out', async () => {
    const world = await open();
    const { id, passkey } = await withPasskey(world);
    const { store } = world.application;
    await join(world, 'Olga', 'owner');
    const ben = await join(world, 'Ben', 'viewer');
    await addPasskey(world, ben.cookie);
    await store.act((trx) => disablePerson(trx, id, true));
    expect(await signInBy(world, passkey)).toMatchObject(REFUSED);
    await store.act((trx) => disablePerson(trx, id, false));
    expect((await signInBy(world, passkey)).status).toBe(303);
    await store.act((trx) => removePerson(trx, id));
    expect(await listPasskeys(store.reader, id)).toEqual([]);
    expect(await signInBy(world, passkey)).toMatchObject(REFUSED);
  });

  it('is refused for a minute, but only at the address that sent twenty wrong passkeys', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ clock, trustedProxies: ['127.0.0.1'] });
    const { email, passkey } = await withPasskey(world);
    const stranger = { ...passkey, id: 'AAAAAAAAAAAAAAAAAAAAAA' };
    const from = (address: string) => ({ 'x-forwarded-for': address });
    for (let attempt = 0; attempt < 20; attempt += 1) {
      expect((await signInBy(world, stranger, {}, from('203.0.113.7'))).status).toBe(401);
    }
    expect((await signInBy(world, stranger, {}, from('203.0.113.7'))).status).toBe(429);
    expect((await signInBy(world, passkey, {}, from('203.0.113.8'))).status).toBe(303);
    await clock.advance(MINUTE_MS);
    expect((await signInBy(world, passkey, {}, from('203.0.113.7'))).status).toBe(303);
    expect((await signIn(world, email)).status).toBe(303);
  });

  it('gets in while an account waits after wrong passwords', async () => {
    const world = await open();
    const { email, passkey } = await withPasskey(world);
    for (let attempt = 0; attempt < 10; attempt += 1) await signIn(world, email, 'not that one');
    expect((await signIn(world, email)).status).toBe(429);
    expect((await signInBy(world, passkey)).status).toBe(303);
  });

  it('is neither added, used nor removed by a page of another site', async () => {
    const world = await open();
    const { id, cookie, passkey } = await withPasskey(world);
    const foreign = { cookie, origin: 'https://evil.example' };
    const [own] = await listPasskeys(world.application.store.reader, id);
    for (const path of [
      '/account/passkeys',
      '/account/proof',
      `/account/passkeys/${own?.id}/remove`,
      '/sign-in',
    ]) {
      expect((await send(world, path, { response: '{}', way: 'x' }, foreign)).status, path).toBe(
        403,
      );
    }
    const planted = await signInBy(world, passkey, {}, { origin: 'https://evil.example' });
    expect(planted).toMatchObject({ status: 403, cookie: null });
  });

  it.each(['not json', '{}', '[]', 'null', '{"id":"AAAA","rawId":"AAAA","type":"public-key"}'])(
    'is no such text: %s',
    async (response) => {
      const world = await open();
      const { cookie } = await withPasskey(world);
      const { way, asking } = await ask(world, '/sign-in');
      const form = { way, response, to: '/' };
      expect(await send(world, '/sign-in', form, { cookie: asking })).toMatchObject(REFUSED);
      const { way: adding } = await ask(world, '/account', cookie);
      const added = await send(
        ...([
          world,
          '/account/passkeys',
          { name: 'x', way: adding, response },
          { cookie },
        ] as const),
      );
      expect(added.status).toBe(422);
    },
  );
});

describe('the passkeys of an account', () => {
  it('can be changed only within ten minutes after the user confirmed their identity', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ clock });
    const { id, cookie, passkey } = await withPasskey(world);
    const as = { cookie };
    const [own] = await listPasskeys(world.application.store.reader, id);
    const remove = () => send(world, `/account/passkeys/${own?.id}/remove`, {}, as);
    const late = await ask(world, '/account', cookie);
    await clock.advance(10 * MINUTE_MS);
    const { response } = makePasskey(late.options, ORIGIN);
    const added = await send(
      world,
      '/account/passkeys',
      { name: 'x', way: late.way, response },
      as,
    );
    expect(added.status).toBe(422);
    expect(added.text).toContain('Confirm your identity first');
    expect((await remove()).status).toBe(422);
    expect(await listPasskeys(world.application.store.reader, id)).toHaveLength(1);

    expect((await send(world, '/account/proof', { password: 'not that one' }, as)).status).toBe(
      422,
    );
    const page = await (await get(world, '/account', cookie)).text();
    expect(page).toContain('Confirm your identity first');
    expect((await send(world, '/account/proof', { password: PASSWORD }, as)).status).toBe(303);
    expect((await addPasskey(world, cookie)).added.status).toBe(303);

    await clock.advance(10 * MINUTE_MS);
    const { options, way } = await ask(world, '/account', cookie);
    const proof = { way, response: usePasskey(passkey, options, ORIGIN) };
    const ben = await join(world, 'Ben', 'viewer');
    expect((await send(world, '/account/proof', proof, { cookie: ben.cookie })).status).toBe(422);
    const wrong = { ...proof, response: usePasskey(passkey, options, ORIGIN, { rpId: 'evil' }) };
    expect((await send(world, '/account/proof', wrong, as)).status).toBe(422);
    expect((await send(world, '/account/proof', proof, as)).status).toBe(303);
    expect((await remove()).status).toBe(303);
  });

  it('can be removed only by their user, unless the user could no longer sign in', async () => {
    const world = await open();
    const { path, id } = await invite(world, 'Anna', 'viewer');
    const first = await ask(world, path);
    const { passkey, response } = makePasskey(first.options, ORIGIN);
    const cookie = (await send(world, path, { way: first.way, response })).cookie ?? '';
    const [own] = await listPasskeys(world.application.store.reader, id);
    const remove = (as: string, passkeyId = own?.id) =>
      send(world, `/account/passkeys/${passkeyId}/remove`, {}, { cookie: as });
    const last = await remove(cookie);
    expect(last.status).toBe(422);
    expect(last.text).toContain('last way to sign in');
    await addPasskey(world, cookie, {}, 'Key');
    const ben = await join(world, 'Ben', 'viewer');
    expect((await remove(ben.cookie)).status).toBe(422);
    const elsewhere = (await signInBy(world, passkey)).cookie ?? '';
    expect((await remove(cookie)).status).toBe(303);
    expect((await get(world, '/account', elsewhere)).status).toBe(303);
    expect((await get(world, '/account', cookie)).status).toBe(200);
    expect(await signInBy(world, passkey)).toMatchObject(REFUSED);
    expect(await entries(world, 'passkey.removed')).toEqual([
      { action: 'passkey.removed', details: { person: id, passkey: own?.id } },
    ]);
  });

  it('can be removed by an owner, which ends all sessions of their user', async () => {
    const world = await open();
    const anna = await withPasskey(world);
    const olga = await join(world, 'Olga', 'owner');
    const [own] = await listPasskeys(world.application.store.reader, anna.id);
    const path = `/users/${anna.id}/passkeys/${own?.id}/remove`;
    expect((await send(world, path, {}, { cookie: anna.cookie })).status).toBe(403);
    expect(await (await get(world, '/users', olga.cookie)).text()).toContain('password, 1 passkey');
    expect((await send(world, path, {}, { cookie: olga.cookie })).status).toBe(303);
    expect((await get(world, '/account', anna.cookie)).status).toBe(303);
    expect((await ask(world, '/sign-in')).isThere).toBe(false);
    expect((await send(world, path, {}, { cookie: olga.cookie })).status).toBe(404);
  });

  it('are listed over the API for programs, and removed by owners who have seen the question', async () => {
    const world = await open();
    const anna = await withPasskey(world);
    const token = await world.addToken('owner');
    const [own] = await listPasskeys(world.application.store.reader, anna.id);
    const listed = await world.request('/v1/users', { token });
    expect(JSON.parse(listed.text)).toMatchObject({
      users: [
        {
          id: anna.id,
          signsInBy: {
            password: true,
            provider: false,
            passkeys: [{ id: own?.id, name: 'Phone' }],
          },
        },
      ],
    });
    const path = `${world.url}/v1/users/${anna.id}/passkeys/${own?.id}`;
    const { cookie } = await join(world, 'Olga', 'owner');
    const headers = { cookie, origin: world.url };
    const preview = await fetch(`${path}/preview`, { method: 'POST', headers });
    const asked = z.object({ preview: z.looseObject({ digest: z.string() }) });
    const { digest, ...question } = asked.parse(await preview.json()).preview;
    expect(question).toMatchObject({
      question: 'Remove the passkey "Phone" of Anna?',
      counts: { left: 0 },
    });
    const removed = await fetch(`${path}?digest=${digest}`, { method: 'DELETE', headers });
    expect(await removed.json()).toMatchObject({ user: { signsInBy: { passkeys: [] } } });
    expect((await fetch(`${path}/preview`, { method: 'POST', headers })).status).toBe(404);
  });

  it('are not offered by an address that has no name, and the page says why', async () => {
    const world = await open({ publicUrl: 'http://127.0.0.1:8787' });
    const { cookie, path } = await join(world, 'Anna', 'viewer');
    const page = await (await get(world, '/account', cookie)).text();
    expect(page).toContain('browsers create them only for host names');
    expect(page).toContain('http://127.0.0.1:8787');
    expect(questionIn(page).isThere).toBe(false);
    expect(questionIn((await world.request(path)).text).isThere).toBe(false);
    const form = { name: 'x', way: 'x', response: '{}' };
    expect((await send(world, '/account/passkeys', form, { cookie })).status).toBe(422);
  });
});

describe('the sign-in with server.signIn.passwords: false', () => {
  const NO_PROVIDER = { passkeyHost: 'localhost', provider: false };

  it('refuses passwords, shows no field for them, and accepts a passkey', async () => {
    const world = await open({ passwords: false });
    const { passkey, email } = await withPasskey(world);
    const page = await (await get(world, '/sign-in', '')).text();
    expect(page).not.toContain('name="password"');
    const typed = { email, password: PASSWORD, to: '/account' };
    const refused = await send(world, '/sign-in', typed);
    expect(refused.status).toBe(401);
    expect(refused.cookie).toBeNull();
    expect((await signInBy(world, passkey)).status).toBe(303);
  });

  it('lets in by a link that an owner made, also with a password, and adds a passkey from there', async () => {
    const world = await open({ passwords: false });
    const anna = await join(world, 'Anna', 'viewer');
    expect((await get(world, '/account', anna.cookie)).status).toBe(200);
    expect((await addPasskey(world, anna.cookie)).added.status).toBe(303);
  });

  it('keeps the last passkey, although there is a password', async () => {
    for (const passwords of [true, false]) {
      const world = await open({ passwords });
      const { id, cookie } = await withPasskey(world);
      const [passkey] = await listPasskeys(world.application.store.reader, id);
      await send(world, `/account/passkeys/${passkey?.id}/remove`, {}, { cookie });
      expect(await listPasskeys(world.application.store.reader, id)).toHaveLength(
        passwords ? 0 : 1,
      );
    }
  });

  it('is refused while an owner who can sign in has neither a passkey nor a provider', async () => {
    const world = await open();
    const { store } = world.application;
    await requireOtherWays(store.reader, NO_PROVIDER);
    const olga = await join(world, 'Olga', 'owner');
    await expect(requireOtherWays(store.reader, NO_PROVIDER)).rejects.toThrow(
      '1 owner can sign in only',
    );
    await addPasskey(world, olga.cookie);
    await requireOtherWays(store.reader, NO_PROVIDER);
    // Her passkey works only with the host name at which she created it.
    await expect(
      requireOtherWays(store.reader, { passkeyHost: 'crm.example.org', provider: false }),
    ).rejects.toThrow('Each owner needs a passkey for the host name of server.publicUrl');
    await expect(
      requireOtherWays(store.reader, { passkeyHost: null, provider: true }),
    ).rejects.toThrow();
    await expect(
      requireOtherWays(store.reader, { passkeyHost: null, provider: false }),
    ).rejects.toThrow('users have no other way to sign in');
    await store.act((trx) => recordSubject(trx, olga.id, 'a-subject'));
    await requireOtherWays(store.reader, { passkeyHost: null, provider: true });
  });
});

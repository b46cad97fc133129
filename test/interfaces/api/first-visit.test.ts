import { describe, expect, it } from 'vitest';
import { createFirstVisit, type FirstVisit } from '../../../src/interfaces/api/request/secret.ts';
import { insertPasskey, type NewPasskey } from '../../../src/people/statements/passkeys.ts';
import { disablePerson, listPeople } from '../../../src/people/user-accounts.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { openPlainProxy } from '../../helpers/plain-proxy.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { get, invite, join, PASSWORD, send, signIn } from './people-world.ts';

const START = '/v1/integrations/riverside/runs';
const MINUTE_MS = 60_000;

const clock = createFakeClock(Date.now());

const open = closedAfterTest((options?: HttpWorldOptions) =>
  openHttpWorld({ isIdle: true, withoutToken: createFirstVisit(clock), ...options }),
);
const openProxy = closedAfterTest((target?: string) => openPlainProxy(target ?? ''));

async function openWithLink(options: HttpWorldOptions = {}) {
  const visit = createFirstVisit(clock);
  return { visit, world: await open({ ...options, withoutToken: visit }) };
}

const A_PASSKEY: NewPasskey = {
  ...{ id: 'former', credential: 'former', publicKey: 'former', counter: 0 },
  ...{ transports: [], host: 'localhost', sealed: 'former' },
};

const DANA = { name: 'Dana Reyes', email: 'dana@example.org' };

/** Sends the form that creates the first account. */
const createAccount = (
  world: HttpWorld,
  cookie: string,
  typed: Record<string, string> = {},
  headers: Record<string, string> = {},
) => send(world, '/first-visit', { ...DANA, fresh: PASSWORD, ...typed }, { cookie, ...headers });

function reading({ application: { store, sealer }, clock }: HttpWorld) {
  return { reader: store.reader, sealer, clock };
}

/** Follows the link and presses its button. Returns an empty cookie if the service set none. */
async function follow(
  { url }: Pick<HttpWorld, 'url'>,
  { path }: FirstVisit,
  options: RequestInit = {},
) {
  const response = await fetch(url + path, { method: 'POST', redirect: 'manual', ...options });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { status: response.status, cookie, setCookie: response.headers.get('set-cookie') };
}

describe('a server without any token', () => {
  it('gives no caller access because of its address, with or without a proxy', async () => {
    const world = await open();
    const proxy = await openProxy(world.url);
    for (const url of [world.url, proxy.url]) {
      expect((await fetch(`${url}/v1/runs`)).status).toBe(401);
      expect((await fetch(url + START, { method: 'POST' })).status).toBe(401);
      expect((await fetch(`${url}/`, { redirect: 'manual' })).headers.get('location')).toBe(
        '/sign-in',
      );
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('lets the browser that follows the link first create the account of the owner', async () => {
    const { visit, world } = await openWithLink();
    const { status, cookie, setCookie } = await follow(world, visit);
    expect(status).toBe(303);
    expect(setCookie).toMatch(/HttpOnly; SameSite=Lax$/);
    // The next visitor who follows the link gets no access. The first visitor is still signed in.
    expect(await follow(world, visit)).toMatchObject({ status: 403, cookie: '' });
    const created = await createAccount(world, cookie);
    expect(created).toMatchObject({ status: 303, location: '/' });
    const headers = { cookie: created.cookie ?? '', origin: world.url };
    const page = await world.request('/', { headers });
    expect(page.text).toContain('Dana Reyes <span class="quiet">(owner)</span>');
    expect((await world.request(START, { method: 'POST', headers })).status).toBe(202);
    const [user] = await listPeople(reading(world));
    expect(user).toMatchObject({ ...DANA, role: 'owner', status: 'active' });
    expect(user?.signsInBy).toEqual({ password: true, provider: false, passkeys: [] });
    const { email } = DANA;
    expect((await signIn(world, email)).status).toBe(303);
  });

  it('lets the browser do nothing else', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    const headers = { cookie, origin: world.url };
    const invitation = { name: 'Fred', email: 'fred@example.org', role: 'viewer', reach: 'all' };
    for (const path of ['/users', '/tokens', '/setup']) {
      expect((await send(world, path, invitation, { cookie })).status, path).toBe(401);
    }
    expect((await world.request(START, { method: 'POST', headers })).status).toBe(401);
    expect((await world.request('/v1/runs', { headers })).status).toBe(401);
    for (const path of ['/', '/users', '/setup', '/account', '/sign-in']) {
      const seen = await fetch(world.url + path, { headers, redirect: 'manual' });
      expect([seen.status, seen.headers.get('location')], path).toEqual([303, '/first-visit']);
    }
    expect(await listPeople(reading(world))).toEqual([]);
  });

  it('keeps the way open until an owner can sign in, whoever joins before', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    await world.addToken('admin');
    await join(world, 'Fred', 'viewer');
    await invite(world, 'Olga', 'owner');
    const form = await get(world, '/first-visit', cookie);
    expect(form.status).toBe(200);
    expect(await createAccount(world, cookie)).toMatchObject({ status: 303 });
    expect(await createAccount(world, cookie)).toMatchObject({ status: 403, cookie: null });
    expect((await get(world, '/first-visit', cookie)).headers.get('location')).toBe('/');
  });

  it('makes a user who is known already the owner, also one who was disabled', async () => {
    const { visit, world } = await openWithLink();
    const { id, cookie: before } = await join(world, 'Dana', 'viewer', ['riverside']);
    const { store } = world.application;
    await store.act((trx) => insertPasskey(trx, id, A_PASSKEY));
    await store.act((trx) => disablePerson(trx, id, true));
    const { cookie } = await follow(world, visit);
    expect(await createAccount(world, cookie, { name: 'Another' })).toMatchObject({ status: 303 });
    // The email address may now belong to a different person.
    expect(await store.reader.selectFrom('passkeys').selectAll().execute()).toEqual([]);
    expect(await listPeople(reading(world))).toMatchObject([
      { id, name: 'Dana', role: 'owner', integrations: null, status: 'active' },
    ]);
    expect((await get(world, '/users', before)).status).toBe(303);
  });

  it.each([
    ['a password that others guess', { fresh: 'password1234' }, 'Others could guess this password'],
    ['a short password', { fresh: 'short' }, 'Use at least 12 characters'],
    ['an address that is none', { email: 'dana' }, 'This is not an email address.'],
    ['no name', { name: ' ' }, 'A name is missing.'],
  ])('comes back with what was typed, except the password, for %s', async (_, typed, problem) => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    const refused = await createAccount(world, cookie, typed);
    expect(refused).toMatchObject({ status: 422, cookie: null });
    expect(refused.text).toContain(problem);
    const { name, email, fresh } = { ...DANA, fresh: PASSWORD, ...typed };
    expect(refused.text).toContain(`value="${name}"`);
    expect(refused.text).toContain(`value="${email}"`);
    expect(refused.text).not.toContain(fresh);
    expect(await listPeople(reading(world))).toEqual([]);
    expect(await createAccount(world, cookie)).toMatchObject({ status: 303 });
  });

  it('creates one owner if the button is pressed twice', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    const both = await Promise.all([
      createAccount(world, cookie),
      createAccount(world, cookie, { email: 'dana.reyes@example.org' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect(await listPeople(reading(world))).toHaveLength(1);
  });

  it('leads to the page where a passkey is created, where passwords let nobody in', async () => {
    const { visit, world } = await openWithLink({
      passwords: false,
      publicUrl: 'http://localhost:8787',
    });
    const { cookie } = await follow(world, visit);
    expect(await (await get(world, '/first-visit', cookie)).text()).not.toContain(
      'type="password"',
    );
    const { status, location } = await createAccount(world, cookie);
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/join\//)]);
    const page = await (await get(world, location ?? '', cookie)).text();
    expect(page).toContain('Use a passkey instead');
    // An invited owner has not joined yet, so the first visit is not complete.
    expect((await get(world, '/', cookie)).headers.get('location')).toBe('/first-visit');
  });

  it('takes the cookie from our own pages alone', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    for (const origin of ['', 'https://evil.example']) {
      const created = await createAccount(world, cookie, {}, { origin });
      expect(created.status).toBe(403);
      expect(created.text).toContain('origin');
    }
    expect(await listPeople(reading(world))).toEqual([]);
  });

  it('ends the first link after 15 minutes, or when the first owner joins', async () => {
    const late = await openWithLink();
    await clock.advance(15 * MINUTE_MS + 1);
    expect(await follow(late.world, late.visit)).toMatchObject({ status: 403, cookie: '' });

    const { visit, world } = await openWithLink();
    await join(world, 'Olga', 'owner');
    expect(await follow(world, visit)).toMatchObject({ status: 403, cookie: '' });
  });

  it('ends the visit with the first owner, and after a day', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    await join(world, 'Olga', 'owner');
    expect((await get(world, '/users', cookie)).headers.get('location')).toBe(
      '/sign-in?to=%2Fusers',
    );
    expect((await createAccount(world, cookie)).status).toBe(403);

    const other = await openWithLink();
    const session = await follow(other.world, other.visit);
    await clock.advance(24 * 60 * MINUTE_MS + 1);
    expect((await createAccount(other.world, session.cookie)).status).toBe(403);
    expect(await listPeople(reading(other.world))).toEqual([]);
  });

  it('does not use up the first link when someone opens it or forwards a request', async () => {
    const { visit, world } = await openWithLink();
    for (const method of ['HEAD', 'GET', 'GET']) {
      expect(await follow(world, visit, { method })).toMatchObject({ status: 200, cookie: '' });
    }
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect(await follow(world, visit, foreign)).toMatchObject({ status: 403, cookie: '' });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect(await follow(world, visit, { headers })).toMatchObject({ status: 403, cookie: '' });
    expect((await follow(world, visit)).status).toBe(303);
  });

  it('lets the first visitor in on this machine alone, whatever the public address is', async () => {
    const publicUrl = 'https://sync.example.org';
    const { visit, world } = await openWithLink({ publicUrl });
    const { cookie } = await follow(world, visit);
    expect((await get(world, '/first-visit', cookie)).status).toBe(200);
    const forwarded = { 'x-forwarded-proto': 'https' };
    expect((await createAccount(world, cookie, {}, forwarded)).status).toBe(403);
    expect((await createAccount(world, cookie)).status).toBe(303);
  });

  it('makes a caller wait after 20 wrong guesses of the first link', async () => {
    const world = await open();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      statuses.push(
        (await world.request(`/first-visit/guess-${attempt}`, { method: 'POST' })).status,
      );
    }
    expect(statuses).toEqual([...Array(20).fill(403), 429]);
  });

  it('never writes the first link to the log', async () => {
    const { visit, world } = await openWithLink();
    const { cookie } = await follow(world, visit);
    const created = await createAccount(world, cookie);
    const log = world.logLines.join('');
    expect(log).toContain('/first-visit/:secret');
    expect(log).not.toContain(visit.path.split('/').at(-1));
    expect(log).not.toContain(cookie.split('=').at(-1));
    for (const secret of [created.cookie?.split('=').at(-1), PASSWORD, ...Object.values(DANA)]) {
      expect(secret).toBeTruthy();
      expect(log).not.toContain(secret);
    }
  });
});

describe('the link of `serve --recover`', () => {
  async function recovering() {
    const visit = createFirstVisit(clock, 'recovery');
    const world = await open({ withoutToken: visit });
    const dana = await join(world, 'Dana', 'owner');
    const { cookie } = await follow(world, visit);
    return { world, visit, dana, cookie };
  }

  it('gives an owner a new password, ends the sessions, and counts once', async () => {
    const { world, visit, dana, cookie } = await recovering();
    expect(await (await get(world, '/first-visit', cookie)).text()).toContain(
      'Recover your account',
    );
    const fresh = 'violet harbor mast quilt';
    const recovered = await createAccount(world, cookie, { fresh });
    expect(recovered).toMatchObject({ status: 303, location: '/' });
    expect((await get(world, '/users', recovered.cookie ?? '')).status).toBe(200);
    expect((await get(world, '/users', dana.cookie)).status).toBe(303);
    expect((await signIn(world, dana.email)).status).toBe(401);
    expect((await signIn(world, dana.email, fresh)).status).toBe(303);
    expect((await createAccount(world, cookie)).status).toBe(403);
    expect((await follow(world, visit)).status).toBe(403);
    expect(await listPeople(reading(world))).toHaveLength(1);
  });

  it('makes an owner of a user of another role, or of an address that nobody has', async () => {
    for (const email of ['ben@example.org', 'new@example.org']) {
      const { world, cookie } = await recovering();
      await join(world, 'Ben', 'viewer', ['riverside']);
      expect(await createAccount(world, cookie, { email })).toMatchObject({ status: 303 });
      const users = await listPeople(reading(world));
      expect(users.find((user) => user.email === email)).toMatchObject({
        role: 'owner',
        integrations: null,
      });
    }
  });

  it('still counts after a password that was refused, and creates one account for two clicks', async () => {
    const { world, cookie } = await recovering();
    expect((await createAccount(world, cookie, { fresh: 'short' })).status).toBe(422);
    const both = await Promise.all([
      createAccount(world, cookie, { email: 'one@example.org' }),
      createAccount(world, cookie, { email: 'two@example.org' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 403]);
    expect(await listPeople(reading(world))).toHaveLength(2);
  });
});

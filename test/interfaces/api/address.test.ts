/**
 * Tests the address under which colleagues reach the service. An owner sets and confirms the address. Some actions need
 * a confirmed address.
 */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { passkeySealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { createFirstVisit } from '../../../src/interfaces/api/request/secret.ts';
import { insertPasskey } from '../../../src/people/statements/passkeys.ts';
import { disablePerson } from '../../../src/people/user-accounts.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { get, giveAddress, invite, join, PASSWORD, SESSION, send } from './people-world.ts';

const ADDRESS = 'https://donors.example.org';
const MINUTE_MS = 60_000;
const PHONE = 'Mozilla/5.0 (iPhone) Safari/604.1';
const COMPUTER = 'Mozilla/5.0 (X11; Linux) Firefox/140.0';
/** A proxy adds these headers, so the request seems to come from a different machine. */
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

const open = closedAfterTest((options: HttpWorldOptions = {}) =>
  openHttpWorld({
    ...{ isIdle: true, hasOwnUrl: true, withoutToken: null },
    ...{ trustedProxies: ['127.0.0.1'], ...options },
  }),
);

const addressSchema = z.object({
  url: z.string(),
  from: z.string(),
  former: z.array(z.object({ url: z.string() })),
  proposed: z.object({ url: z.string() }).nullable(),
  keptPasskeys: z.array(z.object({ name: z.string(), passkeys: z.int() })),
  lostPasskeys: z.array(z.object({ name: z.string(), passkeys: z.int() })),
});

/** Opens a service with an owner who has just signed in. */
async function openWithOwner(options: HttpWorldOptions = {}) {
  const clock = createFakeClock(Date.now());
  const world = await open({ clock, ...options });
  const owner = await join(world, 'Olga', 'owner');
  return { world, clock, owner, token: await world.addToken('owner') };
}

async function read(world: HttpWorld, token: string) {
  const answer = await world.request('/v1/address', { token });
  expect(answer.status).toBe(200);
  return answer.read(addressSchema);
}

/** Sets the address on the page. Returns the path of the link that the page then shows. */
async function ask(world: HttpWorld, cookie: string, url = ADDRESS, headers = {}) {
  const answer = await send(
    world,
    '/address',
    { url },
    { cookie, 'user-agent': COMPUTER, ...headers },
  );
  const page = await (await get(world, '/address', cookie)).text();
  const path = /(\/confirm-address\/[\w-]{43})/.exec(page)?.[1] ?? '';
  return { ...answer, page, path };
}

interface Visit {
  origin?: string | null;
  host?: string;
  agent?: string;
  method?: 'GET' | 'POST' | 'HEAD';
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

/**
 * Opens a path under the new address in a browser on a different machine. With a form, presses the button on the page.
 */
function visit(
  { url }: Pick<HttpWorld, 'url'>,
  path: string,
  { origin = ADDRESS, host, agent = PHONE, method = 'POST', form, headers = {} }: Visit = {},
): Promise<{ status: number; text: string; cookie: string; setCookie: string }> {
  const name = host ?? new URL(origin ?? ADDRESS).host;
  const body = form && new URLSearchParams(form).toString();
  const options = {
    method,
    headers: {
      ...{ host: name, 'user-agent': agent, ...ELSEWHERE },
      ...(origin !== null && method === 'POST' && { origin }),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const setCookie = answer.headers['set-cookie']?.join() ?? '';
        const cookie = SESSION.exec(setCookie)?.[0] ?? '';
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, text, cookie, setCookie });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function auditOf({ application }: HttpWorld) {
  const entries = await listAuditEntries(application.store, { limit: 50 });
  return entries
    .filter(({ action }) => action.startsWith('address.'))
    .map(({ action, details }) => ({ action, details }));
}

function addPasskey({ application: { store, sealer } }: HttpWorld, personId: string, host: string) {
  const id = `${personId}-${host}`;
  const passkey = {
    ...{ id, credential: id, publicKey: 'key', counter: 0, transports: [], host },
    sealed: sealer.seal('Phone', passkeySealContext(id)),
  };
  return store.act((trx) => insertPasskey(trx, personId, passkey));
}

describe('the address of the service', () => {
  it('counts once another browser has confirmed it there, and not before', async () => {
    const { world, owner, token } = await openWithOwner();
    expect(await read(world, token)).toMatchObject({ from: 'default', proposed: null });
    expect((await visit(world, '/sign-in', { method: 'GET' })).status).toBe(421);
    const proposed = await ask(world, owner.cookie);
    expect(proposed).toMatchObject({ status: 303, location: '/address#link' });
    expect(proposed.page).toContain(`${ADDRESS}${proposed.path}`);
    expect(proposed.page).toMatch(
      /<svg[^>]*role="img"[^>]*aria-label="QR code[^"]*donors\.example\.org"/,
    );
    expect(await read(world, token)).toMatchObject({ from: 'default', proposed: { url: ADDRESS } });
    // Under the new name, the service offers only the page that confirms the address.
    expect((await visit(world, '/sign-in', { method: 'GET' })).status).toBe(421);
    const page = await visit(world, proposed.path, { method: 'GET' });
    // A browser cannot open any other page under this name yet.
    expect(page.text).not.toContain('href="/docs');
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Confirm') });
    expect(await read(world, token)).toMatchObject({ from: 'default' });
    expect(await visit(world, proposed.path)).toMatchObject({
      ...{ status: 200, text: expect.stringContaining('The address is confirmed') },
    });
    expect(await read(world, token)).toMatchObject({
      url: ADDRESS,
      from: 'confirmed',
      proposed: null,
    });
    expect((await visit(world, '/sign-in', { method: 'GET' })).status).toBe(200);
    expect(await auditOf(world)).toEqual([
      { action: 'address.confirmed', details: { url: ADDRESS } },
      { action: 'address.proposed', details: { url: ADDRESS } },
    ]);
    expect(world.logLines.join('')).not.toContain(proposed.path.split('/').at(-1));
  });

  it('is not confirmed by who only looks: link previews, scanners and crawlers', async () => {
    const { world, owner, token } = await openWithOwner();
    const { path } = await ask(world, owner.cookie);
    for (const method of ['GET', 'HEAD'] as const) {
      expect((await visit(world, path, { method })).status).toBe(200);
    }
    expect(await read(world, token)).toMatchObject({ from: 'default' });
  });

  it('is not confirmed by the browser in which it was typed', async () => {
    const { world, owner, token } = await openWithOwner();
    const { path } = await ask(world, owner.cookie, ADDRESS, ELSEWHERE);
    const same = await visit(world, path, { agent: COMPUTER });
    expect(same).toMatchObject({ status: 422, text: expect.stringContaining('different device') });
    expect(await read(world, token)).toMatchObject({ from: 'default' });
    expect((await visit(world, path, { agent: PHONE })).status).toBe(200);
  });

  it('is confirmed by a computer that looks the same, if its user says that it is a different one', async () => {
    const { world, owner, token } = await openWithOwner();
    const { path } = await ask(world, owner.cookie, ADDRESS, ELSEWHERE);
    await visit(world, path, { agent: COMPUTER });
    const stated = await visit(world, path, { agent: COMPUTER, form: { different: 'on' } });
    expect(stated.status).toBe(200);
    expect(await read(world, token)).toMatchObject({ from: 'confirmed' });
  });

  it.each<[string, Visit, number, RegExp]>([
    ['by plain http', { origin: 'http://donors.example.org' }, 422, /http:\/\/donors/],
    ['at another port', { origin: `${ADDRESS}:8443`, host: 'donors.example.org' }, 422, /8443/],
    ['through a proxy that rewrites the name', { host: '127.0.0.1:8787' }, 422, /header Host/],
    [
      'from a page of another site',
      { origin: 'https://evil.example', host: 'donors.example.org' },
      403,
      /another site/,
    ],
    ['without an origin', { origin: null }, 403, /another site/],
    [
      'through a proxy that reports plain http',
      { headers: { 'x-forwarded-proto': 'http' } },
      422,
      /X-Forwarded-Proto/,
    ],
    ['under a name that nobody proposed', { host: 'evil.example' }, 421, /does not respond/],
  ])('is not confirmed %s', async (_, how, status, text) => {
    const { world, owner, token } = await openWithOwner();
    const { path } = await ask(world, owner.cookie);
    const answer = await visit(world, path, how);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
    expect(await read(world, token)).toMatchObject({ from: 'default' });
    expect((await visit(world, path)).status).toBe(200);
  });

  it('is confirmed once, within fifteen minutes, by the last link alone', async () => {
    const { world, clock, owner, token } = await openWithOwner();
    const first = await ask(world, owner.cookie);
    const second = await ask(world, owner.cookie);
    expect(second.path).not.toBe(first.path);
    expect((await visit(world, first.path)).status).toBe(404);
    clock.advance(15 * MINUTE_MS);
    expect(await visit(world, second.path)).toMatchObject({
      ...{ status: 404, text: expect.stringContaining('15 minutes') },
    });
    expect(await read(world, token)).toMatchObject({ from: 'default', proposed: null });
    const { path } = await ask(world, (await signInAgain(world)).cookie);
    expect((await visit(world, path)).status).toBe(200);
    expect((await visit(world, path)).status).toBe(404);
  });

  it('is not confirmed any more once the user who proposed it is not an owner', async () => {
    const { world, owner, token } = await openWithOwner();
    await join(world, 'Vera', 'owner');
    const { path } = await ask(world, owner.cookie);
    await world.application.store.act((trx) => disablePerson(trx, owner.id, true));
    expect((await visit(world, path)).status).toBe(404);
    expect(await read(world, token)).toMatchObject({ from: 'default' });
  });

  it('stops who guesses at the one-time value', async () => {
    const { world, owner } = await openWithOwner();
    await ask(world, owner.cookie);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      statuses.push((await visit(world, `/confirm-address/guess-${attempt}`)).status);
    }
    expect(statuses).toEqual([...Array(20).fill(404), 429]);
  });

  it('is set by one of two owners at once: the link of the other one ends', async () => {
    const { world, clock, owner, token } = await openWithOwner();
    const vera = await join(world, 'Vera', 'owner');
    const put = (cookie: string, url: string) =>
      world.request('/v1/address', {
        method: 'PUT',
        body: { url },
        headers: { cookie, origin: world.url },
      });
    const answers = await Promise.all([
      put(owner.cookie, 'https://one.example.org'),
      put(vera.cookie, 'https://two.example.org'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const links = answers.map((answer) => answer.read(z.object({ link: z.string() })).link);
    const { proposed } = await read(world, token);
    // The API accepts the new name within five seconds.
    clock.advance(5_000);
    const confirmed = await Promise.all(
      links.map(async (link) => {
        const { origin, pathname } = new URL(link);
        return { origin, status: (await visit(world, pathname, { origin })).status };
      }),
    );
    const done = confirmed.filter(({ status }) => status === 200);
    expect(done.map(({ origin }) => origin)).toEqual([proposed?.url]);
    expect(await read(world, token)).toMatchObject({ url: proposed?.url });
  });

  it.each([
    ['http://donors.example.org', /https/],
    ['https://localhost:8787', /only reach itself/],
    ['https://127.0.0.1', /only reach itself/],
    ['https://donors.example.org/app', /without a path/],
    ['https://anna:secret@donors.example.org', /without a path/],
    ['ftp://donors.example.org', /https/],
    ['https://', /not an address/],
  ])('is refused as %s, and stays in the form', async (url, text) => {
    const { world, owner } = await openWithOwner();
    const answer = await send(world, '/address', { url }, { cookie: owner.cookie });
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(text);
    expect(answer.text).toContain(`value="${url}"`);
  });

  it('may be plain http where the settings allow passwords over it', async () => {
    const { world, owner } = await openWithOwner({ plainHttp: 'allow' });
    expect((await ask(world, owner.cookie, 'http://donors.lan')).status).toBe(303);
  });

  it('is shown read-only if the settings name it, and wins', async () => {
    const { world, owner, token } = await openWithOwner({
      hasOwnUrl: false,
      publicUrl: 'https://sync.example.org',
    });
    expect(await read(world, token)).toMatchObject({
      from: 'settings',
      url: 'https://sync.example.org',
    });
    const cookie = owner.cookie;
    const page = await visit(world, '/address', {
      ...{ method: 'GET', origin: 'https://sync.example.org', headers: { cookie } },
    });
    expect(page.text).toContain('https://sync.example.org');
    expect(page.text).not.toContain('action="/address"');
    const refused = await world.request('/v1/address', {
      ...{ method: 'PUT', body: { url: ADDRESS }, headers: { cookie, origin: world.url } },
    });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('address_in_settings');
  });
});

async function signInAgain(world: HttpWorld) {
  const signedIn = await send(world, '/sign-in', {
    email: 'olga@example.org',
    password: PASSWORD,
    to: '/',
  });
  return { cookie: signedIn.cookie ?? '' };
}

describe('who sets the address', () => {
  const put = (world: HttpWorld, options: { cookie?: string; token?: string }, headers = {}) => {
    const { cookie, token } = options;
    return world.request('/v1/address', {
      ...{ method: 'PUT', body: { url: ADDRESS } },
      ...(token !== undefined && { token }),
      headers: { ...(cookie !== undefined && { cookie, origin: world.url }), ...headers },
    });
  };

  it('is an owner, never a token and no other role', async () => {
    const { world, token } = await openWithOwner();
    expect((await put(world, { token })).text).toContain('person_needed');
    for (const role of ['admin', 'viewer'] as const) {
      const { cookie } = await join(world, role, role);
      expect((await put(world, { cookie })).text).toContain('role_insufficient');
      expect((await get(world, '/address', cookie)).status).toBe(403);
    }
    expect((await put(world, {})).status).toBe(401);
  });

  it('signed in a moment ago, or sits at this machine', async () => {
    const { world, clock, owner, token } = await openWithOwner();
    clock.advance(11 * MINUTE_MS);
    const elsewhere = await put(world, owner, ELSEWHERE);
    expect(elsewhere.status).toBe(403);
    expect(elsewhere.text).toContain('proof_needed');
    expect(await read(world, token)).toMatchObject({ proposed: null });
    expect((await put(world, owner)).status).toBe(200);
  });

  it('shows again that it is them, and is led back to the page', async () => {
    const { world, clock, owner } = await openWithOwner();
    await giveAddress(world);
    clock.advance(11 * MINUTE_MS);
    const { cookie } = owner;
    const page = await (await get(world, '/address', cookie)).text();
    expect(page).toContain('Confirm your identity first');
    const refused = await send(world, '/address', { url: 'https://new.example.org' }, { cookie });
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.text).toContain('value="https://new.example.org"');
    const proved = await send(
      world,
      '/account/proof',
      { password: PASSWORD, next: '/address' },
      { cookie },
    );
    expect(proved).toMatchObject({ status: 303, location: '/address' });
    expect((await send(world, '/address', { url: ADDRESS }, { cookie })).status).toBe(303);
  });
});

describe('until the address is confirmed', () => {
  it('inviting says that it can be reached only from this computer, and makes no link', async () => {
    const { world, owner } = await openWithOwner();
    const { cookie } = owner;
    const page = await (await get(world, '/users', cookie)).text();
    expect(page).toContain('Works on this computer only');
    expect(page).not.toContain('action="/users"');
    const ben = { name: 'Ben', email: 'ben@example.org', role: 'viewer', reach: 'all' };
    const refused = await send(world, '/users', ben, { cookie });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.text).toContain('can be reached only from this computer');
    expect(refused.text).not.toContain('/join/');
    const link = await send(
      world,
      `/users/${(await invite(world, 'Eva', 'viewer')).id}/link`,
      {},
      { cookie },
    );
    expect(link.status).toBe(409);
    await giveAddress(world);
    const invited = await send(world, '/users', ben, { cookie });
    expect(invited.status).toBe(200);
    expect(invited.text).toContain(`${ADDRESS}/join/`);
  });

  it('there are no passkeys, and the account says why', async () => {
    const { world, clock, owner } = await openWithOwner();
    const { cookie } = owner;
    const before = await (await get(world, '/account', cookie)).text();
    expect(before).toContain('does not have its final host name yet');
    expect(before).not.toContain('data-passkey');
    await giveAddress(world);
    // A different process confirmed the address. This process notices the new address within five seconds.
    clock.advance(5_000);
    expect(await (await get(world, '/account', cookie)).text()).toContain('data-passkey="create"');
  });

  it('the first owner is asked for it after the account, and can go on without it', async () => {
    const clock = createFakeClock(Date.now());
    const first = createFirstVisit(clock);
    const world = await open({ withoutToken: first, trustedProxies: [] });
    const followed = await fetch(world.url + first.path, { method: 'POST', redirect: 'manual' });
    const [cookie = ''] = (followed.headers.get('set-cookie') ?? '').split(';');
    const dana = { name: 'Dana Reyes', email: 'dana@example.org', fresh: PASSWORD };
    const created = await send(world, '/first-visit', dana, { cookie });
    expect(created).toMatchObject({ status: 303, location: '/address?first' });
    const page = await (await get(world, '/address?first', created.cookie ?? '')).text();
    expect(page).toContain('At which address do your colleagues reach donor-sync?');
    expect(page).toContain('Later');
    expect(page).toContain('serve --host');
  });
});

describe('a changed address', () => {
  it('keeps the former one for a day, and says whose passkeys end', async () => {
    const { world, clock, owner, token } = await openWithOwner();
    await giveAddress(world);
    const vera = await join(world, 'Vera', 'viewer');
    await addPasskey(world, vera.id, 'donors.example.org');
    clock.advance(5_000);
    const page = await (await get(world, '/address', owner.cookie)).text();
    expect(page).toMatch(/stop working: Vera/);
    const other = 'https://new.example.org';
    const { path } = await ask(world, owner.cookie, other);
    expect((await visit(world, path, { origin: other })).status).toBe(200);
    expect(await read(world, token)).toMatchObject({
      ...{ url: other, former: [{ url: ADDRESS }] },
      lostPasskeys: [{ name: 'Vera', passkeys: 1 }],
    });
    for (const origin of [ADDRESS, other]) {
      const page = await visit(world, '/sign-in', { method: 'GET', origin });
      expect(page.status, origin).toBe(200);
      const form = { email: 'olga@example.org', password: PASSWORD, to: '/' };
      const signedIn = await visit(world, '/sign-in', { origin, form });
      expect(signedIn.status, origin).toBe(303);
      expect(signedIn.setCookie, origin).toContain('__Host-donor_sync_session=');
      const { cookie } = signedIn;
      const home = await visit(world, '/', { method: 'GET', origin, headers: { cookie } });
      expect(home.status, origin).toBe(200);
    }
    clock.advance(24 * 60 * MINUTE_MS);
    expect((await visit(world, '/sign-in', { method: 'GET', origin: ADDRESS })).status).toBe(421);
    expect((await visit(world, '/sign-in', { method: 'GET', origin: other })).status).toBe(200);
  });

  it('is refused while an owner has only a passkey of the former one', async () => {
    const { world, owner, token } = await openWithOwner();
    await giveAddress(world);
    const vera = await join(world, 'Vera', 'owner');
    await addPasskey(world, vera.id, 'donors.example.org');
    const { cookie } = owner;
    const { path } = await ask(world, cookie, 'https://new.example.org');
    const { connection } = world.application.store;
    await connection
      .updateTable('people')
      .set({ password: null })
      .where('id', '=', vera.id)
      .execute();
    const refused = await send(world, '/address', { url: 'https://other.example.org' }, { cookie });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('only passkeys');
    // A link for an earlier proposed address is also refused.
    const late = await visit(world, path, { origin: 'https://new.example.org' });
    expect(late).toMatchObject({ status: 422, text: expect.stringContaining('only passkeys') });
    expect(await read(world, token)).toMatchObject({ url: ADDRESS });
    // Passkeys keep working with a different port on the same host name.
    const same = await send(world, '/address', { url: `${ADDRESS}:8443` }, { cookie });
    expect(same.status).toBe(303);
  });

  it('leaves the owner signed in on this machine', async () => {
    const { world, clock, owner } = await openWithOwner();
    await giveAddress(world);
    clock.advance(5_000);
    expect((await get(world, '/users', owner.cookie)).status).toBe(200);
  });
});

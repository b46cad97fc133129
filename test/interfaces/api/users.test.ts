/** Tests users over HTTP: joining, signing in, sessions, and requests that are refused. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listAccessTokens } from '../../../src/people/statements/access.ts';
import { listPersonRecords } from '../../../src/people/statements/people.ts';
import { listSessions } from '../../../src/people/statements/sessions.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';
import { get, invite, join, PASSWORD, SESSION, send, signIn } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

const HOUR_MS = 3_600_000;

describe('an invitation', () => {
  it('shows the name of its user, and stops working once the user has set a password', async () => {
    const world = await open({ isIdle: true });
    const { path, email } = await invite(world, 'Anna', 'viewer');
    for (let look = 0; look < 2; look += 1) {
      expect((await world.request(path)).text).toContain('Welcome, Anna');
    }
    const weak = await send(world, path, { fresh: 'passwordpassword' });
    expect(weak).toMatchObject({ status: 422, cookie: null });
    expect(weak.text).toContain('Others could guess this password');
    const joined = await send(world, path, { fresh: PASSWORD });
    expect(joined).toMatchObject({ status: 303, location: '/' });
    expect((await get(world, '/account', joined.cookie ?? '')).status).toBe(200);

    const replayed = await send(world, path, { fresh: 'another few words' });
    expect(replayed).toMatchObject({ status: 404, cookie: null });
    expect(replayed.text).toContain('This link no longer works');
    expect((await signIn(world, email)).status).toBe(303);
    expect((await signIn(world, email, 'another few words')).status).toBe(401);
  });

  it('limits wrong guesses, and a valid link still works from the same address', async () => {
    const world = await open({ isIdle: true });
    const { path } = await invite(world, 'Anna', 'viewer');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const guess = `/join/guess-${attempt}`;
      statuses.push((await world.request(guess)).status);
      statuses.push((await send(world, guess, { fresh: PASSWORD })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(404), 429, 429]);
    expect((await send(world, path, { fresh: PASSWORD })).status).toBe(303);
  });

  it('works only once, and not from the page of another site', async () => {
    const world = await open({ isIdle: true });
    const { path } = await invite(world, 'Anna', 'viewer');
    const foreign = { origin: 'https://evil.example' };
    expect((await send(world, path, { fresh: PASSWORD }, foreign)).status).toBe(403);
    const both = await Promise.all([
      send(world, path, { fresh: PASSWORD }),
      send(world, path, { fresh: PASSWORD }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  it('expires after seven days', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock });
    const { path } = await invite(world, 'Anna', 'viewer');
    await clock.advance(7 * 24 * HOUR_MS);
    expect((await world.request(path)).status).toBe(404);
    expect((await send(world, path, { fresh: PASSWORD })).cookie).toBeNull();
  });

  it('ends what this machine may do without a token, once it is accepted', async () => {
    const world = await open({ isIdle: true });
    const { path } = await invite(world, 'Anna', 'owner');
    expect((await world.request('/v1/runs')).status).toBe(200);
    await send(world, path, { fresh: PASSWORD });
    expect((await world.request('/v1/runs')).status).toBe(401);
  });
});

describe('a user who signs in', () => {
  it('gets a new session, whatever cookie the browser sent, and the old session ends', async () => {
    const world = await open({ isIdle: true });
    const { email, cookie } = await join(world, 'Anna', 'viewer');
    const planted = `donor_sync_session=${'A'.repeat(43)}`;
    const fresh = await signIn(world, email, PASSWORD, { cookie: planted });
    expect(fresh.cookie).toMatch(SESSION);
    expect(fresh.cookie).not.toBe(planted);
    expect((await get(world, '/account', planted)).status).toBe(303);
    const again = await signIn(world, email, PASSWORD, { cookie });
    expect((await get(world, '/account', cookie)).status).toBe(303);
    expect((await get(world, '/account', again.cookie ?? '')).status).toBe(200);
  });

  it('sees and syncs only the clients that the user has access to', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const { cookie } = await join(world, 'Ben', 'admin', ['harbor']);
    const home = await (await get(world, '/', cookie)).text();
    expect(home).toContain('harbor');
    expect(home).not.toContain('Riverside');
    expect((await send(world, '/integrations/riverside/sync', {}, { cookie })).status).toBe(404);
    expect((await send(world, '/integrations/harbor/sync', {}, { cookie })).status).toBe(303);
    expect((await get(world, '/users', cookie)).status).toBe(403);
  });

  it('reads the same after a wrong password and without an account, while tokens go on to work', async () => {
    const world = await open({ isIdle: true });
    const { email } = await join(world, 'Anna', 'viewer');
    const wrong = await signIn(world, email, 'not that one');
    const unknown = await signIn(world, 'unknown@example.org', PASSWORD);
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text.replace(email, '')).toBe(unknown.text.replace('unknown@example.org', ''));
    const token = await world.addToken('viewer');
    expect(await send(world, '/sign-in', { token, to: '/' })).toMatchObject({ status: 303 });
    expect((await world.request('/v1/runs', { token })).status).toBe(200);
  });

  it('is signed out after eight hours without a request', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock });
    const { cookie } = await join(world, 'Anna', 'viewer');
    await clock.advance(8 * HOUR_MS - 1);
    expect((await get(world, '/', cookie)).status).toBe(200);
    await clock.advance(8 * HOUR_MS);
    expect((await get(world, '/', cookie)).status).toBe(303);
  });
});

describe('an account of a user', () => {
  it('needs the old password to change it, and is then signed out everywhere else', async () => {
    const world = await open({ isIdle: true });
    const { email, cookie } = await join(world, 'Anna', 'viewer');
    const elsewhere = (await signIn(world, email)).cookie ?? '';
    const change = (old: string, fresh: string) =>
      send(world, '/account/password', { old, fresh }, { cookie });
    expect((await change('not that one', 'four green frogs sing')).status).toBe(422);
    expect((await change(PASSWORD, 'short')).status).toBe(422);
    expect((await get(world, '/account', elsewhere)).status).toBe(200);
    expect((await change(PASSWORD, 'four green frogs sing')).status).toBe(303);
    expect((await get(world, '/account', elsewhere)).status).toBe(303);
    expect((await get(world, '/account', cookie)).status).toBe(200);
    expect((await signIn(world, email)).status).toBe(401);
    expect((await signIn(world, email, 'four green frogs sing')).status).toBe(303);
  });

  it('can end some or all of its own sessions, but no session of another user', async () => {
    const world = await open({ isIdle: true });
    const anna = await join(world, 'Anna', 'viewer');
    const ben = await join(world, 'Ben', 'viewer');
    const { reader } = world.application.store;
    const [bens] = await listSessions(reader, { personId: ben.id });
    const [first] = await listSessions(reader, { personId: anna.id });
    const second = (await signIn(world, anna.email)).cookie ?? '';
    const as = { cookie: second };
    await send(world, `/account/sessions/${bens?.id}/end`, {}, as);
    expect((await get(world, '/account', ben.cookie)).status).toBe(200);
    await send(world, `/account/sessions/${first?.id}/end`, {}, as);
    expect((await get(world, '/account', anna.cookie)).status).toBe(303);
    expect((await get(world, '/account', second)).status).toBe(200);
    await signIn(world, anna.email);
    await send(world, '/account/sign-out-everywhere', {}, as);
    expect(await listSessions(reader, { personId: anna.id })).toEqual([]);
    expect((await get(world, '/account', ben.cookie)).status).toBe(200);
  });

  it('changes nothing for pages of other sites', async () => {
    const world = await open({ isIdle: true });
    const { cookie } = await join(world, 'Anna', 'owner');
    const foreign = { cookie, origin: 'https://evil.example' };
    for (const path of ['/users', '/tokens', '/account/password', '/account/sign-out-everywhere']) {
      expect((await send(world, path, {}, foreign)).status, path).toBe(403);
    }
    expect((await get(world, '/account', cookie)).status).toBe(200);
  });

  it('is shown inside no page of another site', async () => {
    const world = await open({ isIdle: true });
    const { cookie } = await join(world, 'Anna', 'owner');
    const { path } = await invite(world, 'Ben', 'viewer');
    for (const page of ['/users', '/account', path]) {
      const { headers } = await get(world, page, cookie);
      expect(headers.get('x-frame-options'), page).toBe('DENY');
      expect(headers.get('content-security-policy'), page).toContain("frame-ancestors 'none'");
      expect(headers.get('cache-control'), page).toBe('no-store');
    }
  });
});

describe('an owner', () => {
  it('invites, limits, disables and removes a user, with immediate effect', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const { cookie } = await join(world, 'Anna', 'owner');
    const as = { cookie };
    const invited = await send(
      world,
      '/users',
      { name: 'Ben', email: 'ben@example.org', role: 'admin', reach: 'all' },
      as,
    );
    const path = /\/join\/[\w-]{43}/.exec(invited.text)?.[0] ?? '';
    const ben = await send(world, path, { fresh: PASSWORD });
    const benAs = { cookie: ben.cookie ?? '' };
    const [, person] = await listPersonRecords(world.application.store.reader);
    const act = (word: string, form = {}) => send(world, `/users/${person?.id}/${word}`, form, as);
    expect((await send(world, '/integrations/riverside/sync', {}, benAs)).status).toBe(303);
    await act('role', { role: 'admin', reach: 'some', 'integration.harbor': 'on' });
    expect((await send(world, '/integrations/riverside/sync', {}, benAs)).status).toBe(404);
    await act('role', { role: 'viewer', reach: 'all' });
    expect((await send(world, '/integrations/riverside/sync', {}, benAs)).status).toBe(403);
    expect((await act('role', { role: 'viewer', reach: 'some' })).status).toBe(422);
    expect((await act('role', { role: 'boss', reach: 'all' })).status).toBe(422);
    const elsewhere = { role: 'viewer', reach: 'some', ids: 'harbor, elsewhere' };
    expect((await act('role', elsewhere)).text).toContain('no client &quot;elsewhere');
    await act('disable');
    expect((await get(world, '/', benAs.cookie)).status).toBe(303);
    expect((await signIn(world, 'ben@example.org')).status).toBe(401);
    await act('enable');
    expect((await signIn(world, 'ben@example.org')).status).toBe(303);
    await act('remove');
    expect((await signIn(world, 'ben@example.org')).status).toBe(401);
    expect(await listPersonRecords(world.application.store.reader)).toHaveLength(1);
  });

  it('names clients by their ids where they are too many for boxes', async () => {
    const others = Array.from({ length: 60 }, (_, index) => `client-${index}`);
    const world = await open({ isIdle: true, others });
    const { cookie } = await join(world, 'Anna', 'owner');
    const page = await (await get(world, '/users', cookie)).text();
    expect(page).toContain('<textarea');
    expect(page).not.toContain('name="integration.');
    const form = { name: 'portal', role: 'viewer', reach: 'some', ids: 'client-3, client-7' };
    await send(world, '/tokens', form, { cookie });
    const [token] = await listAccessTokens(world.application.store.reader);
    expect(token?.integrations).toEqual(['client-3', 'client-7']);
  });

  it('makes tokens for some integrations, and sees each once', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const { cookie } = await join(world, 'Anna', 'owner');
    const form = { name: 'portal', role: 'viewer', reach: 'some', 'integration.harbor': 'on' };
    const made = await send(world, '/tokens', form, { cookie });
    const token = /dst_[\w-]{43}/.exec(made.text)?.[0] ?? '';
    expect((await world.request('/v1/integrations/harbor', { token })).status).toBe(200);
    expect((await world.request('/v1/integrations/riverside', { token })).status).toBe(404);
    expect(await (await get(world, '/users', cookie)).text()).not.toContain(token);
    const [{ id } = { id: '' }] = await listAccessTokens(world.application.store.reader);
    await send(world, `/tokens/${id}/revoke`, {}, { cookie });
    expect((await world.request('/v1/integrations/harbor', { token })).status).toBe(401);
  });

  it('cannot be the last one to go', async () => {
    const world = await open({ isIdle: true });
    const { id, cookie } = await join(world, 'Anna', 'owner');
    for (const word of ['remove', 'disable']) {
      const refused = await send(world, `/users/${id}/${word}`, {}, { cookie });
      expect(refused.status).toBe(409);
      expect(refused.text).toContain('last owner');
    }
  });
});

describe('/v1/users', () => {
  const userSchema = z.object({ id: z.string(), status: z.string(), role: z.string() });
  const invitedSchema = z.object({ user: userSchema, link: z.string() });
  const previewSchema = z.object({
    preview: z.object({ question: z.string(), digest: z.string() }),
  });

  /** Returns a function that sends requests as one of our pages would for a signed-in owner. */
  function asUser({ url }: HttpWorld, cookie: string) {
    return async (method: string, path: string, body?: unknown) => {
      const headers = { cookie, origin: url, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, { method, headers, ...sent });
      return { status: response.status, text: await response.text() };
    };
  }

  it('is the twin of the page: invite, list, change, remove', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const anna = await join(world, 'Anna', 'owner');
    const ask = asUser(world, anna.cookie);
    const ben = { name: 'Ben', email: 'Ben@example.org', role: 'admin', integrations: ['harbor'] };
    const invited = await ask('POST', '/v1/users', ben);
    expect(invited.status).toBe(201);
    const { user, link } = invitedSchema.parse(JSON.parse(invited.text));
    expect(user).toMatchObject({ status: 'invited', role: 'admin' });
    expect(await send(world, new URL(link).pathname, { fresh: PASSWORD })).toMatchObject({
      status: 303,
    });
    expect((await ask('POST', '/v1/users', ben)).status).toBe(422);
    const elsewhere = { ...ben, integrations: ['elsewhere'] };
    expect((await ask('POST', '/v1/users', elsewhere)).status).toBe(404);
    expect((await ask('POST', '/v1/users', { ...ben, email: 'ben' })).status).toBe(422);
    expect((await ask('POST', '/v1/users', { ...ben, admin: true })).status).toBe(422);
    const path = `/v1/users/${user.id}`;
    const rights = { role: 'viewer', integrations: ['harbor'] };
    expect(JSON.parse((await ask('PUT', `${path}/role`, rights)).text).user).toMatchObject({
      ...{ email: 'ben@example.org', role: 'viewer', integrations: ['harbor'], status: 'active' },
    });
    const kept = await ask('PUT', `${path}/role`, { role: 'decider' });
    expect(JSON.parse(kept.text).user).toMatchObject({ role: 'decider', integrations: ['harbor'] });
    const owner = { role: 'owner', integrations: ['harbor'] };
    expect((await ask('PUT', `${path}/role`, owner)).status).toBe(422);
    expect(JSON.parse((await ask('POST', `${path}/sign-out`)).text)).toMatchObject({ sessions: 1 });
    expect((await ask('POST', `${path}/disable`)).text).toContain('"disabled"');
    expect((await ask('POST', `${path}/enable`)).text).toContain('"active"');
    expect((await ask('POST', `${path}/link`)).status).toBe(201);
    expect((await ask('GET', '/v1/users')).text).toContain('ben@example.org');
  });

  it('removes nobody without a preview that is still true', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock });
    const anna = await join(world, 'Anna', 'owner');
    const olga = await join(world, 'Olga', 'owner');
    const ben = await join(world, 'Ben', 'viewer');
    const ask = asUser(world, anna.cookie);
    const path = `/v1/users/${ben.id}`;
    const preview = async (as = ask) =>
      previewSchema.parse(JSON.parse((await as('POST', `${path}/preview`)).text)).preview;
    const missing = await ask('DELETE', path);
    expect(missing).toMatchObject({ status: 422 });
    expect(missing.text).toContain('preview_missing');
    const { question, digest } = await preview();
    expect(question).toBe('Permanently remove Ben?');
    const forged = `${digest.slice(0, -1)}${digest.endsWith('A') ? 'Q' : 'A'}`;
    const othersDigest = (await preview(asUser(world, olga.cookie))).digest;
    for (const wrong of ['x', forged, othersDigest]) {
      const refused = await ask('DELETE', `${path}?digest=${wrong}`);
      expect(refused, wrong).toMatchObject({ status: 409 });
      expect(refused.text).toContain('preview_outdated');
    }
    await clock.advance(10 * 60_000 + 1);
    expect((await ask('DELETE', `${path}?digest=${digest}`)).status).toBe(409);
    const fresh = (await preview()).digest;
    const removed = await ask('DELETE', `${path}?digest=${fresh}`);
    expect(JSON.parse(removed.text)).toEqual({ removed: ben.id, name: 'Ben' });
    expect((await ask('POST', `${path}/preview`)).status).toBe(404);
    expect((await ask('DELETE', `${path}?digest=${fresh}`)).status).toBe(404);
  });

  it('lets no access token make users, tokens or roles, whatever its role', async () => {
    const world = await open({ isIdle: true });
    const anna = await join(world, 'Anna', 'owner');
    const ben = await join(world, 'Ben', 'viewer');
    const token = await world.addToken('owner');
    const browser = (await send(world, '/sign-in', { token, to: '/' })).cookie ?? '';
    const byBrowser = asUser(world, browser);
    const name = { name: 'Eve', role: 'viewer' };
    const refused: [string, string, object?][] = [
      ['POST', '/v1/users', { ...name, email: 'eve@example.org' }],
      ['PUT', `/v1/users/${ben.id}/role`, { role: 'owner' }],
      ['POST', `/v1/users/${ben.id}/link`],
      ['POST', `/v1/users/${ben.id}/enable`],
      ['DELETE', `/v1/users/${ben.id}`],
      ['POST', `/v1/users/${ben.id}/preview`],
      ['POST', '/v1/tokens', name],
    ];
    for (const [method, path, body] of refused) {
      const digest = method === 'DELETE' ? '?digest=x' : '';
      const options = { method, token, ...(body && { body }) };
      const byToken = await world.request(path + digest, options);
      expect(byToken, `${method} ${path}`).toMatchObject({ status: 403 });
      expect(byToken.text).toContain('person_needed');
      expect((await byBrowser(method, path + digest, body)).status).toBe(403);
    }
    const form = { name: 'Eve', email: 'eve@example.org', role: 'owner', reach: 'all' };
    expect((await send(world, '/users', form, { cookie: browser })).status).toBe(403);
    expect(await listPersonRecords(world.application.store.reader)).toHaveLength(2);
    expect(await listAccessTokens(world.application.store.reader)).toHaveLength(1);
    // An access token may remove access, because this is always safe.
    const disabled = await world.request(`/v1/users/${ben.id}/disable`, { method: 'POST', token });
    expect(disabled.status).toBe(200);
    expect((await get(world, '/', ben.cookie)).status).toBe(303);
    expect((await get(world, '/', anna.cookie)).status).toBe(200);
  });
});

it('who the users are stands in no log and in no file', async () => {
  const world = await open({ isIdle: true });
  const { email, cookie } = await join(world, 'Zyxmark', 'owner');
  await signIn(world, email, 'a wrong password');
  await get(world, '/users', cookie);
  expect(world.logLines.join('')).not.toMatch(/zyxmark/i);
  for (const content of await world.files()) expect(content).not.toMatch(/zyxmark|herons/i);
});

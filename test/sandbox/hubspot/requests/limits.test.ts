import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aClock } from '../../../testbed/a-clock.ts';
import { control } from '../../../testbed/asking.ts';
import { ask, CONTACTS, readError, startAccount } from '../account.ts';

type Account = Awaited<ReturnType<typeof startAccount>>;

const LIST = `${CONTACTS}?limit=1`;

async function issue(account: Account, order: unknown): Promise<string> {
  const { body } = await control(account, 'POST', '/tokens', order);
  return z.object({ token: z.string() }).parse(body).token;
}

function rateHeaders(headers: Headers): Record<string, string> {
  const prefix = 'x-hubspot-ratelimit-';
  const all = [...headers].filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(all.map(([name, value]) => [name.slice(prefix.length), value]));
}

function searchAll(account: Account) {
  return ask(account, 'POST', `${CONTACTS}/search`, { body: {} });
}

describe('limits', () => {
  it('are given in headers, and end with 429 until ten seconds are over', async () => {
    const clock = aClock();
    const account = await startAccount({ ratePer10s: 2, dailyLimit: 100, clock: clock.read });
    const first = await ask(account, 'GET', LIST);
    expect(rateHeaders(first.headers)).toEqual({
      max: '2',
      remaining: '1',
      'interval-milliseconds': '10000',
      daily: '100',
      'daily-remaining': '99',
    });
    clock.advance(5000);
    await ask(account, 'GET', LIST);
    const third = await ask(account, 'GET', LIST);
    expect(readError(third)).toMatchObject({
      status: 429,
      category: 'RATE_LIMITS',
      policyName: 'TEN_SECONDLY_ROLLING',
    });
    expect(third.body).toMatchObject({ errorType: 'RATE_LIMIT' });
    clock.advance(5000);
    expect((await ask(account, 'GET', LIST)).status).toBe(200);
    expect((await ask(account, 'GET', LIST)).status).toBe(429);
  });

  it('end the day at midnight of the account', async () => {
    const clock = aClock('2026-03-10T04:59:59Z');
    const account = await startAccount({ dailyLimit: 10, clock: clock.read });
    await control(account, 'PUT', '/api-usage', { used: 9 });
    expect(
      (await ask(account, 'GET', LIST)).headers.get('x-hubspot-ratelimit-daily-remaining'),
    ).toBe('0');
    expect(readError(await ask(account, 'GET', LIST))).toMatchObject({
      status: 429,
      policyName: 'DAILY',
      message: 'You have reached your daily limit.',
    });
    clock.advance(1000);
    expect((await ask(account, 'GET', LIST)).status).toBe(200);
    const usage = await ask(account, 'GET', '/account-info/2026-09/api-usage/daily/private-apps');
    expect(usage.body).toMatchObject({
      results: [{ usageLimit: 10, currentUsage: 2, resetsAt: '2026-03-11T05:00:00.000Z' }],
    });
  });

  it('allow five searches a second, which tell nothing of limits', async () => {
    const clock = aClock();
    const account = await startAccount({ searchPerSecond: 5, ratePer10s: 190, clock: clock.read });
    for (let count = 0; count < 5; count += 1) {
      const { status, headers } = await searchAll(account);
      expect({ status, rate: rateHeaders(headers) }).toEqual({ status: 200, rate: {} });
    }
    const sixth = await searchAll(account);
    expect(readError(sixth)).toMatchObject({
      status: 429,
      message: 'You have reached your secondly limit.',
      policyName: 'SECONDLY',
    });
    expect(rateHeaders(sixth.headers)).toEqual({});
    expect((await ask(account, 'GET', LIST)).status).toBe(200);
    clock.advance(1000);
    expect((await searchAll(account)).status).toBe(200);
  });

  it('of OAuth tokens are 110 in ten seconds and none a day', async () => {
    const account = await startAccount({ ratePer10s: 190 });
    const token = await issue(account, { kind: 'oauth' });
    const { headers } = await ask(account, 'GET', LIST, { token });
    expect(rateHeaders(headers)).toEqual({
      max: '110',
      remaining: '109',
      'interval-milliseconds': '10000',
    });
  });
});

describe('a token', () => {
  it.each(['', 'pat-na1-nonsense'])('that is no good is refused: %j', async (token) => {
    const account = await startAccount();
    expect(readError(await ask(account, 'GET', LIST, { token }))).toMatchObject({
      status: 401,
      category: 'INVALID_AUTHENTICATION',
    });
  });

  it('of OAuth ends', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const token = await issue(account, { kind: 'oauth', lifetimeMs: 60_000 });
    clock.advance(59_999);
    expect((await ask(account, 'GET', LIST, { token })).status).toBe(200);
    clock.advance(5001);
    expect(readError(await ask(account, 'GET', LIST, { token }))).toMatchObject({
      status: 401,
      category: 'EXPIRED_AUTHENTICATION',
      message: 'The OAuth token used to make this call expired 5 second(s) ago.',
    });
  });

  it.each([
    ['GET', LIST, 'crm.objects.contacts.read'],
    ['POST', `${CONTACTS}/search`, 'crm.objects.contacts.read'],
    ['DELETE', `${CONTACTS}/1`, 'crm.objects.contacts.write'],
    ['GET', '/crm/v3/objects/companies', 'crm.objects.companies.read'],
    ['GET', '/crm/v3/properties/contacts', 'crm.schemas.contacts.read'],
    ['DELETE', '/crm/v3/properties/contacts/x', 'crm.schemas.contacts.write'],
    ['GET', '/crm/v3/owners', 'crm.objects.owners.read'],
    ['GET', '/account-info/v3/details', 'oauth'],
  ])('needs a scope for %s %s', async (method, path, scope) => {
    const account = await startAccount();
    const body = method === 'POST' ? {} : undefined;
    const without = await issue(account, { scopes: ['crm.lists.read'] });
    const refused = await ask(account, method, path, { body, token: without });
    expect(readError(refused)).toMatchObject({ status: 403, category: 'MISSING_SCOPES' });
    expect(JSON.stringify(refused.body)).toContain(scope);
    const token = await issue(account, { scopes: [scope] });
    expect((await ask(account, method, path, { body, token })).status).toBeLessThan(300);
  });
});

describe('a request', () => {
  it('to nowhere gets 404', async () => {
    const account = await startAccount();
    for (const path of ['/crm/v3/nothing', '/crm/objects/2024-01/contacts']) {
      expect(readError(await ask(account, 'GET', path)).status).toBe(404);
    }
    expect(readError(await ask(account, 'GET', '/crm/v3/objects/pets')).status).toBe(400);
  });

  it('with doubled slashes and one at the end is understood', async () => {
    const account = await startAccount();
    expect((await ask(account, 'GET', '//crm//v3/objects/contacts/')).status).toBe(200);
  });

  it('must send JSON and say so', async () => {
    const account = await startAccount();
    const headers = { 'content-type': 'text/plain' };
    const wrongType = await ask(account, 'POST', CONTACTS, { body: '{}', headers });
    expect(readError(wrongType).status).toBe(415);
    const broken = await ask(account, 'POST', CONTACTS, { body: '{"properties"' });
    expect(readError(broken)).toMatchObject({ status: 400, category: 'VALIDATION_ERROR' });
  });

  it('is named in the headers as in the error', async () => {
    const account = await startAccount();
    const answer = await ask(account, 'GET', `${CONTACTS}/1`);
    const { correlationId } = readError(answer);
    expect(answer.headers.get('x-hubspot-correlation-id')).toBe(correlationId);
    expect(answer.headers.get('content-type')).toContain('application/json');
  });
});

describe('a fault', () => {
  it.each([
    [{ kind: 'secondlyLimit' }, 429],
    [{ kind: 'tenSecondlyLimit' }, 429],
    [{ kind: 'dailyLimit' }, 429],
    [{ kind: 'invalidAuthentication' }, 401],
    [{ kind: 'missingScope' }, 403],
    [{ kind: 'locked' }, 423],
    [{ kind: 'migration', retryAfterSeconds: 3 }, 477],
    [{ kind: 'edgeError', status: 521 }, 521],
    [{ kind: 'error' }, 500],
    [{ kind: 'wrongStatus', status: 202 }, 202],
    [{ kind: 'gatewayError', status: 502 }, 502],
  ])('%j answers %i once', async (fault, status) => {
    const account = await startAccount();
    await control(account, 'PUT', '/faults', [{ on: { path: '/crm/*' }, times: 1, fault }]);
    const struck = await ask(account, 'GET', LIST);
    expect(struck.status).toBe(status);
    expect(struck.headers.get('retry-after')).toBe(fault.kind === 'migration' ? '3' : null);
    expect((await ask(account, 'GET', LIST)).status).toBe(200);
  });

  it('cuts the connection, after the work was done or before', async () => {
    const account = await startAccount();
    const rules = ['resetAfter', 'resetBefore', 'truncate'].map((kind) => ({
      on: { method: 'POST' },
      times: 1,
      fault: { kind },
    }));
    await control(account, 'PUT', '/faults', rules);
    const create = (lastname: string) =>
      ask(account, 'POST', CONTACTS, { body: { properties: { lastname } } });
    for (const name of ['Done', 'Undone', 'Cut']) {
      await expect(create(name)).rejects.toThrow();
    }
    const { body } = await ask(account, 'GET', `${CONTACTS}?limit=100`);
    expect(JSON.stringify(body)).toContain('"Done"');
    expect(JSON.stringify(body)).not.toContain('"Undone"');
    expect(JSON.stringify(body)).toContain('"Cut"');
  });

  it('ends the tokens of OAuth, and leaves those of private apps', async () => {
    const account = await startAccount();
    const token = await issue(account, { kind: 'oauth' });
    await control(account, 'PUT', '/faults', [{ times: 1, fault: { kind: 'expireTokens' } }]);
    expect(readError(await ask(account, 'GET', LIST, { token })).category).toBe(
      'EXPIRED_AUTHENTICATION',
    );
    expect((await ask(account, 'GET', LIST)).status).toBe(200);
  });

  it('must make sense', async () => {
    const account = await startAccount();
    const answer = await control(account, 'PUT', '/faults', [{ fault: { kind: 'sulk' } }]);
    expect(answer.status).toBe(422);
    await expect(startAccount({ faults: [{ fault: {} }] })).rejects.toThrow('make no sense');
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { control, edit } from '../../testbed/asking.ts';
import {
  ask,
  CONTACTS,
  contactIds,
  readError,
  readRecord,
  readResults,
  startAccount,
} from './account.ts';

const personSchema = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
  email: z.string().nullable(),
});

describe('the people of an account', () => {
  it('are its contacts, with the donors who are right for them', async () => {
    const account = await startAccount();
    const { body } = await control(account, 'GET', '/people?limit=100');
    const { people, total } = z
      .object({ people: z.array(personSchema), total: z.number() })
      .parse(body);
    expect({ total, given: people.length }).toEqual({ total: 20, given: 20 });
    for (const person of people) {
      const query = 'properties=firstname,lastname,email,address,city,state,zip';
      const { properties } = readRecord(
        await ask(account, 'GET', `${CONTACTS}/${person.id}?${query}`),
      );
      expect(properties).toMatchObject({
        firstname: person.firstName,
        lastname: person.lastName,
        email: person.email,
      });
      const { address, city, state, zip } = properties;
      const lines = address === null ? [] : [`${address}, ${city}, ${state} ${zip}`];
      expect(lines).toEqual(person.addresses);
    }
  });
});

describe('an edit by hand', () => {
  it('archives and brings back', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'archive', id });
    expect((await ask(account, 'GET', `${CONTACTS}/${id}`)).status).toBe(404);
    await edit(account, { action: 'restore', id });
    expect((await ask(account, 'GET', `${CONTACTS}/${id}`)).status).toBe(200);
  });

  it.each([
    { action: 'update', id: '1', values: { city: 'Rome' } },
    { action: 'archive', id: '1' },
    { action: 'restore', id: '1' },
    { action: 'erase', id: '1' },
    { action: 'merge', primaryId: '1', otherId: '2' },
    { action: 'employ', id: '1', companyId: null },
    { action: 'create', values: { lastname: 'X', nope: 'Y' } },
    { action: 'dance' },
  ])('is refused where it makes no sense: %j', async (order) => {
    const account = await startAccount();
    expect((await control(account, 'POST', '/edit', order)).status).toBe(422);
  });

  it('is shown in the record, with who did it', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { city: 'Rome' } });
    expect((await control(account, 'GET', `/record/contacts/${id}`)).body).toMatchObject({
      id,
      properties: { city: 'Rome' },
      changes: [{ by: { source: 'CRM_UI' } }],
    });
    expect((await control(account, 'GET', '/record/contacts/1')).status).toBe(404);
  });
});

describe('a rule', () => {
  const write = (account: Parameters<typeof ask>[0], version: string, id: string, city: string) =>
    ask(account, 'PATCH', `/crm/objects/${version}/contacts/${id}`, {
      body: { properties: { city } },
    });

  it('refuses values that do not match, with its own words', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await control(account, 'POST', '/rules', {
      kind: 'validation',
      property: 'city',
      pattern: '^[A-Z]',
    });
    expect(readError(await write(account, '2026-09', id, 'rome'))).toMatchObject({
      status: 400,
      errors: [{ code: 'INVALID_ALPHA', message: 'Enter only letters' }],
    });
    expect((await write(account, '2026-09', id, 'Rome')).status).toBe(200);
  });

  it('makes a property required, for the newest version alone', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const rule = { kind: 'required', property: 'phone' };
    await control(account, 'POST', '/rules', rule);
    const when = { property: 'city', equals: 'Rome' };
    await control(account, 'POST', '/rules', { kind: 'required', property: 'industry', when });
    const codes = (answer: Awaited<ReturnType<typeof write>>) =>
      readError(answer).errors.map(({ code }) => code);
    expect(codes(await write(account, '2026-09', id, 'Bonn'))).toEqual([
      'MISSING_REQUIRED_PROPERTY',
    ]);
    expect(codes(await write(account, '2026-09', id, 'Rome'))).toEqual([
      'MISSING_REQUIRED_PROPERTY',
      'MISSING_CONDITIONAL_REQUIRED_PROPERTY',
    ]);
    expect((await write(account, '2026-03', id, 'Rome')).status).toBe(200);
    await control(account, 'DELETE', '/rules');
    expect((await write(account, '2026-09', id, 'Paris')).status).toBe(200);
  });

  it('must make sense', async () => {
    const account = await startAccount();
    for (const rule of [
      { kind: 'validation', property: 'city', pattern: '(' },
      { kind: 'required', property: 'city', type: 'pets' },
    ]) {
      expect((await control(account, 'POST', '/rules', rule)).status).toBe(422);
    }
  });
});

describe('a scope that is withdrawn', () => {
  const READ_COMPANIES = 'crm.objects.companies.read';
  const COMPANIES = '/crm/objects/2026-09/companies';

  it('is missing from every token at once, and comes back', async () => {
    const account = await startAccount();
    await control(account, 'PUT', '/scopes', { withdrawn: [READ_COMPANIES] });
    expect(readError(await ask(account, 'GET', COMPANIES))).toMatchObject({
      status: 403,
      category: 'MISSING_SCOPES',
    });
    expect((await ask(account, 'GET', CONTACTS)).status).toBe(200);
    const { body } = await control(account, 'POST', '/tokens', {});
    const { token } = z.object({ token: z.string() }).parse(body);
    expect((await ask(account, 'GET', COMPANIES, { token })).status).toBe(403);
    await control(account, 'PUT', '/scopes', { withdrawn: [] });
    expect((await ask(account, 'GET', COMPANIES)).status).toBe(200);
    expect((await ask(account, 'GET', COMPANIES, { token })).status).toBe(200);
  });

  it('may stay in what HubSpot says of a token, whose requests are refused all the same', async () => {
    const account = await startAccount();
    const order = { withdrawn: [READ_COMPANIES], listed: true };
    const issued = await control(account, 'POST', '/tokens', { kind: 'oauth' });
    const { token } = z.object({ token: z.string() }).parse(issued.body);
    await control(account, 'PUT', '/scopes', order);
    const { body } = await ask(account, 'GET', `/oauth/v1/access-tokens/${token}`);
    expect(body).toMatchObject({ scopes: expect.arrayContaining([READ_COMPANIES]) });
    expect((await ask(account, 'GET', COMPANIES, { token })).body).toMatchObject({
      category: 'MISSING_SCOPES',
      errors: [{ context: { requiredGranularScopes: [READ_COMPANIES] } }],
    });
  });

  it('must be one that the account knows', async () => {
    const account = await startAccount();
    const { status } = await control(account, 'PUT', '/scopes', { withdrawn: ['crm.nothing'] });
    expect(status).toBe(422);
  });
});

describe('a property that is hidden', () => {
  it('is neither described nor shown, until it is visible again', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const access = (value: string) =>
      control(account, 'PUT', '/property-access', { property: 'city', access: value });
    const described = async () =>
      (await ask(account, 'GET', '/crm/properties/2026-09/contacts/city')).status;
    const shown = async () => {
      const one = await ask(account, 'GET', `${CONTACTS}/${id}?properties=city,state`);
      const inputs = [{ id }];
      const read = { inputs, properties: ['city', 'state'] };
      const many = await ask(account, 'POST', `${CONTACTS}/batch/read`, { body: read });
      return [readRecord(one), ...readResults(many).results].map(({ properties }) =>
        Object.keys(properties).filter((name) => ['city', 'state'].includes(name)),
      );
    };
    await access('hidden');
    expect({ described: await described(), shown: await shown() }).toEqual({
      described: 404,
      shown: [['state'], ['state']],
    });
    const list = await ask(account, 'GET', '/crm/properties/2026-09/contacts');
    expect(JSON.stringify(list.body)).not.toContain('"name":"city"');
    await access('visible');
    expect({ described: await described(), shown: await shown() }).toEqual({
      described: 200,
      shown: [
        ['city', 'state'],
        ['city', 'state'],
      ],
    });
    const unknown = await control(account, 'PUT', '/property-access', {
      property: 'nope',
      access: 'hidden',
    });
    expect(unknown.status).toBe(422);
  });
});

describe('the log of requests', () => {
  it('has those of the API with their query and status, and not those of the controls', async () => {
    const account = await startAccount();
    await ask(account, 'GET', `${CONTACTS}?limit=1`);
    await ask(account, 'GET', CONTACTS, { token: '' });
    expect((await control(account, 'GET', '/requests')).body).toMatchObject({
      requests: [
        { method: 'GET', path: CONTACTS, query: 'limit=1', status: 200 },
        { method: 'GET', path: CONTACTS, query: '', status: 401 },
      ],
      total: 2,
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, IdentitySource } from '../../../connectors/contract.ts';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import type { Contact } from '../../../src/core/contact.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const MARIA = { firstName: 'Maria', lastName: 'Lopez', addresses: ['1 Elm Street'], employers: [] };
const READ_COMPANIES = 'crm.objects.companies.read';
const COMPANY_NAME = 'companies.name';
const ADDRESS_PARTS = ['address', 'city', 'state', 'zip', 'country'];

const SCOPES = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.schemas.contacts.read',
];

describe('what of an identity can be read in HubSpot', () => {
  let account: Account;
  let connector: Connector;
  let employed = '';
  let alone = '';

  beforeEach(async () => {
    account = await openAccount();
    [employed = '', alone = ''] = await account.addContacts([
      { ...MARIA, employers: ['Acme text'] },
      { ...MARIA, firstName: 'Mario' },
    ]);
    await account.employ(employed, 'Acme Inc');
  });

  afterEach(async () => {
    await connector?.close();
    await account.close();
  });

  async function start(settings = {}): Promise<void> {
    await connector?.close();
    connector = await account.connector(settings);
  }

  /** Reads both contacts from the list and by their IDs. Expects the same result from the list and from the IDs. */
  async function read(): Promise<{ employed: Contact; alone: Contact }> {
    const pages = await toArray(connector.readPages(null));
    const contacts = pages.flatMap((page) => page.contacts);
    const byId = new Map(contacts.map((contact) => [contact.id, contact]));
    const [a, b] = [byId.get(employed), byId.get(alone)];
    if (a === undefined || b === undefined) throw new Error('The contacts were not read.');
    expect(await connector.readByIds([employed, alone], [])).toMatchObject([
      { contact: a },
      { contact: b },
    ]);
    return { employed: a, alone: b };
  }

  function sources(): readonly IdentitySource[] {
    return connector.identity?.().sources ?? [];
  }

  function unreadableSources(): string[] {
    return sources().flatMap(({ name, readable }) => (readable ? [] : [name]));
  }

  it.each([
    ['company', ['company']],
    ['associated', [COMPANY_NAME]],
    ['both', ['company', COMPANY_NAME]],
  ])('names the sources of an identity (employer: %s)', async (employer, employers) => {
    await start({ employer });
    expect(connector.identity?.()).toEqual({
      mode: 'plain',
      columns: expect.stringContaining(employer),
      names: ['firstname', 'lastname'],
      sources: [
        ...ADDRESS_PARTS.map((name) => ({ name, part: 'addresses', readable: true })),
        ...employers.map((name) => ({ name, part: 'employers', readable: true })),
      ],
    });
  });

  it('calls another employer setting another mapping, and nothing else', async () => {
    const columns = [];
    for (const employer of ['company', 'associated', 'both', 'both']) {
      await start({ employer, dailyReservePercent: columns.length });
      columns.push(connector.identity?.().columns);
    }
    expect(new Set(columns).size).toBe(3);
    expect(columns[3]).toBe(columns[2]);
  });

  it('reads everything where nothing is withheld', async () => {
    await start();
    const found = await read();
    expect(found.employed.employers).toEqual(['Acme Inc', 'Acme text']);
    expect(found.employed.unreadable ?? []).toEqual([]);
    expect(found.alone.unreadable ?? []).toEqual([]);
    expect(unreadableSources()).toEqual([]);
  });

  it.each([
    ['a token', async () => ({})],
    ['OAuth', async () => ({ auth: { type: 'oauth', ...(await account.install()) } })],
  ])(
    'does not take a company that may not be seen for none, whether the scope is withdrawn or granted later (%s)',
    async (_, settings) => {
      const auth = await settings();
      await account.withdraw([READ_COMPANIES]);
      await start(auth);
      expect(unreadableSources()).toEqual([COMPANY_NAME]);
      const hidden = await read();
      expect(hidden.employed).toMatchObject({
        employers: ['Acme text'],
        unreadable: [COMPANY_NAME],
      });
      expect(hidden.alone.unreadable ?? []).toEqual([]);
      await account.withdraw([]);
      await start(auth);
      expect(unreadableSources()).toEqual([]);
      expect((await read()).employed.unreadable ?? []).toEqual([]);
    },
  );

  it('starts nothing without the scope where the settings want the company alone', async () => {
    await account.withdraw([READ_COMPANIES]);
    await expect(account.connector({ employer: 'associated' })).rejects.toMatchObject({
      code: 'crm_scope_missing',
      message: expect.stringContaining(READ_COMPANIES),
    });
  });

  it('asks nothing about companies where the settings want the text alone', async () => {
    await account.withdraw([READ_COMPANIES]);
    await start({ employer: 'company' });
    const found = await read();
    expect(found.employed).toMatchObject({ employers: ['Acme text'] });
    expect(found.employed.unreadable ?? []).toEqual([]);
    const asked = (await account.requests()).map(({ path }) => path);
    expect(asked.filter((path) => /companies(\/batch\/read)?$/.test(path))).toEqual([]);
  });

  it('calls companies unreadable whose scope is withdrawn in the middle of a run, and keeps those it knows', async () => {
    const others = await account.addContacts(people(300));
    const last = others.at(-1) ?? '';
    await account.employ(last, 'Late Inc');
    for (const id of others.slice(0, 120)) await account.employ(id, `Company of ${id}`);
    await start();
    const seen = new Map<string, Contact>();
    for await (const page of connector.readPages(null)) {
      for (const contact of page.contacts) seen.set(contact.id, contact);
      await account.withdraw([READ_COMPANIES]);
    }
    expect(seen.get(employed)).toMatchObject({ employers: ['Acme Inc', 'Acme text'] });
    expect(seen.get(employed)?.unreadable ?? []).toEqual([]);
    expect(seen.get(last)).toMatchObject({ employers: [], unreadable: [COMPANY_NAME] });
    expect(seen.get(others[200] ?? '')?.unreadable ?? []).toEqual([]);
    expect(unreadableSources()).toEqual([COMPANY_NAME]);
  });

  it('stops where a company cannot be read in passing, and goes on when it can', async () => {
    const companyId = await account.seenValue(employed, 'associatedcompanyid');
    const rule = { kind: 'unreadable', type: 'companies', ids: [companyId], times: 1 };
    await account.control('POST', 'rules', rule);
    await start();
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_unavailable',
    });
    expect((await read()).employed.employers).toEqual(['Acme Inc', 'Acme text']);
  });

  it('stops where a company cannot be read in passing while records are looked up', async () => {
    const companyId = await account.seenValue(employed, 'associatedcompanyid');
    const rule = { kind: 'unreadable', type: 'companies', ids: [companyId] };
    await account.control('POST', 'rules', rule);
    await start();
    await expect(connector.readByIds([employed], [])).rejects.toMatchObject({ kind: 'retriable' });
  });

  it('takes a company that is gone for none', async () => {
    const companyId = await account.seenValue(employed, 'associatedcompanyid');
    const rule = { kind: 'unreadable', type: 'companies', ids: [companyId] };
    await account.control('POST', 'rules', { ...rule, category: 'OBJECT_NOT_FOUND' });
    await start();
    const found = (await read()).employed;
    expect(found.employers).toEqual(['Acme text']);
    expect(found.unreadable ?? []).toEqual([]);
  });

  it.each(ADDRESS_PARTS)(
    'calls a part of the address unreadable that HubSpot does not describe (%s)',
    async (property) => {
      await account.setValue(employed, property, 'Something');
      await account.hide(property);
      await start();
      expect(unreadableSources()).toEqual([property]);
      const found = await read();
      expect(found.employed.unreadable).toEqual([property]);
      expect(found.alone.unreadable).toEqual([property]);
      await account.hide(property, 'visible');
      await start();
      expect((await read()).employed.unreadable ?? []).toEqual([]);
    },
  );

  it.each([
    ['company', 'company'],
    ['associatedcompanyid', COMPANY_NAME],
  ])(
    'calls an employer unreadable whose property is not described (%s)',
    async (property, name) => {
      await account.hide(property);
      await start();
      expect(unreadableSources()).toEqual([name]);
      expect((await read()).alone.unreadable).toEqual([name]);
    },
  );

  describe('a property that is hidden in the middle of a run', () => {
    async function hideAfterStart(property: string, contacts = {}): Promise<void> {
      await connector?.close();
      connector = await account.connector({}, {}, contacts);
      await read();
      await account.hide(property);
    }

    it.each([
      ['city', 'city'],
      ['company', 'company'],
      ['associatedcompanyid', COMPANY_NAME],
    ])('becomes unreadable, and is not taken for blank (%s)', async (property, name) => {
      await account.setValue(alone, 'city', 'Springfield');
      await hideAfterStart(property);
      const found = await read();
      expect([found.employed.unreadable, found.alone.unreadable]).toEqual([[name], [name]]);
      expect(unreadableSources()).toEqual([name]);
    });

    it.each([
      ['lastname', {}],
      ['jobtitle', { optOutField: 'jobtitle' }],
      ['jobtitle', { deceasedField: 'jobtitle' }],
    ])('stops the run where nothing goes without it (%s, %j)', async (property, contacts) => {
      await hideAfterStart(property, contacts);
      const missing = { kind: 'configuration', message: expect.stringContaining(property) };
      await expect(connector.readByIds([alone], [])).rejects.toMatchObject(missing);
      await expect(toArray(connector.readPages(null))).rejects.toMatchObject(missing);
    });
  });

  it('starts nothing where the names themselves cannot be read', async () => {
    await account.hide('lastname');
    await expect(account.connector()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('lastname'),
    });
  });

  it.each([
    ['a token', SCOPES],
    ['a token that may read companies', [...SCOPES, READ_COMPANIES]],
  ])('costs one small request to find out what %s may see', async (_, scopes) => {
    const auth = { type: 'token', token: await account.issueToken({ scopes }) };
    const before = (await account.requests()).length;
    await start({ auth });
    const asked = (await account.requests()).slice(before).map(({ path }) => path);
    expect(asked.filter((path) => path.includes('/companies'))).toHaveLength(1);
    expect(asked).toHaveLength(3);
  });
});

it('finds a contact of HubSpot by any form of its id', async () => {
  const account = await openAccount();
  const [id = ''] = await account.addContacts([MARIA]);
  const connector = await account.connector();
  const forms = [id, `000${id}`, ` ${id} `, 'nothing', '999999999'];
  expect(await connector.readByIds(forms, [])).toMatchObject([
    { state: 'found', id, contact: { id } },
    { state: 'found', id: `000${id}`, contact: { id } },
    { state: 'found', id: ` ${id} `, contact: { id } },
    { state: 'missing', id: 'nothing' },
    { state: 'missing', id: '999999999' },
  ]);
  await connector?.close();
  await account.close();
});

describe('the ids of HubSpot', () => {
  it.each([
    ['9751', '9751'],
    [' 9751\n', '9751'],
    ['0009751', '9751'],
    ['9751.0', null],
    ['', null],
    ['0', null],
    ['-9751', null],
    ['97 51', null],
    ['003xx000004TmiQ', null],
    ['123456789012345678901', null],
  ])('have one form, however they are typed (%j)', (text, id) => {
    expect(hubspotConnector.canonicalId?.(text)).toBe(id);
  });
});

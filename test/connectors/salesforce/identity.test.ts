import { afterEach, describe, expect, it } from 'vitest';
import type { Connector, IdentityShape } from '../../../connectors/contract.ts';
import type { Contact } from '../../../src/core/contact.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const MAILING = partsOf('Mailing');
const OTHER = partsOf('Other');
const AFFILIATION = 'npsp__Primary_Affiliation__c';
const AFFILIATION_NAME = 'npsp__Primary_Affiliation__r.Name';
const ACCOUNT_NAME = 'Account.Name';
const RELATION_NAME = 'AccountContactRelation.Account.Name';

const PERSON = { firstName: 'Maria', lastName: 'Lopez', addresses: ['1 Elm Street'] };
const EMPLOYED = { ...PERSON, employers: ['Acme Foundation'] };
const UNEMPLOYED = { ...PERSON, employers: [] };

/**
 * The connector uses the Bulk API from this number of contacts. The first value avoids the Bulk API, and the second
 * value always uses it.
 */
const APIS = [
  ['REST', 1_000_000],
  ['the Bulk API', 1],
] as const;

describe('what Salesforce contacts are made of', () => {
  let org: Org;

  afterEach(() => org.close());

  it.each([
    ['plain', [ACCOUNT_NAME]],
    ['npsp', [AFFILIATION_NAME]],
    ['personAccounts', [ACCOUNT_NAME, RELATION_NAME]],
  ] as const)('names every source of a %s org, all of them readable', async (shape, employers) => {
    org = await openOrg({ shape });
    expect(identityOf(await prepared())).toEqual({
      columns: 'employer=auto',
      mode: shape,
      names: ['FirstName', 'LastName'],
      sources: [
        ...[...MAILING, ...OTHER].map((name) => ({ name, part: 'addresses', readable: true })),
        ...employers.map((name) => ({ name, part: 'employers', readable: true })),
      ],
    });
  });

  it('tells the columns of another employer setting apart', async () => {
    org = await openOrg({ shape: 'npsp' });
    const auto = identityOf(await prepared());
    const account = identityOf(await prepared({ employer: 'account' }));
    expect(account).toMatchObject({ mode: 'npsp', columns: 'employer=account' });
    expect(account.columns).not.toBe(auto.columns);
    expect(employerSources(account)).toEqual([[ACCOUNT_NAME, true]]);
  });

  it.each(APIS)('calls a hidden address unknown instead of none (%s)', async (_, bulkThreshold) => {
    org = await openOrg({ bulkJobTimeMs: 0 });
    const ids = await org.addContacts([EMPLOYED, UNEMPLOYED]);
    const before = identityOf(await prepared());
    await setFieldAccess('MailingAddress', 'hidden');
    const hidden = await prepared({ bulkThreshold });
    const { sources, ...mapping } = identityOf(hidden);
    const { columns, mode, names } = before;
    expect(mapping).toEqual({ columns, mode, names });
    expect(sources.filter(({ readable }) => !readable).map(({ name }) => name)).toEqual(MAILING);
    const [first, second] = await contactsOf(hidden, ids);
    expect(first).toMatchObject({ addresses: [], employers: ['Acme Foundation'] });
    expect(first?.unreadable).toEqual(MAILING);
    // All contacts share one array, so the number of arrays does not grow with the number of contacts.
    expect(second?.unreadable).toBe(first?.unreadable);
    expect(Object.isFrozen(first?.unreadable)).toBe(true);
    await setFieldAccess('MailingAddress', 'visible');
    const granted = await prepared({ bulkThreshold });
    expect(identityOf(granted)).toEqual(before);
    const again = await contactsOf(granted, ids);
    expect(again.map(({ addresses }) => addresses)).toEqual([['1 Elm Street'], ['1 Elm Street']]);
    expect(again.map(({ unreadable }) => unreadable)).toEqual([[], []]);
  });

  it('names the parts of an address that alone are hidden, and joins the others', async () => {
    org = await openOrg();
    const ids = await org.addContacts([UNEMPLOYED]);
    await org.setValue(ids[0] ?? '', 'MailingCity', 'Springfield');
    await setFieldAccess('MailingStreet', 'hidden');
    const [contact] = await contactsOf(await prepared(), ids);
    expect(contact).toMatchObject({ addresses: ['Springfield'], unreadable: ['MailingStreet'] });
  });

  it.each(APIS)(
    'calls a hidden primary affiliation unknown instead of none (%s)',
    async (_, bulkThreshold) => {
      org = await openOrg({ shape: 'npsp', bulkJobTimeMs: 0 });
      const ids = await org.addContacts([EMPLOYED, UNEMPLOYED]);
      await putIntoHousehold(ids);
      const before = identityOf(await prepared());
      await setFieldAccess(AFFILIATION, 'hidden');
      const hidden = await prepared({ bulkThreshold });
      expect(identityOf(hidden)).toMatchObject({ columns: before.columns, mode: 'npsp' });
      expect(employerSources(identityOf(hidden))).toEqual([
        [AFFILIATION_NAME, false],
        [ACCOUNT_NAME, true],
      ]);
      for (const contact of await contactsOf(hidden, ids)) {
        expect(contact).toMatchObject({ employers: [], unreadable: [AFFILIATION_NAME] });
      }
      await setFieldAccess(AFFILIATION, 'visible');
      const [employed, unemployed] = await contactsOf(await prepared({ bulkThreshold }), ids);
      expect(employed).toMatchObject({ employers: ['Acme Foundation'], unreadable: [] });
      expect(unemployed).toMatchObject({ employers: [], unreadable: [] });
    },
  );

  it('knows the Nonprofit Success Pack even where every field of it is hidden', async () => {
    org = await openOrg({ shape: 'npsp' });
    const ids = await org.addContacts([EMPLOYED]);
    await putIntoHousehold(ids);
    await hidePackFields();
    const connector = await prepared();
    const identity = identityOf(connector);
    expect(identity.mode).toBe('npsp');
    // The connector cannot tell a household from an employer, so it reads neither of them.
    expect(employerSources(identity)).toEqual([
      [AFFILIATION_NAME, false],
      [ACCOUNT_NAME, false],
    ]);
    const [contact] = await contactsOf(connector, ids);
    expect(contact).toMatchObject({
      employers: [],
      unreadable: [AFFILIATION_NAME, ACCOUNT_NAME],
    });
  });

  it('calls the employer unknown where the account field is hidden', async () => {
    org = await openOrg();
    const ids = await org.addContacts([EMPLOYED]);
    await setFieldAccess('AccountId', 'hidden');
    const connector = await prepared();
    expect(employerSources(identityOf(connector))).toEqual([[ACCOUNT_NAME, false]]);
    const [contact] = await contactsOf(connector, ids);
    expect(contact).toMatchObject({ employers: [], unreadable: [ACCOUNT_NAME] });
  });

  describe.each(APIS)('by %s', (_, bulkThreshold) => {
    it.each([
      ['plain', 'AccountId', ACCOUNT_NAME],
      ['npsp', AFFILIATION, AFFILIATION_NAME],
    ] as const)(
      'calls an employer that is not shared unknown, in a %s org',
      async (shape, lookup, source) => {
        org = await openOrg({ shape, bulkJobTimeMs: 0 });
        const ids = await org.addContacts([
          EMPLOYED,
          { ...PERSON, employers: ['Beta'] },
          UNEMPLOYED,
        ]);
        const account = String(await org.seenValue(ids[0] ?? '', lookup));
        await org.control('PUT', 'record-access', { id: account, access: 'hidden' });
        const connector = await prepared({ bulkThreshold });
        const contacts = await contactsOf(connector, ids);
        expect(contacts.map(({ employers }) => employers)).toEqual([[], ['Beta'], []]);
        expect(contacts.map(({ unreadable }) => unreadable)).toEqual([[source], [], []]);
        // The connector can read the source, but not this record.
        expect(identityOf(connector).sources.every(({ readable }) => readable)).toBe(true);
      },
    );

    it('calls all employers unknown when the right to read accounts is withdrawn', async () => {
      org = await openOrg({ bulkJobTimeMs: 0 });
      const ids = await org.addContacts([EMPLOYED, UNEMPLOYED]);
      await org.control('PUT', 'object-access', { type: 'Account', access: 'hidden' });
      const contacts = await contactsOf(await prepared({ bulkThreshold }), ids);
      expect(contacts.map(({ unreadable }) => unreadable)).toEqual([[ACCOUNT_NAME], []]);
    });

    it.each([
      ['an address', 'plain', 'MailingAddress'],
      ['the account', 'plain', 'AccountId'],
      ['the affiliation', 'npsp', AFFILIATION],
    ] as const)(
      'ends in an error when %s is hidden after the preparation',
      async (_what, shape, field) => {
        org = await openOrg({ shape, bulkJobTimeMs: 0 });
        const ids = await org.addContacts([EMPLOYED]);
        const connector = await prepared({ bulkThreshold });
        await setFieldAccess(field, 'hidden');
        const refusal = { kind: 'configuration', code: 'crm_request_refused' };
        await expect(toArray(connector.readPages(null))).rejects.toMatchObject(refusal);
        await expect(connector.readByIds(ids, [])).rejects.toMatchObject(refusal);
      },
    );
  });

  describe('with person accounts', () => {
    it.each([
      [
        'the object',
        () =>
          org.control('PUT', 'object-access', { type: 'AccountContactRelation', access: 'hidden' }),
      ],
      ['its roles', () => setFieldAccess('Roles', 'hidden', 'AccountContactRelation')],
    ])('calls the employers unknown where %s cannot be read', async (_, hide) => {
      const people = await openPeople();
      await hide();
      const connector = await prepared();
      expect(employerSources(identityOf(connector))).toEqual([
        [ACCOUNT_NAME, true],
        [RELATION_NAME, false],
      ]);
      const contacts = await contactsOf(
        connector,
        people.map(({ id }) => id),
      );
      expect(contacts.every(({ employers }) => employers.length === 0)).toBe(true);
      expect(contacts.every(({ unreadable }) => unreadable?.join() === RELATION_NAME)).toBe(true);
    });

    it('calls an organization that is not shared unknown, and makes no employer "null" of it', async () => {
      const people = await openPeople();
      const employed = people.find(({ employers }) => employers.length > 0);
      const others = people.filter(({ employers }) => employers[0] !== employed?.employers[0]);
      const soql = `SELECT AccountId FROM AccountContactRelation WHERE ContactId = '${employed?.id}'`;
      const found = await org.ask('GET', `/query?q=${encodeURIComponent(soql)}`);
      const id = /"AccountId":"(\w+)"/.exec(JSON.stringify(found))?.[1];
      await org.control('PUT', 'record-access', { id, access: 'hidden' });
      const contacts = await contactsOf(await prepared(), [
        employed?.id ?? '',
        ...others.map((person) => person.id),
      ]);
      expect(contacts[0]).toMatchObject({ employers: [], unreadable: [RELATION_NAME] });
      expect(contacts.slice(1).map(({ employers }) => employers)).toEqual(
        others.map(({ employers }) => employers),
      );
      expect(contacts.slice(1).every(({ unreadable }) => unreadable?.length === 0)).toBe(true);
    });

    it('ends in an error when the relations are refused after the preparation', async () => {
      await openPeople();
      const connector = await prepared();
      await setFieldAccess('Roles', 'hidden', 'AccountContactRelation');
      await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_request_refused',
      });
    });

    async function openPeople() {
      org = await openOrg({ shape: 'personAccounts', contacts: 40, donors: 200 });
      return org.people();
    }
  });

  async function prepared(
    settings: Record<string, unknown> & { bulkThreshold?: number } = {},
  ): Promise<Connector> {
    const connector = await org.connector(settings);
    return connector;
  }

  /** Returns the contacts in the pages, and expects the same contacts from a lookup. */
  async function contactsOf(connector: Connector, ids: readonly string[]): Promise<Contact[]> {
    const pages = await toArray(connector.readPages(null));
    const contacts = new Map(pages.flatMap((page) => page.contacts.map((one) => [one.id, one])));
    const found = await connector.readByIds(ids, []);
    expect(found.map((lookup) => lookup.state === 'found' && lookup.contact)).toEqual(
      ids.map((id) => contacts.get(id)),
    );
    return ids.flatMap((id) => contacts.get(id) ?? []);
  }

  async function setFieldAccess(field: string, access: string, type = 'Contact'): Promise<void> {
    await org.control('PUT', 'field-access', { type, field, access });
  }

  async function putIntoHousehold(ids: readonly string[]): Promise<void> {
    const [household = ''] = await org.create('Account', [
      { Name: 'Lopez Household', npe01__SYSTEM_AccountType__c: 'Household Account' },
    ]);
    for (const id of ids) await org.setValue(id, 'AccountId', household);
  }

  /** Hides the fields of the managed package. The fields stay hidden until an administrator grants access to them. */
  async function hidePackFields(): Promise<void> {
    for (const type of ['Contact', 'Account']) {
      const described = JSON.stringify(await org.ask('GET', `/sobjects/${type}/describe`));
      const names = described.matchAll(/"name":"((?:npsp|npe01|npo02)__\w+)"/g);
      for (const [, name] of names) await setFieldAccess(name ?? '', 'hidden', type);
    }
  }
});

function identityOf(connector: Connector): IdentityShape {
  const identity = connector.identity?.();
  if (identity === undefined)
    throw new Error('The connector does not say what persons are made of.');
  return identity;
}

function employerSources({ sources }: IdentityShape): [string, boolean][] {
  return sources.flatMap(({ name, part, readable }) =>
    part === 'employers' ? [[name, readable]] : [],
  );
}

function partsOf(kind: string): string[] {
  return ['Street', 'City', 'State', 'PostalCode', 'Country'].map((part) => `${kind}${part}`);
}

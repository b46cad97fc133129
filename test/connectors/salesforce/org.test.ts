import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { connectorDeps, toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const HASTY_CLOCK = { now: Date.now, sleep: () => Promise.resolve() };
const HOUR_MS = 3_600_000;

/** Tests events in an org while donor-sync is running. */
const usersSchema = z.object({ records: z.array(z.object({ Id: z.string() })) });

describe('Salesforce while people work in it', () => {
  let org: Org;

  afterEach(() => org.close());

  it.each(['jwt', 'clientCredentials', 'token'] as const)('signs in by %s', async (type) => {
    org = await openOrg();
    const { clientId, clientSecret, username, privateKey, token } = org.sandbox;
    const auth = {
      jwt: { type, clientId, username, privateKey },
      clientCredentials: { type, clientId, clientSecret },
      token: { type, token },
    }[type];
    const both = [org.connector({ auth }), org.connector()];
    const [one, same] = await Promise.all(both);
    expect(one?.account).toEqual(same?.account);
  });

  it('goes on when the session expires between two requests', async () => {
    const { connector, ids } = await start(3);
    await org.control('PUT', 'faults', [
      { on: { path: '/query*' }, nth: 1, fault: { kind: 'expireTokens' } },
    ]);
    const found = await connector.readByIds(ids, ['Title']);
    expect(found.map(({ state }) => state)).toEqual(['found', 'found', 'found']);
    const statuses = (await org.requests()).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(1);
  });

  it('gives up when every session is refused, after two renewals', async () => {
    org = await openOrg();
    await org.control('PUT', 'faults', [
      { on: { path: '/sobjects/*' }, fault: { kind: 'invalidSession' } },
    ]);
    await expect(org.connector()).rejects.toMatchObject({ code: 'crm_unauthorized' });
    expect((await org.requests()).filter(({ status }) => status === 401)).toHaveLength(3);
  });

  it('stops at the reserve of the daily requests', async () => {
    org = await openOrg({ apiLimit: 1000 });
    const connector = await org.connector();
    await org.control('PUT', 'api-usage', { used: 850 });
    await connector.listGroups();
    await expect(connector.listGroups()).rejects.toMatchObject({ code: 'crm_limit_reached' });
    expect(await connector.readLimits()).toMatchObject({ daily: { max: 1000 } });
  });

  it.each(['serverUnavailable', 'error', 'gatewayError', 'resetBefore', 'resetAfter', 'truncate'])(
    'gets over one %s while reading and while writing',
    async (kind) => {
      const { connector, ids } = await start(2, { clock: HASTY_CLOCK });
      const fault = kind === 'gatewayError' ? { kind, status: 502 } : { kind };
      await org.control('PUT', 'faults', [
        { on: { path: '/query*' }, nth: 1, fault },
        { on: { path: '/composite*' }, nth: 1, fault },
      ]);
      expect((await connector.readByIds(ids, [])).map(({ state }) => state)).toEqual([
        'found',
        'found',
      ]);
      expect(await write(connector, ids)).toEqual(ids.map((id) => ({ status: 'written', id })));
    },
  );

  it('writes 199 of 200 contacts when a validation rule refuses one', async () => {
    const { connector, ids } = await start(200);
    const bad = ids[42] ?? '';
    await org.control('POST', 'rules', {
      kind: 'validation',
      type: 'Contact',
      when: `Id = '${bad}'`,
      message: 'Closed.',
      field: 'Title',
    });
    const results = await write(connector, ids);
    expect(results.filter(({ status }) => status === 'refused')).toMatchObject([
      { id: bad, retriable: false, code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', fields: ['Title'] },
    ]);
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(199);
  });

  it('writes contacts of one account that others have locked', async () => {
    const { connector, ids } = await start(6, { clock: HASTY_CLOCK });
    for (const id of ids.slice(0, 3)) await org.control('POST', 'locks', { id, times: 2 });
    expect((await write(connector, ids)).map(({ status }) => status)).toEqual(
      ids.map(() => 'written'),
    );
  });

  it('reports a duplicate rule and does not get around it', async () => {
    const { connector, ids } = await start(2);
    await org.control('POST', 'rules', { kind: 'duplicate', type: 'Contact', fields: ['Title'] });
    const results = await write(connector, ids);
    expect(results).toMatchObject([
      { status: 'written' },
      { status: 'refused', code: 'DUPLICATES_DETECTED', retriable: false },
    ]);
  });

  it('describes a field that the user may only read, and refuses to think it can be written', async () => {
    await start(1);
    await org.control('PUT', 'field-access', {
      type: 'Contact',
      field: 'Title',
      access: 'readOnly',
    });
    const connector = await org.connector();
    expect(await connector.describeFields()).toContainEqual(
      expect.objectContaining({ name: 'Title', writable: false }),
    );
  });

  it('meets contacts that are deleted, merged and restored between reading and writing', async () => {
    const { connector, ids } = await start(4);
    const [deleted = '', loser = '', winner = '', restored = ''] = ids;
    await connector.readByIds(ids, ['Title']);
    await org.deleteContact(deleted);
    await org.mergeContacts(loser, winner);
    await org.deleteContact(restored);
    await org.edit({ action: 'undelete', id: restored });
    const results = new Map((await write(connector, ids)).map((result) => [result.id, result]));
    expect(results.get(deleted)).toMatchObject({ status: 'refused', retriable: false });
    expect(results.get(loser)).toMatchObject({ status: 'refused', retriable: false });
    expect(results.get(winner)).toMatchObject({ status: 'written' });
    expect(results.get(restored)).toMatchObject({ status: 'written' });
    const found = await connector.readByIds(ids, []);
    expect(
      found.map((lookup) => (lookup.state === 'removed' ? lookup.mergedInto : lookup.state)),
    ).toEqual([null, winner, 'found', 'found']);
  });

  it('looks a purged contact up as a missing one: nothing is left that says it was deleted', async () => {
    const { connector, ids } = await start(1);
    const [id = ''] = ids;
    await org.deleteContact(id);
    await org.edit({ action: 'purge', id });
    expect(await connector.readByIds([id], [])).toEqual([{ state: 'missing', id }]);
  });

  it('reads two thousand and more contacts with one stamp', async () => {
    const now = Date.now();
    org = await openOrg({ clock: () => now });
    const ids = await org.addContacts(people(2_345));
    const connector = await org.connector({ bulkThreshold: 1_000_000 });
    const pages = await toArray(connector.readPages(null));
    const seen = pages.flatMap(({ contacts }) => contacts.map(({ id }) => id));
    expect(seen.sort()).toEqual(ids.sort());
  });

  it('leaves out contacts that the filter leaves out, and says when the filter is none', async () => {
    org = await openOrg();
    const [, kept] = await org.addContacts(people(2));
    const filter = "LastName != 'Last0'";
    const connector = await org.connector({}, {}, { filter, optOutField: null });
    const pages = await toArray(connector.readPages(null));
    expect(pages.flatMap(({ contacts }) => contacts.map(({ id }) => id))).toEqual([kept]);
    await expect(
      org.connector({}, {}, { filter: 'LastName = ', optOutField: null }),
    ).rejects.toMatchObject({ code: 'crm_filter_invalid' });
  });

  it.each([
    [
      "LastName != 'x' AND Titel = 'CEO'",
      /^The filter names Titel, a field that Contact does not have in this org or that the integration's user cannot see\. Write .*contacts\.filter.* Did you mean "Title"\?$/,
    ],
    [
      "Acount.Name = 'x'",
      /^The filter uses Acount, a relationship that Contact does not have in this org/,
    ],
    ["CreatedDate > '2026'", /^The filter compares CreatedDate with text in quotes.*dateTime/],
    [
      "Title = 'a' AND LastName = ",
      /^Salesforce cannot read contacts\.filter from character 28 on.*apostrophe/,
    ],
    ["Name = 'O'Brien'", /^Salesforce cannot read contacts\.filter/],
  ])('says what is wrong with the filter %s', async (filter, message) => {
    org = await openOrg();
    await expect(org.connector({}, {}, { filter, optOutField: null })).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_filter_invalid',
      message: expect.stringMatching(message),
    });
  });

  it('knows who has opted out', async () => {
    org = await openOrg();
    const [out = '', open = ''] = await org.addContacts(people(2));
    await org.setValue(out, 'HasOptedOutOfEmail', true);
    const connector = await org.connector(
      {},
      {},
      { filter: null, optOutField: 'HasOptedOutOfEmail' },
    );
    const found = await connector.readByIds([out, open], []);
    expect(found.map((lookup) => lookup.state === 'found' && lookup.contact.optedOut)).toEqual([
      true,
      false,
    ]);
  });

  it('finds the employer of each model where it stands, and never a household', async () => {
    for (const shape of ['plain', 'npsp', 'personAccounts'] as const) {
      org = await openOrg({ shape, contacts: 40, donors: 200 });
      const connector = await org.connector();
      const pages = await toArray(connector.readPages(null));
      const contacts = pages.flatMap((page) => page.contacts);
      const people = await org.people();
      expect(people.filter(({ employers }) => employers.length > 0).length).toBeGreaterThan(10);
      expect(new Map(contacts.map(({ id, employers }) => [id, employers]))).toEqual(
        new Map(people.map(({ id, employers }) => [id, employers])),
      );
      const found = await connector.readByIds(
        people.map(({ id }) => id),
        [],
      );
      expect(found.map((lookup) => lookup.state === 'found' && lookup.contact.employers)).toEqual(
        people.map(({ employers }) => employers),
      );
      if (shape !== 'personAccounts') await org.close();
    }
  });

  it.each([
    ['REST', 1_000_000],
    ['the Bulk API', 1],
  ])(
    'says for good that a contact is gone, however the org words it (%s)',
    async (_, bulkThreshold) => {
      org = await openOrg({ bulkJobTimeMs: 0 });
      const [deleted = '', merged = '', winner = '', purged = '', lost = ''] =
        await org.addContacts(people(5));
      const never = '003000000099999AAA';
      const connector = await org.connector({ bulkThreshold });
      await org.deleteContact(deleted);
      await org.mergeContacts(merged, winner);
      await org.deleteContact(purged);
      await org.edit({ action: 'purge', id: purged });
      await org.control('POST', 'rules', {
        kind: 'validation',
        type: 'Contact',
        when: `Id = '${lost}'`,
        message: 'The requested resource does not exist',
        statusCode: 'NOT_FOUND',
      });
      const results = await write(connector, [deleted, merged, purged, never, lost, winner]);
      const codes = new Map([
        [deleted, 'ENTITY_IS_DELETED'],
        [merged, 'ENTITY_IS_DELETED'],
        [purged, 'ENTITY_IS_DELETED'],
        [never, 'INVALID_CROSS_REFERENCE_KEY'],
        [lost, 'NOT_FOUND'],
      ]);
      for (const [id, code] of codes) {
        expect(results.find((result) => result.id === id)).toMatchObject({
          status: 'refused',
          retriable: false,
          code,
          message: expect.stringMatching(/^The record is gone/),
        });
      }
      expect(results.filter(({ status }) => status === 'written')).toEqual([
        { status: 'written', id: winner },
      ]);
      expect(results).toHaveLength(6);
    },
  );

  it.each([
    ['plain', 3],
    ['npsp', 3],
    // The product also reads the descriptions of related objects, because it searches them for readable identity
    // fields.
    ['personAccounts', 4],
  ] as const)(
    'reads a quiet night of a %s org in %i requests besides the sign-in',
    async (shape, requests) => {
      let now = Date.now();
      org = await openOrg({
        shape,
        contacts: 2_500,
        donors: 200,
        bulkJobTimeMs: 0,
        clock: () => now,
      });
      const connector = await org.connector({ bulkThreshold: 200 });
      const pages = await toArray(connector.readPages(null));
      expect(pages.flatMap(({ contacts }) => contacts)).toHaveLength(2_500);
      expect((await calls()).some(({ path }) => path.endsWith('/jobs/query'))).toBe(true);
      now += 24 * HOUR_MS;
      const before = (await calls()).length;
      const next = await org.connector();
      const night = await toArray(next.readPages(pages.at(-1)?.cursor ?? null));
      expect((await calls()).slice(before)).toHaveLength(requests);
      expect(night.flatMap(({ contacts, removed }) => [...contacts, ...removed])).toEqual([]);
    },
  );

  it('reads nothing anew but what changed within the overlap', async () => {
    let now = Date.now();
    org = await openOrg({ clock: () => now });
    await org.addContacts(people(3));
    now += HOUR_MS;
    const late = await org.addContacts(people(2));
    const connector = await org.connector();
    const cursor = (await toArray(connector.readPages(null))).at(-1)?.cursor ?? null;
    now += 24 * HOUR_MS;
    const pages = await toArray(connector.readPages(cursor));
    expect(pages.flatMap(({ contacts }) => contacts.map(({ id }) => id)).sort()).toEqual(
      late.sort(),
    );
  });

  it('lets people see a new field, which not even an administrator does before', async () => {
    const { connector } = await start(1);
    const name = 'A_text__c';
    await connector.createFields([{ name, label: 'A', type: 'text', description: 'A test.' }]);
    const seenByAdministrator = () =>
      org.ask('GET', `/query?q=${encodeURIComponent(`SELECT ${name} FROM Contact`)}`);
    await expect(seenByAdministrator()).rejects.toThrow(/INVALID_FIELD/);
    expect(await connector.countViewers?.([name])).toBe(0);

    const alone = await connector.showFields?.([name], null);
    expect(alone).toMatchObject({ grant: 'donor-sync viewers', people: 0, problem: null });
    await expect(seenByAdministrator()).rejects.toThrow(/INVALID_FIELD/);

    const shown = await connector.showFields?.([name], 'System Administrator');
    expect(shown).toMatchObject({ people: 1, assigned: 1, refused: 0, problem: null });
    expect(shown?.next).toContain('Page Layouts');
    await expect(seenByAdministrator()).resolves.toMatchObject({ totalSize: 1 });
    expect(await connector.countViewers?.([name])).toBe(1);
    const again = await connector.showFields?.([name], 'System Administrator');
    expect(again).toMatchObject({ people: 1, assigned: 0, refused: 0 });
  });

  it('lets people see a field and not change it', async () => {
    const { connector, ids } = await start(1);
    const name = 'A_text__c';
    await connector.createFields([{ name, label: 'A', type: 'text', description: 'A test.' }]);
    await connector.showFields?.([name], 'System Administrator');
    const change = org.ask('PATCH', `/sobjects/Contact/${ids[0]}`, { [name]: 'by hand' });
    await expect(change).rejects.toThrow(/INVALID_FIELD_FOR_INSERT_UPDATE/);
  });

  it('counts no one who has left as a person who can see a field', async () => {
    const { connector } = await start(1);
    const name = 'A_text__c';
    await connector.createFields([{ name, label: 'A', type: 'text', description: 'A test.' }]);
    await connector.showFields?.([name], 'System Administrator');
    const soql = "SELECT Id FROM User WHERE Profile.Name = 'System Administrator'";
    const found = await org.ask('GET', `/query?q=${encodeURIComponent(soql)}`);
    for (const { Id } of usersSchema.parse(found).records) {
      await org.ask('PATCH', `/sobjects/User/${Id}`, { IsActive: false });
    }
    expect(await connector.countViewers?.([name])).toBe(0);
  });

  it('says that a profile has no active user, and changes nothing', async () => {
    const { connector } = await start(1);
    const shown = await connector.showFields?.(['A_text__c'], 'System Administrater');
    expect(shown).toMatchObject({ people: 0, assigned: 0 });
    expect(shown?.problem).toContain('“System Administrater”');
  });

  it('creates fields of every type that it is asked for, and can write them', async () => {
    const { connector, ids } = await start(1);
    const types = [
      'text',
      'longText',
      'url',
      'integer',
      'number',
      'currency',
      'percent',
      'boolean',
      'date',
      'datetime',
    ] as const;
    const specs = types.map((type) => ({
      name: `A_${type}__c`,
      label: type,
      type,
      description: 'A test.',
    }));
    const creations = await connector.createFields(specs);
    expect(creations.map(({ result, problem }) => [result, problem])).toEqual(
      types.map(() => ['created', null]),
    );
    const described = await connector.describeFields();
    expect(
      described.filter(({ name }) => name.startsWith('A_')).every(({ writable }) => writable),
    ).toBe(true);
    const values = {
      A_text__c: 'x',
      A_longText__c: 'y',
      A_url__c: 'https://example.org',
      A_integer__c: 7,
      A_number__c: 1.5,
      A_currency__c: 2_500_000,
      A_percent__c: 72,
      A_boolean__c: true,
      A_date__c: '2026-11-20',
      A_datetime__c: '2026-11-20T02:00:00.000Z',
    };
    const [id = ''] = ids;
    expect(await toArray(connector.write([{ id, values }]))).toEqual([{ status: 'written', id }]);
    expect(await connector.readByIds([id], Object.keys(values))).toMatchObject([{ values }]);
  });

  /** Returns the requests that count towards the org's limit. Only sign-ins do not count. */
  async function calls() {
    return (await org.requests()).filter(({ path }) => !path.startsWith('/services/oauth2/'));
  }

  async function start(count: number, deps = {}) {
    org = await openOrg();
    const ids = await org.addContacts(people(count));
    const connector = await org.connector({}, { ...connectorDeps(), ...deps });
    return { connector, ids };
  }

  function write(connector: Connector, ids: readonly string[]): Promise<WriteResult[]> {
    return toArray(connector.write(ids.map((id) => ({ id, values: { Title: 'ours' } }))));
  }
});

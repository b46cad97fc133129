import { Client } from '@hubspot/api-client';
import { describe, expect, it } from 'vitest';
import { ask, CONTACTS, contactIds, readError, readRecord, startAccount } from '../account.ts';

const PROPERTIES = '/crm/properties/2026-09/contacts';

const worth = {
  name: 'net_worth',
  label: 'Net worth',
  type: 'number',
  fieldType: 'number',
  groupName: 'contactinformation',
};

describe('properties', () => {
  it('are listed with what may be done to them', async () => {
    const account = await startAccount();
    const { body } = await ask(account, 'GET', `${PROPERTIES}/lastmodifieddate`);
    expect(body).toMatchObject({
      type: 'datetime',
      hubspotDefined: true,
      modificationMetadata: { archivable: false, readOnlyDefinition: true, readOnlyValue: true },
    });
    const created = await ask(account, 'POST', PROPERTIES, { body: worth });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      ...worth,
      archived: false,
      hubspotDefined: false,
      modificationMetadata: { archivable: true, readOnlyDefinition: false, readOnlyValue: false },
    });
    const all = await ask(account, 'GET', '/crm/v3/properties/0-1');
    expect(JSON.stringify(all.body)).toContain('"name":"net_worth"');
  });

  it('are made once', async () => {
    const account = await startAccount();
    await ask(account, 'POST', PROPERTIES, { body: worth });
    expect(readError(await ask(account, 'POST', PROPERTIES, { body: worth }))).toMatchObject({
      status: 409,
      category: 'OBJECT_ALREADY_EXISTS',
    });
  });

  it.each([
    ['a name with capitals', { name: 'Net_Worth' }],
    ['a name that begins with a digit', { name: '1st' }],
    ['a field type that does not go with the type', { fieldType: 'text' }],
    ['a group that does not exist', { groupName: 'nowhere' }],
    ['an enumeration without options', { type: 'enumeration', fieldType: 'select' }],
    ['a truth value without its two options', { type: 'bool', fieldType: 'booleancheckbox' }],
    ['no label', { label: '' }],
  ])('are refused with %s', async (_what, differs) => {
    const account = await startAccount();
    const answer = await ask(account, 'POST', PROPERTIES, { body: { ...worth, ...differs } });
    expect(readError(answer)).toMatchObject({ status: 400, category: 'VALIDATION_ERROR' });
  });

  it('come back with their values when they are made again after they were archived', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const path = `${CONTACTS}/${id}?properties=net_worth`;
    const body = { properties: { net_worth: '5' } };
    await ask(account, 'POST', PROPERTIES, { body: worth });
    await ask(account, 'PATCH', path, { body });
    expect((await ask(account, 'DELETE', `${PROPERTIES}/net_worth`)).status).toBe(204);
    expect((await ask(account, 'GET', `${PROPERTIES}/net_worth`)).status).toBe(404);
    expect((await ask(account, 'GET', `${PROPERTIES}/net_worth?archived=true`)).status).toBe(200);
    expect((await ask(account, 'PATCH', path, { body })).status).toBe(400);
    const again = await ask(account, 'POST', PROPERTIES, { body: { ...worth, label: 'Wealth' } });
    expect(again).toMatchObject({ status: 201, body: { label: 'Wealth', archived: false } });
    expect(readRecord(await ask(account, 'GET', path)).properties['net_worth']).toBe('5');
  });

  it('can be changed, but not those of HubSpot', async () => {
    const account = await startAccount();
    await ask(account, 'POST', PROPERTIES, { body: worth });
    const change = { label: 'Wealth', description: 'In dollars' };
    expect(await ask(account, 'PATCH', `${PROPERTIES}/net_worth`, { body: change })).toMatchObject({
      status: 200,
      body: { ...change, type: 'number' },
    });
    expect((await ask(account, 'PATCH', `${PROPERTIES}/email`, { body: change })).status).toBe(400);
    expect((await ask(account, 'DELETE', `${PROPERTIES}/email`)).status).toBe(400);
  });

  it('are made, read and archived many at once', async () => {
    const account = await startAccount();
    const client = new Client({ accessToken: account.token, basePath: account.baseUrl });
    const { batchApi, coreApi } = client.crm.properties;
    const names = ['one', 'two'];
    const path = '/crm/v3/properties/contacts/batch/create';
    const body = { inputs: names.map((name) => ({ ...worth, name })) };
    expect((await ask(account, 'POST', path, { body })).status).toBe(201);
    const inputs = [...names, 'three'].map((name) => ({ name }));
    const read = await ask(account, 'POST', `${PROPERTIES}/batch/read`, {
      body: { inputs, archived: false, dataSensitivity: 'non_sensitive' },
    });
    expect(read).toMatchObject({
      status: 207,
      body: { results: [{ name: 'one' }, { name: 'two' }], numErrors: 1 },
    });
    await batchApi.archive('contacts', { inputs: [{ name: 'one' }] });
    const left = await coreApi.getAll('contacts');
    expect(left.results.map(({ name }) => name).filter((name) => names.includes(name))).toEqual([
      'two',
    ]);
  });

  it('stand in groups', async () => {
    const account = await startAccount();
    const groups = `${PROPERTIES}/groups`;
    const group = { name: 'wealth', label: 'Wealth', displayOrder: 7 };
    expect((await ask(account, 'POST', groups, { body: group })).status).toBe(201);
    expect((await ask(account, 'POST', groups, { body: group })).status).toBe(409);
    const property = { ...worth, groupName: 'wealth' };
    expect((await ask(account, 'POST', PROPERTIES, { body: property })).status).toBe(201);
    expect(await ask(account, 'GET', `${groups}/wealth`)).toMatchObject({
      body: { ...group, archived: false },
    });
    await ask(account, 'DELETE', `${groups}/wealth`);
    expect((await ask(account, 'GET', `${groups}/wealth`)).status).toBe(404);
    expect((await ask(account, 'DELETE', `${groups}/contactinformation`)).status).toBe(400);
  });
});

describe('values', () => {
  const yesNo = ['true', 'false'].map((value, displayOrder) => ({
    label: value,
    value,
    displayOrder,
    hidden: false,
  }));
  const colours = ['red', 'blue'].map((value) => ({ label: value, value }));

  it.each([
    [{ type: 'number', fieldType: 'number' }, 12.5, '12.5'],
    [{ type: 'date', fieldType: 'date' }, '2026-03-10', '2026-03-10'],
    [{ type: 'date', fieldType: 'date' }, '1773100800000', '2026-03-10'],
    [{ type: 'datetime', fieldType: 'date' }, '1773100800123', '2026-03-10T00:00:00.123Z'],
    [
      { type: 'datetime', fieldType: 'date' },
      '2026-03-10T01:00:00+01:00',
      '2026-03-10T00:00:00.000Z',
    ],
    [{ type: 'bool', fieldType: 'booleancheckbox', options: yesNo }, true, 'true'],
    [{ type: 'enumeration', fieldType: 'select', options: colours }, 'red', 'red'],
    [{ type: 'enumeration', fieldType: 'checkbox', options: colours }, ';red;blue', 'red;blue'],
    [{ type: 'string', fieldType: 'textarea' }, ' two\nlines ', ' two\nlines '],
  ])('of %j: %j is kept as %j', async (kind, value, kept) => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const order = { ...worth, ...kind, name: 'extra' };
    expect((await ask(account, 'POST', PROPERTIES, { body: order })).status).toBe(201);
    const body = { properties: { extra: value } };
    const written = readRecord(await ask(account, 'PATCH', `${CONTACTS}/${id}`, { body }));
    expect(written.properties['extra']).toBe(kept);
  });

  it.each([
    [{ type: 'number', fieldType: 'number' }, '1,000', 'INVALID_INTEGER'],
    [{ type: 'date', fieldType: 'date' }, '10.3.2026', 'INVALID_DATE'],
    [{ type: 'date', fieldType: 'date' }, '2026-02-30', 'INVALID_DATE'],
    [{ type: 'date', fieldType: 'date' }, '1773100800001', 'INVALID_DATE'],
    [{ type: 'datetime', fieldType: 'date' }, 'tomorrow', 'INVALID_LONG'],
    [{ type: 'bool', fieldType: 'booleancheckbox', options: yesNo }, 'yes', 'INVALID_OPTION'],
    [{ type: 'enumeration', fieldType: 'select', options: colours }, 'red;blue', 'INVALID_OPTION'],
    [
      { type: 'enumeration', fieldType: 'checkbox', options: colours },
      'red;green',
      'INVALID_OPTION',
    ],
    [{ type: 'string', fieldType: 'text' }, 'x'.repeat(65_537), 'PROPERTY_VALUE_TOO_LONG'],
  ])('of %j: %j is refused', async (kind, value, code) => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await ask(account, 'POST', PROPERTIES, { body: { ...worth, ...kind, name: 'extra' } });
    const body = { properties: { extra: value } };
    const error = readError(await ask(account, 'PATCH', `${CONTACTS}/${id}`, { body }));
    expect(error).toMatchObject({ status: 400, errors: [{ code }] });
  });
});

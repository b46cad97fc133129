import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSite, type Reply } from './site.ts';

let site: Awaited<ReturnType<typeof openSite>>;

beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

async function addFields() {
  await site.call('CustomGroup', 'create', {
    values: { title: 'Donor Sync', name: 'Donor_Sync', extends: 'Individual' },
  });
  for (const field of [
    { name: 'Note', label: 'Note', data_type: 'String', html_type: 'Text', text_length: 10 },
    { name: 'Worth', label: 'Worth', data_type: 'Int', html_type: 'Text' },
    {
      ...{ name: 'Rating', label: 'Rating', data_type: 'String', html_type: 'Select' },
      option_values: { a: 'High', b: 'Low' },
    },
  ]) {
    await site.call('CustomField', 'create', {
      values: { 'custom_group_id.name': 'Donor_Sync', ...field },
    });
  }
}

const people = { where: [['contact_type', '=', 'Individual']], orderBy: { id: 'ASC' } };

describe("the requests of npm's civicrm client", () => {
  it('reads contacts with their primary address, email and employer', async () => {
    const { values, count } = await site.call('Contact', 'get', {
      select: ['first_name', 'last_name', 'email_primary.email', 'address_primary.city'],
      ...people,
      limit: 2,
    });
    expect(count).toBe(2);
    expect(Object.keys(values[0] ?? {})).toEqual([
      ...['id', 'first_name', 'last_name', 'email_primary.email', 'address_primary.city'],
    ]);
  });

  it('creates, updates and deletes a contact', async () => {
    const created = await site.call('Contact', 'create', { values: { first_name: 'Ada' } });
    const id = created.values[0]?.['id'];
    await site.call('Contact', 'update', {
      values: { last_name: 'Hall' },
      where: [['id', '=', id]],
    });
    const read = await site.call('Contact', 'get', { where: [['id', '=', id]] });
    expect(read.values[0]).toMatchObject({ first_name: 'Ada', last_name: 'Hall' });
    await site.call('Contact', 'delete', { where: [['id', '=', id]] });
    const where = [['id', '>', 0]];
    const { values } = await site.call('Contact', 'get', { where });
    expect(values.map((row) => row['id'])).not.toContain(id);
    const trashed = await site.call('Contact', 'get', { where: [['id', '=', id]] });
    expect(trashed.values[0]).toMatchObject({ is_deleted: true });
  });

  it('counts all matching contacts with row_count', async () => {
    for (const select of [['row_count', 'id'], ['row_count']]) {
      const { count, countMatched, values } = await site.call('Contact', 'get', {
        ...{ select, ...people, limit: 1 },
      });
      expect({ count, countMatched }).toEqual({ count: 5, countMatched: 5 });
      expect(values).toHaveLength(select.length - 1);
    }
  });
});

describe('signing in', () => {
  it.each([
    ['a wrong key', { 'X-Civi-Auth': 'Bearer wrong' }, 401, 'text/plain'],
    ['no XMLHttpRequest', { 'X-Requested-With': '' }, 400, 'application/json'],
  ])('rejects %s', async (_name, headers, status, type) => {
    const reply = await site.api('Contact', 'get', {}, headers);
    expect([reply.status, reply.type]).toEqual([status, type]);
  });

  it('rejects a key whose user may not use keys', async () => {
    await site.control('PUT', 'permissions', { without: ['authenticate with api key'] });
    expect((await site.api('Contact', 'get')).status).toBe(401);
  });
});

describe('what APIv4 passes over in silence', () => {
  beforeEach(addFields);

  it('drops unknown fields of a select, and of a write', async () => {
    const { values } = await site.call('Contact', 'get', {
      select: ['Donor_Sync.Nothing'],
      ...people,
    });
    expect(Object.keys(values[0] ?? {})).toEqual(['id']);
    const records = [{ id: 1001, 'Donor_Sync.Nothing': 'x' }];
    expect((await site.api('Contact', 'save', { records })).status).toBe(200);
  });

  it('hides contacts and custom fields that the user may not see', async () => {
    await site.control('PUT', 'record-access', { ids: [1001], access: 'hidden' });
    await site.control('PUT', 'permissions', { without: ['access all custom data'] });
    const { values } = await site.call('Contact', 'get', {
      ...people,
      select: ['Donor_Sync.Note'],
    });
    expect(values).toEqual([1002, 1003, 1004, 1005].map((id) => ({ id })));
  });

  it('cuts values off, unless MySQL is strict', async () => {
    const records = [
      { id: 1001, 'Donor_Sync.Note': 'longer than ten', 'Donor_Sync.Worth': 3_000_000_000 },
    ];
    await site.call('Contact', 'save', { records });
    expect(await values(1001)).toMatchObject({
      'Donor_Sync.Note': 'longer tha',
      'Donor_Sync.Worth': 2_147_483_647,
    });
    await site.control('PUT', 'variants', { strictSql: true });
    expect((await site.api('Contact', 'save', { records })).status).toBe(500);
  });

  it('stores a blank for an unknown option, and another spelling of null', async () => {
    const records = [{ id: 1001, 'Donor_Sync.Rating:label': 'Nothing', 'Donor_Sync.Note': 'null' }];
    await site.call('Contact', 'save', { records });
    expect(await values(1001)).toMatchObject({
      'Donor_Sync.Rating': null,
      'Donor_Sync.Note': 'Null',
    });
  });

  async function values(id: number) {
    const select = ['Donor_Sync.Note', 'Donor_Sync.Worth', 'Donor_Sync.Rating'];
    return (await site.call('Contact', 'get', { select, where: [['id', '=', id]] })).values[0];
  }
});

describe('refusals', () => {
  beforeEach(addFields);

  it('answers 500 with a number of the error, and its text only to users who may see it', async () => {
    await site.control('POST', 'rules', { kind: 'refuse', ids: [1001] });
    const records = [{ id: 1001, 'Donor_Sync.Note': 'x' }];
    const reply = await site.api('Contact', 'save', { records });
    expect([reply.status, reply.body.status]).toEqual([500, 500]);
    expect(reply.body.error_message).toMatch(/^Sorry an error occurred .* \(Error ID: \w+\)$/);
    await site.control('PUT', 'permissions', { without: [] });
    const told: Reply = await site.api('Contact', 'save', { records });
    expect(told.body.error_message).toBe('This contact is protected by an extension.');
  });

  it.each([
    ['untilFirst', 'a'],
    ['whole', null],
  ])('keeps the records before a refused one, or none (%s)', async (saveMode, kept) => {
    await site.control('PUT', 'variants', { saveMode });
    await site.control('POST', 'rules', { kind: 'refuse', ids: [1002] });
    const records = [1001, 1002, 1003].map((id) => ({ id, 'Donor_Sync.Note': 'a' }));
    expect((await site.api('Contact', 'save', { records })).status).toBe(500);
    const { values } = await site.call('Contact', 'get', {
      select: ['Donor_Sync.Note'],
      ...people,
    });
    expect(values.slice(0, 3).map((row) => row['Donor_Sync.Note'])).toEqual([kept, null, null]);
  });

  it('answers 403 for a contact that the user may not edit', async () => {
    await site.control('PUT', 'permissions', { without: ['edit all contacts'] });
    const reply = await site.api('Contact', 'save', { records: [{ id: 1001 }] });
    expect(reply.status).toBe(403);
  });
});

describe('times', () => {
  it.each(['UTC', 'America/Chicago', 'Asia/Kolkata'])(
    'are in the zone of the site (%s)',
    async (timeZone) => {
      await site.control('PUT', 'variants', { timeZone });
      await site.control('POST', 'edit', {
        action: 'update',
        id: 1001,
        values: { nick_name: 'A' },
      });
      const { values } = await site.call('Contact', 'get', {
        ...{ select: ['modified_date'], orderBy: { modified_date: 'DESC' }, limit: 1 },
      });
      const text = String(values[0]?.['modified_date']);
      const shown = new Date().toLocaleString('sv-SE', { timeZone }).slice(0, 13);
      expect(text.slice(0, 13)).toBe(shown);
      const changed = await site.call('Contact', 'get', { where: [['modified_date', '>=', text]] });
      expect(changed.values.map((row) => row['id'])).toEqual([1001]);
      const utc = new Date(Date.now() - 60_000).toISOString();
      const since = await site.call('Contact', 'get', { where: [['modified_date', '>=', utc]] });
      expect(since.count).toBe(1);
    },
  );

  it('stay for a contact in the trash, on sites before the correction', async () => {
    await site.control('POST', 'edit', { action: 'trash', id: 1002 });
    const where = [
      ['modified_date', '>=', '2020-01-01'],
      ['id', '=', 1002],
    ];
    const before = await site.call('Contact', 'get', { select: ['modified_date'], where });
    await site.control('PUT', 'variants', { trashChangesDate: true });
    await site.control('POST', 'edit', { action: 'trash', id: 1002 });
    const after = await site.call('Contact', 'get', { select: ['modified_date'], where });
    expect(after.values[0]).not.toEqual(before.values[0]);
  });
});

describe('groups', () => {
  it('finds members by the filter, also of smart groups, whose members may be old', async () => {
    await site.control('PUT', 'variants', { staleSmartGroups: true });
    const search = [['first_name', '=', 'Ada']];
    await site.control('POST', 'group', { title: 'Adas', search });
    const where = [['groups:name', 'IN', ['Adas']]];
    expect((await site.call('Contact', 'get', { where })).count).toBe(0);
    await site.call('Contact', 'create', { values: { first_name: 'Ada' } });
    expect((await site.call('Contact', 'get', { where })).count).toBe(0);
    await site.control('PUT', 'variants', { staleSmartGroups: false });
    expect((await site.call('Contact', 'get', { where })).count).toBe(1);
    const board = [['groups:name', 'IN', ['Board_of_Directors']]];
    expect((await site.call('Contact', 'get', { where: board })).count).toBeGreaterThan(0);
  });
});

describe('merges', () => {
  it('tells where a contact lives on, and from whom it was merged', async () => {
    await site.control('POST', 'edit', { action: 'merge', loser: 1001, winner: 1002 });
    const to = await site.call('Contact', 'getMergedTo', { contactId: 1001 });
    expect(to.values).toEqual([{ id: 1002 }]);
    const from = await site.call('Contact', 'getMergedFrom', { contactId: 1002 });
    expect(from.values).toEqual([{ id: 1001 }]);
  });
});

describe("PHP's limits", () => {
  it.each([
    ['fatal500', 500],
    ['page200', 200],
    ['gateway504', 504],
    ['empty200', 200],
  ])('fail a request for too many contacts (%s)', async (overload, status) => {
    await site.control('PUT', 'variants', { maxRows: 3, overload });
    const reply = await site.api('Contact', 'get', people);
    expect([reply.status, reply.body]).toEqual([status, {}]);
    expect((await site.api('Contact', 'get', { ...people, limit: 3 })).body.count).toBe(3);
  });

  it('prints warnings before the JSON', async () => {
    await site.control('PUT', 'variants', { phpWarnings: true });
    expect((await site.api('Contact', 'get', people)).text).toMatch(/^<br \/>\n<b>Warning/);
  });
});

it('records who changed which value', async () => {
  await addFields();
  await site.call('Contact', 'save', { records: [{ id: 1001, 'Donor_Sync.Note': 'x' }] });
  await site.control('POST', 'edit', { action: 'update', id: 1001, values: { nick_name: 'A' } });
  const { changes } = Object(await site.control('GET', 'ledger'));
  expect(changes).toEqual([
    { contact: 1001, field: 'custom_1', before: null, after: 'x', by: 'api' },
    { contact: 1001, field: 'nick_name', before: null, after: 'A', by: 'user' },
  ]);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@hubspot/api-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../../../people/world.ts';
import type { HubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { ask, contactIds, startAccount } from '../account.ts';

const LISTS = '/crm/lists/2026-09';
/** More members than fit into the largest page. */
const MANY = 300;
/** A sandbox of this size has enough people for a board list and a staff list. */
const ENOUGH = { contacts: 60, donors: 60 };

const listSchema = z.object({
  listId: z.string(),
  name: z.string(),
  size: z.number(),
  processingType: z.string(),
  listVersion: z.number(),
});

async function createList(account: HubspotSandbox, order: object): Promise<string> {
  const body = { objectTypeId: '0-1', processingType: 'MANUAL', ...order };
  const answer = await ask(account, 'POST', LISTS, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return z.object({ list: listSchema }).parse(answer.body).list.listId;
}

async function readList(account: HubspotSandbox, path: string) {
  const { status, body } = await ask(account, 'GET', `${LISTS}/${path}`);
  return status === 200 ? z.object({ list: listSchema }).parse(body).list : null;
}

async function listNamed(account: HubspotSandbox, name: string): Promise<string> {
  const path = `object-type-id/0-1/name/${encodeURIComponent(name)}`;
  return (await readList(account, path))?.listId ?? '';
}

const membersSchema = z.object({
  results: z.array(z.object({ recordId: z.string(), membershipTimestamp: z.iso.datetime() })),
  paging: z
    .object({
      next: z.object({ after: z.string() }).optional(),
      prev: z.object({ before: z.string() }).optional(),
    })
    .optional(),
  total: z.number(),
});

async function readPage(account: HubspotSandbox, id: string, query = '') {
  const { body } = await ask(account, 'GET', `${LISTS}/${id}/memberships${query}`);
  const { results, paging, total } = membersSchema.parse(body);
  const ids = results.map(({ recordId }) => recordId);
  return { ids, after: paging?.next?.after, before: paging?.prev?.before, total };
}

async function members(account: HubspotSandbox, id: string): Promise<string[]> {
  return (await readPage(account, id, '?limit=250')).ids;
}

function change(account: HubspotSandbox, id: string, action: string, body: unknown) {
  return ask(account, 'PUT', `${LISTS}/${id}/memberships/${action}`, { body });
}

const OR = { filterBranchType: 'OR', filterBranchOperator: 'OR', filterBranches: [] };

function inCity(city: string) {
  return {
    filterBranchType: 'OR',
    filterBranchOperator: 'OR',
    filters: [],
    filterBranches: [
      {
        filterBranchType: 'AND',
        filterBranchOperator: 'AND',
        filterBranches: [],
        filters: [
          {
            filterType: 'PROPERTY',
            property: 'city',
            operation: {
              operationType: 'MULTISTRING',
              operator: 'IS_EQUAL_TO',
              values: [city],
              includeObjectsWithNoValueSet: false,
            },
          },
        ],
      },
    ],
  };
}

describe('an active list', () => {
  it('has conditions about properties that exist', async () => {
    const account = await startAccount();
    const filterBranch = JSON.parse(
      JSON.stringify(inCity('Nome')).replace('city', 'no_such_thing'),
    );
    const body = { name: 'Odd', objectTypeId: '0-1', processingType: 'DYNAMIC', filterBranch };
    const { status, body: answer } = await ask(account, 'POST', LISTS, { body });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ message: expect.stringContaining('no_such_thing') });
  });
});

describe('the lists of a new account', () => {
  it('are the board and the staff, of the same people as in the other CRM', async () => {
    const world = createWorld({ seed: 3, donors: 400 });
    const account = await startAccount({ world, contacts: 200 });
    const org = await startSalesforceSandbox({ world, contacts: 200 });
    onTestFinished(() => org.close());
    const people = await positions(account.rootUrl);
    const contacts = await positions(org.rootUrl);
    for (const name of ['Board of Directors', 'Staff']) {
      const ids = await members(account, await listNamed(account, name));
      const campaign = await campaignMembers(org, name);
      expect(ids.length).toBeGreaterThan(10);
      expect(ids.map((id) => people.get(id))).toEqual(
        campaign.map((id) => contacts.get(id)).sort((one, other) => (one ?? 0) - (other ?? 0)),
      );
    }
  });

  it('are found in every version, by their names in upper or lower case', async () => {
    const account = await startAccount();
    for (const base of ['/crm/v3/lists', '/crm/lists/2026-03', LISTS]) {
      const path = `${base}/object-type-id/0-1/name/board%20of%20directors`;
      const { status, body } = await ask(account, 'GET', path);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        list: { name: 'Board of Directors', processingType: 'MANUAL', objectTypeId: '0-1' },
      });
    }
    expect(await readList(account, 'object-type-id/0-2/name/Staff')).toBeNull();
  });

  it('stay as they were left when the sandbox starts again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hubspot-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const options = { ...ENOUGH, db: join(folder, 'account.db') };
    const account = await startAccount(options);
    const id = await listNamed(account, 'Staff');
    expect((await readList(account, id))?.size).toBe(15);
    await ask(account, 'DELETE', `${LISTS}/${id}/memberships`);
    await account.close();
    const again = await startAccount(options);
    expect((await readList(again, id))?.size).toBe(0);
    expect(await listNamed(again, 'Board of Directors')).not.toBe('');
  });
});

describe('a list', () => {
  it('is made, renamed, deleted and restored', async () => {
    const account = await startAccount();
    const id = await createList(account, { name: 'Volunteers' });
    const renamed = await ask(account, 'PUT', `${LISTS}/${id}/update-list-name?listName=Helpers`);
    expect(renamed.body).toMatchObject({ updatedList: { name: 'Helpers', listVersion: 2 } });
    expect((await ask(account, 'DELETE', `${LISTS}/${id}`)).status).toBe(204);
    expect(await readList(account, id)).toBeNull();
    expect((await ask(account, 'PUT', `${LISTS}/${id}/restore`)).status).toBe(204);
    expect(await readList(account, id)).toMatchObject({ name: 'Helpers' });
  });

  it('cannot be restored after 90 days', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const id = await createList(account, { name: 'Volunteers' });
    await ask(account, 'DELETE', `${LISTS}/${id}`);
    clock.advance(91 * 86_400_000);
    expect((await ask(account, 'PUT', `${LISTS}/${id}/restore`)).status).toBe(404);
  });

  it('has a name of its own', async () => {
    const account = await startAccount();
    const id = await createList(account, { name: 'Volunteers' });
    const taken = { status: 400, body: { subCategory: 'ILS.DUPLICATE_LIST_NAMES' } };
    const order = { name: 'STAFF', objectTypeId: '0-1', processingType: 'MANUAL' };
    expect(await ask(account, 'POST', LISTS, { body: order })).toMatchObject(taken);
    const rename = `${LISTS}/${id}/update-list-name?listName=staff`;
    expect(await ask(account, 'PUT', rename)).toMatchObject(taken);
    await ask(account, 'DELETE', `${LISTS}/${id}`);
    await createList(account, { name: 'Volunteers' });
    expect(await ask(account, 'PUT', `${LISTS}/${id}/restore`)).toMatchObject(taken);
  });

  it.each([
    ['of objects that there are not', { objectTypeId: '0-53', processingType: 'MANUAL' }],
    ['that is dynamic without filters', { objectTypeId: '0-1', processingType: 'DYNAMIC' }],
    [
      'that is manual with filters',
      { objectTypeId: '0-1', processingType: 'MANUAL', filterBranch: inCity('Riverside') },
    ],
    ['of an unknown kind', { objectTypeId: '0-1', processingType: 'AUTOMATIC' }],
  ])('is refused %s', async (_, order) => {
    const account = await startAccount();
    const answer = await ask(account, 'POST', LISTS, { body: { name: 'Empty', ...order } });
    expect(answer).toMatchObject({ status: 400, body: { category: 'VALIDATION_ERROR' } });
  });

  it('that is not there is a 404', async () => {
    const account = await startAccount();
    expect(await ask(account, 'GET', `${LISTS}/999`)).toMatchObject({
      status: 404,
      body: { category: 'OBJECT_NOT_FOUND', message: 'List does not exist with ID 999.' },
    });
    expect((await ask(account, 'GET', `${LISTS}/999/memberships`)).status).toBe(404);
  });
});

describe('searching lists', () => {
  it('finds them by name, kind and id, a page at a time, with their sizes', async () => {
    const account = await startAccount(ENOUGH);
    const id = await createList(account, { name: 'Board friends' });
    const found = await search(account, { query: 'board', processingTypes: ['MANUAL'] });
    expect(found).toMatchObject({ total: 2, offset: 2, hasMore: false });
    expect(found.lists).toEqual([
      expect.objectContaining({
        name: 'Board of Directors',
        additionalProperties: expect.objectContaining({ hs_list_size: '20' }),
      }),
      expect.objectContaining({ name: 'Board friends' }),
    ]);
    const first = await search(account, { query: 'board', count: 1 });
    expect(first).toMatchObject({ total: 2, offset: 1, hasMore: true });
    const second = await search(account, { query: 'board', count: 1, offset: 1 });
    expect(second.lists).toEqual([expect.objectContaining({ listId: id })]);
    expect((await search(account, { listIds: [id] })).total).toBe(1);
    expect((await search(account, { processingTypes: ['DYNAMIC'] })).total).toBe(0);
  });
});

describe('members', () => {
  it('are added and removed, and those that are not there are reported', async () => {
    const account = await startAccount();
    const id = await createList(account, { name: 'Volunteers' });
    const [one = '', two = '', three = ''] = await contactIds(account, 3);
    expect((await change(account, id, 'add', [one, two, '1'])).body).toEqual({
      recordsIdsAdded: [one, two],
      recordIdsRemoved: [],
      recordIdsMissing: ['1'],
    });
    const both = { recordIdsToAdd: [two, three], recordIdsToRemove: [one] };
    expect((await change(account, id, 'add-and-remove', both)).body).toEqual({
      recordsIdsAdded: [three],
      recordIdsRemoved: [one],
      recordIdsMissing: [],
    });
    expect((await change(account, id, 'remove', [two, one])).body).toMatchObject({
      recordIdsRemoved: [two],
    });
    expect(await members(account, id)).toEqual([three]);
    expect((await readList(account, id))?.size).toBe(1);
  });

  it('come from another list, or go all at once', async () => {
    const account = await startAccount(ENOUGH);
    const id = await createList(account, { name: 'Insiders' });
    const staff = await listNamed(account, 'Staff');
    expect((await change(account, id, `add-from/${staff}`, undefined)).status).toBe(204);
    const all = await members(account, staff);
    expect(all.length).toBe(15);
    expect(await members(account, id)).toEqual(all);
    expect((await change(account, id, `add-from/${id}`, undefined)).status).toBe(400);
    expect((await ask(account, 'DELETE', `${LISTS}/${id}/memberships`)).status).toBe(204);
    expect(await members(account, id)).toEqual([]);
  });

  it('are read in pages, forwards and backwards', async () => {
    const account = await startAccount({ contacts: MANY, donors: MANY });
    const id = await createList(account, { name: 'Everybody' });
    const all = await peopleIds(account, MANY);
    await change(account, id, 'add', [...all].reverse());
    const first = await readPage(account, id);
    expect(first).toMatchObject({ ids: all.slice(0, 100), before: undefined, total: MANY });
    const second = await readPage(account, id, `?limit=250&after=${first.after}`);
    expect(second).toMatchObject({ ids: all.slice(100), after: undefined });
    const back = await readPage(account, id, `?limit=60&before=${second.before}`);
    expect(back.ids).toEqual(all.slice(40, 100).reverse());
    expect((await readPage(account, id, `?limit=250&before=${back.before}`)).ids).toEqual(
      all.slice(0, 40).reverse(),
    );
    expect((await readPage(account, id, `?after=${back.after}`)).ids[0]).toBe(all[100]);
  });

  it('are read in the order in which they joined', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const id = await createList(account, { name: 'Volunteers' });
    const [one = '', two = '', three = ''] = await contactIds(account, 3);
    for (const contact of [two, three, one]) {
      await change(account, id, 'add', [contact]);
      clock.advance(1000);
    }
    const first = await readPage(account, id, '/join-order?limit=2');
    expect(first.ids).toEqual([two, three]);
    const second = await readPage(account, id, `/join-order?limit=2&after=${first.after}`);
    expect(second.ids).toEqual([one]);
  });

  it.each(['?limit=251', '?limit=0', '?after=nonsense'])('are not read with %s', async (query) => {
    const account = await startAccount();
    const staff = await listNamed(account, 'Staff');
    const { status } = await ask(account, 'GET', `${LISTS}/${staff}/memberships${query}`);
    expect(status).toBe(400);
  });

  it('know their lists', async () => {
    const account = await startAccount(ENOUGH);
    const staff = await listNamed(account, 'Staff');
    const [id = ''] = await members(account, staff);
    const path = `${LISTS}/records/0-1/${id}/memberships`;
    const { body } = await ask(account, 'GET', path);
    expect(body).toMatchObject({
      total: 1,
      results: [{ listId: staff, isPublicList: true, firstAddedTimestamp: expect.any(String) }],
    });
    const inputs = [{ objectTypeId: '0-1', recordId: id }];
    const batch = `${LISTS}/records/memberships/batch/read`;
    expect(await ask(account, 'POST', batch, { body: { inputs } })).toMatchObject({
      status: 200,
      body: { results: [{ recordId: id, recordListMemberships: [{ listId: staff }] }] },
    });
  });

  it('leave when they are archived, and are followed when they are merged', async () => {
    const account = await startAccount();
    const id = await createList(account, { name: 'Volunteers' });
    const [one = '', two = '', three = ''] = await contactIds(account, 3);
    await change(account, id, 'add', [one, two]);
    await edit(account, { action: 'archive', id: one });
    expect(await members(account, id)).toEqual([two]);
    const merged = await edit(account, {
      action: 'merge',
      type: 'contacts',
      primaryId: three,
      otherId: two,
    });
    expect(await members(account, id)).toEqual([merged]);
    // A former ID refers to the record that it was merged into.
    const answer = await change(account, id, 'remove', [two]);
    expect(answer.body).toMatchObject({ recordIdsRemoved: [merged], recordIdsMissing: [] });
  });
});

describe('a dynamic list', () => {
  it('follows its filters', async () => {
    const account = await startAccount();
    const [one = '', two = ''] = await contactIds(account, 2);
    await edit(account, { action: 'update', id: one, values: { city: 'Oz' } });
    const order = { name: 'In Oz', processingType: 'DYNAMIC', filterBranch: inCity('oz') };
    const id = await createList(account, order);
    expect(await members(account, id)).toEqual([one]);
    await edit(account, { action: 'update', id: two, values: { city: 'Oz' } });
    await edit(account, { action: 'update', id: one, values: { city: 'Ur' } });
    expect((await readList(account, id))?.size).toBe(1);
    expect(await members(account, id)).toEqual([two]);
    const filterBranch = inCity('Ur');
    await ask(account, 'PUT', `${LISTS}/${id}/update-list-filters`, { body: { filterBranch } });
    expect(await members(account, id)).toEqual([one]);
    const { body } = await ask(account, 'GET', `${LISTS}/${id}?includeFilters=true`);
    expect(body).toMatchObject({ list: { filterBranch } });
  });

  it('takes no members by hand', async () => {
    const account = await startAccount();
    const order = { name: 'In Oz', processingType: 'DYNAMIC', filterBranch: inCity('oz') };
    const id = await createList(account, order);
    const ids = await contactIds(account, 1);
    for (const action of ['add', 'remove']) {
      expect((await change(account, id, action, ids)).status).toBe(400);
    }
    expect((await ask(account, 'DELETE', `${LISTS}/${id}/memberships`)).status).toBe(400);
  });

  it('can hang on another list', async () => {
    const account = await startAccount(ENOUGH);
    const staff = await listNamed(account, 'Staff');
    const filters = [{ filterType: 'IN_LIST', listId: staff, operator: 'IN_LIST' }];
    const id = await createList(account, {
      name: 'Staff again',
      processingType: 'DYNAMIC',
      filterBranch: { ...OR, filters },
    });
    const all = await members(account, staff);
    expect(all.length).toBe(15);
    expect(await members(account, id)).toEqual(all);
    await change(account, staff, 'remove', all.slice(1));
    expect(await members(account, id)).toEqual(all.slice(0, 1));
  });
});

describe('dynamic lists that refer to each other', () => {
  it('are chosen all the same', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { city: 'Oz' } });
    const one = await createList(account, {
      name: 'One',
      processingType: 'DYNAMIC',
      filterBranch: inCity('Oz'),
    });
    const other = await createList(account, {
      name: 'Other',
      processingType: 'DYNAMIC',
      filterBranch: {
        ...OR,
        filters: [{ filterType: 'IN_LIST', listId: one, operator: 'IN_LIST' }],
      },
    });
    const filters = [{ filterType: 'IN_LIST', listId: other, operator: 'IN_LIST' }];
    const filterBranch = { ...inCity('Oz'), filters };
    const path = `${LISTS}/${one}/update-list-filters`;
    expect((await ask(account, 'PUT', path, { body: { filterBranch } })).status).toBe(200);
    expect(await members(account, one)).toEqual([id]);
    expect(await members(account, other)).toEqual([id]);
  });
});

describe('a snapshot', () => {
  it('is chosen once, and then kept by hand', async () => {
    const account = await startAccount();
    const [one = '', two = ''] = await contactIds(account, 2);
    await edit(account, { action: 'update', id: one, values: { city: 'Oz' } });
    const order = { name: 'In Oz', processingType: 'SNAPSHOT', filterBranch: inCity('oz') };
    const id = await createList(account, order);
    await edit(account, { action: 'update', id: one, values: { city: 'Ur' } });
    expect(await members(account, id)).toEqual([one]);
    await change(account, id, 'add', [two]);
    expect(await members(account, id)).toEqual([one, two]);
  });
});

describe('the real client', () => {
  it('reads and changes lists', async () => {
    const account = await startAccount();
    const { lists } = new Client({ basePath: account.baseUrl, accessToken: account.token }).crm;
    const { list } = await lists.listsApi.create({
      name: 'Volunteers',
      objectTypeId: '0-1',
      processingType: 'MANUAL',
    });
    const ids = await contactIds(account, 2);
    const added = await lists.membershipsApi.add(list.listId, ids);
    expect(added.recordsIdsAdded).toEqual(ids);
    const page = await lists.membershipsApi.getPage(list.listId);
    expect(page.results.map(({ recordId }) => recordId)).toEqual(ids);
    expect(page.results[0]?.membershipTimestamp).toBeInstanceOf(Date);
    const found = await lists.listsApi.doSearch({
      query: 'volunteers',
      offset: 0,
      additionalProperties: [],
    });
    expect(found.lists[0]?.additionalProperties['hs_list_size']).toBe('2');
    await lists.listsApi.remove(list.listId);
    await lists.listsApi.restore(list.listId);
    expect((await lists.listsApi.getById(list.listId)).list.size).toBe(2);
  });
});

const peopleSchema = z.object({ people: z.array(z.object({ id: z.string() })) });

const searchSchema = z.object({
  lists: z.array(z.unknown()),
  offset: z.number(),
  total: z.number(),
  hasMore: z.boolean(),
});

async function search(account: HubspotSandbox, body: object) {
  return searchSchema.parse((await ask(account, 'POST', `${LISTS}/search`, { body })).body);
}

/** The number can be larger than a page of the API. */
async function peopleIds(account: HubspotSandbox, count: number): Promise<string[]> {
  const { body } = await control(account, 'GET', `/people?limit=${count}`);
  return peopleSchema.parse(body).people.map(({ id }) => id);
}

/** Returns each contact's position in the list of all people. */
async function positions(rootUrl: string): Promise<Map<string, number>> {
  const response = await fetch(`${rootUrl}/_sandbox/people?limit=200`);
  const { people } = peopleSchema.parse(await response.json());
  return new Map(people.map(({ id }, index) => [id, index]));
}

async function campaignMembers(
  org: { baseUrl: string; token: string },
  name: string,
): Promise<string[]> {
  const soql = `SELECT ContactId FROM CampaignMember WHERE Campaign.Name = '${name}'`;
  const url = `${org.baseUrl}/services/data/v67.0/query?q=${encodeURIComponent(soql)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${org.token}` } });
  const { records } = z
    .object({ records: z.array(z.object({ ContactId: z.string() })) })
    .parse(await response.json());
  return records.map(({ ContactId }) => ContactId);
}

describe('a list in progress', () => {
  it('shows its status, some of its members page by page, and later all of them', async () => {
    const account = await startAccount();
    const ids = await contactIds(account, 5);
    const id = await createList(account, { name: 'Patrons' });
    await ask(account, 'PUT', `${LISTS}/${id}/memberships/add`, { body: ids });
    const order = { listId: id, status: 'PROCESSING', members: 3 };
    expect((await control(account, 'PUT', '/list-processing', order)).status).toBe(200);
    const statusSchema = z.object({ processingStatus: z.string(), size: z.number() });
    const show = async () => {
      const { body } = await ask(account, 'GET', `${LISTS}/${id}`);
      return z.object({ list: statusSchema }).parse(body).list;
    };
    expect(await show()).toMatchObject({ processingStatus: 'PROCESSING', size: 3 });
    const first = await readPage(account, id, '?limit=2');
    const second = await readPage(account, id, `?limit=2&after=${first.after}`);
    expect([...first.ids, ...second.ids]).toEqual([...ids].sort((a, b) => +a - +b).slice(0, 3));
    expect(second.after).toBeUndefined();
    await control(account, 'PUT', '/list-processing', { listId: id, status: 'COMPLETE' });
    expect(await show()).toMatchObject({ processingStatus: 'COMPLETE', size: 5 });
    expect((await readPage(account, id)).ids).toHaveLength(5);
  });
});

import { Client } from '@hubspot/api-client';
import { FilterOperatorEnum } from '@hubspot/api-client/lib/codegen/crm/contacts/models/Filter.js';
import {
  PropertyCreateFieldTypeEnum,
  PropertyCreateTypeEnum,
} from '@hubspot/api-client/lib/codegen/crm/properties/models/PropertyCreate.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { startAccount } from './account.ts';

/** Lists, OAuth, associations and webhooks are tested in their own folders. */
describe("HubSpot's official client for Node", () => {
  let client: Client;
  let ids: string[];

  beforeEach(async () => {
    const account = await startAccount({ contacts: 120, searchLagMs: 0 });
    client = new Client({ basePath: account.baseUrl, accessToken: account.token });
    const page = await client.crm.contacts.basicApi.getPage(100, undefined, ['firstname']);
    ids = page.results.map(({ id }) => id);
  });

  it('reads all contacts, page after page', async () => {
    const all = await client.crm.contacts.getAll(50);
    expect(new Set(all.map(({ id }) => id)).size).toBe(120);
    expect(all[0]?.createdAt).toBeInstanceOf(Date);
  });

  it('creates, changes, reads, merges and archives contacts', async () => {
    const { basicApi } = client.crm.contacts;
    const ada = await basicApi.create({
      properties: { firstname: 'Ada', lastname: 'Byron', email: 'ada@example.org' },
      associations: [],
    });
    await basicApi.update(ada.id, { properties: { lastname: 'Lovelace' } });
    const [other = ''] = ids;
    // The client has no method for merging.
    await client.apiRequest({
      method: 'POST',
      path: '/crm/v3/objects/contacts/merge',
      body: { primaryObjectId: ada.id, objectIdToMerge: other },
    });
    const { id, properties } = await basicApi.getById(other, ['lastname']);
    expect([id === other, properties['lastname']]).toEqual([false, 'Lovelace']);
    await basicApi.archive(id);
    await expect(basicApi.getById(id)).rejects.toMatchObject({ code: 404 });
  });

  it('writes, reads and upserts batches, and hears of records that are not there', async () => {
    const { batchApi } = client.crm.contacts;
    const [one = '', two = ''] = ids;
    const inputs = [one, two].map((id) => ({ id, properties: { jobtitle: 'Mayor' } }));
    expect(await batchApi.update({ inputs })).toMatchObject({ status: 'COMPLETE' });
    const read = await batchApi.read({
      inputs: [{ id: one }, { id: two }, { id: '1' }],
      properties: ['jobtitle'],
      propertiesWithHistory: [],
    });
    expect(read).toMatchObject({ numErrors: 1 });
    expect(read.results.map(({ properties }) => properties['jobtitle'])).toEqual([
      'Mayor',
      'Mayor',
    ]);
    const upserted = await batchApi.upsert({
      inputs: [{ id: 'new@example.org', idProperty: 'email', properties: { lastname: 'New' } }],
    });
    expect(upserted.results[0]).toMatchObject({ _new: true });
  });

  it('searches, page after page, and is refused a property that is not there', async () => {
    const { batchApi, searchApi } = client.crm.contacts;
    const inputs = ids.slice(0, 3).map((id) => ({ id, properties: { jobtitle: 'Mayor' } }));
    await batchApi.update({ inputs });
    const mayors = { propertyName: 'jobtitle', operator: FilterOperatorEnum.Eq, value: 'Mayor' };
    const asked = { filterGroups: [{ filters: [mayors] }], limit: 2, properties: ['jobtitle'] };
    const first = await searchApi.doSearch(asked);
    const after = first.paging?.next?.after ?? '';
    const second = await searchApi.doSearch({ ...asked, after });
    expect([first.total, first.results.length, second.results.length]).toEqual([3, 2, 1]);
    const unknown = { ...mayors, propertyName: 'nope' };
    const refused = searchApi.doSearch({ filterGroups: [{ filters: [unknown] }] });
    await expect(refused).rejects.toMatchObject({ code: 400 });
  });

  it('makes a group of properties, properties in it, and changes them', async () => {
    const { groupsApi, coreApi } = client.crm.properties;
    await groupsApi.create('contacts', { name: 'wealth', label: 'Wealth', displayOrder: -1 });
    const property = { name: 'worth', label: 'Worth', groupName: 'wealth' };
    await coreApi.create('contacts', {
      ...property,
      type: PropertyCreateTypeEnum.Number,
      fieldType: PropertyCreateFieldTypeEnum.Number,
    });
    await coreApi.update('contacts', 'worth', { label: 'Net worth' });
    expect(await coreApi.getByName('contacts', 'worth')).toMatchObject({ label: 'Net worth' });
    const groups = await groupsApi.getAll('contacts');
    expect(groups.results.map(({ name }) => name)).toContain('wealth');
    await coreApi.archive('contacts', 'worth');
    await expect(coreApi.getByName('contacts', 'worth')).rejects.toMatchObject({ code: 404 });
  });

  it('reads companies and owners', async () => {
    const companies = await client.crm.companies.basicApi.getPage(5, undefined, ['name']);
    expect(companies.results[0]?.properties['name']).toEqual(expect.any(String));
    const owners = await client.crm.owners.ownersApi.getPage();
    expect(owners.results.length).toBeGreaterThan(0);
  });

  it('asks at dated paths, which its methods do not know', async () => {
    const path = '/crm/objects/2026-09/contacts?limit=1';
    const answer = await client.apiRequest({ method: 'GET', path });
    expect(answer.status).toBe(200);
  });
});

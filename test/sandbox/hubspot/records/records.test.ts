import { Client } from '@hubspot/api-client';
import { describe, expect, it } from 'vitest';
import { aClock } from '../../../testbed/a-clock.ts';
import { edit } from '../../../testbed/asking.ts';
import {
  ask,
  CONTACTS,
  contactIds,
  readError,
  readRecord,
  readResults,
  startAccount,
} from '../account.ts';

const OTHER_VERSIONS = [
  '/crm/v3/objects/contacts',
  '/crm/v3/objects/0-1',
  '/crm/objects/2025-09/contacts',
  '/crm/objects/2026-03/0-1',
];

describe('a list of contacts', () => {
  it('gives ten at a time in the order of their numbers, and all of them once', async () => {
    const account = await startAccount({ contacts: 260 });
    const ids: string[] = [];
    let after = '';
    for (let page = 0; page < 26; page += 1) {
      const query = after === '' ? '' : `?after=${after}`;
      const { results, paging } = readResults(await ask(account, 'GET', CONTACTS + query));
      expect(results).toHaveLength(10);
      ids.push(...results.map(({ id }) => id));
      after = paging?.next.after ?? '';
      expect(after === '').toBe(page === 25);
    }
    expect(new Set(ids).size).toBe(260);
    expect(ids.map(Number)).toEqual(ids.map(Number).sort((a, b) => a - b));
    expect(ids.toSorted()).not.toEqual(ids);
  });

  it('shows what is asked for, with commas or repeated, as texts or null', async () => {
    const account = await startAccount();
    for (const query of ['properties=city,phone', 'properties=city&properties=phone']) {
      const { results } = readResults(await ask(account, 'GET', `${CONTACTS}?${query}`));
      for (const { id, properties } of results) {
        expect(Object.keys(properties)).toEqual([
          'city',
          'createdate',
          'hs_object_id',
          'lastmodifieddate',
          'phone',
        ]);
        expect(properties).toMatchObject({ hs_object_id: id, phone: null });
      }
    }
  });

  it('keeps the archived ones apart', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    expect((await ask(account, 'DELETE', `${CONTACTS}/${id}`)).status).toBe(204);
    expect(await contactIds(account, 1)).not.toEqual([id]);
    const archived = readResults(await ask(account, 'GET', `${CONTACTS}?archived=true`));
    expect(archived.results).toMatchObject([{ id, archived: true }]);
    expect((await ask(account, 'GET', `${CONTACTS}/${id}`)).status).toBe(404);
    expect((await ask(account, 'GET', `${CONTACTS}/${id}?archived=true`)).status).toBe(200);
  });

  it.each(['limit=101', 'limit=0', 'limit=many', 'after=x', 'limit=51&propertiesWithHistory=city'])(
    'refuses %s',
    async (query) => {
      const account = await startAccount();
      const answer = await ask(account, 'GET', `${CONTACTS}?${query}`);
      expect(readError(answer)).toMatchObject({ status: 400, category: 'VALIDATION_ERROR' });
    },
  );

  it.each(OTHER_VERSIONS)('is the same at %s', async (path) => {
    const account = await startAccount();
    const [here, there] = await Promise.all([
      ask(account, 'GET', `${CONTACTS}?limit=20`),
      ask(account, 'GET', `${path}?limit=20`),
    ]);
    expect(there.body).toEqual(here.body);
  });
});

describe('one contact', () => {
  it('is found by its email address, whatever its case', async () => {
    const account = await startAccount();
    const body = { properties: { email: 'Ada@Example.org', firstname: 'Ada' } };
    const { id } = readRecord(await ask(account, 'POST', CONTACTS, { body }));
    const path = `${CONTACTS}/ADA@example.org?idProperty=email`;
    expect(readRecord(await ask(account, 'GET', path))).toMatchObject({
      id,
      properties: { email: 'ada@example.org' },
    });
  });

  it('is not created twice with the same email address', async () => {
    const account = await startAccount();
    const body = { properties: { email: 'ada@example.org' } };
    const { id } = readRecord(await ask(account, 'POST', CONTACTS, { body }));
    const error = readError(await ask(account, 'POST', CONTACTS, { body }));
    expect(error).toMatchObject({
      status: 409,
      category: 'CONFLICT',
      message: `Contact already exists. Existing ID: ${id}`,
    });
  });

  it('is not created out of nothing', async () => {
    const account = await startAccount();
    const answer = await ask(account, 'POST', CONTACTS, { body: { properties: { city: 'Rome' } } });
    expect(answer.status).toBe(400);
  });

  it('gets another time when a value changes, and none when it is the same', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const [id = ''] = await contactIds(account, 1);
    const write = async () => {
      clock.advance(1000);
      const body = { properties: { city: 'Rome' } };
      return readRecord(await ask(account, 'PATCH', `${CONTACTS}/${id}`, { body })).properties;
    };
    const first = await write();
    expect(first['lastmodifieddate']).toBe('2026-03-10T12:00:01.000Z');
    expect(await write()).toEqual(first);
  });

  it('shows an empty text where a value was cleared', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const path = `${CONTACTS}/${id}`;
    await ask(account, 'PATCH', path, { body: { properties: { firstname: '' } } });
    expect(readRecord(await ask(account, 'GET', path)).properties['firstname']).toBe('');
  });

  it('tells what its values were and who wrote them', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { city: 'Rome' } });
    await ask(account, 'PATCH', `${CONTACTS}/${id}`, { body: { properties: { city: 'Bonn' } } });
    const { body } = await ask(account, 'GET', `${CONTACTS}/${id}?propertiesWithHistory=city`);
    expect(body).toMatchObject({
      propertiesWithHistory: {
        city: [
          { value: 'Bonn', sourceType: 'INTEGRATION' },
          { value: 'Rome', sourceType: 'CRM_UI' },
          { sourceType: 'IMPORT' },
        ],
      },
    });
  });

  it('has no history from before a property had a value', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { industry: 'Food' } });
    await edit(account, { action: 'update', id, values: { city: 'Rome' } });
    const { body } = await ask(account, 'GET', `${CONTACTS}/${id}?propertiesWithHistory=industry`);
    expect(body).toMatchObject({
      propertiesWithHistory: { industry: [{ value: 'Food', sourceType: 'CRM_UI' }] },
    });
  });

  it('is gone for good when the law asks for it', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const path = `${CONTACTS}/gdpr-delete`;
    expect((await ask(account, 'POST', path, { body: { objectId: id } })).status).toBe(204);
    expect((await ask(account, 'GET', `${CONTACTS}/${id}?archived=true`)).status).toBe(404);
  });

  it.each(['123', 'unknown', '9'.repeat(30)])('is not there: %s', async (id) => {
    const account = await startAccount();
    const error = readError(await ask(account, 'GET', `${CONTACTS}/${id}`));
    expect(error).toMatchObject({ status: 404, category: 'OBJECT_NOT_FOUND' });
  });
});

describe('two merged contacts', () => {
  it('are one with a new number, to which both old ones lead', async () => {
    const account = await startAccount();
    const [primaryObjectId = '', objectIdToMerge = ''] = await contactIds(account, 2);
    await edit(account, { action: 'update', id: primaryObjectId, values: { city: '' } });
    await edit(account, { action: 'update', id: objectIdToMerge, values: { city: 'Rome' } });
    const body = { primaryObjectId, objectIdToMerge };
    const merged = readRecord(await ask(account, 'POST', `${CONTACTS}/merge`, { body }));
    expect(merged.properties).toMatchObject({
      city: 'Rome',
      hs_merged_object_ids: `${primaryObjectId};${objectIdToMerge}`,
    });
    expect([primaryObjectId, objectIdToMerge]).not.toContain(merged.id);
    for (const id of [primaryObjectId, objectIdToMerge]) {
      expect(readRecord(await ask(account, 'GET', `${CONTACTS}/${id}`)).id).toBe(merged.id);
    }
    const { results } = readResults(await ask(account, 'GET', `${CONTACTS}?limit=100`));
    expect(results.map(({ id }) => id)).not.toContain(primaryObjectId);
    expect(results).toHaveLength(19);
    const archived = await ask(account, 'GET', `${CONTACTS}?archived=true`);
    expect(readResults(archived).results).toEqual([]);
  });

  it('keep the number of the primary one where that is how the account does it', async () => {
    const account = await startAccount();
    const [primaryId = '', otherId = ''] = await contactIds(account, 2);
    const order = { action: 'merge', primaryId, otherId, newId: false };
    expect(await edit(account, order)).toBe(primaryId);
    expect(readRecord(await ask(account, 'GET', `${CONTACTS}/${otherId}`)).id).toBe(primaryId);
  });
});

describe('the official client', () => {
  it('reads, creates, changes, finds and archives', async () => {
    const account = await startAccount();
    const client = new Client({ accessToken: account.token, basePath: account.baseUrl });
    const { basicApi, batchApi, searchApi } = client.crm.contacts;
    const page = await basicApi.getPage(5, undefined, ['firstname']);
    expect(page.results).toHaveLength(5);
    const { id } = await basicApi.create({
      properties: { email: 'ada@example.org', lastname: 'Lovelace' },
      associations: [],
    });
    await batchApi.update({ inputs: [{ id, properties: { firstname: 'Ada' } }] });
    const found = await searchApi.doSearch({ query: 'lovelace', limit: 5 });
    expect(found).toMatchObject({ total: 1, results: [{ id, properties: { firstname: 'Ada' } }] });
    await basicApi.archive(id);
    await expect(basicApi.getById(id)).rejects.toMatchObject({ code: 404 });
    const details = await client.apiRequest({ path: '/account-info/v3/details' });
    expect(await details.json()).toMatchObject({ portalId: account.portalId });
  });
});

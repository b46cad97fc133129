import { describe, expect, it } from 'vitest';
import { addField, ask, codesOf, connect, contactIds, create, startOrg, update } from '../org.ts';

const KEY = { type: 'Text', length: 40, externalId: true };

describe('a field that is unique', () => {
  it('refuses a second record with its value, in whatever case, until the first is gone', async () => {
    const org = await startOrg();
    await addField(org, 'Key__c', { ...KEY, unique: true });
    const [one = '', two = ''] = await contactIds(org, 2);
    expect(codesOf(await update(org, [{ id: one, Key__c: 'abc' }]))).toEqual([null]);
    const [refused] = await update(org, [{ id: two, Key__c: 'ABC' }]);
    expect(refused?.errors).toEqual([
      {
        statusCode: 'DUPLICATE_VALUE',
        message: `duplicate value found: Key__c duplicates value on record with id: ${one}`,
        fields: [],
      },
    ]);
    const body = { LastName: 'Third', Key__c: 'abc' };
    expect(await ask(org, 'POST', '/sobjects/Contact', { body })).toMatchObject({
      status: 400,
      body: [{ errorCode: 'DUPLICATE_VALUE' }],
    });
    expect(codesOf(await update(org, [{ id: two, Title: 'x' }]))).toEqual([null]);
    await ask(org, 'DELETE', `/sobjects/Contact/${one}`);
    expect(codesOf(await update(org, [{ id: two, Key__c: 'abc' }]))).toEqual([null]);
    const described = await ask(org, 'GET', '/sobjects/Contact/describe');
    expect(JSON.stringify(described.body)).toMatch(/"name":"Key__c"[^{}]*"unique":true/);
  });
});

describe('an external id that is not unique', () => {
  it('names two records: 300 with both, and the refusal of one record of a collection', async () => {
    const org = await startOrg();
    await addField(org, 'Key__c', KEY);
    const ids = [
      await create(org, 'Contact', { LastName: 'One', Key__c: 'k' }),
      await create(org, 'Contact', { LastName: 'Two', Key__c: 'k' }),
    ];
    const urls = ids.map((id) => `/services/data/v67.0/sobjects/Contact/${id}`);
    const path = '/sobjects/Contact/Key__c/k';
    expect(await ask(org, 'GET', path)).toMatchObject({ status: 300, body: urls });
    const body = { Title: 'x' };
    expect(await ask(org, 'PATCH', path, { body })).toMatchObject({ status: 300, body: urls });
    const records = [
      { attributes: { type: 'Contact' }, Key__c: 'k', LastName: 'x' },
      { attributes: { type: 'Contact' }, Key__c: 'new', LastName: 'x' },
    ];
    const answer = await ask(org, 'PATCH', '/composite/sobjects/Contact/Key__c', {
      body: { records },
    });
    expect(answer.body).toMatchObject([
      { success: false, errors: [{ statusCode: 'DUPLICATE_EXTERNAL_ID' }] },
      { success: true, created: true },
    ]);
    const upsert = connect(org).upsert('Contact', { Key__c: 'k', LastName: 'y' }, 'Key__c');
    await expect(upsert).rejects.toMatchObject({ errorCode: 'MULTIPLE_CHOICES' });
  });
});

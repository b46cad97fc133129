import { describe, expect, it } from 'vitest';
import { addField, ask, column, connect, create, query, startOrg } from '../org.ts';

describe('a search', () => {
  it('finds whole words for the real client, in the fields and objects asked for', async () => {
    const org = await startOrg();
    const id = await create(org, 'Contact', {
      FirstName: 'Zenobia',
      LastName: 'Quillfeather',
      Email: 'zq@example.org',
      Title: 'Keeper of Bees',
    });
    const search = async (sosl: string) => (await connect(org).search(sosl)).searchRecords;
    const returning = 'RETURNING Contact(Id, LastName), Lead(Id)';
    for (const words of ['Zenobia', 'quillfeather zenobia', 'Quill*', 'bees']) {
      expect(await search(`FIND {${words}} IN ALL FIELDS ${returning}`)).toMatchObject([
        { attributes: { type: 'Contact' }, Id: id, LastName: 'Quillfeather' },
      ]);
    }
    expect(await search(`FIND {Quill} ${returning}`)).toEqual([]);
    expect(await search(`FIND {bees} IN NAME FIELDS ${returning}`)).toEqual([]);
    const none = "FIND {Zenobia} RETURNING Contact(Id WHERE Title = 'x' LIMIT 5)";
    expect(await search(none)).toEqual([]);
    expect(await search('FIND {Zenobia}')).toMatchObject([{ Id: id }]);
    const wrong = await ask(org, 'GET', `/search?q=${encodeURIComponent('FIND {z}')}`);
    expect(wrong).toMatchObject({ status: 400, body: [{ errorCode: 'MALFORMED_SEARCH' }] });
  });
});

describe('a parameterized search', () => {
  it('has the words and the limits in the body of a POST', async () => {
    const org = await startOrg();
    const id = await create(org, 'Contact', { FirstName: 'Zenobia', LastName: 'Quill' });
    await create(org, 'Contact', { LastName: 'Other', Title: 'Quill' });
    await create(org, 'Contact', { LastName: 'Quillfeather' });
    const search = (body: object) => ask(org, 'POST', '/parameterizedSearch', { body });
    const contacts = { in: 'NAME', sobjects: [{ name: 'Contact', fields: ['Id'] }] };
    const found = await search({ q: 'zen* qui*', ...contacts });
    expect(found).toMatchObject({
      status: 200,
      body: { searchRecords: [{ attributes: { type: 'Contact' }, Id: id }] },
    });
    const two = await search({ q: 'qui*', ...contacts });
    expect(two.body).toMatchObject({ searchRecords: [{}, {}] });
    const one = await search({ q: 'qui*', ...contacts, overallLimit: 1 });
    expect(one.body).toMatchObject({ searchRecords: [{}] });
    for (const wrong of [{ q: 'z', ...contacts }, { in: 'NAME' }]) {
      expect((await search(wrong)).status).toBe(400);
    }
  });
});

describe('EntityDefinition and FieldDefinition', () => {
  it('tell what there is at present, as far as the user sees it', async () => {
    const org = await startOrg();
    await addField(org, 'Worth__c', { type: 'Number', precision: 12, scale: 2 });
    const soql =
      "SELECT QualifiedApiName, DataType, EntityDefinition.Label FROM FieldDefinition WHERE EntityDefinition.QualifiedApiName = 'Contact' AND QualifiedApiName IN ('Worth__c', 'Title')";
    for (const resource of ['query', 'tooling/query']) {
      expect(
        (await query(org, `${soql} ORDER BY QualifiedApiName`, resource)).records,
      ).toMatchObject([
        {
          QualifiedApiName: 'Title',
          DataType: 'Text(128)',
          EntityDefinition: { Label: 'Contact' },
        },
        { QualifiedApiName: 'Worth__c', DataType: 'Number(10, 2)' },
      ]);
    }
    const entities = "SELECT KeyPrefix FROM EntityDefinition WHERE QualifiedApiName = 'Contact'";
    expect(await column(org, entities, 'KeyPrefix')).toEqual(['003']);
  });
});

describe('the tooling API', () => {
  it('answers queries in its own shape', async () => {
    const org = await startOrg();
    const { body } = await ask(org, 'GET', '/tooling/query?q=SELECT+Id+FROM+User');
    expect(body).toMatchObject({
      size: 2,
      totalSize: 2,
      done: true,
      queryLocator: null,
      entityTypeName: 'User',
    });
  });
});

describe('layouts', () => {
  it('have the fields of the object, and no new custom field', async () => {
    const org = await startOrg();
    await addField(org, 'Worth__c', { type: 'Number', precision: 12, scale: 2 });
    const layouts = JSON.stringify(await connect(org).sobject('Contact').layouts());
    expect(layouts).toContain('"value":"Title"');
    expect(layouts).not.toContain('"value":"Worth__c"');
  });
});

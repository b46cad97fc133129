import { describe, expect, it } from 'vitest';
import { aClock } from '../../../testbed/a-clock.ts';
import {
  addField,
  ask,
  codesOf,
  column,
  connect,
  contactIds,
  create,
  query,
  startOrg,
  update,
} from '../org.ts';

const UNKNOWN_ID = '003Hs0000zzzzzz';

describe('single records', () => {
  it('are created, read, changed and deleted by the real client', async () => {
    const org = await startOrg();
    const contacts = connect(org).sobject('Contact');
    const { id = '' } = await contacts.create({ LastName: 'Ash', FirstName: '  Ann ' });
    await contacts.update({ Id: id, Title: 'Chair' });
    expect(await contacts.retrieve(id)).toMatchObject({
      Id: id,
      Name: 'Ann Ash',
      FirstName: 'Ann',
      Title: 'Chair',
      attributes: { type: 'Contact', url: `/services/data/v67.0/sobjects/Contact/${id}` },
    });
    await contacts.destroy(id);
    await expect(contacts.retrieve(id)).rejects.toMatchObject({ errorCode: 'ENTITY_IS_DELETED' });
  });

  it('answer with the codes of HTTP that Salesforce uses', async () => {
    const org = await startOrg();
    const [id] = await contactIds(org, 1);
    const created = await ask(org, 'POST', '/sobjects/Contact/', { body: { LastName: 'A' } });
    expect(created).toMatchObject({ status: 201, body: { success: true, errors: [] } });
    const path = `/sobjects/Contact/${id}`;
    expect(await ask(org, 'PATCH', path, { body: { Title: 'A' } })).toMatchObject({
      status: 204,
      body: '',
    });
    expect((await ask(org, 'GET', `${path}?fields=LastName,Email`)).body).toEqual({
      attributes: expect.anything(),
      LastName: expect.any(String),
      Email: expect.any(String),
    });
    expect((await ask(org, 'DELETE', path)).status).toBe(204);
    expect((await ask(org, 'DELETE', path)).status).toBe(404);
    expect((await ask(org, 'GET', `/sobjects/Contact/${UNKNOWN_ID}`)).status).toBe(404);
    expect((await ask(org, 'GET', '/sobjects/Nothing/x')).status).toBe(404);
    expect((await ask(org, 'POST', '/sobjects/Profile', { body: {} })).status).toBe(405);
  });

  it('refuse in the form of the REST API, with the fields to blame', async () => {
    const org = await startOrg();
    expect(await ask(org, 'POST', '/sobjects/Contact', { body: { FirstName: 'A' } })).toMatchObject(
      {
        status: 400,
        body: [
          {
            message: 'Required fields are missing: [LastName]',
            errorCode: 'REQUIRED_FIELD_MISSING',
            fields: ['LastName'],
          },
        ],
      },
    );
  });

  it('are found and upserted by an external id', async () => {
    const org = await startOrg();
    await addField(org, 'Donor__c', { type: 'Text', length: 40, externalId: true });
    const path = '/sobjects/Contact/Donor__c/d-1';
    const first = await ask(org, 'PATCH', path, { body: { LastName: 'Ash' } });
    expect(first).toMatchObject({ status: 201, body: { success: true, created: true } });
    const second = await ask(org, 'PATCH', path, { body: { LastName: 'Birch' } });
    expect(second).toMatchObject({ status: 200, body: { success: true, created: false } });
    expect((await ask(org, 'GET', path)).body).toMatchObject({
      LastName: 'Birch',
      Donor__c: 'd-1',
    });
    expect((await ask(org, 'GET', '/sobjects/Contact/LastName/Birch')).status).toBe(404);
  });
});

describe('the stamps of a record', () => {
  it("follow the org's own clock, whatever the client says", async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read });
    const [id = ''] = await contactIds(org, 1);
    clock.advance(61_999);
    await update(org, [{ id, Title: 'x' }]);
    const { records } = await query(
      org,
      `SELECT SystemModstamp, LastModifiedDate, LastModifiedBy.Username FROM Contact WHERE Id = '${id}'`,
    );
    expect(records).toMatchObject([
      {
        SystemModstamp: '2026-03-10T12:01:01.000+0000',
        LastModifiedDate: '2026-03-10T12:01:01.000+0000',
        LastModifiedBy: { Username: org.username },
      },
    ]);
    const [result] = await update(org, [{ id, SystemModstamp: '2020-01-01T00:00:00Z' }]);
    expect(result?.errors[0]?.statusCode).toBe('INVALID_FIELD_FOR_INSERT_UPDATE');
  });
});

describe('collections', () => {
  it('answer for each record in its place, and one bad row fails alone', async () => {
    const org = await startOrg();
    const [a = '', b = ''] = await contactIds(org, 2);
    const results = await update(org, [
      { id: a, Title: 'Chair' },
      { id: b, LastName: null },
      { id: UNKNOWN_ID, Title: 'x' },
      { id: 'nonsense', Title: 'x' },
      { id: '001Hs0000000001', Title: 'x' },
      { Title: 'x' },
    ]);
    expect(codesOf(results)).toEqual([
      null,
      'REQUIRED_FIELD_MISSING',
      'INVALID_CROSS_REFERENCE_KEY',
      'MALFORMED_ID',
      'MALFORMED_ID',
      'MISSING_ARGUMENT',
    ]);
    expect(results[0]).toEqual({ id: a, success: true, errors: [] });
    expect(results[1]).not.toHaveProperty('id');
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'Chair'")).toContain(a);
  });

  it('take everything back with allOrNone', async () => {
    const org = await startOrg();
    const [a = '', b = ''] = await contactIds(org, 2);
    const records = [
      { id: a, Title: 'Taken Back' },
      { id: b, LastName: '' },
    ];
    const results = await update(org, records, { allOrNone: true });
    expect(codesOf(results)).toEqual([
      'ALL_OR_NONE_OPERATION_ROLLED_BACK',
      'REQUIRED_FIELD_MISSING',
    ]);
    expect(results[0]?.errors[0]?.message).toBe(
      'Record rolled back because not all records were valid and the request was using AllOrNone header',
    );
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'Taken Back'")).toEqual([]);
  });

  it('create, retrieve in the order of the ids, and delete', async () => {
    const org = await startOrg();
    const attributes = { type: 'Contact' };
    const records = [
      { attributes, LastName: 'One' },
      { attributes, FirstName: 'Two' },
    ];
    const { body } = await ask(org, 'POST', '/composite/sobjects', { body: { records } });
    expect(body).toMatchObject([{ success: true }, { success: false }]);
    const [id] = await column(org, "SELECT Id FROM Contact WHERE LastName = 'One'");
    const order = { ids: [UNKNOWN_ID, id], fields: ['LastName'] };
    const read = await ask(org, 'POST', '/composite/sobjects/Contact', { body: order });
    expect(read.body).toEqual([null, { attributes: expect.anything(), Id: id, LastName: 'One' }]);
    const path = `/composite/sobjects/Contact?ids=${id}&fields=Id`;
    expect((await ask(org, 'GET', path)).body).toMatchObject([{ Id: id }]);
    const gone = await ask(org, 'DELETE', `/composite/sobjects?ids=${id},${id}&allOrNone=false`);
    expect(gone.body).toMatchObject([
      { id, success: true },
      {
        success: false,
        errors: [{ statusCode: 'ENTITY_IS_DELETED', message: 'entity is deleted' }],
      },
    ]);
  });

  it('upsert by an external id and say which records are new', async () => {
    const org = await startOrg();
    await addField(org, 'Donor__c', { type: 'Text', length: 40, externalId: true });
    const attributes = { type: 'Contact' };
    const records = [
      { attributes, Donor__c: 'd-1', LastName: 'New' },
      { attributes, Donor__c: 'd-1', LastName: 'Changed' },
    ];
    const path = '/composite/sobjects/Contact/Donor__c';
    expect((await ask(org, 'PATCH', path, { body: { records } })).body).toMatchObject([
      { success: true, created: true },
      { success: true, created: false },
    ]);
  });

  it('take 200 records and no more, in ten runs of a type and no more', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const many = (count: number) => Array.from({ length: count }, () => ({ id, Title: 'x' }));
    expect(await update(org, many(200))).toHaveLength(200);
    const records = many(201).map((record) => ({ attributes: { type: 'Contact' }, ...record }));
    const tooMany = await ask(org, 'PATCH', '/composite/sobjects', { body: { records } });
    expect(tooMany).toMatchObject({ status: 400, body: [{ errorCode: 'LIMIT_EXCEEDED' }] });
    const mixed = Array.from({ length: 11 }, (_, index) => ({
      attributes: { type: index % 2 === 0 ? 'Contact' : 'Account' },
    }));
    const chunks = await ask(org, 'POST', '/composite/sobjects', { body: { records: mixed } });
    expect(chunks).toMatchObject({ status: 400, body: [{ errorCode: 'LIMIT_EXCEEDED' }] });
  });

  it('are chunked by the real client when it is allowed to', async () => {
    const org = await startOrg({ contacts: 250 });
    const ids = await contactIds(org, 250);
    const results = await connect(org).update(
      'Contact',
      ids.map((Id) => ({ Id, Title: 'All' })),
      { allowRecursive: true },
    );
    expect(results.filter(({ success }) => success)).toHaveLength(250);
    expect((await query(org, "SELECT COUNT() FROM Contact WHERE Title = 'All'")).totalSize).toBe(
      250,
    );
  });
});

describe('values', () => {
  const FIELDS: Record<string, Record<string, unknown>> = {
    Score__c: { type: 'Number', precision: 5, scale: 2 },
    Rating__c: {
      type: 'Picklist',
      valueSet: {
        restricted: true,
        valueSetDefinition: { value: [{ fullName: 'A', label: 'A' }] },
      },
    },
    Free__c: {
      type: 'Picklist',
      valueSet: {
        restricted: false,
        valueSetDefinition: { value: [{ fullName: 'A', label: 'A' }] },
      },
    },
    Since__c: { type: 'Date' },
    At__c: { type: 'DateTime' },
    Bio__c: { type: 'LongTextArea', length: 300, visibleLines: 3 },
  };

  async function anOrg() {
    const org = await startOrg();
    for (const [name, metadata] of Object.entries(FIELDS)) await addField(org, name, metadata);
    const [id = ''] = await contactIds(org, 1);
    return { org, id };
  }

  it('are refused in the words of Salesforce', async () => {
    const { org, id } = await anOrg();
    const results = await update(org, [
      { id, FirstName: 'x'.repeat(41) },
      { id, Rating__c: 'B' },
      { id, Score__c: 1000 },
      { id, Email: 'no-address' },
      { id, Bio__c: 'x'.repeat(301) },
      { id, Name: 'x' },
      { id, AccountId: '003Hs0000000001' },
    ]);
    expect(results.map(({ errors }) => errors[0])).toEqual([
      {
        statusCode: 'STRING_TOO_LONG',
        message: `First Name: data value too large: ${'x'.repeat(41)} (max length=40)`,
        fields: ['FirstName'],
      },
      {
        statusCode: 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
        message: 'Rating__c: bad value for restricted picklist field: B',
        fields: ['Rating__c'],
      },
      {
        statusCode: 'NUMBER_OUTSIDE_VALID_RANGE',
        message: 'Score__c: value outside of valid range on numeric field: 1000',
        fields: ['Score__c'],
      },
      {
        statusCode: 'INVALID_EMAIL_ADDRESS',
        message: 'Email: invalid email address: no-address',
        fields: ['Email'],
      },
      expect.objectContaining({ statusCode: 'STRING_TOO_LONG', fields: ['Bio__c'] }),
      expect.objectContaining({ statusCode: 'INVALID_FIELD_FOR_INSERT_UPDATE', fields: ['Name'] }),
      expect.objectContaining({ statusCode: 'MALFORMED_ID' }),
    ]);
  });

  it('are kept as their fields hold them', async () => {
    const { org, id } = await anOrg();
    const values = {
      Score__c: 123.456,
      Rating__c: 'A',
      Free__c: 'anything',
      Since__c: '2024-02-29',
      At__c: '2026-01-01T01:00:00+01:00',
      Bio__c: ' two\nlines ',
      Title: '   ',
    };
    expect(codesOf(await update(org, [{ id, ...values }]))).toEqual([null]);
    const soql = `SELECT Score__c, Rating__c, Free__c, Since__c, At__c, Bio__c, Title FROM Contact WHERE Id = '${id}'`;
    expect((await query(org, soql)).records).toMatchObject([
      {
        Score__c: 123.46,
        Rating__c: 'A',
        Free__c: 'anything',
        Since__c: '2024-02-29',
        At__c: '2026-01-01T00:00:00.000+0000',
        Bio__c: 'two\nlines',
        Title: null,
      },
    ]);
  });

  it.each([
    ['a day that is none', { Since__c: '2026-02-30' }, 'date from VALUE_STRING value 2026-02-30'],
    ['a moment for a day', { Since__c: '2026-02-01T00:00:00Z' }, 'date from VALUE_STRING'],
    ['a moment without a zone', { At__c: '2026-02-01 00:00:00' }, 'datetime from VALUE_STRING'],
    ['words for a number', { Score__c: 'many' }, 'double from VALUE_STRING value many'],
    ['an object for a text', { Title: {} }, 'string from START_OBJECT'],
    ['a number for a text', { Title: 7 }, 'string from VALUE_NUMBER_INT value 7'],
  ])('that JSON cannot hold fail the whole request: %s', async (_, values, words) => {
    const { org, id } = await anOrg();
    const records = [values, { Title: 'kept out' }].map((record) => ({
      ...{ attributes: { type: 'Contact' }, id },
      ...record,
    }));
    expect(await ask(org, 'PATCH', '/composite/sobjects', { body: { records } })).toMatchObject({
      status: 400,
      body: [{ errorCode: 'JSON_PARSER_ERROR', message: expect.stringContaining(words) }],
    });
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'kept out'")).toEqual([]);
  });

  it('for fields that do not exist fail the whole request as well', async () => {
    const { org, id } = await anOrg();
    const records = [{ attributes: { type: 'Contact' }, id, Foo__c: 1 }];
    expect(await ask(org, 'PATCH', '/composite/sobjects', { body: { records } })).toMatchObject({
      status: 400,
      body: [
        {
          errorCode: 'INVALID_FIELD',
          message: "No such column 'Foo__c' on sobject of type Contact",
        },
      ],
    });
  });
});

describe('composite requests', () => {
  it('run one after the other and may use what came before', async () => {
    const org = await startOrg();
    const { body } = await ask(org, 'POST', '/composite', {
      body: {
        compositeRequest: [
          {
            method: 'POST',
            url: '/services/data/v67.0/sobjects/Account',
            referenceId: 'account',
            body: { Name: 'Acme' },
          },
          {
            method: 'POST',
            url: '/services/data/v67.0/sobjects/Contact',
            referenceId: 'contact',
            body: { LastName: 'Ash', AccountId: '@{account.id}' },
          },
          { method: 'GET', url: '/services/data/v67.0/sobjects/Nothing', referenceId: 'none' },
        ],
      },
    });
    expect(body).toMatchObject({
      compositeResponse: [
        { httpStatusCode: 201, referenceId: 'account' },
        { httpStatusCode: 201, referenceId: 'contact' },
        { httpStatusCode: 404, referenceId: 'none', body: [{ errorCode: 'NOT_FOUND' }] },
      ],
    });
    const soql = "SELECT Id FROM Contact WHERE Account.Name = 'Acme'";
    expect(await column(org, soql)).toHaveLength(1);
  });

  it('leave nothing behind with allOrNone, and count as one request', async () => {
    const org = await startOrg();
    const answer = await ask(org, 'POST', '/composite', {
      body: {
        allOrNone: true,
        compositeRequest: [
          {
            method: 'POST',
            url: '/services/data/v67.0/sobjects/Account',
            referenceId: 'a',
            body: { Name: 'Gone' },
          },
          { method: 'GET', url: '/services/data/v67.0/sobjects/Nothing', referenceId: 'b' },
        ],
      },
    });
    expect(answer.body).toMatchObject({
      compositeResponse: [
        { body: [{ errorCode: 'PROCESSING_HALTED' }], httpStatusCode: 400 },
        { body: [{ errorCode: 'NOT_FOUND' }], httpStatusCode: 404 },
      ],
    });
    expect(answer.headers.get('sforce-limit-info')).toBe('api-usage=1/100000');
    expect(await column(org, "SELECT Id FROM Account WHERE Name = 'Gone'")).toEqual([]);
  });

  it('are 25 at most', async () => {
    const org = await startOrg();
    const one = { method: 'GET', url: '/services/data/v67.0/limits', referenceId: 'x' };
    const compositeRequest = Array.from({ length: 26 }, () => one);
    const { status } = await ask(org, 'POST', '/composite', { body: { compositeRequest } });
    expect(status).toBe(400);
  });
});

describe('lookups', () => {
  it('point to records that are there', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const gone = await create(org, 'Account', { Name: 'Gone' });
    await ask(org, 'DELETE', `/sobjects/Account/${gone}`);
    const results = await update(org, [
      { id, AccountId: '001Hs0000zzzzzz' },
      { id, AccountId: gone },
      { id, AccountId: '' },
    ]);
    expect(codesOf(results)).toEqual([
      'INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY',
      'ENTITY_IS_DELETED',
      null,
    ]);
  });
});

describe('records of the setup', () => {
  it('cannot be made or deleted like others', async () => {
    const org = await startOrg();
    const records = [{ attributes: { type: 'Profile' }, Name: 'x' }];
    const created = await ask(org, 'POST', '/composite/sobjects', { body: { records } });
    const refusal = { success: false, errors: [{ statusCode: 'INVALID_TYPE_FOR_OPERATION' }] };
    expect(created.body).toMatchObject([refusal]);
    const [user] = await column(org, 'SELECT Id FROM User');
    const deleted = await ask(org, 'DELETE', `/composite/sobjects?ids=${user}`);
    expect(deleted.body).toMatchObject([refusal]);
  });
});

describe('records that must differ', () => {
  it('are refused twice in a campaign', async () => {
    const org = await startOrg();
    const [ContactId] = await contactIds(org, 1);
    const CampaignId = await create(org, 'Campaign', { Name: 'New' });
    await create(org, 'CampaignMember', { CampaignId, ContactId });
    const body = { CampaignId, ContactId };
    expect(await ask(org, 'POST', '/sobjects/CampaignMember', { body })).toMatchObject({
      status: 400,
      body: [{ errorCode: 'DUPLICATE_VALUE' }],
    });
  });
});

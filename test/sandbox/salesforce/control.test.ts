import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { aClock } from '../../testbed/a-clock.ts';
import { control } from '../../testbed/asking.ts';
import {
  ask,
  codesOf,
  column,
  connect,
  contactIds,
  create,
  query,
  queryError,
  startOrg,
  update,
} from './org.ts';

async function playFaults(org: SalesforceSandbox, ...rules: unknown[]): Promise<void> {
  const { status, body } = await control(org, 'PUT', '/faults', rules);
  if (status !== 200) throw new Error(`The rules were refused: ${JSON.stringify(body)}`);
}

describe('GET /_sandbox/people', () => {
  it('gives the people of the contacts, with the donor who is right for each', async () => {
    const org = await startOrg();
    const { body } = await control(org, 'GET', '/people?limit=5&offset=2');
    const { people, total } = z
      .object({ total: z.number(), people: z.array(z.looseObject({ id: z.string() })) })
      .parse(body);
    expect(total).toBe(20);
    expect(people).toHaveLength(5);
    const [person] = people;
    expect(person).toMatchObject({ donorId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const soql = `SELECT FirstName, LastName, Email FROM Contact WHERE Id = '${person?.id}'`;
    expect((await query(org, soql)).records).toMatchObject([
      {
        FirstName: person?.['firstName'],
        LastName: person?.['lastName'],
        Email: person?.['email'],
      },
    ]);
  });
});

describe('GET /_sandbox/requests', () => {
  it('lists what was asked of the org, and not of the controls', async () => {
    const org = await startOrg();
    await ask(org, 'GET', '/services/data/v67.0//limits/?a=b');
    await ask(org, 'GET', '/nothing', { token: 'x' });
    await control(org, 'GET', '/people');
    expect((await control(org, 'GET', '/requests')).body).toMatchObject({
      total: 2,
      requests: [
        { method: 'GET', path: '/services/data/v67.0/limits', query: 'a=b', status: 200 },
        { path: '/services/data/v67.0/nothing', status: 401 },
      ],
    });
  });
});

describe('GET /_sandbox/record', () => {
  it('shows all fields, also those that no user may see, of deleted records too', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await control(org, 'PUT', '/field-access', {
      type: 'Contact',
      field: 'Email',
      access: 'hidden',
    });
    await ask(org, 'DELETE', `/sobjects/Contact/${id}`);
    expect((await control(org, 'GET', `/record/Contact/${id}`)).body).toMatchObject({
      Id: id,
      Email: expect.any(String),
      IsDeleted: true,
    });
    expect((await control(org, 'GET', '/record/Contact/003000000000000')).status).toBe(404);
  });
});

describe('locks', () => {
  it('refuse a record for as many writes as was asked', async () => {
    const org = await startOrg();
    const [a = '', b = ''] = await contactIds(org, 2);
    expect((await control(org, 'POST', '/locks', { id: a, times: 2 })).status).toBe(201);
    const both = [
      { id: a, Title: 'x' },
      { id: b, Title: 'x' },
    ];
    const [first] = await update(org, both);
    expect(first?.errors).toEqual([
      {
        statusCode: 'UNABLE_TO_LOCK_ROW',
        message: expect.stringMatching(
          /^unable to obtain exclusive access to this record or 1 records: 001/,
        ),
        fields: [],
      },
    ]);
    expect(codesOf(await update(org, both))).toEqual(['UNABLE_TO_LOCK_ROW', null]);
    expect(codesOf(await update(org, both))).toEqual([null, null]);
  });

  it('refuse all records of an account', async () => {
    const org = await startOrg();
    const accountId = await create(org, 'Account', { Name: 'Acme' });
    const a = await create(org, 'Contact', { LastName: 'A', AccountId: accountId });
    const b = await create(org, 'Contact', { LastName: 'B', AccountId: accountId });
    await control(org, 'POST', '/locks', { accountId, times: 3 });
    const both = [a, b].map((id) => ({ id, Title: 'x' }));
    expect(codesOf(await update(org, both))).toEqual(['UNABLE_TO_LOCK_ROW', 'UNABLE_TO_LOCK_ROW']);
    expect(codesOf(await update(org, both))).toEqual(['UNABLE_TO_LOCK_ROW', null]);
  });

  it('must name one thing', async () => {
    expect((await control(await startOrg(), 'POST', '/locks', { times: 1 })).status).toBe(422);
  });
});

describe('rules', () => {
  it('refuse records that meet a condition after the write, and leave them as they were', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const rule = {
      kind: 'validation',
      type: 'Contact',
      when: "Title = 'King'",
      message: 'No kings',
      field: 'Title',
    };
    await control(org, 'POST', '/rules', rule);
    const [result] = await update(org, [{ id, Title: 'King' }]);
    expect(result?.errors).toEqual([
      { statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'No kings', fields: ['Title'] },
    ]);
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'King'")).toEqual([]);
    await control(org, 'DELETE', '/rules');
    expect(codesOf(await update(org, [{ id, Title: 'King' }]))).toEqual([null]);
  });

  it('find duplicates unless the client saves them nevertheless', async () => {
    const org = await startOrg();
    await control(org, 'POST', '/rules', { kind: 'duplicate', type: 'Contact', fields: ['Email'] });
    const values = { LastName: 'Twin', Email: 'twin@example.org' };
    await create(org, 'Contact', values);
    expect(await ask(org, 'POST', '/sobjects/Contact', { body: values })).toMatchObject({
      status: 400,
      body: [{ errorCode: 'DUPLICATES_DETECTED', message: 'Use one of these records?' }],
    });
    const headers = { 'Sforce-Duplicate-Rule-Header': 'allowSave=true' };
    const saved = await ask(org, 'POST', '/sobjects/Contact', { body: values, headers });
    expect(saved.status).toBe(201);
  });

  it('exceed a limit for one transaction as often as they say, and then nothing of it is written', async () => {
    const org = await startOrg();
    const three = (await contactIds(org, 3)).map((id) => ({ id, Title: 'King' }));
    await control(org, 'POST', '/rules', { kind: 'limit', type: 'Contact', records: 2, times: 1 });
    const [first, , third] = await update(org, three);
    for (const result of [first, third]) {
      expect(result?.errors).toMatchObject([
        { message: expect.stringContaining('System.LimitException'), fields: [] },
      ]);
    }
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'King'")).toEqual([]);
    expect(codesOf(await update(org, three.slice(1)))).toEqual([null, null]);
    expect(codesOf(await update(org, three))).toEqual([null, null, null]);
  });

  it('that make no sense are refused', async () => {
    const org = await startOrg();
    for (const rule of [
      { kind: 'validation', type: 'Contact', when: 'Foo = 1', message: 'x' },
      { kind: 'duplicate', type: 'Contact', fields: ['Foo'] },
      { kind: 'duplicate', type: 'Foo', fields: ['Email'] },
    ]) {
      expect((await control(org, 'POST', '/rules', rule)).status).toBe(422);
    }
  });
});

describe('faults', () => {
  it('end all tokens in the middle of things', async () => {
    const org = await startOrg();
    await playFaults(org, { on: { path: '/query' }, nth: 2, fault: { kind: 'expireTokens' } });
    await contactIds(org, 1);
    expect(await queryError(org, 'SELECT Id FROM Contact')).toMatchObject({ status: 401 });
    expect((await ask(org, 'GET', '/limits')).status).toBe(401);
  });

  it.each([
    ['invalidSession', 401, 'INVALID_SESSION_ID'],
    ['requestLimit', 403, 'REQUEST_LIMIT_EXCEEDED'],
    ['concurrentLimit', 403, 'REQUEST_LIMIT_EXCEEDED'],
    ['serverUnavailable', 503, 'SERVER_UNAVAILABLE'],
    ['queryTimeout', 400, 'QUERY_TIMEOUT'],
    ['error', 500, 'UNKNOWN_EXCEPTION'],
  ])('%s answers %i %s, and the next request goes well', async (kind, status, errorCode) => {
    const org = await startOrg();
    await playFaults(org, { times: 1, fault: { kind } });
    expect(await ask(org, 'GET', '/limits')).toMatchObject({ status, body: [{ errorCode }] });
    expect((await ask(org, 'GET', '/limits')).status).toBe(200);
  });

  it('lock the first rows of one request', async () => {
    const org = await startOrg();
    const ids = await contactIds(org, 3);
    const records = ids.map((id) => ({ id, Title: 'x' }));
    await playFaults(org, { nth: 1, fault: { kind: 'lockRows', records: 2 } });
    expect(codesOf(await update(org, records))).toEqual([
      'UNABLE_TO_LOCK_ROW',
      'UNABLE_TO_LOCK_ROW',
      null,
    ]);
    expect(codesOf(await update(org, records))).toEqual([null, null, null]);
  });

  it('reset the connection after the work was done', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await playFaults(org, { on: { method: 'PATCH' }, nth: 1, fault: { kind: 'resetAfter' } });
    await expect(update(org, [{ id, Title: 'Done' }])).rejects.toThrow('fetch failed');
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'Done'")).toEqual([id]);
  });

  it('that make no sense are refused', async () => {
    const org = await startOrg();
    expect((await control(org, 'PUT', '/faults', [{ fault: { kind: 'x' } }])).status).toBe(422);
    await expect(startOrg({ faults: [{ fault: { kind: 'x' } }] })).rejects.toThrow('make no sense');
  });
});

describe('limits', () => {
  it('are given with every answer and by /limits', async () => {
    const org = await startOrg({ apiLimit: 5000 });
    const connection = connect(org);
    await connection.query('SELECT Id FROM Contact LIMIT 1');
    expect(connection.limitInfo).toEqual({ apiUsage: { used: 1, limit: 5000 } });
    expect(await connection.limits()).toMatchObject({
      DailyApiRequests: { Max: 5000, Remaining: 4998 },
    });
    const refused = await ask(org, 'GET', '/query?q=x');
    expect(refused.headers.get('sforce-limit-info')).toBe('api-usage=3/5000');
  });

  it('stop everything for 24 hours when the requests are used up', async () => {
    const clock = aClock();
    const org = await startOrg({ apiLimit: 2, clock: clock.read, tokenLifetimeMs: 0 });
    await ask(org, 'GET', '/limits');
    await ask(org, 'GET', '/limits');
    expect(await ask(org, 'GET', '/limits')).toMatchObject({
      status: 403,
      body: [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }],
    });
    clock.advance(24 * 3_600_000);
    expect((await ask(org, 'GET', '/limits')).status).toBe(200);
  });

  it('can be set, to see what happens near the end', async () => {
    const org = await startOrg();
    await control(org, 'PUT', '/api-usage', { used: 99_999 });
    const { headers } = await ask(org, 'GET', '/limits');
    expect(headers.get('sforce-limit-info')).toBe('api-usage=100000/100000');
    expect((await ask(org, 'GET', '/limits')).status).toBe(403);
  });

  it('hold for requests at once', async () => {
    const org = await startOrg({ concurrent: 1, latencyMs: 200 });
    const answers = await Promise.all([ask(org, 'GET', '/limits'), ask(org, 'GET', '/limits')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});

describe('PUT /_sandbox/user-permissions', () => {
  it('takes parts of the setup from the integration user, and gives them back', async () => {
    const org = await startOrg();
    const FullName = 'Contact.Note__c';
    const order = { FullName, Metadata: { label: 'Note', type: 'Text', length: 40 } };
    const makeField = () => ask(org, 'POST', '/tooling/sobjects/CustomField', { body: order });
    const makeSet = () =>
      ask(org, 'POST', '/sobjects/PermissionSet', { body: { Name: 'Some', Label: 'Some' } });
    const denied = ['CustomizeApplication', 'ManageProfilesPermissionsets'];
    await control(org, 'PUT', '/user-permissions', { denied });
    for (const make of [makeField, makeSet]) {
      expect(await make()).toMatchObject({
        status: 403,
        body: [{ errorCode: 'INSUFFICIENT_ACCESS_OR_READONLY' }],
      });
    }
    await control(org, 'PUT', '/user-permissions', { denied: [] });
    for (const make of [makeField, makeSet]) expect((await make()).status).toBe(201);
  });
});

describe('the record types of accounts', () => {
  it('tell of the Nonprofit Success Pack, whatever of it is hidden', async () => {
    const soql = "SELECT DeveloperName FROM RecordType WHERE SobjectType = 'Account'";
    const names = async (shape: 'npsp' | 'plain') =>
      (await query(await startOrg({ shape }), soql)).records.map((one) => one['DeveloperName']);
    expect(await names('npsp')).toEqual(['HH_Account', 'Organization']);
    expect(await names('plain')).toEqual([]);
  });
});

describe('addresses', () => {
  it('may have doubled slashes, a slash at the end, and an older version', async () => {
    const org = await startOrg();
    for (const path of [
      '//services/data',
      '//services/data/v67.0/limits',
      '/services/data/v50.0/limits/',
      '/services//data/v68.0/sobjects/',
    ]) {
      expect((await ask(org, 'GET', path)).status, path).toBe(200);
    }
    for (const path of ['/services/data/v99.0/limits', '/services/data/v1.0/limits', '/x']) {
      expect(await ask(org, 'GET', `/services/..${path}`), path).toMatchObject({
        status: 404,
        body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
      });
    }
  });

  it("carry the date of the org's own clock", async () => {
    const org = await startOrg({ clock: aClock().read });
    const { headers } = await ask(org, 'GET', '/limits');
    expect(headers.get('date')).toBe('Tue, 10 Mar 2026 12:00:00 GMT');
  });

  it('list the versions without a token', async () => {
    const org = await startOrg();
    const response = await fetch(`${org.baseUrl}/services/data/`);
    const versions = z.array(z.looseObject({ version: z.string() })).parse(await response.json());
    expect(versions.map(({ version }) => version)).toEqual(['66.0', '67.0', '68.0']);
  });

  it('refuse a body that is no JSON', async () => {
    const answer = await ask(await startOrg(), 'POST', '/sobjects/Contact', { body: '{' });
    expect(answer).toMatchObject({ status: 400, body: [{ errorCode: 'JSON_PARSER_ERROR' }] });
  });
});

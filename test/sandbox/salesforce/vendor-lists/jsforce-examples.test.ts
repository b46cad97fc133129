/**
 * Runs documented examples of jsforce with the library itself. The examples are those that an administrator would
 * use.
 */
import jsforce from 'jsforce';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type SalesforceSandbox,
  startSalesforceSandbox,
} from '../../../../sandbox/salesforce/index.ts';
import { BASE_PATH, column, connect, contactIds } from '../org.ts';
import { type Case, expectAll, jwtOf, readList, savedSchema, signedIn } from './vendor-list.ts';

const EXAMPLES = readList(
  'Documented jsforce examples',
  ([part = '', name = '']) => `${part}: ${name}`,
);

let org: SalesforceSandbox;

beforeAll(async () => {
  org = await startSalesforceSandbox({ contacts: 20, donors: 50, bulkJobTimeMs: 0 });
});

afterAll(() => org.close());

const byJsforce: Record<string, Case> = {
  'Connection: session id, OAuth 2 web server flow, refresh token, JWT, client credentials': async (
    one,
    connection,
  ) => {
    expect((await connection.query('SELECT Id FROM Contact LIMIT 1')).records).toHaveLength(1);
    const web = await signedIn(one);
    const before = web.accessToken;
    web.accessToken = 'expired';
    await web.query('SELECT Id FROM Contact LIMIT 1');
    expect(web.accessToken).not.toBe('expired');
    expect(before).toMatch(/^00D/);
    const oauth2 = {
      loginUrl: one.baseUrl,
      clientId: one.clientId,
      clientSecret: one.clientSecret,
    };
    for (const grant of [
      { grant_type: 'client_credentials' },
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: jwtOf(one) },
    ]) {
      const other = new jsforce.Connection({ oauth2, version: '67.0' });
      expect((await other.authorize(grant)).id).toMatch(/^005/);
    }
  },
  'Connection: conn.logout(), conn.identity(), conn.limitInfo': async (one) => {
    const connection = await signedIn(one);
    expect((await connection.identity()).username).toBe(one.username);
    expect(connection.limitInfo.apiUsage).toBeUndefined();
    await connection.query('SELECT Id FROM Contact LIMIT 1');
    expect(connection.limitInfo.apiUsage).toMatchObject({
      used: expect.any(Number),
      limit: expect.any(Number),
    });
    await connection.logout(true);
  },
  'Query: conn.query(soql), queryMore, autoFetch, scanAll': async (_, connection) => {
    const soql = 'SELECT Id FROM Contact ORDER BY Id';
    const all = await connection.query(soql, { autoFetch: true, maxFetch: 1_000, scanAll: true });
    expect(all.records.length).toBeGreaterThan(15);
    const page = await connection.query(soql);
    expect(page).toMatchObject({ done: true, totalSize: page.records.length });
  },
  'Query: sobject().find(), .select(), .where(), .orderby(), .limit(), .count(), .include()':
    async (_, connection) => {
      const found = await connection
        .sobject('Contact')
        .find({ LastName: { $ne: null } })
        .select('Id, LastName')
        .orderby('LastName', 'DESC')
        .limit(5);
      expect(found).toHaveLength(5);
      const where = await connection
        .sobject('Contact')
        .select('*')
        .where("LastName LIKE '%'")
        .limit(2);
      expect(where).toHaveLength(2);
      expect(await connection.sobject('Contact').count()).toBeGreaterThan(10);
      const accounts = await connection
        .sobject('Account')
        .select('Id')
        .include('Contacts')
        .select('LastName')
        .end()
        .limit(2);
      expect(accounts.length).toBeGreaterThan(0);
    },
  'Query: aggregates: COUNT, GROUP BY, HAVING, ROLLUP': async (_, connection) => {
    const counted = await connection.query('SELECT COUNT(Id) n FROM Contact');
    expect(counted.records[0]).toMatchObject({ n: expect.any(Number) });
    const grouped = await connection.query(
      'SELECT LastName, COUNT(Id) n FROM Contact GROUP BY LastName HAVING COUNT(Id) > 0',
    );
    expect(grouped.records.length).toBeGreaterThan(0);
    const rolled = await connection.query(
      'SELECT LastName, COUNT(Id) n FROM Contact GROUP BY ROLLUP(LastName)',
    );
    expect(rolled.records.length).toBe(grouped.records.length + 1);
  },
  'Search: conn.search(sosl)': async (_, connection) => {
    expect((await connection.search('FIND {Nobody} RETURNING Contact(Id)')).searchRecords).toEqual(
      [],
    );
  },
  'CRUD: retrieve, create, update, destroy, upsert, one and many': async (one, connection) => {
    const contacts = connection.sobject('Contact');
    const saved = savedSchema.parse(await contacts.create({ LastName: 'Solo' }));
    expect(await contacts.retrieve(saved.id)).toMatchObject({ LastName: 'Solo' });
    savedSchema.parse(await contacts.update({ Id: saved.id, Title: 'Mayor' }));
    const many = z
      .array(savedSchema)
      .parse(await contacts.create([{ LastName: 'Duo' }, { LastName: 'Duo' }]));
    expect(await contacts.retrieve(many.map(({ id }) => id))).toHaveLength(2);
    z.array(savedSchema).parse(
      await contacts.update(many.map(({ id }) => ({ Id: id, Title: 'x' }))),
    );
    expect(await contacts.upsert({ Id: saved.id, Title: 'Baker' }, 'Id')).toMatchObject({
      success: true,
    });
    await contacts.destroy(saved.id);
    z.array(savedSchema).parse(await contacts.destroy(many.map(({ id }) => id)));
    expect(await column(one, "SELECT Id FROM Contact WHERE LastName IN ('Solo', 'Duo')")).toEqual(
      [],
    );
  },
  'CRUD: allowRecursive, allOrNone, duplicate rule header': async (one, connection) => {
    const contacts = connection.sobject('Contact');
    const rows = Array.from({ length: 201 }, () => ({ LastName: 'Crowd' }));
    const headers = { 'Sforce-Duplicate-Rule-Header': 'allowSave=true' };
    const saved = z
      .array(savedSchema)
      .parse(await contacts.create(rows, { allowRecursive: true, headers }));
    expect(saved).toHaveLength(201);
    const [id = ''] = await contactIds(one, 1);
    const changes = [
      { Id: id, Title: 'Taken back' },
      { Id: '003000000000000AAA', Title: 'x' },
    ];
    // jsforce throws if nothing in the request was saved, and otherwise returns each refusal.
    await connection.update('Contact', changes, { allOrNone: true }).catch(() => null);
    expect(await column(one, `SELECT Id FROM Contact WHERE Title = 'Taken back'`)).toEqual([]);
  },
  'CRUD: find().update(), find().destroy()': async (one, connection) => {
    const contacts = connection.sobject('Contact');
    await contacts.create([{ LastName: 'Found' }, { LastName: 'Found' }]);
    await contacts.find({ LastName: 'Found' }).update({ Title: 'Seen' });
    expect(
      await column(one, "SELECT Title FROM Contact WHERE LastName = 'Found'", 'Title'),
    ).toEqual(['Seen', 'Seen']);
    await contacts.find({ LastName: 'Found' }).destroy();
    expect(await column(one, "SELECT Id FROM Contact WHERE LastName = 'Found'")).toEqual([]);
  },
  'Describe: conn.describe(), describeGlobal(), describe$, describeGlobal$': async (
    _,
    connection,
  ) => {
    expect((await connection.describe('Contact')).fields.length).toBeGreaterThan(5);
    expect((await connection.describeGlobal()).sobjects.length).toBeGreaterThan(5);
    expect((await connection.describe$('Contact')).name).toBe('Contact');
    expect((await connection.describeGlobal$()).sobjects.length).toBeGreaterThan(5);
  },
  'Describe: sobject().layouts(), compactLayouts(), approvalLayouts()': async (_, connection) => {
    expect(await connection.sobject('Contact').layouts()).toMatchObject({
      layouts: expect.any(Array),
    });
    await expect(connection.sobject('Contact').compactLayouts()).rejects.toMatchObject({
      errorCode: 'NOT_FOUND',
    });
    await expect(connection.sobject('Contact').approvalLayouts()).rejects.toMatchObject({
      errorCode: 'NOT_FOUND',
    });
  },
  'Identity: conn.identity()': async (one) => {
    expect((await (await signedIn(one)).identity()).username).toBe(one.username);
  },
  'History: sobject().updated(), .deleted()': async (_, connection) => {
    const [start, end] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)];
    expect((await connection.sobject('Contact').updated(start, end)).ids.length).toBeGreaterThan(0);
    expect(await connection.sobject('Contact').deleted(start, end)).toMatchObject({
      deletedRecords: expect.any(Array),
    });
  },
  'API limits: conn.limits(), conn.limitInfo.apiUsage': async (_, connection) => {
    expect(await connection.limits()).toMatchObject({
      DailyApiRequests: { Max: expect.any(Number) },
    });
    expect(connection.limitInfo.apiUsage).toMatchObject({ used: expect.any(Number) });
  },
  'Analytics: analytics.reports(), report().describe(), .execute(), .executeAsync()': async (
    _,
    connection,
  ) => {
    const [first] = z
      .array(z.looseObject({ id: z.string() }))
      .parse(await connection.analytics.reports());
    const report = connection.analytics.report(first?.id ?? '');
    expect(await report.describe()).toMatchObject({
      reportMetadata: { detailColumns: expect.any(Array) },
    });
    expect(await report.execute({ details: true })).toMatchObject({ hasDetailRows: true });
    const begun = await report.executeAsync({ details: true });
    expect(begun).toMatchObject({ id: expect.stringMatching(/^0LG/), status: 'New' });
    expect(await report.instances()).toMatchObject([{ id: begun.id, status: 'Success' }]);
    expect(await report.instance(begun.id).retrieve()).toMatchObject({
      attributes: { id: begun.id, status: 'Success' },
      hasDetailRows: true,
    });
  },
  'Bulk API 2.0: bulk2.loadAndWaitForResults, bulk2.query, jobs by hand': async (
    one,
    connection,
  ) => {
    const [id = ''] = await contactIds(one, 1);
    const input = [{ Id: id, Title: 'By jsforce' }];
    const times = { pollInterval: 20, pollTimeout: 30_000 };
    const loaded = await connection.bulk2.loadAndWaitForResults({
      ...{ object: 'Contact', operation: 'update', input, ...times },
    });
    expect(loaded.successfulResults).toMatchObject([{ sf__Id: id }]);
    const rows = await (await connection.bulk2.query('SELECT Id FROM Contact', times)).toArray();
    expect(rows.length).toBeGreaterThan(10);
    const job = connection.bulk2.createJob({ object: 'Contact', operation: 'update' });
    await job.open();
    await job.uploadData(`Id,Title\n${id},By hand\n`);
    await job.close();
    await job.poll(20, 30_000);
    expect(await job.check()).toMatchObject({ state: 'JobComplete', numberRecordsFailed: 0 });
  },
  "Tooling: tooling.query, tooling.sobject('CustomField').create/update/del, describe": async (
    _,
    connection,
  ) => {
    expect((await connection.tooling.query('SELECT Id FROM User')).records.length).toBeGreaterThan(
      0,
    );
    const fields = connection.tooling.sobject('CustomField');
    const Metadata = { label: 'Shade', type: 'Text', length: 20 };
    const { id } = savedSchema.parse(
      await fields.create({ FullName: 'Contact.Shade__c', Metadata }),
    );
    await fields.update({ Id: id, Metadata: { ...Metadata, length: 40 } });
    await fields.destroy(id);
    expect((await connection.tooling.describe('CustomField')).name).toBe('CustomField');
  },
  'Advanced: conn.request(path), requestGet/Post/Put/Patch/Delete for any resource above': async (
    _,
    connection,
  ) => {
    expect(await connection.request(`${BASE_PATH}/limits`)).toMatchObject({ DailyApiRequests: {} });
    const { id } = savedSchema.parse(
      await connection.requestPost(`${BASE_PATH}/sobjects/Contact`, { LastName: 'Asked' }),
    );
    await connection.requestPatch(`${BASE_PATH}/sobjects/Contact/${id}`, { Title: 'x' });
    expect(await connection.requestGet(`${BASE_PATH}/sobjects/Contact/${id}`)).toMatchObject({
      Title: 'x',
    });
    await connection.requestDelete(`${BASE_PATH}/sobjects/Contact/${id}`);
  },
  'Advanced: composite, composite/batch, composite/graph by requestPost': async (_, connection) => {
    const get = { method: 'GET', url: `${BASE_PATH}/limits`, referenceId: 'limits' };
    expect(await connection.requestPost('/composite', { compositeRequest: [get] })).toMatchObject({
      compositeResponse: [{ httpStatusCode: 200 }],
    });
    const batchRequests = [{ method: 'GET', url: 'v67.0/limits' }];
    expect(await connection.requestPost('/composite/batch', { batchRequests })).toMatchObject({
      hasErrors: false,
    });
    const graphs = [
      {
        graphId: '1',
        compositeRequest: [
          {
            method: 'POST',
            url: `${BASE_PATH}/sobjects/Contact`,
            referenceId: 'one',
            body: { LastName: 'Graph' },
          },
        ],
      },
    ];
    expect(await connection.requestPost('/composite/graph', { graphs })).toMatchObject({
      graphs: [{ isSuccessful: true }],
    });
  },
};

describe('examples of jsforce that an administrator uses', () => {
  it('have a case each, and no others', () => expectAll(byJsforce, EXAMPLES));
  it.each(Object.entries(byJsforce))('%s is answered as by an org', async (_, run) =>
    run(org, connect(org)),
  );
});

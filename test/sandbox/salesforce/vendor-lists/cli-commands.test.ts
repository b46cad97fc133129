/**
 * Tests the commands of the Salesforce CLI that an administrator would use. The test sends the same requests as the
 * CLI.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type SalesforceSandbox,
  startSalesforceSandbox,
} from '../../../../sandbox/salesforce/index.ts';
import { ask, BASE_PATH, column, connect, contactIds, create, query, sendForm } from '../org.ts';
import { type Case, expectAll, jwtOf, readList, savedSchema, signedIn } from './vendor-list.ts';

const COMMANDS = readList('Salesforce CLI commands', ([name = '']) => name);

let org: SalesforceSandbox;

beforeAll(async () => {
  org = await startSalesforceSandbox({ contacts: 20, donors: 50, bulkJobTimeMs: 0 });
});

afterAll(() => org.close());

const ORGANIZATION =
  'SELECT Name, InstanceName, IsSandbox, TrialExpirationDate, NamespacePrefix, OrganizationType FROM Organization';

/** Sends a request that must succeed. */
async function good(one: SalesforceSandbox, method: string, path: string, body?: unknown) {
  const answer = await ask(one, method, path, body === undefined ? {} : { body });
  expect([method, path, answer.status >= 200 && answer.status < 300, answer.body]).toMatchObject([
    method,
    path,
    true,
    answer.body ?? expect.anything(),
  ]);
  return answer.body;
}

function soqlPath(soql: string, resource = 'query'): string {
  return `/${resource}?q=${encodeURIComponent(soql)}`;
}

const jobSchema = z.looseObject({ id: z.string(), state: z.string() });

/** Creates a Bulk API job as the CLI does. Returns its ID. */
async function ingestJob(
  one: SalesforceSandbox,
  operation: string,
  csv: string,
  more: object = {},
): Promise<string> {
  const order = {
    object: 'Contact',
    operation,
    columnDelimiter: 'COMMA',
    lineEnding: 'LF',
    ...more,
  };
  const { id } = jobSchema.parse(await good(one, 'POST', '/jobs/ingest', order));
  const upload = await fetch(`${one.baseUrl}${BASE_PATH}/jobs/ingest/${id}/batches`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${one.token}`, 'content-type': 'text/csv' },
    body: csv,
  });
  expect(upload.status).toBe(201);
  await good(one, 'PATCH', `/jobs/ingest/${id}`, { state: 'UploadComplete' });
  expect(await good(one, 'GET', `/jobs/ingest/${id}`)).toMatchObject({
    state: 'JobComplete',
    numberRecordsFailed: 0,
  });
  return id;
}

async function jobResults(one: SalesforceSandbox, id: string): Promise<void> {
  await good(one, 'GET', `/jobs/ingest/${id}`);
  for (const list of ['successfulResults', 'failedResults', 'unprocessedrecords']) {
    await good(one, 'GET', `/jobs/ingest/${id}/${list}`);
  }
}

/** Sends the requests that the CLI sends before every command that needs an org. */
async function greet(one: SalesforceSandbox): Promise<void> {
  const response = await fetch(`${one.baseUrl}//services/data`);
  expect(
    z.array(z.looseObject({ version: z.string() })).parse(await response.json()).length,
  ).toBeGreaterThan(0);
  expect((await query(one, ORGANIZATION)).records).toHaveLength(1);
}

const byCli: Record<string, Case> = {
  'org login web': async (one) => {
    expect((await signedIn(one)).accessToken).toMatch(/^00D/);
  },
  'org login jwt': async (one) => {
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: jwtOf(one),
    };
    expect(await sendForm(one, '/token', form)).toMatchObject({
      status: 200,
      body: { instance_url: one.baseUrl },
    });
  },
  'org login access-token': async (one) => {
    const { user_id } = z
      .looseObject({ user_id: z.string() })
      .parse(await good(one, 'GET', '/services/oauth2/userinfo'));
    expect(await good(one, 'GET', `/services/data/v66.0/sobjects/User/${user_id}`)).toMatchObject({
      Username: one.username,
    });
    // From this response, the CLI learns that the org is not a Dev Hub.
    const hub = await ask(one, 'GET', soqlPath('SELECT Id FROM ScratchOrgInfo limit 1'));
    expect(hub.status).toBe(400);
    await greet(one);
  },
  'org logout': async () => {},
  'org list, org list auth, org list users': async (one) => {
    await greet(one);
    const soql = 'SELECT Id, Username, Email, ProfileId FROM User';
    expect((await query(one, soql)).records.length).toBeGreaterThan(1);
  },
  'org display, org display user': async (one) => {
    await greet(one);
    expect(
      await column(one, `SELECT Id FROM User WHERE Username = '${one.username}'`),
    ).toHaveLength(1);
  },
  'org list limits': async (one) => {
    expect(await good(one, 'GET', '/limits')).toMatchObject({
      DailyApiRequests: { Max: expect.any(Number) },
    });
  },
  'org list sobject record-counts': async (one) => {
    expect(await good(one, 'GET', '/limits/recordCount?sObjects=Contact')).toMatchObject({
      sObjects: [{ name: 'Contact' }],
    });
  },
  'org assign permset': async (one) => {
    const set = await create(one, 'PermissionSet', { Name: 'ByCommand', Label: 'By command' });
    const [user] = await column(one, `SELECT Id FROM User WHERE Username = '${one.username}'`);
    expect(await column(one, "SELECT Id FROM PermissionSet WHERE Name = 'ByCommand'")).toEqual([
      set,
    ]);
    await create(one, 'PermissionSetAssignment', { PermissionSetId: set, AssigneeId: user });
  },
  'sobject list': async (one) => {
    expect(await good(one, 'GET', '/sobjects')).toMatchObject({ sobjects: expect.any(Array) });
  },
  'sobject describe': async (one) => {
    expect(await good(one, 'GET', '/sobjects/Contact/describe')).toMatchObject({ name: 'Contact' });
  },
  'data query': async (one) => {
    const soql = 'SELECT Id, LastName FROM Contact LIMIT 3';
    expect((await query(one, soql)).records).toHaveLength(3);
    expect(await good(one, 'GET', `${soqlPath(soql)}&columns=true`)).toMatchObject({
      columnMetadata: [{ columnName: 'Id' }, { columnName: 'LastName' }],
    });
    await good(one, 'GET', soqlPath(soql, 'queryAll'));
    await good(one, 'GET', soqlPath('SELECT Id FROM User', 'tooling/query'));
  },
  'data search': async (one) => {
    const sosl = encodeURIComponent('FIND {Nobody At All} RETURNING Contact(Id)');
    expect(await good(one, 'GET', `/search?q=${sosl}`)).toMatchObject({ searchRecords: [] });
  },
  'data get record': async (one) => {
    const [id = ''] = await contactIds(one, 1);
    expect(await good(one, 'GET', `/sobjects/Contact/${id}`)).toMatchObject({ Id: id });
    expect(await column(one, `SELECT Id FROM Contact WHERE Id = '${id}'`)).toEqual([id]);
  },
  'data create record': async (one) => {
    savedSchema.parse(await good(one, 'POST', '/sobjects/Contact', { LastName: 'Bycommand' }));
  },
  'data update record': async (one) => {
    const [id = ''] = await contactIds(one, 1);
    await good(one, 'PATCH', `/sobjects/Contact/${id}`, { Title: 'Mayor' });
    expect(await column(one, `SELECT Title FROM Contact WHERE Id = '${id}'`, 'Title')).toEqual([
      'Mayor',
    ]);
  },
  'data delete record': async (one) => {
    const id = await create(one, 'Contact', { LastName: 'Gone' });
    await good(one, 'DELETE', `/sobjects/Contact/${id}`);
    expect(await column(one, `SELECT Id FROM Contact WHERE Id = '${id}'`)).toEqual([]);
  },
  'data export bulk, data export resume': async (one) => {
    const order = { operation: 'query', query: 'SELECT Id, LastName FROM Contact' };
    const { id } = jobSchema.parse(await good(one, 'POST', '/jobs/query', order));
    expect(await good(one, 'GET', `/jobs/query/${id}`)).toMatchObject({ state: 'JobComplete' });
    expect(String(await good(one, 'GET', `/jobs/query/${id}/results`))).toMatch(
      /^"?Id"?,"?LastName"?/,
    );
  },
  'data import bulk, data import resume': async (one) => {
    await jobResults(one, await ingestJob(one, 'insert', 'LastName\nImported\n'));
    expect(await column(one, "SELECT Id FROM Contact WHERE LastName = 'Imported'")).toHaveLength(1);
  },
  'data update bulk, data update resume': async (one) => {
    const [id = ''] = await contactIds(one, 1);
    await jobResults(one, await ingestJob(one, 'update', `Id,Title\n${id},Baker\n`));
    expect(await column(one, `SELECT Title FROM Contact WHERE Id = '${id}'`, 'Title')).toEqual([
      'Baker',
    ]);
  },
  'data upsert bulk, data upsert resume': async (one) => {
    const [id = ''] = await contactIds(one, 1);
    const key = { externalIdFieldName: 'Id' };
    await jobResults(one, await ingestJob(one, 'upsert', `Id,Title\n${id},Smith\n`, key));
    expect(await column(one, `SELECT Title FROM Contact WHERE Id = '${id}'`, 'Title')).toEqual([
      'Smith',
    ]);
  },
  'data delete bulk, data delete resume': async (one) => {
    const id = await create(one, 'Contact', { LastName: 'Bulkgone' });
    await jobResults(one, await ingestJob(one, 'delete', `Id\n${id}\n`));
    expect(await column(one, `SELECT Id FROM Contact WHERE Id = '${id}'`)).toEqual([]);
  },
  'data bulk results': async (one) => {
    const [id = ''] = await contactIds(one, 1);
    await jobResults(one, await ingestJob(one, 'update', `Id,Title\n${id},Miller\n`));
  },
  'data export tree': async (one) => {
    await query(one, 'SELECT Id, Name, (SELECT Id, LastName FROM Contacts) FROM Account LIMIT 2');
    await good(one, 'GET', '/sobjects/Account/describe');
  },
  'api request rest': async (one) => {
    await good(one, 'GET', '/services/data/v67.0/limits');
  },
};

describe('commands of the Salesforce CLI that an administrator uses', () => {
  it('have a case each, and no others', () => expectAll(byCli, COMMANDS));
  it.each(Object.entries(byCli))('%s is answered as by an org', async (_, run) =>
    run(org, connect(org)),
  );
});

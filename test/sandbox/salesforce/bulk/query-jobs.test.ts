import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aClock } from '../../../testbed/a-clock.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { ask, column, connect, contactIds, startOrg } from '../org.ts';
import { bulkRows, lookAt, readPage, refusalOf, startQuery } from './bulk.ts';

describe('queries of the Bulk API', () => {
  it('gives the records that an ordinary query finds', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const rows = await bulkRows(org, 'SELECT Id FROM Contact');
    expect(rows.flat()).toEqual(await column(org, 'SELECT Id FROM Contact'));
  });

  it('waits, works and is complete as its time goes by', async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read, bulkJobTimeMs: 100 });
    const job = await startQuery(org, 'SELECT Id FROM Contact');
    const states = [job.state];
    for (const waitMs of [49, 1, 49, 1]) {
      clock.advance(waitMs);
      states.push((await lookAt(org, job.id, 'query')).state);
    }
    expect(states).toEqual([
      'UploadComplete',
      'UploadComplete',
      'InProgress',
      'InProgress',
      'JobComplete',
    ]);
  });

  it('describes a job as Salesforce does', async () => {
    const clock = aClock('2026-03-10T12:00:00Z');
    const org = await startOrg({ clock: clock.read, bulkJobTimeMs: 0 });
    const { id } = await startQuery(org, 'SELECT Id FROM Contact');
    expect(await lookAt(org, id, 'query')).toMatchObject({
      object: 'Contact',
      operation: 'query',
      createdDate: '2026-03-10T12:00:00.000+0000',
      state: 'JobComplete',
      concurrencyMode: 'Parallel',
      contentType: 'CSV',
      apiVersion: 67,
      jobType: 'V2Query',
      lineEnding: 'LF',
      columnDelimiter: 'COMMA',
      numberRecordsProcessed: 20,
    });
  });

  it('gives pages with a header each, and the word null for the last locator', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const job = await startQuery(org, 'SELECT Id, LastName FROM Contact');
    const pages = [await readPage(org, job, '?maxRecords=8')];
    while (pages.at(-1)?.locator !== 'null' && pages.length < 5) {
      pages.push(await readPage(org, job, `?maxRecords=8&locator=${pages.at(-1)?.locator}`));
    }
    expect(pages.map(({ rowCount }) => rowCount)).toEqual(['8', '8', '4']);
    expect(pages.map(({ rows }) => rows[0])).toEqual(Array(3).fill(['Id', 'LastName']));
    const ids = pages.flatMap(({ rows }) => rows.slice(1).map(([id]) => id));
    expect(ids).toEqual(await column(org, 'SELECT Id FROM Contact'));
    expect(pages[0]?.type).toBe('text/csv');
  });

  it('gives no more rows in a page than the org is set to, whatever is asked for', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0, bulkPageRows: 5 });
    const job = await startQuery(org, 'SELECT Id FROM Contact');
    expect(await readPage(org, job, '?maxRecords=1000')).toMatchObject({ rowCount: '5' });
  });

  it('gives a header alone where nothing is found', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const job = await startQuery(org, "SELECT Id FROM Contact WHERE LastName = 'No such name'");
    expect(await readPage(org, job)).toMatchObject({ text: '"Id"\n', locator: 'null' });
  });

  it('writes blanks, moments, numbers, booleans and values of parents in the manner of CSV', async () => {
    const clock = aClock('2026-03-10T12:00:00Z');
    const org = await startOrg({ bulkJobTimeMs: 0, clock: clock.read });
    const account = await edit(org, {
      action: 'create',
      type: 'Account',
      values: { Name: 'The "Org", Inc.', AnnualRevenue: 1000, NumberOfEmployees: 7 },
    });
    const id = await edit(org, {
      action: 'create',
      values: { LastName: 'Byron', AccountId: account },
    });
    const soql = `SELECT FirstName, CreatedDate, Account.Name, Account.AnnualRevenue,
      Account.NumberOfEmployees, DoNotCall, Account.Parent.Name FROM Contact WHERE Id = '${id}'`;
    const job = await startQuery(org, soql);
    expect((await readPage(org, job)).text.split('\n')[1]).toBe(
      '"","2026-03-10T12:00:00.000Z","The ""Org"", Inc.","1000.0","7","false",""',
    );
  });

  it('separates columns and ends lines as the job says', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const order = { columnDelimiter: 'PIPE', lineEnding: 'CRLF' };
    const { id } = await startQuery(org, 'SELECT Id, LastName FROM Contact LIMIT 1', order);
    const { body } = await ask(org, 'GET', `/jobs/query/${id}/results`);
    expect(body).toMatch(/^"Id"\|"LastName"\r\n"003\w{15}"\|".+"\r\n$/);
  });

  it('works with the real client', async () => {
    const org = await startOrg();
    const wait = { pollInterval: 20, pollTimeout: 30_000 };
    const stream = await connect(org).bulk2.query('SELECT Id, LastName FROM Contact', wait);
    const records = z.array(z.object({ Id: z.string() })).parse(await stream.toArray());
    expect(records.map(({ Id }) => Id)).toEqual(await column(org, 'SELECT Id FROM Contact'));
  });

  it('finds deleted records only by queryAll', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [id] = await contactIds(org, 1);
    await edit(org, { action: 'delete', id });
    const soql = `SELECT Id, IsDeleted FROM Contact WHERE Id = '${id}'`;
    expect(await bulkRows(org, soql)).toEqual([]);
    expect(await bulkRows(org, soql, 'queryAll')).toEqual([[id, 'true']]);
  });

  it.each([
    ['SELECT COUNT() FROM Contact', 'API_ERROR'],
    ['SELECT COUNT(Id) FROM Contact', 'API_ERROR'],
    ['SELECT LastName FROM Contact GROUP BY LastName', 'API_ERROR'],
    ['SELECT Id FROM Contact LIMIT 5 OFFSET 5', 'API_ERROR'],
    ['SELECT Id, (SELECT Id FROM Contacts) FROM Account', 'API_ERROR'],
    ['SELECT Id, MailingAddress FROM Contact', 'API_ERROR'],
    ['SELECT Nope__c FROM Contact', 'INVALID_FIELD'],
    ['SELECT Id FROM', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Nothing__c', 'INVALID_TYPE'],
  ])('refuses %s', async (query, code) => {
    const org = await startOrg();
    const body = { operation: 'query', query };
    const answer = await ask(org, 'POST', '/jobs/query', { body });
    expect(refusalOf(answer)).toContain(`400 ${code}`);
  });

  it('does not show fields that the user must not see', async () => {
    const org = await startOrg();
    const field = { type: 'Contact', field: 'Email', access: 'hidden' };
    await control(org, 'PUT', '/field-access', field);
    const body = { operation: 'query', query: 'SELECT Email FROM Contact' };
    const answer = await ask(org, 'POST', '/jobs/query', { body });
    expect(refusalOf(answer)).toContain('INVALID_FIELD');
  });

  it('gives no results before a job is complete, and none for a locator that it did not make', async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read, bulkJobTimeMs: 100 });
    const { id } = await startQuery(org, 'SELECT Id FROM Contact');
    const results = `/jobs/query/${id}/results`;
    expect(refusalOf(await ask(org, 'GET', results))).toContain('400 INVALIDJOBSTATE');
    clock.advance(100);
    const answer = await ask(org, 'GET', `${results}?locator=bm9uc2Vuc2U`);
    expect(refusalOf(answer)).toContain('400 INVALID_QUERY_LOCATOR');
  });

  it('can be aborted while it runs, but not afterwards', async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read, bulkJobTimeMs: 100 });
    const [running, done] = [
      await startQuery(org, 'SELECT Id FROM Contact'),
      await startQuery(org, 'SELECT Id FROM Contact'),
    ];
    const abort = ({ id }: { id: string }) =>
      ask(org, 'PATCH', `/jobs/query/${id}`, { body: { state: 'Aborted' } });
    expect((await abort(running)).body).toMatchObject({ state: 'Aborted' });
    clock.advance(100);
    expect((await lookAt(org, running.id, 'query')).state).toBe('Aborted');
    expect(refusalOf(await abort(done))).toContain('400 INVALIDJOBSTATE');
  });

  it('lists jobs and forgets those that are deleted', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [gone, left] = [
      await startQuery(org, 'SELECT Id FROM Contact'),
      await startQuery(org, 'SELECT Id FROM Account'),
    ];
    expect((await ask(org, 'DELETE', `/jobs/query/${gone.id}`)).status).toBe(204);
    const { body } = await ask(org, 'GET', '/jobs/query');
    const list = z.object({
      done: z.literal(true),
      records: z.array(z.object({ id: z.string() })),
    });
    expect(list.parse(body).records.map(({ id }) => id)).toEqual([left.id]);
    expect((await ask(org, 'GET', `/jobs/query/${gone.id}`)).status).toBe(404);
  });

  it('counts the jobs of the day', async () => {
    const org = await startOrg();
    await startQuery(org, 'SELECT Id FROM Contact LIMIT 1');
    const { body } = await ask(org, 'GET', '/limits');
    expect(body).toMatchObject({ DailyBulkV2QueryJobs: { Max: 10_000, Remaining: 9999 } });
  });
});

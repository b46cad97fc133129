import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../../connectors/contract.ts';
import { toArray } from '../../connector-options.ts';
import {
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import {
  answer,
  bulkQuery,
  failedJobs,
  idsOf,
  rowOf,
  STAMP,
  UNDESCRIBED,
} from './scripted-reading.ts';

describe('reading from Salesforce through the Bulk API', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('brings the rest through the Bulk API when much is left, page by page', async () => {
    const first = Array.from({ length: 2000 }, (_, at) => rowOf(at));
    connector = await crm.connector({ bulkThreshold: 200 });
    answer(crm, (soql) =>
      soql.startsWith('SELECT count()')
        ? { body: { totalSize: 300, done: true, records: [] } }
        : records(...first),
    );
    const header =
      '"Id","FirstName","LastName","MailingCity","AccountId","Account.Name","SystemModstamp"\n';
    const job = bulkQuery(crm, [
      `${header}"003000000009001AAA","Zoë ""Z""","O'Neil, Jr.","","001000000000001AAA","Acme\nFoundation","${STAMP}"\n`,
      `${header}"003000000009002AAA","","Özgür","Springfield","","","${STAMP}"\n`,
    ]);
    const pages = await toArray(connector.readPages(null));
    expect(pages.at(-1)?.contacts).toEqual([
      {
        id: '003000000009001AAA',
        firstName: 'Zoë "Z"',
        lastName: "O'Neil, Jr.",
        addresses: [],
        employers: ['Acme\nFoundation'],
        optedOut: false,
        excluded: null,
        unreadable: UNDESCRIBED,
      },
      {
        id: '003000000009002AAA',
        firstName: null,
        lastName: 'Özgür',
        addresses: ['Springfield'],
        employers: [],
        optedOut: false,
        excluded: null,
        unreadable: UNDESCRIBED,
      },
    ]);
    expect(job.query()).not.toContain('ORDER BY');
    expect(job.query()).toContain("Id > '");
  });

  it('changes to the Bulk API when Salesforce takes too long over the order', async () => {
    answer(crm, () =>
      refused(400, 'QUERY_TIMEOUT', 'Your query request was running for too long.'),
    );
    connector = await crm.connector();
    bulkQuery(crm, [`"Id","LastName"\n"${rowOf(1).Id}","Lopez"\n`]);
    const pages = await toArray(connector.readPages(null));
    expect(idsOf(pages)).toEqual([rowOf(1).Id]);
  });

  it('takes a count that takes too long for one of many', async () => {
    const first = Array.from({ length: 2000 }, (_, at) => rowOf(at));
    answer(crm, (soql) =>
      soql.startsWith('SELECT count()') ? refused(400, 'QUERY_TIMEOUT') : records(...first),
    );
    connector = await crm.connector();
    bulkQuery(crm, [`"Id","LastName"\n"${rowOf(2000).Id}","Lopez"\n`]);
    const pages = await toArray(connector.readPages(null));
    expect(idsOf(pages)).toHaveLength(2001);
    expect(pages.at(-1)?.cursor).toContain('since');
  });

  it('makes another job of the Bulk API where one has failed', async () => {
    answer(crm, () => refused(400, 'QUERY_TIMEOUT'));
    connector = await crm.connector();
    bulkQuery(crm, [`"Id","LastName"\n"${rowOf(1).Id}","Lopez"\n`]);
    const made = failedJobs(crm, 1);
    expect(idsOf(await toArray(connector.readPages(null)))).toEqual([rowOf(1).Id]);
    expect(made()).toBe(1);
  });

  it('reads by id, in smaller pages, where the jobs of the Bulk API fail', async () => {
    const all = Array.from({ length: 2_600 }, (_, at) => rowOf(at));
    answer(crm, (soql) => {
      const size = Number(/ORDER BY Id LIMIT (\d+)$/.exec(soql)?.[1] ?? 2_000);
      if (size > 500) return refused(400, 'QUERY_TIMEOUT');
      const after = /Id > '(\w+)'/.exec(soql)?.[1] ?? '';
      return records(...all.filter(({ Id }) => Id > after).slice(0, size));
    });
    const made = failedJobs(crm, Number.POSITIVE_INFINITY);
    connector = await crm.connector();
    const since = '2026-11-19T02:00:00.000Z';
    const pages = await toArray(connector.readPages(JSON.stringify({ since })));
    expect(idsOf(pages)).toEqual(all.map(({ Id }) => Id));
    expect(made()).toBe(2);
    // The pages are not ordered by time. Until all pages have been read, the cursor stays at the start of this
    // reading.
    const starts = pages.map(({ cursor }) => JSON.parse(cursor ?? '').since);
    expect(new Set(starts.slice(0, -1))).toEqual(new Set(['2026-11-19T01:50:00.000Z']));
    expect(Date.parse(starts.at(-1))).toBeGreaterThan(Date.parse(since));
  });

  it('makes no second job where the allowance of the Bulk API is used up', async () => {
    answer(crm, (soql) =>
      soql.includes('ORDER BY Id') ? records(rowOf(1)) : refused(400, 'QUERY_TIMEOUT'),
    );
    const made = failedJobs(crm, Number.POSITIVE_INFINITY, 'LIMIT_EXCEEDED: no more jobs today');
    connector = await crm.connector();
    expect(idsOf(await toArray(connector.readPages(null)))).toEqual([rowOf(1).Id]);
    expect(made()).toBe(1);
  });

  it('ends a job of the Bulk API that never ends, before it makes another one', async () => {
    answer(crm, (soql) =>
      soql.includes('ORDER BY Id') ? records(rowOf(1)) : refused(400, 'QUERY_TIMEOUT'),
    );
    crm.script(({ method, path }) =>
      path.startsWith('/jobs/query') && method !== 'PATCH'
        ? { body: { id: '750', state: 'InProgress' } }
        : null,
    );
    connector = await crm.connector();
    expect(idsOf(await toArray(connector.readPages(null)))).toEqual([rowOf(1).Id]);
    const orders = crm.asked.filter(
      ({ method, path }) => method !== 'GET' && path.startsWith('/jobs/query'),
    );
    expect(orders.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST', 'PATCH']);
    expect(orders[1]?.body).toBe('{"state":"Aborted"}');
  });

  it('throws when the results of a bulk query break off', async () => {
    answer(crm, () => refused(400, 'QUERY_TIMEOUT'));
    connector = await crm.connector();
    bulkQuery(crm, [`"Id","LastName"\n"${rowOf(1).Id}","Lop`]);
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_unavailable',
    });
  });
});

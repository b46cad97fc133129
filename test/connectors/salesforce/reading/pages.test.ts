import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../../connectors/contract.ts';
import { toArray } from '../../connector-options.ts';
import {
  MERGED,
  openScriptedSalesforce,
  records,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import { answer, idsOf, queries, rowOf } from './scripted-reading.ts';

describe('reading from Salesforce', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('reads a night without changes in two requests, besides the one that prepares', async () => {
    answer(crm, () => records());
    connector = await crm.connector();
    const cursor = JSON.stringify({ since: '2026-11-19T02:00:00.000Z' });
    const pages = await toArray(connector.readPages(cursor));
    expect(pages.flatMap(({ contacts }) => contacts)).toEqual([]);
    expect(queries(crm)).toEqual([
      '/queryAll?q=SELECT Id, MasterRecordId, SystemModstamp FROM Contact WHERE IsDeleted = true AND SystemModstamp >= 2026-11-19T01:50:00.000Z ORDER BY SystemModstamp, Id LIMIT 2000',
      '/query?q=SELECT Id, FirstName, LastName, MailingCity, AccountId, Account.Name, SystemModstamp FROM Contact WHERE SystemModstamp >= 2026-11-19T01:50:00.000Z ORDER BY SystemModstamp, Id LIMIT 2000',
    ]);
    expect(crm.asked.filter(({ path }) => !path.includes('oauth2'))).toHaveLength(3);
  });

  it("takes the time of the cursor from Salesforce's clock, not from this machine's", async () => {
    answer(crm, () => ({ ...records(), headers: { date: 'Fri, 20 Nov 2026 02:00:00 GMT' } }));
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    connector = await crm.connector({}, { clock });
    await connector.listGroups();
    const [page] = await toArray(connector.readPages(null));
    expect(page?.cursor).toBe(JSON.stringify({ since: '2026-11-20T02:00:00.000Z' }));
  });

  it('gets past any number of contacts with the same stamp by their ids', async () => {
    const all = Array.from({ length: 4100 }, (_, at) => rowOf(at));
    answer(crm, (soql) => {
      if (soql.startsWith('SELECT count()'))
        return { body: { totalSize: 1, done: true, records: [] } };
      const after = /Id > '(\w+)'/.exec(soql)?.[1] ?? '';
      return records(...all.filter(({ Id }) => Id > after).slice(0, 2000));
    });
    connector = await crm.connector({ bulkThreshold: 1_000_000 });
    const pages = await toArray(connector.readPages(null));
    expect(pages.map(({ contacts }) => contacts.length)).toEqual([2000, 2000, 100]);
    expect(idsOf(pages)).toEqual(all.map(({ Id }) => Id));
    expect(queries(crm)[3]).toContain(
      `SystemModstamp >= 2026-11-19T10:00:00.000Z AND (SystemModstamp > 2026-11-19T10:00:00.000Z OR Id > '${rowOf(1999).Id}')`,
    );
  });

  it('follows a page that Salesforce has cut in two', async () => {
    answer(crm, () => ({
      body: {
        totalSize: 2,
        done: false,
        records: [rowOf(0)],
        nextRecordsUrl: '/services/data/v67.0/query/0r8-1',
      },
    }));
    crm.script(({ path }) => (path === '/query/0r8-1' ? records(rowOf(1)) : null));
    connector = await crm.connector();
    expect(idsOf(await toArray(connector.readPages(null)))).toEqual([rowOf(0).Id, rowOf(1).Id]);
  });

  it('reads everything again when it does not know the cursor', async () => {
    answer(crm, () => records());
    connector = await crm.connector();
    await toArray(connector.readPages('of another version'));
    const readings = queries(crm).filter((query) => !query.startsWith(MERGED));
    expect(readings.join()).not.toContain('SystemModstamp >=');
  });
});

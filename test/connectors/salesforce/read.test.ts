import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactPage } from '../../../connectors/contract.ts';
import { toArray } from '../connector-options.ts';
import {
  type Answer,
  field,
  MERGED,
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

/** Of the addresses the scripted org describes but one part. */
const UNDESCRIBED = [
  'MailingStreet',
  'MailingState',
  'MailingPostalCode',
  'MailingCountry',
  'OtherStreet',
  'OtherCity',
  'OtherState',
  'OtherPostalCode',
  'OtherCountry',
];

const STAMP = '2026-11-19T10:00:00.000+0000';

describe('reading from Salesforce', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('reads a night without changes in two requests, besides the one that prepares', async () => {
    answer(() => records());
    connector = await crm.connector();
    const cursor = JSON.stringify({ since: '2026-11-19T02:00:00.000Z' });
    const pages = await toArray(connector.readPages(cursor));
    expect(pages.flatMap(({ contacts }) => contacts)).toEqual([]);
    expect(queries()).toEqual([
      '/queryAll?q=SELECT Id, MasterRecordId, SystemModstamp FROM Contact WHERE IsDeleted = true AND SystemModstamp >= 2026-11-19T01:50:00.000Z ORDER BY SystemModstamp, Id LIMIT 2000',
      '/query?q=SELECT Id, FirstName, LastName, MailingCity, AccountId, Account.Name, SystemModstamp FROM Contact WHERE SystemModstamp >= 2026-11-19T01:50:00.000Z ORDER BY SystemModstamp, Id LIMIT 2000',
    ]);
    expect(crm.asked.filter(({ path }) => !path.includes('oauth2'))).toHaveLength(3);
  });

  it("takes the time of the cursor from Salesforce's clock, not from this machine's", async () => {
    answer(() => ({ ...records(), headers: { date: 'Fri, 20 Nov 2026 02:00:00 GMT' } }));
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    connector = await crm.connector({}, { clock });
    await connector.listGroups();
    const [page] = await toArray(connector.readPages(null));
    expect(page?.cursor).toBe(JSON.stringify({ since: '2026-11-20T02:00:00.000Z' }));
  });

  it('gets past any number of contacts with the same stamp by their ids', async () => {
    const all = Array.from({ length: 4100 }, (_, at) => rowOf(at));
    answer((soql) => {
      if (soql.startsWith('SELECT count()'))
        return { body: { totalSize: 1, done: true, records: [] } };
      const after = /Id > '(\w+)'/.exec(soql)?.[1] ?? '';
      return records(...all.filter(({ Id }) => Id > after).slice(0, 2000));
    });
    connector = await crm.connector({ bulkThreshold: 1_000_000 });
    const pages = await toArray(connector.readPages(null));
    expect(pages.map(({ contacts }) => contacts.length)).toEqual([2000, 2000, 100]);
    expect(idsOf(pages)).toEqual(all.map(({ Id }) => Id));
    expect(queries()[3]).toContain(
      `SystemModstamp >= 2026-11-19T10:00:00.000Z AND (SystemModstamp > 2026-11-19T10:00:00.000Z OR Id > '${rowOf(1999).Id}')`,
    );
  });

  it('follows a page that Salesforce has cut in two', async () => {
    answer(() => ({
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

  it('brings the rest through the Bulk API when much is left, page by page', async () => {
    const first = Array.from({ length: 2000 }, (_, at) => rowOf(at));
    connector = await crm.connector({ bulkThreshold: 200 });
    answer((soql) =>
      soql.startsWith('SELECT count()')
        ? { body: { totalSize: 300, done: true, records: [] } }
        : records(...first),
    );
    const header =
      '"Id","FirstName","LastName","MailingCity","AccountId","Account.Name","SystemModstamp"\n';
    const job = bulkQuery([
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
    answer(() => refused(400, 'QUERY_TIMEOUT', 'Your query request was running for too long.'));
    connector = await crm.connector();
    bulkQuery([`"Id","LastName"\n"${rowOf(1).Id}","Lopez"\n`]);
    const pages = await toArray(connector.readPages(null));
    expect(idsOf(pages)).toEqual([rowOf(1).Id]);
  });

  it('takes a count that takes too long for one of many', async () => {
    const first = Array.from({ length: 2000 }, (_, at) => rowOf(at));
    answer((soql) =>
      soql.startsWith('SELECT count()') ? refused(400, 'QUERY_TIMEOUT') : records(...first),
    );
    connector = await crm.connector();
    bulkQuery([`"Id","LastName"\n"${rowOf(2000).Id}","Lopez"\n`]);
    const pages = await toArray(connector.readPages(null));
    expect(idsOf(pages)).toHaveLength(2001);
    expect(pages.at(-1)?.cursor).toContain('since');
  });

  it('makes another job of the Bulk API where one has failed', async () => {
    answer(() => refused(400, 'QUERY_TIMEOUT'));
    connector = await crm.connector();
    bulkQuery([`"Id","LastName"\n"${rowOf(1).Id}","Lopez"\n`]);
    const made = failedJobs(1);
    expect(idsOf(await toArray(connector.readPages(null)))).toEqual([rowOf(1).Id]);
    expect(made()).toBe(1);
  });

  it('reads by id, in smaller pages, where the jobs of the Bulk API fail', async () => {
    const all = Array.from({ length: 2_600 }, (_, at) => rowOf(at));
    answer((soql) => {
      const size = Number(/ORDER BY Id LIMIT (\d+)$/.exec(soql)?.[1] ?? 2_000);
      if (size > 500) return refused(400, 'QUERY_TIMEOUT');
      const after = /Id > '(\w+)'/.exec(soql)?.[1] ?? '';
      return records(...all.filter(({ Id }) => Id > after).slice(0, size));
    });
    const made = failedJobs(Number.POSITIVE_INFINITY);
    connector = await crm.connector();
    const since = '2026-11-19T02:00:00.000Z';
    const pages = await toArray(connector.readPages(JSON.stringify({ since })));
    expect(idsOf(pages)).toEqual(all.map(({ Id }) => Id));
    expect(made()).toBe(2);
    // They come in no order of time: until all are read, the next reading begins no later than this one.
    const starts = pages.map(({ cursor }) => JSON.parse(cursor ?? '').since);
    expect(new Set(starts.slice(0, -1))).toEqual(new Set(['2026-11-19T01:50:00.000Z']));
    expect(Date.parse(starts.at(-1))).toBeGreaterThan(Date.parse(since));
  });

  it('makes no second job where the allowance of the Bulk API is used up', async () => {
    answer((soql) =>
      soql.includes('ORDER BY Id') ? records(rowOf(1)) : refused(400, 'QUERY_TIMEOUT'),
    );
    const made = failedJobs(Number.POSITIVE_INFINITY, 'LIMIT_EXCEEDED: no more jobs today');
    connector = await crm.connector();
    expect(idsOf(await toArray(connector.readPages(null)))).toEqual([rowOf(1).Id]);
    expect(made()).toBe(1);
  });

  it('ends a job of the Bulk API that never ends, before it makes another one', async () => {
    answer((soql) =>
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

  describe('those that left', () => {
    const DAY_MS = 86_400_000;
    const since = '2026-11-10T00:10:00.000Z';
    const untilMs = Date.parse(since) + 4 * DAY_MS;
    const header = { date: new Date(untilMs).toUTCString() };

    it('are asked for in shorter windows of time where Salesforce takes too long, each once', async () => {
      // One each six hours, and many in one moment.
      const stamps = [
        ...Array.from({ length: 16 }, (_, at) => Date.parse(since) + at * 6 * 3_600_000),
        ...Array<number>(2_100).fill(Date.parse(since) + 2 * DAY_MS),
      ].toSorted((a, b) => a - b);
      const all = stamps.map((stampMs, at) => ({
        Id: rowOf(at).Id,
        MasterRecordId: null,
        SystemModstamp: new Date(stampMs).toISOString().replace('Z', '+0000'),
      }));
      const refusedWindows = scriptRemoved((from, to, after) => {
        if (to - from > DAY_MS) return null;
        const later = all.filter(({ Id, SystemModstamp }) => {
          const stamp = Date.parse(SystemModstamp);
          return stamp >= from && stamp < to && (after === '' || stamp > from || Id > after);
        });
        return later.slice(0, 2_000);
      });
      connector = await crm.connector();
      await connector.listGroups();
      const pages = await toArray(connector.readPages(JSON.stringify({ since })));
      const removed = pages.flatMap((page) => page.removed.map(({ id }) => id));
      expect(removed).toEqual(all.map(({ Id }) => Id));
      expect(refusedWindows()).toBe(3);
    });

    it('end the reading, before any contact is read, where even an hour takes too long', async () => {
      const refusedWindows = scriptRemoved(() => null);
      connector = await crm.connector();
      await connector.listGroups();
      const pages: ContactPage[] = [];
      await expect(async () => {
        for await (const page of connector.readPages(JSON.stringify({ since }))) pages.push(page);
      }).rejects.toMatchObject({
        kind: 'retriable',
        code: 'crm_unavailable',
        message: expect.stringContaining('No contact was read'),
      });
      expect(pages).toEqual([]);
      expect(queries().filter((query) => query.startsWith('/query?q=SELECT Id, First'))).toEqual(
        [],
      );
      expect(refusedWindows()).toBeLessThan(12);
    });

    /** Answers with what left between two times, after an id; null for too long. Gives how often that was. */
    function scriptRemoved(
      find: (fromMs: number, toMs: number, afterId: string) => object[] | null,
    ): () => number {
      let refusals = 0;
      answer(() => ({ ...records(), headers: header }));
      crm.script(({ path }) => {
        if (!path.startsWith(MERGED)) return null;
        const from = Date.parse(/SystemModstamp >= (\S+)/.exec(path)?.[1] ?? '');
        const to = Date.parse(/SystemModstamp < (\S+)/.exec(path)?.[1] ?? '9999-01-01');
        const found = find(from, Math.min(to, untilMs), /Id > '(\w+)'/.exec(path)?.[1] ?? '');
        if (found === null) refusals += 1;
        return {
          ...(found === null ? refused(400, 'QUERY_TIMEOUT') : records(...found)),
          headers: header,
        };
      });
      return () => refusals;
    }
  });

  it('throws when the results of a bulk query break off', async () => {
    answer(() => refused(400, 'QUERY_TIMEOUT'));
    connector = await crm.connector();
    bulkQuery([`"Id","LastName"\n"${rowOf(1).Id}","Lop`]);
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_unavailable',
    });
  });

  it('reads everything again when it does not know the cursor', async () => {
    answer(() => records());
    connector = await crm.connector();
    await toArray(connector.readPages('of another version'));
    const readings = queries().filter((query) => !query.startsWith(MERGED));
    expect(readings.join()).not.toContain('SystemModstamp >=');
  });

  it('calls what an answer leaves out unknown, instead of none', async () => {
    answer(() => records({ Id: rowOf(1).Id, LastName: 'Lopez', SystemModstamp: STAMP }));
    connector = await crm.connector();
    const [page] = await toArray(connector.readPages(null));
    expect(page?.contacts[0]).toMatchObject({ addresses: [], employers: [] });
    expect(page?.contacts[0]?.unreadable).toEqual(['MailingCity', ...UNDESCRIBED, 'Account.Name']);
    bulkQuery([`"Id","LastName"\n"${rowOf(1).Id}","Lopez"\n`]);
    answer(() => refused(400, 'QUERY_TIMEOUT'));
    const [part] = await toArray(connector.readPages(null));
    expect(part?.contacts).toEqual(page?.contacts);
  });

  it('ends in an error when an answer leaves out who has opted out', async () => {
    answer(() => records({ Id: rowOf(1).Id, LastName: 'Lopez', SystemModstamp: STAMP }));
    connector = await crm.connector({}, {}, { filter: null, optOutField: 'Note__c' });
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_field_missing',
      message: expect.stringContaining('Note__c'),
    });
  });

  it('takes the employer from the primary affiliation where the account is the household', async () => {
    describeContact('AccountId', 'npsp__Primary_Affiliation__c');
    answer(() =>
      records({
        ...rowOf(1),
        Account: { Name: 'Lopez Household' },
        npsp__Primary_Affiliation__r: { Name: 'Acme' },
      }),
    );
    expect((await readAll())[0]?.employers).toEqual(['Acme']);
    expect(queries().join()).not.toContain('Account.Name');
  });

  it('never takes a person account for an employer', async () => {
    describeContact('AccountId', 'IsPersonAccount');
    answer(() =>
      records(
        { ...rowOf(1), IsPersonAccount: true, Account: { Name: 'Maria Lopez' } },
        { ...rowOf(2), IsPersonAccount: false, Account: { Name: 'Acme' } },
      ),
    );
    expect((await readAll()).map(({ employers }) => employers)).toEqual([[], ['Acme']]);
  });

  it('leaves households out even when the account is to be the employer', async () => {
    describeContact('AccountId', 'npsp__Primary_Affiliation__c');
    crm.script(({ path }) =>
      path === '/sobjects/Account/describe'
        ? { body: { fields: [field('Name'), field('npe01__SYSTEM_AccountType__c')] } }
        : null,
    );
    const household = {
      Name: 'Lopez Household',
      npe01__SYSTEM_AccountType__c: 'Household Account',
    };
    const marked = { Name: 'Acme', npe01__SYSTEM_AccountType__c: 'Organization' };
    const accounts = [household, marked, { Name: 'Beta', npe01__SYSTEM_AccountType__c: null }];
    answer(() => records(...accounts.map((Account, at) => ({ ...rowOf(at), Account }))));
    expect((await readAll({ employer: 'account' })).map(({ employers }) => employers)).toEqual([
      [],
      ['Acme'],
      ['Beta'],
    ]);
  });

  it('takes no employer where it cannot tell it from a household', async () => {
    describeContact('AccountId', 'npo02__TotalOppAmount__c');
    crm.script(({ path }) =>
      path === '/sobjects/Account/describe' ? { body: { fields: [field('Name')] } } : null,
    );
    answer(() => records({ ...rowOf(1), Account: { Name: 'Lopez Household' } }));
    expect((await readAll())[0]?.employers).toEqual([]);
  });

  it('joins the parts of both addresses, street lines too', async () => {
    describeContact('MailingStreet', 'MailingCity', 'MailingPostalCode', 'OtherCity');
    answer(() =>
      records({
        ...rowOf(1),
        MailingStreet: '1 Elm Street\r\nApt 2',
        MailingCity: 'Springfield',
        MailingPostalCode: ' ',
        OtherCity: 'Boston',
      }),
    );
    expect((await readAll())[0]?.addresses).toEqual(['1 Elm Street, Apt 2, Springfield', 'Boston']);
  });

  it('asks whether the filter means anything before work begins', async () => {
    crm.script(({ path }) =>
      path.startsWith('/query?') ? refused(400, 'INVALID_FIELD', "No such column 'Nope__c'") : null,
    );
    const contacts = { filter: 'Nope__c = 1', optOutField: null };
    await expect(crm.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_filter_invalid',
      message: expect.stringMatching(/^The filter names Nope__c, which /),
    });
    expect(queries()).toEqual(['/query?q=SELECT Id FROM Contact WHERE (Nope__c = 1) LIMIT 1']);
  });

  it('names an opt-out field that it cannot see, and the one that was probably meant', async () => {
    const contacts = { filter: null, optOutField: 'Note_c' };
    await expect(crm.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/Note_c.*did you mean "Note__c"/i),
    });
  });

  it('sees who has opted out, by a checkbox or by any text', async () => {
    crm.script(({ path }) =>
      path.endsWith('/Contact/describe')
        ? {
            body: {
              updateable: true,
              fields: [...names('FirstName', 'LastName'), field('No__c', { type: 'boolean' })],
            },
          }
        : null,
    );
    answer(() => records({ ...rowOf(1), No__c: true }, { ...rowOf(2), No__c: false }));
    expect(
      (await readAll({}, {}, { filter: null, optOutField: 'No__c' })).map(
        ({ optedOut }) => optedOut,
      ),
    ).toEqual([true, false]);
  });

  describe('by ids', () => {
    it('reads canonical values of every type', async () => {
      const picklistValues = ['A', 'B', 'C'].map((value) => ({ value, active: true }));
      crm.script(({ path }) =>
        path.endsWith('/Contact/describe')
          ? {
              body: {
                updateable: true,
                fields: [
                  ...names('FirstName', 'LastName', 'Text__c', 'Blank__c'),
                  field('Money__c', { type: 'currency' }),
                  field('Day__c', { type: 'date' }),
                  field('Time__c', { type: 'datetime' }),
                  field('Yes__c', { type: 'boolean' }),
                  field('Many__c', { type: 'multipicklist', picklistValues }),
                ],
              },
            }
          : null,
      );
      const values = {
        Text__c: 'x',
        Blank__c: '  ',
        Money__c: 12.5,
        Day__c: '2026-11-20',
        Time__c: '2026-11-20T02:00:00.000+0000',
        Yes__c: false,
        Many__c: 'C;Gone;A',
      };
      answer(() => records({ ...rowOf(1), ...values }));
      connector = await crm.connector();
      const [lookup] = await connector.readByIds([rowOf(1).Id], Object.keys(values));
      expect(lookup).toMatchObject({
        values: {
          Text__c: 'x',
          Blank__c: null,
          Money__c: 12.5,
          Day__c: '2026-11-20',
          Time__c: '2026-11-20T02:00:00.000Z',
          Yes__c: false,
          Many__c: 'A;C;Gone',
        },
      });
    });

    it('takes ids of every form, answers with the id as it was asked, and asks no nonsense', async () => {
      answer(() => records({ ...rowOf(1), IsDeleted: false }));
      connector = await crm.connector();
      const short = rowOf(1).Id.slice(0, 15);
      const folded = rowOf(1).Id.toLowerCase();
      const asked = [short, folded, "x') OR (Id != '", rowOf(2).Id];
      const found = await connector.readByIds(asked, []);
      expect(found.map(({ id, state }) => [id, state])).toEqual([
        [short, 'found'],
        [folded, 'found'],
        ["x') OR (Id != '", 'missing'],
        [rowOf(2).Id, 'missing'],
      ]);
      // The contact itself has one id, however it was asked for.
      expect(found.slice(0, 2)).toMatchObject([
        { contact: { id: rowOf(1).Id } },
        { contact: { id: rowOf(1).Id } },
      ]);
      expect(queries().at(-1)).toContain(`Id IN ('${rowOf(1).Id}','${rowOf(2).Id}')`);
    });

    it('asks for two hundred contacts and forty fields without too long an address', async () => {
      const fields = Array.from(
        { length: 40 },
        (_, at) => `A_Field_With_A_Rather_Long_Name_${at}__c`,
      );
      crm.script(({ path }) =>
        path.endsWith('/Contact/describe')
          ? { body: { updateable: true, fields: names('FirstName', 'LastName', ...fields) } }
          : null,
      );
      answer((soql) =>
        records(...[...soql.matchAll(/'(003\w+)'/g)].map(([, Id]) => ({ Id, LastName: 'L' }))),
      );
      connector = await crm.connector();
      const ids = Array.from({ length: 200 }, (_, at) => rowOf(at).Id);
      const found = await connector.readByIds(ids, fields);
      expect(found.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, 'found']));
      expect(Math.max(...crm.asked.map(({ path }) => encodeURI(path).length))).toBeLessThan(14_000);
    });
  });

  /** Answers the queries for contacts; none of them was merged. */
  function answer(reply: (soql: string) => Answer): void {
    crm.script(({ path }) => {
      const soql = path.startsWith(MERGED) ? null : /^\/query(?:All)?\?q=(.*)$/s.exec(path)?.[1];
      return soql ? reply(soql) : null;
    });
  }

  function queries(): string[] {
    return crm.asked.map(({ path }) => path).filter((path) => path.startsWith('/query'));
  }

  async function readAll(...choices: Parameters<ScriptedSalesforce['connector']>) {
    connector = await crm.connector(...choices);
    return (await toArray(connector.readPages(null))).flatMap(({ contacts }) => contacts);
  }

  function describeContact(...more: string[]): void {
    const fields = names('Id', 'FirstName', 'LastName', ...more);
    crm.script(({ path }) =>
      path === '/sobjects/Contact/describe' ? { body: { updateable: true, fields } } : null,
    );
  }

  /** The first query jobs end as Salesforce ends them for no reason; gives how many were made. */
  function failedJobs(jobs: number, errorMessage = 'InternalServerError : retry your request') {
    let made = 0;
    crm.script(({ method, path }) => {
      if (!path.startsWith('/jobs/query')) return null;
      if (method === 'POST' && made === jobs) return null;
      if (method === 'POST') made += 1;
      const id = `75${made}`;
      if (method === 'POST') return { body: { id, state: 'UploadComplete' } };
      return path === `/jobs/query/${id}` && made <= jobs && !isDone()
        ? { body: { id, state: 'Failed', errorMessage } }
        : null;
    });
    const isDone = () => crm.asked.filter(({ method }) => method === 'POST').length > made + 1;
    return () => made;
  }

  /** A query job with these pages of results. */
  function bulkQuery(pages: string[]) {
    let query = '';
    crm.script(({ method, path, body }) => {
      if (!path.startsWith('/jobs/query')) return null;
      if (method === 'POST') query = body;
      if (!path.includes('/results')) return { body: { id: '750', state: 'JobComplete' } };
      const at = Number(/locator=(\d+)/.exec(path)?.[1] ?? 0);
      const isLast = at === pages.length - 1;
      return { body: pages[at], headers: { 'sforce-locator': isLast ? 'null' : String(at + 1) } };
    });
    return { query: () => query };
  }
});

function names(...all: string[]) {
  return all.map((name) => field(name));
}

/** The nth contact as a query brings it; all have one stamp. */
function rowOf(at: number) {
  const Id = `003${String(at).padStart(12, '0')}AAA`;
  return { Id, FirstName: 'Maria', LastName: `Lopez ${at}`, SystemModstamp: STAMP };
}

function idsOf(pages: readonly ContactPage[]): string[] {
  return pages.flatMap(({ contacts }) => contacts.map(({ id }) => id));
}

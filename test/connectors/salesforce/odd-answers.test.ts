import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toArray } from '../connector-options.ts';
import {
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

const DESCRIBE = '/sobjects/Contact/describe';
const ID = '003000000000001AAA';

function writeOne(connector: Connector) {
  return toArray(connector.write([{ id: ID, values: { Note__c: 'x' } }]));
}

/** Writes enough contacts that the connector uses the Bulk API. */
function writeMany(connector: Connector) {
  const changes = Array.from({ length: 2_000 }, (_, at) => ({
    id: `003${String(at).padStart(12, '0')}AAA`,
    values: { Note__c: 'x' },
  }));
  return toArray(connector.write(changes));
}

describe('a Salesforce org that is busy or unavailable', () => {
  let crm: ScriptedSalesforce;
  let waits: number[];
  const clock = {
    now: systemClock.now,
    async sleep(ms: number) {
      waits.push(ms);
    },
  };

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    waits = [];
  });

  afterEach(() => crm.close());

  function refuseOnce(headers: Record<string, string>): void {
    let refused = false;
    crm.script(({ path }) => {
      if (path !== DESCRIBE || refused) return null;
      refused = true;
      return { status: 503, headers, body: '' };
    });
  }

  it.each([
    ['for as many seconds as it asks for', { 'retry-after': '7' }, 7_000],
    [
      'until the date it names, by its own clock',
      {
        'retry-after': 'Fri, 20 Nov 2026 05:00:03 GMT',
        date: 'Fri, 20 Nov 2026 05:00:00 GMT',
      },
      3_000,
    ],
    ['a minute at most', { 'retry-after': '86400' }, 60_000],
    ['as long as usual where it names no time', {}, 250],
  ])('is waited for, %s', async (_, headers, waitMs) => {
    refuseOnce(headers);
    await crm.connector({}, { clock });
    expect(waits).toEqual([waitMs]);
  });

  it.each([
    ['without its id', { SystemModstamp: '2026-01-02T03:04:05.000+0000' }],
    ['whose stamp is no time', { Id: ID, SystemModstamp: 'yesterday' }],
    [
      'with a list for its account',
      { Id: ID, SystemModstamp: '2026-01-02T03:04:05Z', Account: [] },
    ],
  ])('can send a record %s, which makes the response unreadable', async (_, record) => {
    crm.script(({ path }) => (path.startsWith('/query') ? records(record) : null));
    const connector = await crm.connector();
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({ kind: 'retriable' });
  });

  describe.each([
    ['the page of a proxy', '<html>Back soon</html>'],
    ['half an answer', '{"totalSize":1,"done":true,"rec'],
    ['nothing', ''],
    ['an answer to something else', '{"hello":"world"}'],
  ])('that says %s', (_, body) => {
    it.each([
      ['a query', '/query', (connector: Connector) => toArray(connector.readPages(null))],
      ['a look-up', '/queryAll', (connector: Connector) => connector.readByIds([ID], [])],
      ['a write', '/composite/sobjects', writeOne],
      ['a job', '/jobs/ingest', writeMany],
    ])('instead of the answer to %s ends the run in words, to go on later', async (__, at, ask) => {
      crm.script(({ path }) => (path.startsWith('/query') ? records() : null));
      const connector = await crm.connector({}, { clock });
      crm.script(({ path }) => (path.startsWith(at) ? { body } : null));
      const error = await ask(connector).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        ...{ kind: 'retriable', code: 'crm_unavailable' },
        message: 'A response from Salesforce could not be read. The next run continues from there.',
      });
    });
  });

  it.each(['<html>Back soon</html>', '{"totalSize":1,', ''])(
    'is asked again where what is read has no sense (%s)',
    async (body) => {
      const connector = await crm.connector({}, { clock });
      let asked = 0;
      crm.script(({ path }) => {
        if (!path.startsWith('/query')) return null;
        asked += 1;
        return asked === 1 ? { body } : records();
      });
      expect(await connector.readByIds([ID], [])).toMatchObject([{ state: 'missing' }]);
      expect(asked).toBe(2);
    },
  );

  it('is asked for the halves where a look-up takes it too long', async () => {
    const connector = await crm.connector({}, { clock });
    const ids = Array.from({ length: 100 }, (_, at) => `003${String(at).padStart(12, '0')}AAA`);
    const sizes: number[] = [];
    crm.script(({ path }) => {
      if (!path.startsWith('/query')) return null;
      const asked = path.match(/003\d{12}AAA/g) ?? [];
      sizes.push(asked.length);
      if (asked.length > 30) return refused(400, 'QUERY_TIMEOUT', 'Running for too long.');
      return records(...asked.map((Id) => ({ Id, IsDeleted: true, MasterRecordId: null })));
    });
    expect(await connector.readByIds(ids, [])).toHaveLength(100);
    expect(sizes).toEqual([100, 50, 25, 25, 50, 25, 25]);
  });

  it('is known by the page of a proxy that stands in its place', async () => {
    crm.script(({ path }) =>
      path === DESCRIBE
        ? { headers: { 'content-type': 'text/html' }, body: '<html>Back soon</html>' }
        : null,
    );
    await expect(crm.connector({}, { clock })).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_unavailable',
    });
  });
});

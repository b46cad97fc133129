import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactPage } from '../../../../connectors/contract.ts';
import { toArray } from '../../connector-options.ts';
import {
  MERGED,
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from '../scripted-salesforce.ts';
import { answer, queries, rowOf } from './scripted-reading.ts';

describe('reading from Salesforce', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  describe('those that left', () => {
    const DAY_MS = 86_400_000;
    const since = '2026-11-10T00:10:00.000Z';
    const untilMs = Date.parse(since) + 4 * DAY_MS;
    const header = { date: new Date(untilMs).toUTCString() };

    it('are asked for in shorter windows of time where Salesforce takes too long, each once', async () => {
      // Users remove one contact every six hours, and many contacts at one moment.
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
      expect(queries(crm).filter((query) => query.startsWith('/query?q=SELECT Id, First'))).toEqual(
        [],
      );
      expect(refusedWindows()).toBeLessThan(12);
    });

    /**
     * Responds with the contacts that left between two times, beginning after an ID. If `find` returns null, the
     * request times out. Returns the number of timeouts.
     */
    function scriptRemoved(
      find: (fromMs: number, toMs: number, afterId: string) => object[] | null,
    ): () => number {
      let refusals = 0;
      answer(crm, () => ({ ...records(), headers: header }));
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
});

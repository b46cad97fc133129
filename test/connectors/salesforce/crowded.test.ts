/**
 * Tests writes in an org whose triggers or flows exceed Salesforce's limits for one transaction. This can happen with
 * the Nonprofit Success Pack. In this case, Salesforce writes none of the transaction's records and returns the same
 * error for each record.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const updatesSchema = z.object({
  updates: z.array(z.object({ id: z.string(), updates: z.number() })),
});

const HASTY_CLOCK = { now: systemClock.now, sleep: () => Promise.resolve() };
const FIELDS = Array.from({ length: 8 }, (_, at) => `Value_${at}__c`);

describe('an org whose triggers exceed a limit', () => {
  let org: Org;
  let connector: Connector;
  beforeEach(async () => {
    org = await openOrg();
    connector = await org.connector({}, { clock: HASTY_CLOCK });
    await connector.createFields(
      FIELDS.map((name) => ({ name, label: name, type: 'text', description: 'A test.' })),
    );
  });
  afterEach(() => org.close());

  it.each([
    [
      'Apex CPU time',
      'npsp.TDTM_Contact: System.LimitException: npsp:Apex CPU time limit exceeded',
    ],
    ['SOQL queries', 'Rollups: System.LimitException: Too many SOQL queries: 101'],
    [
      'a flow',
      'The record couldn\u2019t be saved because it failed to trigger a flow. Apex CPU time limit exceeded',
    ],
  ])('gets every value in smaller requests (%s)', async (kind, message) => {
    const code = kind === 'a flow' ? 'CANNOT_EXECUTE_FLOW_TRIGGER' : undefined;
    await limit({ records: 120, message, ...(code === undefined ? {} : { statusCode: code }) });
    const results = await write(await changes(410));
    expect(statuses(results)).toEqual({ written: 410 });
    await expectAll(410);
  });

  it('keeps the size that it has found, so a later write exceeds nothing', async () => {
    await limit({ records: 60 });
    const many = await changes(300);
    await write(many.slice(0, 200));
    const before = (await org.requests()).length;
    expect(statuses(await write(many.slice(200)))).toEqual({ written: 100 });
    expect((await org.requests()).length - before).toBe(2);
  });

  it('blames no field if the limit is exceeded only once', async () => {
    await limit({ records: 10, times: 1 });
    expect(statuses(await write(await changes(200)))).toEqual({ written: 200 });
    await expectAll(200);
  });

  it('gets every value if only single contacts are below the limit', async () => {
    await limit({ records: 1 });
    expect(statuses(await write(await changes(9)))).toEqual({ written: 9 });
  });

  it('refuses a contact that exceeds the limit alone, and says who can help', async () => {
    await limit({ records: 0 });
    const [result] = await write(await changes(1));
    expect(result).toMatchObject({
      status: 'refused',
      retriable: false,
      cause: 'rule',
      fields: [],
      message: expect.stringContaining('even for this contact alone: contact their maintainer'),
    });
  });

  it('gets every value after a Bulk API job whose chunks exceed the limit', async () => {
    connector = await org.connector({ bulkThreshold: 250 }, { clock: HASTY_CLOCK });
    await limit({ records: 120 });
    expect(statuses(await write(await changes(500)))).toEqual({ written: 500 });
    await expectAll(500);
    // The connector creates no further job, because each chunk of the job would fail.
    const before = await jobs();
    expect(statuses(await write(await changes(300)))).toEqual({ written: 300 });
    expect(await jobs()).toBe(before);
  });

  it('does not write the rest singly because of one contact that exceeds the limit alone', async () => {
    const many = await changes(400);
    const [heavy] = many.slice(57);
    await limit({ records: 0, only: heavy?.id });
    const before = (await org.requests()).length;
    const results = await write(many);
    expect(statuses(results)).toEqual({ written: 399, refused: 1 });
    expect(results.find(({ status }) => status === 'refused')?.id).toBe(heavy?.id);
    // Two requests cover all contacts. The connector then splits one group in half repeatedly, until only the failing
    // contact remains.
    expect((await org.requests()).length - before).toBeLessThanOrEqual(20);
    const after = (await org.requests()).length;
    expect(statuses(await write(many.slice(200)))).toEqual({ written: 200 });
    expect((await org.requests()).length - after).toBe(1);
  });

  it('writes singly what a trigger with another message accepts only alone', async () => {
    await limit({ records: 1, message: 'Guard: only one contact at a time.' });
    expect(statuses(await write(await changes(30)))).toEqual({ written: 30 });
    await expectAll(30);
  });

  it('reports what was written before the org stopped answering', async () => {
    await limit({ records: 1 });
    const many = await changes(8);
    await org.control('PUT', 'faults', [
      { on: { path: '*/composite/sobjects' }, after: 10, fault: { kind: 'error' } },
    ]);
    const results: WriteResult[] = [];
    await expect(
      (async () => {
        for await (const result of connector.write(many)) results.push(result);
      })(),
    ).rejects.toThrow();
    const { updates } = updatesSchema.parse(await org.control('GET', 'updates'));
    expect(results.map(({ id }) => id).sort()).toEqual(updates.map(({ id }) => id).sort());
    expect(results.length).toBeGreaterThan(0);
  });

  it('waits for a lock that a flow reports', async () => {
    const message =
      'We can\u2019t save this record. UNABLE_TO_LOCK_ROW: unable to obtain exclusive access';
    await limit({ records: 0, times: 1, statusCode: 'CANNOT_EXECUTE_FLOW_TRIGGER', message });
    expect(statuses(await write(await changes(20)))).toEqual({ written: 20 });
  });

  async function limit(rule: object): Promise<void> {
    await org.control('POST', 'rules', { kind: 'limit', type: 'Contact', ...rule });
  }

  async function changes(count: number): Promise<ContactChange[]> {
    const ids = await org.addContacts(people(count));
    const values = Object.fromEntries(FIELDS.map((field) => [field, 'value']));
    return ids.map((id) => ({ id, values }));
  }

  function write(all: readonly ContactChange[]): Promise<WriteResult[]> {
    return toArray(connector.write(all));
  }

  async function expectAll(count: number): Promise<void> {
    const { updates } = updatesSchema.parse(await org.control('GET', 'updates'));
    expect(updates).toHaveLength(count);
    expect(updates.filter((one) => one.updates !== 1)).toEqual([]);
  }

  async function jobs(): Promise<number> {
    const requests = await org.requests();
    return requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/jobs/ingest'))
      .length;
  }
});

function statuses(results: readonly WriteResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

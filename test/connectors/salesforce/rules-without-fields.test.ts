import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { FieldValue } from '../../../src/core/crm-field.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const HASTY_CLOCK = { now: systemClock.now, sleep: () => Promise.resolve() };

const NUMBERS = ['Age__c', 'Low__c', 'High__c', 'Capacity__c', 'Political__c'];
const TEXTS = ['Id__c', 'Link__c', 'Label__c', 'Rating__c', 'RatedOn__c', 'Work__c', 'School__c'];
/** The fields have the order of a field map. The two ends of the range are next to each other. */
const FIELDS = ['Id__c', 'Link__c', 'Age__c', 'Low__c', 'High__c', 'Label__c', 'Capacity__c'];
const MORE = ['Political__c', 'Rating__c', 'RatedOn__c', 'Work__c', 'School__c'];
const ALL = [...FIELDS, ...MORE];

const LIMIT = 'Capacity__c > 100000';
const PAIR = '(Low__c != null AND High__c = null) OR (Low__c = null AND High__c != null)';
const DATED = 'Rating__c != null AND RatedOn__c = null';

const updatesSchema = z.object({
  updates: z.array(z.object({ id: z.string(), updates: z.number() })),
});

describe('validation rules that name no field', () => {
  let org: Org;
  let ids: string[];
  beforeEach(async () => {
    org = await openOrg({ bulkJobTimeMs: 0 });
    const connector = await org.connector();
    const spec = { description: 'A test.' };
    await connector.createFields([
      ...NUMBERS.map((name) => ({ ...spec, name, label: name, type: 'integer' as const })),
      ...TEXTS.map((name) => ({ ...spec, name, label: name, type: 'text' as const })),
    ]);
    ids = await org.addContacts(people(300));
  });
  afterEach(() => org.close());

  describe.each([
    ['two hundred at a time', 200, {}],
    ['twenty at a time', 20, {}],
    ['in bulk', 300, { bulkThreshold: 250 }],
  ])('%s', (_, size, settings) => {
    it.each([
      ['a limit', [LIMIT]],
      ['a limit and two fields that belong together', [LIMIT, PAIR]],
      ['two fields that belong together and a limit', [PAIR, LIMIT]],
      ['a limit and a rating that needs its date', [LIMIT, DATED]],
      ['a rating that needs its date and a limit', [DATED, LIMIT]],
    ])('%s cost the values to blame alone, and no write', async (_rules, rules) => {
      const connector = await org.connector(settings, { clock: HASTY_CLOCK });
      const usual = await requestsOf(() => writeIn(connector, size, ids.map(valuesWithout)));
      for (const rule of rules) await refuse(rule);
      const before = await countUpdates();
      const changes = ids.map(changeOf);
      const results: WriteResult[] = [];
      const needed = await requestsOf(async () => {
        results.push(...(await writeIn(connector, size, changes)));
      });
      expect(needed - usual).toBeLessThanOrEqual(30);
      expect(results).toHaveLength(300);
      const after = await countUpdates();
      const blamed = await blamedValues(changes);
      const expected = changes.flatMap(({ id }, at) =>
        capacityOf(at) > 100_000 ? [`${id} Capacity__c`] : [],
      );
      const undated = rules.includes(DATED) ? changes.filter((_each, at) => at % 10 === 3) : [];
      expect(blamed).toEqual([...expected, ...undated.map(({ id }) => `${id} Rating__c`)].sort());
      for (const { id } of changes) expect((after.get(id) ?? 0) - (before.get(id) ?? 0)).toBe(1);
      expect(reported(results)).toEqual(blamed);
    });
  });

  it('are not searched for if probing is turned off: the contact is refused, and nothing else', async () => {
    const connector = await org.connector({ probe: false }, { clock: HASTY_CLOCK });
    await refuse(LIMIT);
    const results = await toArray(connector.write(ids.map(changeOf)));
    const refused = results.filter(({ status }) => status === 'refused');
    expect(refused).toHaveLength(ids.filter((_, at) => capacityOf(at) > 100_000).length);
    expect(refused[0]).toMatchObject({ retriable: false, cause: 'rule', fields: [] });
    expect(results.filter(({ status }) => status === 'written_in_part')).toEqual([]);
    expect((await org.requests()).filter(({ path }) => path.endsWith('/composite'))).toEqual([]);
  });

  it('leave out the fields of a group together, and no other', async () => {
    const connector = await org.connector({}, { clock: HASTY_CLOCK });
    await refuse('Low__c > 0');
    const groups = [['Low__c', 'High__c', 'Label__c']];
    const [id = ''] = ids;
    const results = await toArray(connector.write([{ ...changeOf(id, 0), groups }]));
    expect(results).toMatchObject([
      { status: 'written_in_part', refusals: [{ fields: ['Low__c', 'High__c', 'Label__c'] }] },
    ]);
    expect(await org.seenValue(id, 'Capacity__c')).toBe(capacityOf(0));
  });

  it('are told from rules that name a field of the same change', async () => {
    const connector = await org.connector({}, { clock: HASTY_CLOCK });
    await refuse(LIMIT);
    await refuse('Work__c != null', 'Work__c');
    const changes = ids.map(changeOf);
    const results = await toArray(connector.write(changes));
    expect(await blamedValues(changes)).toEqual(reported(results));
    const capacities = ids.filter((_, at) => capacityOf(at) > 100_000);
    expect(reported(results)).toHaveLength(capacities.length + ids.length);
  });

  it('are searched for among contacts that are locked in between', async () => {
    const connector = await org.connector({}, { clock: HASTY_CLOCK });
    await refuse(LIMIT);
    for (const id of ids.slice(0, 12)) await org.control('POST', 'locks', { id, times: 2 });
    const changes = ids.slice(0, 40).map(changeOf);
    const results = await toArray(connector.write(changes));
    expect(results).toHaveLength(40);
    expect(await blamedValues(changes)).toEqual(
      changes
        .flatMap(({ id }, at) => (capacityOf(at) > 100_000 ? [`${id} Capacity__c`] : []))
        .sort(),
    );
    const after = await countUpdates();
    for (const { id } of changes) expect(after.get(id)).toBe(1);
  });

  it('are not searched for below the daily reserve', async () => {
    const connector = await org.connector({}, { clock: HASTY_CLOCK });
    await refuse(LIMIT);
    await org.control('PUT', 'api-usage', { used: 79_998 });
    await expect(toArray(connector.write(ids.slice(0, 20).map(changeOf)))).rejects.toMatchObject({
      code: 'crm_limit_reached',
    });
    const after = await countUpdates();
    for (const [at, id] of ids.slice(0, 20).entries()) {
      expect(after.get(id) ?? 0).toBe(capacityOf(at) > 100_000 ? 0 : 1);
    }
  });

  it('leave nothing behind when the run is stopped during a search', async () => {
    const stop = new AbortController();
    let composites = 0;
    const connector = await org.connector(
      {},
      {
        clock: HASTY_CLOCK,
        signal: stop.signal,
        onCall() {
          composites += 1;
          if (composites === 3) stop.abort();
        },
      },
    );
    composites = 0;
    await refuse(LIMIT);
    await expect(toArray(connector.write(ids.slice(0, 20).map(changeOf)))).rejects.toMatchObject({
      code: 'interrupted',
    });
    const refused = ids.slice(0, 20).filter((_, at) => capacityOf(at) > 100_000);
    for (const id of refused) {
      for (const field of ALL) expect(await org.seenValue(id, field)).toBeNull();
    }
    expect((await countUpdates()).size).toBe(20 - refused.length);
  });

  function changeOf(id: string, at: number): ContactChange {
    const own: Record<string, FieldValue> = {
      Age__c: 30 + at,
      Low__c: 1_000 + at,
      High__c: 2_000 + at,
      Capacity__c: capacityOf(at),
      Political__c: at,
      RatedOn__c: at % 10 === 3 ? null : '2026-11-20',
    };
    return {
      id,
      values: Object.fromEntries(
        ALL.map((name) => [name, own[name] ?? (name === 'RatedOn__c' ? null : `x ${at}`)]),
      ),
    };
  }

  /** Returns a change that no rule refuses. */
  function valuesWithout(id: string): ContactChange {
    return { id, values: { Link__c: 'before' } };
  }

  async function refuse(when: string, field?: string): Promise<void> {
    const message = `Our rule about ${when.slice(0, 12)}`;
    const rule = { kind: 'validation', type: 'Contact', when, message };
    await org.control('POST', 'rules', { ...rule, ...(field === undefined ? {} : { field }) });
  }

  /** Returns `id field` for each value that was sent but is missing. */
  async function blamedValues(changes: readonly ContactChange[]): Promise<string[]> {
    const connector = await org.connector();
    const missing: string[] = [];
    for (let start = 0; start < changes.length; start += 200) {
      const some = changes.slice(start, start + 200);
      const found = await connector.readByIds(
        some.map(({ id }) => id),
        ALL,
      );
      for (const [at, lookup] of found.entries()) {
        const sent = some[at]?.values ?? {};
        const values = lookup.state === 'found' ? lookup.values : {};
        const lost = ALL.filter((name) => name !== 'Link__c' && sent[name] !== values[name]);
        missing.push(...lost.map((name) => `${lookup.id} ${name}`));
      }
    }
    return missing.sort();
  }

  async function countUpdates(): Promise<Map<string, number>> {
    const { updates } = updatesSchema.parse(await org.control('GET', 'updates'));
    return new Map(updates.map((one) => [one.id, one.updates]));
  }

  async function requestsOf(work: () => Promise<unknown>): Promise<number> {
    const before = (await org.requests()).length;
    await work();
    return (await org.requests()).length - before;
  }
});

function capacityOf(at: number): number {
  return at % 3 === 0 ? 50_000 + at : 100_001 + at;
}

function reported(results: readonly WriteResult[]): string[] {
  return results
    .flatMap((result) =>
      result.status === 'written_in_part'
        ? result.refusals.flatMap(({ fields }) => fields.map((name) => `${result.id} ${name}`))
        : [],
    )
    .sort();
}

/** Writes a few contacts at a time, as deliveries do. */
async function writeIn(
  connector: Connector,
  size: number,
  changes: readonly ContactChange[],
): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  for (let start = 0; start < changes.length; start += size) {
    results.push(...(await toArray(connector.write(changes.slice(start, start + size)))));
  }
  return results;
}

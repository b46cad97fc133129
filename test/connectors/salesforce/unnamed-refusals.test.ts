import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const HASTY_CLOCK = { now: systemClock.now, sleep: () => Promise.resolve() };

/** All fields of one change, as many as the product maps. */
const FIELDS = Array.from({ length: 14 }, (_, at) => `Value_${at}__c`);
const [OTHER = '', , KEPT = ''] = FIELDS;
const CULPRIT = FIELDS[9] ?? '';

describe('a rule that names no field', () => {
  let org: Org;
  let connector: Connector;
  beforeEach(async () => {
    // Jobs take no time. Otherwise the number of status checks would depend on the machine.
    org = await openOrg({ bulkJobTimeMs: 0 });
    connector = await org.connector({}, { clock: HASTY_CLOCK });
    await connector.createFields(
      FIELDS.map((name) => ({ name, label: name, type: 'text', description: 'A test.' })),
    );
  });
  afterEach(() => org.close());

  it.each([
    ['two hundred', 200, 1_000],
    ['twenty', 20, 400],
  ])(
    'that refuses a fifth costs the value alone, and few requests, %s at a time',
    async (_, size, count) => {
      const ids = await org.addContacts(people(count));
      await refuse(`${CULPRIT} = 'c 0'`);
      const before = (await org.requests()).length;
      const results = await writeIn(
        size,
        ids.map((id, at) => ({ id, values: valuesOf(at) })),
      );
      expect((await org.requests()).length - before).toBeLessThanOrEqual(3 * (count / size));
      expect(results).toHaveLength(count);
      const parts = results.filter(({ status }) => status === 'written_in_part');
      expect(parts).toHaveLength(count / 5);
      for (const part of parts) {
        expect(part).toMatchObject({
          refusals: [{ code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', fields: [CULPRIT] }],
        });
      }
      expect(results.filter(({ status }) => status === 'written')).toHaveLength((4 * count) / 5);
      const [first = ''] = ids;
      for (const field of FIELDS) {
        expect(await org.seenValue(first, field)).toBe(
          field === CULPRIT ? null : valuesOf(0)[field],
        );
      }
    },
  );

  it('leaves out its value in bulk as well', async () => {
    connector = await org.connector({ bulkThreshold: 1_000 }, { clock: HASTY_CLOCK });
    const ids = await org.addContacts(people(1_500));
    await refuse(`${CULPRIT} = 'c 0'`);
    const before = (await org.requests()).length;
    const results = await write(ids.map((id, at) => ({ id, values: valuesOf(at) })));
    expect(results.filter(({ status }) => status === 'written_in_part')).toHaveLength(300);
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(1_200);
    // A job takes five requests, and one more to read its list of failures.
    expect((await org.requests()).length - before).toBeLessThanOrEqual(3 * 5);
  });

  it('and another one, each of which refuses another value, cost two values', async () => {
    const ids = await org.addContacts(people(20));
    await refuse(`${CULPRIT} = 'c 0'`);
    await refuse(`${OTHER} = 'c 0'`);
    const results = await write(ids.map((id, at) => ({ id, values: valuesOf(at) })));
    const parts = results.filter(({ status }) => status === 'written_in_part');
    expect(parts).toHaveLength(4);
    expect(await org.seenValue(ids[0] ?? '', KEPT)).toBe('c 0');
    expect(await org.seenValue(ids[0] ?? '', OTHER)).toBeNull();
  });

  it('and refuses whatever is written costs the contact, and searches end', async () => {
    const ids = await org.addContacts(people(400));
    await refuse("LastName != ''");
    const before = (await org.requests()).length;
    const results = await writeIn(
      20,
      ids.map((id, at) => ({ id, values: valuesOf(at) })),
    );
    expect((await org.requests()).length - before).toBeLessThanOrEqual(3 * 20);
    expect(results.filter(({ status }) => status === 'refused')).toHaveLength(400);
    expect(results[0]).toMatchObject({ retriable: false, fields: [] });
  });

  function valuesOf(at: number): Record<string, string> {
    return Object.fromEntries(FIELDS.map((field) => [field, `c ${at % 5}`]));
  }

  function write(changes: ContactChange[]): Promise<WriteResult[]> {
    return toArray(connector.write(changes));
  }

  /** Writes a few contacts at a time, as deliveries do. */
  async function writeIn(size: number, changes: ContactChange[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (let start = 0; start < changes.length; start += size) {
      results.push(...(await write(changes.slice(start, start + size))));
    }
    return results;
  }

  async function refuse(when: string): Promise<void> {
    const message = 'This does not agree with our rules.';
    await org.control('POST', 'rules', { kind: 'validation', type: 'Contact', when, message });
  }
});

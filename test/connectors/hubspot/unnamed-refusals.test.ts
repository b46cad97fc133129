import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

/** One change contains this number of fields. The product maps the same number. */
const FIELDS = Array.from({ length: 14 }, (_, at) => `value_${at}`);
const CULPRIT = 'value_9';

const SIZES: [string, number, number][] = [
  ['a hundred', 100, 1_000],
  ['twenty', 20, 600],
];

describe('a refusal of HubSpot that names neither property nor contact', () => {
  let account: Account;
  let connector: Connector;
  beforeEach(async () => {
    account = await openAccount();
    for (const name of FIELDS) await account.createProperty({ name });
    connector = await account.connector();
  });
  afterEach(async () => {
    await connector.close();
    await account.close();
  });

  it.each(SIZES)(
    'costs the value alone where few values are refused, %s at a time',
    async (_, size, count) => {
      await refuse('^(?!c 0$)');
      const ids = await account.addContacts(people(count));
      const results = await writeIn(
        size,
        ids.map((id, at) => ({ id, values: valuesOf(at % 5) })),
      );
      expect(await updates()).toBeLessThanOrEqual(3 * (count / size));
      const parts = results.filter(({ status }) => status === 'written_in_part');
      expect(parts).toHaveLength(count / 5);
      for (const part of parts) {
        expect(part).toMatchObject({ refusals: [{ code: 'VALIDATION_ERROR', fields: [CULPRIT] }] });
      }
      expect(results.filter(({ status }) => status === 'written')).toHaveLength((4 * count) / 5);
      await expectWritten(ids, 5);
    },
  );

  it.each(SIZES)(
    'costs no other value where each contact has its own, %s at a time',
    async (_, size, count) => {
      await refuse('[1-46-9]$');
      const ids = await account.addContacts(people(count));
      const results = await writeIn(
        size,
        ids.map((id, at) => ({ id, values: valuesOf(at) })),
      );
      expect(await updates()).toBeLessThanOrEqual(3 * (count / size));
      expect(results.filter(({ status }) => status === 'refused')).toEqual([]);
      for (const result of results) {
        if (result.status !== 'written_in_part') continue;
        expect(result.refusals).toMatchObject([{ retriable: false, fields: [CULPRIT] }]);
      }
      await expectWritten(ids, count);
    },
  );

  it('is no passing one for a contact of which nothing else is to be written', async () => {
    await refuse('[1-46-9]$');
    const ids = await account.addContacts(people(250));
    const changes = ids.map((id, at) => ({ id, values: { [CULPRIT]: `c ${at}` } }));
    const results = await writeIn(25, changes);
    expect(await updates()).toBeLessThanOrEqual(3 * 10);
    const refused = results.filter((result) => result.status === 'refused');
    expect(refused.length).toBeGreaterThanOrEqual(50);
    for (const each of refused) {
      expect(each).toMatchObject({ retriable: false, fields: [CULPRIT] });
      expect(each).not.toHaveProperty('isLock');
    }
  });

  it('is settled by asking who has the value, where it must be unique', async () => {
    await account.createProperty({ name: 'number', hasUniqueValue: true });
    await connector.close();
    connector = await account.connector();
    const owners = await account.addContacts(people(139));
    for (const [at, id] of owners.entries()) await account.setValue(id, 'number', `N${at}`);
    const ids = await account.addContacts(people(250));
    const before = (await account.requests()).length;
    const results = await writeIn(
      25,
      ids.map((id, at) => ({ id, values: { number: `N${at}`, [CULPRIT]: 'ours' } })),
    );
    expect((await account.requests()).length - before).toBeLessThanOrEqual(3 * 10);
    const parts = results.filter(({ status }) => status === 'written_in_part');
    expect(parts.map(({ id }) => id).sort()).toEqual(ids.slice(0, 139).sort());
    expect(parts[0]).toMatchObject({
      refusals: [{ code: 'CONFLICT', fields: ['number'], retriable: false }],
    });
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(111);
    expect(await account.seenValue(ids[0] ?? '', CULPRIT)).toBe('ours');
  });

  it('costs the second of two contacts that get the same unique value', async () => {
    await account.createProperty({ name: 'number', hasUniqueValue: true });
    await connector.close();
    connector = await account.connector();
    const ids = await account.addContacts(people(2));
    const results = await writeIn(
      2,
      ids.map((id) => ({ id, values: { number: 'N1' } })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['refused', 'written']);
  });

  it.each(SIZES)(
    'costs one value where it names the contact alone, %s at a time',
    async (_, size, count) => {
      await account.control('POST', 'rules', {
        kind: 'refuse',
        when: { property: CULPRIT, equals: 'c 0' },
        message: 'This does not agree with our rules.',
      });
      const ids = await account.addContacts(people(count));
      const results = await writeIn(
        size,
        ids.map((id, at) => ({ id, values: valuesOf(at % 5) })),
      );
      expect(await updates()).toBeLessThanOrEqual(3 * (count / size));
      const parts = results.filter(({ status }) => status === 'written_in_part');
      expect(parts).toHaveLength(count / 5);
      expect(parts[0]).toMatchObject({ refusals: [{ fields: [CULPRIT], retriable: false }] });
      await expectWritten(ids, 5);
    },
  );

  it('costs the contact where whatever is written is refused, and searches end', async () => {
    const ids = await account.addContacts(people(400));
    await account.control('POST', 'rules', { kind: 'refuse', ids });
    const results = await writeIn(
      20,
      ids.map((id, at) => ({ id, values: valuesOf(at) })),
    );
    expect(await updates()).toBeLessThanOrEqual(3 * 20);
    expect(results.filter(({ status }) => status === 'refused')).toHaveLength(400);
  });

  function valuesOf(at: number): Record<string, string> {
    return Object.fromEntries(FIELDS.map((field) => [field, `c ${at}`]));
  }

  /** Expects that the first contacts have all values except the refused value. */
  async function expectWritten(ids: readonly string[], different: number): Promise<void> {
    for (const at of [0, 1, ids.length - 5]) {
      for (const field of FIELDS) {
        if (field === CULPRIT) continue;
        expect(await account.seenValue(ids[at] ?? '', field)).toBe(`c ${at % different}`);
      }
    }
    expect(await account.seenValue(ids[0] ?? '', CULPRIT)).toBeNull();
  }

  /** Writes a few contacts at a time, as deliveries do. */
  async function writeIn(size: number, changes: ContactChange[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (let start = 0; start < changes.length; start += size) {
      results.push(...(await toArray(connector.write(changes.slice(start, start + size)))));
    }
    expect(results).toHaveLength(changes.length);
    return results;
  }

  async function refuse(pattern: string): Promise<void> {
    const message = 'This does not agree with our rules.';
    const rule = { kind: 'validation', property: CULPRIT, pattern, message, named: false };
    await account.control('POST', 'rules', rule);
  }

  async function updates(): Promise<number> {
    const asked = await account.requests();
    return asked.filter(({ path }) => path.endsWith('/batch/update')).length;
  }
});

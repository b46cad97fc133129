import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const UPDATE = { on: { path: '*/batch/update' } };

describe('writing into HubSpot', () => {
  let account: Account;
  let connector: Connector;

  beforeEach(async () => {
    account = await openAccount();
    await account.createProperty({ name: 'note' });
    await account.createProperty({
      name: 'tier',
      type: 'enumeration',
      fieldType: 'select',
      options: ['gold', 'silver'].map((value) => ({ value, label: value })),
    });
    connector = await account.connector();
  });

  afterEach(async () => {
    await connector.close();
    await account.close();
  });

  it('writes hundreds of contacts by a hundred in a request', async () => {
    const ids = await account.addContacts(people(1_050));
    const results = await write(ids.map((id) => ({ id, values: { note: `of ${id}` } })));
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(1_050);
    expect(await updates()).toBe(11);
    for (const id of [ids[0] ?? '', ids[1_049] ?? '']) {
      expect(await account.seenValue(id, 'note')).toBe(`of ${id}`);
    }
  });

  it('keeps the order of the changes of one contact', async () => {
    const ids = await account.addContacts(people(150));
    const [id = ''] = ids;
    const changes = ids.map((each) => ({ id: each, values: { note: 'first' } }));
    await account.putFaults([{ ...UPDATE, nth: 1, fault: { kind: 'slow', delayMs: 300 } }]);
    const results = await write([...changes, { id, values: { note: 'second' } }]);
    expect(results).toHaveLength(151);
    expect(await account.seenValue(id, 'note')).toBe('second');
  });

  it('tells the written from the refused by their ids when HubSpot answers 207', async () => {
    const [gone = '', refused = '', kept = ''] = await account.addContacts(people(3));
    await account.archiveContact(gone);
    await account.control('POST', 'rules', { kind: 'refuse', ids: [refused] });
    const changes = [gone, refused, kept].map((id) => ({ id, values: { note: 'ours' } }));
    const results = await write(changes);
    expect(await updates()).toBe(1);
    expect(resultOf(results, gone)).toMatchObject({
      status: 'refused',
      retriable: false,
      code: 'OBJECT_NOT_FOUND',
    });
    expect(resultOf(results, refused)).toMatchObject({ status: 'refused', retriable: false });
    expect(resultOf(results, kept)).toEqual({ status: 'written', id: kept });
    expect(await account.seenValue(kept, 'note')).toBe('ours');
  });

  it.each([201, 202, 207])('believes the body of an answer with status %i', async (status) => {
    const [id = ''] = await account.addContacts(people(1));
    await account.putFaults([{ ...UPDATE, fault: { kind: 'wrongStatus', status } }]);
    expect(await write([{ id, values: { note: 'ours' } }])).toEqual([{ status: 'written', id }]);
  });

  it('leaves out the one value that refuses the whole request', async () => {
    const ids = await account.addContacts(people(100));
    const bad = ids[57] ?? '';
    const results = await write(
      ids.map((id) => ({ id, values: { note: 'ours', tier: id === bad ? 'bronze' : 'gold' } })),
    );
    const part = resultOf(results, bad);
    expect(part).toMatchObject({
      status: 'written_in_part',
      refusals: [
        {
          retriable: false,
          code: 'INVALID_OPTION',
          fields: ['tier'],
          message: expect.stringContaining('add the option in HubSpot'),
        },
      ],
    });
    expect(JSON.stringify(part)).not.toContain('bronze');
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(99);
    expect(await account.seenValue(bad, 'note')).toBe('ours');
    expect(await account.seenValue(bad, 'tier')).toBeNull();
    expect(await updates()).toBe(2);
  });

  it('finds one refused value of many that HubSpot does not quote', async () => {
    await refuseNotes('^(?!of 57$)', 'Enter only letters');
    const ids = await account.addContacts(people(100));
    const results = await write(
      ids.map((id, at) => ({ id, values: { note: `of ${at}`, tier: 'gold' } })),
    );
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(99);
    expect(resultOf(results, ids[57] ?? '')).toMatchObject({
      status: 'written_in_part',
      refusals: [{ fields: ['note'], code: 'INVALID_ALPHA' }],
    });
    expect(await account.seenValue(ids[56] ?? '', 'note')).toBe('of 56');
    expect(await updates()).toBeLessThan(20);
  });

  it('takes a value for the refused one only where HubSpot quotes it alone', async () => {
    await refuseNotes('^(?!7$)', 'At most 1 of 3 letters');
    const ids = await account.addContacts(people(20));
    const results = await write(ids.map((id, at) => ({ id, values: { note: `${at % 10}` } })));
    const refused = results.filter(({ status }) => status !== 'written').map(({ id }) => id);
    expect(refused.sort()).toEqual([ids[7] ?? '', ids[17] ?? ''].sort());
  });

  describe('where a rule refuses a fifth of the account', () => {
    /** The connector sends this number of requests for the contacts if HubSpot refuses no value. */
    const USUAL = 4;

    it.each([
      ['each value is quoted', 'No: {value}', (at: number) => `${at % 5} of ${at}`, 2 * USUAL],
      ['values are few, not quoted', 'Enter only letters', (at: number) => `${at % 10}`, 5 * USUAL],
    ])('costs the refused values alone and few requests: %s', async (_, message, noteAt, most) => {
      await refuseNotes('^[1-46-9]', message);
      const ids = await account.addContacts(people(400));
      const results = await writeInHundreds(
        ids.map((id, at) => ({ id, values: { note: noteAt(at), tier: 'gold' } })),
      );
      expect(await updates()).toBeLessThanOrEqual(most);
      const parts = results.filter(({ status }) => status === 'written_in_part');
      expect(parts).toHaveLength(80);
      expect(results.filter(({ status }) => status === 'written')).toHaveLength(320);
      for (const id of [ids[0] ?? '', ids[1] ?? '', ids[395] ?? '', ids[399] ?? '']) {
        expect(await account.seenValue(id, 'tier')).toBe('gold');
      }
      expect(await account.seenValue(ids[399] ?? '', 'note')).toBe(noteAt(399));
    });

    it.each([
      ['a range of numbers', 'INVALID_AGE', '^(?!4[0-4]$)', 44],
      ['the largest numbers', 'MAX_NUMBER', '^(?!8|79)', 88],
    ])(
      'finds the refused values of %s that HubSpot does not quote',
      async (_, error, pattern, top) => {
        await account.createProperty({ name: 'age', type: 'number', fieldType: 'number' });
        await connector.close();
        connector = await account.connector();
        const rule = {
          kind: 'validation',
          property: 'age',
          pattern,
          error,
          message: 'Not this age.',
        };
        await account.control('POST', 'rules', rule);
        const ids = await account.addContacts(people(400));
        // HubSpot refuses 36 of 400 contacts. The other contacts have 71 different ages.
        const ages = ids.map((_id, at) =>
          at % 100 < 9
            ? top - (at % 5)
            : at % 2 === 0
              ? 18 + ((at * 7) % 22)
              : 45 + ((at * 7) % 34),
        );
        const results = await writeInHundreds(
          ids.map((id, at) => ({ id, values: { age: ages[at] ?? 0, note: 'ours' } })),
        );
        const parts = results.filter(({ status }) => status === 'written_in_part');
        expect(parts).toHaveLength(36);
        expect(parts[0]).toMatchObject({
          refusals: [{ code: error, cause: 'rule', fields: ['age'] }],
        });
        expect(results.filter(({ status }) => status === 'written')).toHaveLength(364);
        const seen = await Promise.all(ids.map((id) => account.seenValue(id, 'age')));
        expect(seen.filter((age) => age === null)).toHaveLength(36);
        expect(await updates()).toBeLessThanOrEqual(5 * USUAL);
      },
    );

    it('finds the refused ones of many numbers, each of one contact, once it knows their limit', async () => {
      await account.createProperty({ name: 'worth', type: 'number', fieldType: 'number' });
      await connector.close();
      connector = await account.connector();
      const rule = { kind: 'validation', property: 'worth', error: 'MAX_NUMBER', message: 'Less.' };
      // The rule refuses six-digit numbers that start with a nine.
      await account.control('POST', 'rules', { ...rule, pattern: '^(?!9.....$)' });
      const ids = await account.addContacts(people(1_200));
      const worths = ids.map((_id, at) => 100_000 + Math.floor((at * 7_919 * 9) % 879_121));
      const refused = worths.filter((worth) => worth >= 900_000).length;
      const results = await writeInHundreds(
        ids.map((id, at) => ({ id, values: { worth: worths[at] ?? 0, note: 'ours' } })),
      );
      const parts = results.filter(({ status }) => status === 'written_in_part');
      expect(parts).toHaveLength(refused);
      const seen = await Promise.all(ids.map((id) => account.seenValue(id, 'worth')));
      expect(seen.filter((worth) => worth === null)).toHaveLength(refused);
      expect(await updates()).toBeLessThanOrEqual(3 * 12);
    });

    it('takes no number for a refused one that it has only guessed', async () => {
      await account.createProperty({ name: 'worth', type: 'number', fieldType: 'number' });
      await connector.close();
      connector = await account.connector();
      const rule = { kind: 'validation', property: 'worth', error: 'REGEX', message: 'Not so.' };
      await account.control('POST', 'rules', { ...rule, pattern: '[^7]$' });
      const ids = await account.addContacts(people(400));
      const results = await writeInHundreds(
        ids.map((id, at) => ({ id, values: { worth: at, note: 'ours' } })),
      );
      for (const [at, id] of ids.entries()) {
        const result = resultOf(results, id);
        const codes = result?.status === 'written_in_part' ? result.refusals : [];
        const isRefused = codes.some(({ code }) => code === 'REGEX');
        if (isRefused) expect(at % 10).toBe(7);
        const expected = at % 10 === 7 || codes.length > 0 ? null : `${at}`;
        expect(await account.seenValue(id, 'worth')).toBe(expected);
        expect(await account.seenValue(id, 'note')).toBe('ours');
      }
      expect(await updates()).toBeLessThanOrEqual(USUAL + 60);
    });

    it('leaves the property out of all that HubSpot may mean, and says so', async () => {
      await refuseNotes('[1-46-9]$', 'Enter only letters');
      const ids = await account.addContacts(people(400));
      const changes = ids.map((id, at) => ({ id, values: { note: `of ${at}`, tier: 'gold' } }));
      const results = await writeInHundreds(changes);
      expect(await updates()).toBeLessThanOrEqual(3 * USUAL);
      expect(results.filter(({ status }) => status === 'refused')).toEqual([]);
      const doubtful = results.filter(
        (result) =>
          result.status === 'written_in_part' &&
          result.refusals.some(({ code }) => code === 'VALUE_NOT_SEPARATED'),
      );
      expect(doubtful[0]).toMatchObject({
        refusals: [
          {
            retriable: false,
            fields: ['note'],
            message: expect.stringContaining('was not written'),
          },
        ],
      });
      for (const id of [ids[0] ?? '', ids[399] ?? '']) {
        expect(await account.seenValue(id, 'tier')).toBe('gold');
      }
    });

    it('believes an answer that names contact and property', async () => {
      const ids = await account.addContacts(people(400));
      const refused = ids.filter((_, at) => at % 5 === 0);
      await account.control('POST', 'rules', { kind: 'refuse', ids: refused, property: 'note' });
      const results = await writeInHundreds(
        ids.map((id) => ({ id, values: { note: `of ${id}`, tier: 'gold' } })),
      );
      expect(await updates()).toBe(2 * USUAL);
      const parts = results.filter(({ status }) => status === 'written_in_part');
      expect(parts.map(({ id }) => id).sort()).toEqual(refused.sort());
      expect(await account.seenValue(refused[0] ?? '', 'tier')).toBe('gold');
    });
  });

  it('does not try a value again that was refused, whichever contact has it', async () => {
    const ids = await account.addContacts(people(300));
    const changes = ids.map((id) => ({ id, values: { tier: 'bronze' } }));
    const results = await write(changes);
    expect(results.filter(({ status }) => status === 'refused')).toHaveLength(300);
    expect(await updates()).toBeLessThan(60);
  });

  it('refuses what names a property that was archived meanwhile, and writes the rest', async () => {
    const ids = await account.addContacts(people(60));
    await account.ask('DELETE', '/crm/properties/2026-09/contacts/tier');
    const results = await write(
      ids.map((id, at) => ({ id, values: at % 2 === 0 ? { tier: 'gold' } : { note: 'ours' } })),
    );
    const [refused, written] = [ids[0] ?? '', ids[1] ?? ''];
    expect(resultOf(results, refused)).toMatchObject({
      code: 'PROPERTY_DOESNT_EXIST',
      fields: ['tier'],
    });
    expect(resultOf(results, written)).toEqual({ status: 'written', id: written });
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(30);
    expect(await updates()).toBe(2);
  });

  it('says which other value a rule of the account asks for', async () => {
    const [id = ''] = await account.addContacts(people(1));
    const when = { property: 'note', equals: 'ours' };
    await account.control('POST', 'rules', { kind: 'required', property: 'city', when });
    expect(await write([{ id, values: { note: 'ours' } }])).toMatchObject([
      { status: 'refused', code: 'MISSING_CONDITIONAL_REQUIRED_PROPERTY', fields: ['city'] },
    ]);
  });

  it('tries a contact again with the next run that was merged in the meantime', async () => {
    const [loser = '', winner = '', other = ''] = await account.addContacts(people(3));
    await account.mergeContacts(loser, winner);
    const results = await write([loser, other].map((id) => ({ id, values: { note: 'ours' } })));
    expect(resultOf(results, other)).toMatchObject({ status: 'written' });
    expect(resultOf(results, loser)).toMatchObject({
      status: 'refused',
      retriable: true,
      code: 'OBJECT_MERGED',
    });
  });

  it('refuses a value that must be unique and is not, and writes the rest', async () => {
    await account.createProperty({ name: 'number', hasUniqueValue: true });
    const [first = '', second = '', third = ''] = await account.addContacts(people(3));
    await account.setValue(first, 'number', 'A1');
    const results = await write([
      { id: second, values: { number: 'A1' } },
      { id: third, values: { number: 'A2' } },
    ]);
    expect(resultOf(results, second)).toMatchObject({ status: 'refused', retriable: false });
    expect(resultOf(results, third)).toMatchObject({ status: 'written' });
    expect(await account.seenValue(third, 'number')).toBe('A2');
  });

  it('writes nothing any more once the caller does not wait for the results', async () => {
    const ids = await account.addContacts(people(1_000));
    await account.putFaults([{ ...UPDATE, after: 1, fault: { kind: 'slow', delayMs: 300 } }]);
    const changes = ids.map((id) => ({ id, values: { note: 'ours' } }));
    for await (const _ of connector.write(changes)) break;
    const before = await updates();
    await systemClock.sleep(600);
    expect(await updates()).toBe(before);
  });

  it('reads a property that was created after the beginning', async () => {
    const [id = ''] = await account.addContacts(people(1));
    await account.createProperty({ name: 'late' });
    await write([{ id, values: { late: 'ours' } }]);
    expect(await connector.readByIds([id], ['late'])).toMatchObject([
      { state: 'found', values: { late: 'ours' } },
    ]);
  });

  it('says of an id that is none that no contact has it', async () => {
    const [id = ''] = await account.addContacts(people(1));
    const results = await write([
      { id: '003000000000001AAA', values: { note: 'ours' } },
      { id, values: { note: 'ours' } },
    ]);
    expect(resultOf(results, '003000000000001AAA')).toMatchObject({
      status: 'refused',
      retriable: false,
    });
    expect(resultOf(results, id)).toMatchObject({ status: 'written' });
  });

  it.each([
    ['secondlyLimit', {}],
    ['tenSecondlyLimit', {}],
    ['locked', {}],
    ['migration', { retryAfterSeconds: 2 }],
    ['gatewayError', { status: 502 }],
    ['gatewayError', { status: 503 }],
    ['gatewayError', { status: 504 }],
    ['error', {}],
    ['edgeError', { status: 520 }],
    ['edgeError', { status: 522 }],
    ['edgeError', { status: 524 }],
    ['resetAfter', {}],
    ['truncate', {}],
  ])('waits and goes on after a fault that goes by (%s)', async (kind, details) => {
    const [id = ''] = await account.addContacts(people(1));
    await account.putFaults([{ ...UPDATE, times: 2, fault: { kind, ...details } }]);
    expect(await write([{ id, values: { note: 'ours' } }])).toEqual([{ status: 'written', id }]);
    expect(await updates()).toBe(3);
    expect(await account.seenValue(id, 'note')).toBe('ours');
  });

  it.each([
    ['locked', {}, 2_000],
    ['migration', { retryAfterSeconds: 7 }, 7_000],
  ])('waits as long as HubSpot wants it (%s)', async (kind, details, leastMs) => {
    const [id = ''] = await account.addContacts(people(1));
    const waits: number[] = [];
    const clock = { now: Date.now, sleep: async (ms: number) => void waits.push(ms) };
    await connector.close();
    connector = await account.connector({}, { clock });
    await account.putFaults([{ ...UPDATE, nth: 1, fault: { kind, ...details } }]);
    await write([{ id, values: { note: 'ours' } }]);
    expect(waits.filter((ms) => ms >= leastMs)).toHaveLength(1);
  });

  it('stops when the day is over, tells what was written, and asks no more', async () => {
    const ids = await account.addContacts(people(2_500));
    await account.putFaults([{ ...UPDATE, after: 3, fault: { kind: 'dailyLimit' } }]);
    const reported: WriteResult[] = [];
    const writing = async () => {
      const changes = ids.map((id) => ({ id, values: { note: 'ours' } }));
      for await (const result of connector.write(changes)) reported.push(result);
    };
    await expect(writing()).rejects.toMatchObject({ kind: 'retriable', code: 'crm_limit_reached' });
    expect(reported).toHaveLength(300);
    expect(await updates()).toBeLessThan(25);
  });

  it('names the scope that writing needs', async () => {
    const [id = ''] = await account.addContacts(people(1));
    const scopes = ['oauth', 'crm.objects.contacts.read', 'crm.schemas.contacts.read'];
    const token = await account.issueToken({ scopes });
    await connector.close();
    connector = await account.connector({ auth: { type: 'token', token } });
    expect(await connector.readByIds([id], ['note'])).toMatchObject([{ state: 'found' }]);
    await expect(write([{ id, values: { note: 'ours' } }])).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_scope_missing',
      message: expect.stringContaining('crm.objects.contacts.write'),
    });
  });

  function write(changes: readonly ContactChange[]): Promise<WriteResult[]> {
    return toArray(connector.write(changes));
  }

  /** Writes one batch after the other, as a run does. */
  async function writeInHundreds(changes: readonly ContactChange[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (let start = 0; start < changes.length; start += 100) {
      results.push(...(await write(changes.slice(start, start + 100))));
    }
    return results;
  }

  async function refuseNotes(pattern: string, message: string): Promise<void> {
    const rule = { kind: 'validation', property: 'note', pattern, message };
    await account.control('POST', 'rules', rule);
  }

  async function updates(): Promise<number> {
    const requests = await account.requests();
    return requests.filter(({ path }) => path.endsWith('/batch/update')).length;
  }
});

function resultOf(results: readonly WriteResult[], id: string): WriteResult | undefined {
  return results.find((result) => result.id === id);
}

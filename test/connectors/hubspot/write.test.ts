import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toArray } from '../connector-options.ts';
import { people } from '../crm-sandbox.ts';
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

  it('finds the one contact whose value refuses the whole request', async () => {
    const ids = await account.addContacts(people(100));
    const bad = ids[57] ?? '';
    const results = await write(
      ids.map((id) => ({ id, values: { note: 'ours', tier: id === bad ? 'bronze' : 'gold' } })),
    );
    const refusal = resultOf(results, bad);
    expect(refusal).toMatchObject({
      status: 'refused',
      retriable: false,
      code: 'INVALID_OPTION',
      fields: ['tier'],
      message: expect.stringContaining('add the option in HubSpot'),
    });
    expect(refusal).toHaveProperty('message', expect.not.stringContaining('bronze'));
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(99);
    expect(await updates()).toBeLessThan(20);
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

  async function updates(): Promise<number> {
    const requests = await account.requests();
    return requests.filter(({ path }) => path.endsWith('/batch/update')).length;
  }
});

function resultOf(results: readonly WriteResult[], id: string): WriteResult | undefined {
  return results.find((result) => result.id === id);
}

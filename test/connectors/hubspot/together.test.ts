import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

/** One change contains this number of fields. The product maps the same number. */
const FIELDS = Array.from({ length: 14 }, (_, at) => `value_${at}`);
const CULPRIT = 'value_9';

const HIDDEN = { message: 'This does not agree with our rules.', named: false };

describe('values that HubSpot must take together or not at all', () => {
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

  it('are declared to be written so', () => {
    expect(connector.capabilities.writesTogether).toBe(true);
  });

  it.each([
    ['names the property', { message: 'No.' }, { code: 'INVALID_ALPHA', fields: [CULPRIT] }],
    ['quotes the value', { message: 'No: {value}' }, { code: 'INVALID_ALPHA', fields: [CULPRIT] }],
    ['names nothing', HIDDEN, { code: 'VALIDATION_ERROR', fields: [] }],
  ])('are none of them written where one of 14 is refused and HubSpot %s', async (_, how, said) => {
    await refuse('^(?!bad)', how);
    const ids = await account.addContacts(people(20));
    const bad = ids[7] ?? '';
    const results = await write(
      ids.map((id) => change(id, id === bad ? { [CULPRIT]: 'bad' } : {}, true)),
    );
    expect(resultOf(results, bad)).toMatchObject({ status: 'refused', retriable: false, ...said });
    expect(resultOf(results, bad)).toMatchObject({ cause: 'rule' });
    expect(await seen(bad)).toEqual([]);
    for (const id of ids) {
      if (id === bad) continue;
      expect(resultOf(results, id)).toEqual({ status: 'written', id });
      expect(await seen(id)).toEqual(FIELDS);
    }
  });

  it.each([
    ['named', { message: 'No.' }],
    ['not named', HIDDEN],
  ])('stay whole among others whose refused property is searched for (%s)', async (_, how) => {
    await refuse('[^1-4]$', how);
    const ids = await account.addContacts(people(100));
    const isWhole = (at: number) => at % 10 < 2;
    const results = await write(
      ids.map((id, at) => change(id, { [CULPRIT]: `${at}` }, isWhole(at))),
    );
    for (const [at, id] of ids.entries()) {
      const fields = await seen(id);
      if (!isWhole(at)) {
        expect(fields.filter((name) => name !== CULPRIT)).toHaveLength(13);
        continue;
      }
      const isBad = /[1-4]$/.test(`${at}`);
      expect(fields).toHaveLength(isBad ? 0 : 14);
      expect(resultOf(results, id)?.status).toBe(isBad ? 'refused' : 'written');
    }
  });

  it('are not parted where HubSpot refuses single contacts of a request', async () => {
    const ids = await account.addContacts(people(10));
    const [named = '', unnamed = '', gone = '', locked = ''] = ids;
    await account.control('POST', 'rules', { kind: 'refuse', ids: [named], property: CULPRIT });
    await account.control('POST', 'rules', { kind: 'refuse', ids: [unnamed] });
    const lock = { kind: 'refuse', ids: [locked], category: 'RATE_LIMITS', times: 1 };
    await account.control('POST', 'rules', lock);
    await account.archiveContact(gone);
    const results = await write(ids.map((id) => change(id, {}, true)));
    expect(await updates()).toBe(1);
    expect(resultOf(results, named)).toMatchObject({ status: 'refused', fields: [CULPRIT] });
    expect(resultOf(results, unnamed)).toMatchObject({ status: 'refused', retriable: false });
    expect(resultOf(results, gone)).toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    expect(resultOf(results, locked)).toMatchObject({ status: 'refused', retriable: true });
    expect(resultOf(results, gone)).not.toHaveProperty('cause');
    for (const id of [named, unnamed, locked]) expect(await seen(id)).toEqual([]);
    expect(results.filter(({ status }) => status === 'written')).toHaveLength(6);
  });

  it('are refused as a whole where a rule is about two of them', async () => {
    const when = { property: 'value_1', equals: 'ours' };
    await account.control('POST', 'rules', { kind: 'required', property: 'city', when });
    const [id = '', other = ''] = await account.addContacts(people(2));
    const results = await write([change(id, {}, true), change(other, { value_1: 'else' }, true)]);
    expect(resultOf(results, id)).toMatchObject({ status: 'refused', cause: 'rule' });
    expect(await seen(id)).toEqual([]);
    expect(resultOf(results, other)).toEqual({ status: 'written', id: other });
  });

  it('name all of the properties that are known to be refused', async () => {
    await refuse('^(?!bad)', { message: 'No: {value}' });
    await account.ask('DELETE', '/crm/properties/2026-09/contacts/value_2');
    const [first = '', second = ''] = await account.addContacts(people(2));
    await write([change(first, { [CULPRIT]: 'bad' }, false)]);
    const before = await updates();
    const results = await write([change(second, { [CULPRIT]: 'bad' }, true)]);
    expect(await updates()).toBe(before);
    expect(resultOf(results, second)).toMatchObject({ status: 'refused' });
    const refusal = resultOf(results, second);
    expect(refusal?.status === 'refused' && [...refusal.fields].sort()).toEqual([
      'value_2',
      CULPRIT,
    ]);
    expect(await seen(second)).toEqual([]);
  });

  it('go in when the refused one is cleared in the same change', async () => {
    await refuse('^(?!bad)', { message: 'No.' });
    const [id = ''] = await account.addContacts(people(1));
    await account.setValue(id, CULPRIT, 'the former one');
    await write([change(id, { [CULPRIT]: 'bad' }, true)]);
    expect(await account.seenValue(id, CULPRIT)).toBe('the former one');
    expect(await write([change(id, { [CULPRIT]: null }, true)])).toMatchObject([
      { status: 'written' },
    ]);
    expect(await seen(id)).toEqual(FIELDS.filter((name) => name !== CULPRIT));
  });

  describe('why a value is refused', () => {
    it.each([
      ['an option that is not there', 'tier', 'bronze', 'INVALID_OPTION', 'does_not_fit'],
      ['a text in a number', 'points', 'many', 'INVALID_INTEGER', 'does_not_fit'],
      ['a property that is not there', 'nowhere', 'x', 'PROPERTY_DOESNT_EXIST', 'no_such_field'],
      ['a calculated property', 'hs_object_id', '1', 'READ_ONLY_VALUE', 'no_permission'],
      ['a rule', CULPRIT, 'bad', 'INVALID_ALPHA', 'rule'],
      ['a value that must be unique', 'number', 'N1', 'CONFLICT', 'rule'],
    ])('is told of %s', async (_, property, value, code, cause) => {
      const options = ['gold', 'silver'].map((one) => ({ value: one, label: one }));
      await account.createProperty({
        ...{ name: 'tier', type: 'enumeration', fieldType: 'select', options },
      });
      await account.createProperty({ name: 'points', type: 'number', fieldType: 'number' });
      await account.createProperty({ name: 'number', hasUniqueValue: true });
      await refuse('^(?!bad)', { message: 'No.' });
      const [owner = '', id = ''] = await account.addContacts(people(2));
      await account.setValue(owner, 'number', 'N1');
      await connector.close();
      connector = await account.connector();
      const values = { [property]: value, value_0: 'ours' };
      const results = await write([{ id, values }]);
      expect(results).toMatchObject([
        { status: 'written_in_part', refusals: [{ code, cause, fields: [property] }] },
      ]);
    });
  });

  function change(id: string, values: ContactChange['values'], together: boolean): ContactChange {
    const all = Object.fromEntries(FIELDS.map((name) => [name, 'ours']));
    return { id, values: { ...all, ...values }, together };
  }

  function write(changes: readonly ContactChange[]): Promise<WriteResult[]> {
    return toArray(connector.write(changes));
  }

  async function refuse(pattern: string, how: object): Promise<void> {
    const rule = { kind: 'validation', property: CULPRIT, pattern, ...how };
    await account.control('POST', 'rules', rule);
  }

  /** Returns the properties of donor-sync that have a value. */
  async function seen(id: string): Promise<string[]> {
    const values = await Promise.all(FIELDS.map((name) => account.seenValue(id, name)));
    return FIELDS.filter((_, at) => values[at] !== null);
  }

  async function updates(): Promise<number> {
    const requests = await account.requests();
    return requests.filter(({ path }) => path.endsWith('/batch/update')).length;
  }
});

function resultOf(results: readonly WriteResult[], id: string): WriteResult | undefined {
  return results.find((result) => result.id === id);
}

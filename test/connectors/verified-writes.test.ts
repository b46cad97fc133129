/** Tests writes that the connector reads back and compares. The CRM is a map in memory. */
import { describe, expect, it } from 'vitest';
import type { ContactChange } from '../../connectors/contract.ts';
import {
  createVerifiedWriter,
  openWriteCheck,
  type VerifiedCrm,
  type WriteCheckOptions,
  z,
} from '../../connectors/public.ts';
import { createKitClock } from '../../connectors/testing/faults.ts';
import { collect } from '../../connectors/testing/readings.ts';
import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { RetriableError } from '../../src/core/errors.ts';

interface Rules {
  /** The CRM accepts values of these fields but does not store them. */
  drops?: readonly string[];
  /** The CRM cuts off the values of these fields. */
  cuts?: readonly string[];
  /** The CRM refuses each request with one of these fields. The error does not name the field. */
  refuses?: readonly string[];
  /** The CRM refuses every request for these contacts. */
  protects?: readonly string[];
  /** The CRM fails for these contacts. */
  failsAt?: readonly string[];
  /** True if a write clears all fields that it does not name. */
  replaces?: boolean;
}

type Values = Record<string, FieldValue>;

const VALUES = { a: 'former a', b: 'former b', phone: '555-0100' };

function createCrm(rules: Rules, more: Partial<VerifiedCrm<FieldValues>> = {}) {
  const contacts = new Map<string, Values>(
    ['1', '2', '3', '4', '5', '6'].map((id) => [id, { ...VALUES }]),
  );
  const sent: string[] = [];
  const secrets = new Map<string, string>();
  const signal = new AbortController().signal;
  const deps = {
    clock: createKitClock(),
    signal,
    secrets: {
      read: async (name: string) => secrets.get(name) ?? null,
      write: async (name: string, value: string) => void secrets.set(name, value),
    },
  };

  const crm: VerifiedCrm<FieldValues> = {
    name: 'Test CRM',
    deps,
    perBatch: 4,
    canonicalId: (id) => id.trim(),
    read: async (ids) =>
      new Map(ids.flatMap((id) => (contacts.has(id) ? [[id, { ...contacts.get(id) }]] : []))),
    getValue: (stored, field) => stored[field] ?? null,
    findProblem: () => null,
    async send({ id }, values) {
      sent.push(id);
      const names = Object.keys(values);
      if (rules.failsAt?.includes(id) === true) {
        throw new RetriableError('Test CRM fails.', { code: 'crm_failed' });
      }
      const isRefused =
        rules.protects?.includes(id) === true ||
        names.some((name) => rules.refuses?.includes(name) === true);
      if (isRefused) {
        return { refusal: { retriable: false, code: 'RULE', message: 'Refused.', fields: [] } };
      }
      const contact: Values = rules.replaces === true ? {} : (contacts.get(id) ?? {});
      for (const [name, value] of Object.entries(values)) {
        if (rules.drops?.includes(name) === true) continue;
        contact[name] = rules.cuts?.includes(name) === true ? String(value).slice(0, 1) : value;
      }
      contacts.set(id, contact);
      return { stored: null };
    },
    refusesContact: async ({ id }) => rules.protects?.includes(id) === true,
    ...more,
  };
  return { crm, contacts, sent, deps, secrets };
}

function write(crm: VerifiedCrm<FieldValues>, changes: readonly ContactChange[]) {
  return collect(createVerifiedWriter(crm)(changes));
}

describe('a verified write', () => {
  it('sends only values that differ, and reports a value that a user has typed in the meantime', async () => {
    const { crm, sent } = createCrm({});
    const results = await write(crm, [
      { id: '1', values: { a: 'former a' } },
      { id: '2', values: { a: 'ours' }, seen: { a: 'seen' } },
    ]);
    expect(sent).toEqual(['2']);
    expect(results).toEqual([
      { status: 'written', id: '1' },
      { status: 'written', id: '2', overwritten: { by: null, values: { a: 'former a' } } },
    ]);
  });

  it('acknowledges neither a dropped value nor a value that was cut off', async () => {
    const { crm } = createCrm({ drops: ['a'], cuts: ['b'] });
    expect(await write(crm, [{ id: '1', values: { a: 'x', b: 'yz', c: 'ours' } }])).toMatchObject([
      {
        status: 'written_in_part',
        refusals: [
          { code: 'VALUE_NOT_STORED', fields: ['a'] },
          { code: 'VALUE_STORED_DIFFERENTLY', fields: ['b'] },
        ],
      },
    ]);
  });

  it('restores the former values if the values of another person are not all stored', async () => {
    const { crm, contacts } = createCrm({ drops: ['a'] });
    const values = { a: 'other a', b: 'other b' };
    expect(await write(crm, [{ id: '1', values, together: true }])).toMatchObject([
      { status: 'refused', code: 'VALUE_NOT_STORED', fields: ['a'] },
    ]);
    expect(contacts.get('1')).toEqual(VALUES);
  });

  it('finds a refused value, but searches for none in a protected contact', async () => {
    const { crm, sent } = createCrm({ refuses: ['b'], protects: ['2'] });
    const values = { a: 'ours', b: 'ours', c: 'ours', d: 'ours' };
    const changes = ['1', '2'].map((id) => ({ id, values }));
    expect(await write(crm, changes)).toMatchObject([
      { status: 'written_in_part', refusals: [{ code: 'RULE', fields: ['b'], cause: 'rule' }] },
      { status: 'refused', code: 'RULE', fields: [] },
    ]);
    expect(sent.filter((id) => id === '2')).toHaveLength(1);
  });

  it('names the field that was refused elsewhere if a change must be written as a whole', async () => {
    const { crm } = createCrm({ refuses: ['b'] });
    const values = { a: 'ours', b: 'ours', c: 'ours' };
    const whole = { id: '1', values, together: true };
    expect(await write(crm, [whole, { id: '2', values }])).toMatchObject([
      { id: '2', status: 'written_in_part' },
      { id: '1', status: 'refused', fields: ['b'], cause: 'rule' },
    ]);
  });

  it('lets one contact wait at which the CRM fails, and ends if it fails at several in a row', async () => {
    const changes = ['1', '2', '3', '4', '5', '6'].map((id) => ({ id, values: { a: 'ours' } }));
    const one = createCrm({ failsAt: ['2'] });
    const results = await write(one.crm, changes);
    expect(results).toHaveLength(6);
    expect(results.filter(({ status }) => status !== 'written')).toMatchObject([
      { id: '2', code: 'CRM_FAILED', retriable: true, isPartlyStored: true },
    ]);
    const all = createCrm({ failsAt: ['1', '2', '3', '4', '5', '6'] });
    await expect(write(all.crm, changes)).rejects.toMatchObject({ kind: 'retriable' });
  });

  it('blames no contact if reading it again fails, so the next run writes it', async () => {
    let reads = 0;
    const { crm } = createCrm({});
    const { read } = crm;
    crm.read = async (ids, fields) => {
      reads += 1;
      if (reads === 2) throw new RetriableError('Test CRM fails.', { code: 'crm_failed' });
      return read(ids, fields);
    };
    const changes = [{ id: '1', values: { a: 'ours' } }];
    await expect(write(crm, changes)).rejects.toMatchObject({ kind: 'retriable' });
    expect(await write(crm, changes)).toEqual([{ status: 'written', id: '1' }]);
  });

  it('refuses a contact that is gone, and keeps the order of two changes of one contact', async () => {
    const { crm, contacts } = createCrm({});
    const results = await write(crm, [
      { id: '7', values: { a: 'ours' } },
      { id: '1', values: { a: 'first' } },
      { id: '1', values: { a: 'second' } },
    ]);
    expect(results).toMatchObject([{ code: 'GONE' }, { status: 'written' }, { status: 'written' }]);
    expect(contacts.get('1')?.['a']).toBe('second');
  });

  it('splits a request for several contacts until each has its own result', async () => {
    const { crm, contacts } = createCrm({ refuses: ['b'] });
    const sizes: number[] = [];
    crm.sendTogether = async (writes) => {
      sizes.push(writes.length);
      if (writes.some(({ values }) => 'b' in values)) return false;
      for (const { contact, values } of writes)
        Object.assign(contacts.get(contact.id) ?? {}, values);
      return true;
    };
    const changes = ['1', '2', '3', '4'].map((id) => ({
      id,
      values: id === '3' ? { a: 'ours', b: 'ours' } : { a: 'ours' },
    }));
    const results = await write(crm, changes);
    expect(results.toSorted((one, other) => one.id.localeCompare(other.id))).toMatchObject([
      { id: '1', status: 'written' },
      { id: '2', status: 'written' },
      { id: '3', status: 'written_in_part' },
      { id: '4', status: 'written' },
    ]);
    expect(sizes).toEqual([4, 2, 2]);
  });
});

describe('the check of the first write', () => {
  async function openChecked(rules: Rules) {
    const world = createCrm(rules);
    const { contacts, deps } = world;
    const options = (round: number): WriteCheckOptions<FieldValues> => ({
      crm: 'Test CRM',
      deps,
      account: { id: 'account', name: 'Account' },
      round,
      storedSchema: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      readOne: async (id) => contacts.get(id) ?? null,
      toParts: (stored) =>
        Object.fromEntries(
          Object.entries(stored).flatMap(([name, value]) =>
            value === null ? [] : [[name, String(value)]],
          ),
        ),
      partOf: (field) => field,
      restore: async (id, former) => void contacts.set(id, { ...former }),
      wroteLast: async () => true,
    });
    const open = async (round = 1) => {
      const check = await openWriteCheck(options(round));
      return { check, crm: { ...world.crm, check } };
    };
    return { ...world, open };
  }

  it('writes the fullest contact first, and no other one if a part of it was lost', async () => {
    const { open, contacts, sent, secrets } = await openChecked({ replaces: true });
    contacts.set('2', { ...VALUES, employer: 'Acme' });
    const changes = ['1', '2', '3'].map((id) => ({ id, values: { a: 'ours' } }));
    const { crm } = await open();
    await expect(write(crm, changes)).rejects.toMatchObject({
      code: 'crm_write_check_failed',
      message: expect.stringContaining('parts: b, employer, phone. donor-sync restored them.'),
    });
    expect(sent).toEqual(['2']);
    expect(contacts.get('2')).toEqual({ ...VALUES, employer: 'Acme' });
    const { check } = await open();
    expect(() => check.requireNotStopped()).toThrow('set crm.writeCheck to 2');
    expect(check.finding()).toMatchObject({ ok: false, cause: 'crm_write_check_failed' });
    expect(await check.erase((id) => id === '2')).toBe(1);
    expect([...secrets.values()].join()).not.toContain('"2"');
  });

  it('passes in a later round, and is not repeated for the same kinds of parts', async () => {
    const { open, contacts } = await openChecked({});
    const { crm, check } = await open(2);
    await write(crm, [{ id: '1', values: { a: 'ours' } }]);
    expect(check.finding()).toMatchObject({
      ok: true,
      message: expect.stringContaining('b, phone'),
    });
    expect(check.needsCheck(contacts.get('3') ?? {}, ['a'])).toBe(false);
    expect(check.needsCheck({ ...VALUES, employer: 'Acme' }, ['a'])).toBe(true);
  });
});

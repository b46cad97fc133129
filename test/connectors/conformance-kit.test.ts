/** Tests the conformance kit itself. With any test runner, the kit must fail every connector that breaks a promise. */
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import { createMemoryCrm } from '../../connectors/memory/crm.ts';
import { requireKnown } from '../../connectors/plain.ts';
import {
  type Ability,
  type ConformanceHarness,
  testConnector,
} from '../../connectors/testing/conformance.ts';

describe('the conformance kit', () => {
  it('passes the connector in memory under a runner that has describe and it alone', async () => {
    expect(await failuresOf((connector) => connector)).toEqual([]);
  });

  it('fails a connector that acknowledges what it did not write', async () => {
    const failed = await failuresOf((connector) => ({
      ...connector,
      async *write(changes) {
        for await (const { id } of changes) yield { status: 'written', id };
      },
    }));
    expect(failed).toContain('takes the same change twice');
    expect(failed).toContain('refuses a contact that is gone and writes the others');
  });

  it('fails a connector that forgets a contact', async () => {
    const failed = await failuresOf((connector) => ({
      ...connector,
      async *readPages(cursor) {
        for await (const page of connector.readPages(cursor)) {
          yield { ...page, contacts: page.contacts.slice(1) };
        }
      },
    }));
    expect(failed).toContain('brings every contact with the identity that stands in the CRM');
    expect(failed).not.toContain('takes the same change twice');
  });

  it('asks nothing of groups and new fields where the connector declares none', async () => {
    const without = (connector: Connector): Connector => ({
      ...connector,
      capabilities: { ...connector.capabilities, groups: [], createsFields: false },
      createFields: () => Promise.reject(new Error('not declared')),
      listGroups: () => Promise.reject(new Error('not declared')),
      readGroup() {
        throw new Error('not declared');
      },
    });
    expect(await failuresOf(without, [])).toEqual([]);
  });

  it('fails where the connector and its tests disagree about that', async () => {
    const title = 'declares the groups and the new fields that it is tested for, and no others';
    expect(await failuresOf((connector) => connector, [])).toEqual([title]);
  });
});

/** Changes a connector in memory with `change`. Returns the titles of the tests that then fail. */
async function failuresOf(
  change: (connector: Connector) => Connector,
  abilities: readonly Ability[] = ['groups', 'newField'],
): Promise<string[]> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void>) => tests.push({ name, body }),
  };
  testConnector(runner, 'changed', async () => aHarness(change), abilities);
  expect(tests.length).toBeGreaterThan(30);
  const failed: string[] = [];
  for (const { name, body } of tests) await body().catch(() => failed.push(name));
  return failed;
}

/** The number of harnesses that have been created. Each harness gets a separate account. */
let accounts = 0;

function aHarness(change: (connector: Connector) => Connector): ConformanceHarness {
  accounts += 1;
  const account = { id: `account-${accounts}`, name: 'Riverside' };
  const crm = createMemoryCrm({ account, fields: ['Note', 'Remark'] });
  const everyone = { filter: null, optOutField: null };
  return {
    async open({ signal = new AbortController().signal, contacts } = {}) {
      const wanted = { ...everyone, ...contacts };
      requireKnown(wanted, ['optOutField', 'optOutValues', 'deceasedField', 'doNotContactField']);
      return change(createMemoryConnector(crm, signal, wanted));
    },
    check: async () => [{ subject: 'memory', ok: true, message: 'It is there.', fix: null }],
    addContacts: async (contacts) => contacts.map((contact) => crm.addContact(contact)),
    editContact: async (id, changes) => crm.editContact(id, changes),
    deleteContact: async (id) => crm.deleteContact(id),
    setValue: async (id, field, value) => crm.setValue(id, field, value),
    async seenValue(id, field) {
      const value = crm.valueOf(id, field);
      return value === null ? null : String(value);
    },
    textFields: ['Note', 'Remark'],
    newField: { name: 'Fresh', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 250,
    groups: {
      async add(members) {
        crm.addGroup('group', members);
        return { group: 'group' };
      },
      unknown: { group: 'missing' },
    },
    close: async () => {},
  };
}

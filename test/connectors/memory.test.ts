import { describe, expect, it } from 'vitest';
import {
  createMemoryConnector,
  defineMemoryConnector,
  memoryConnector,
} from '../../connectors/memory/connector.ts';
import { createMemoryCrm, type MemoryCrm } from '../../connectors/memory/crm.ts';
import {
  type ConformanceHarness,
  testConnector,
  testOptions,
} from '../../connectors/testing/conformance.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { connectorDeps, toArray } from './connector-options.ts';

testConnector({ describe, it }, 'memory', async () => memoryHarness(), [
  'groups',
  'newField',
  'vanish',
  'mergeContacts',
  'refuseWrites',
  'refuseField',
  'lock',
  'addBreakingGroup',
  'hideSources',
  'severalAddresses',
  'severalEmployers',
]);

describe('a CRM in memory', () => {
  it('is found by its name in the settings', async () => {
    const crm = createMemoryCrm({ account: { id: 'a-1', name: 'Riverside' } });
    const definition = defineMemoryConnector(new Map([['riverside', crm]]));
    const settings = definition.settingsSchema.parse({ kind: 'memory', name: 'riverside' });
    const contacts = { filter: null, optOutField: null };
    const { account } = await definition.open({ settings, contacts, deps: connectorDeps() });
    expect(account).toEqual({
      id: 'a-1',
      name: 'Riverside',
    });
  });

  it('says so if there is none of that name', async () => {
    const settings = { kind: 'memory' as const, name: 'nowhere' };
    const contacts = { filter: null, optOutField: null };
    const options = { settings, contacts, deps: connectorDeps() };
    await expect(memoryConnector.open(options)).rejects.toThrow(/no CRM "nowhere"/);
    expect(await memoryConnector.check(options)).toMatchObject([{ ok: false }]);
  });

  it('fails as often as it is asked to and then works again', async () => {
    const crm = createMemoryCrm();
    const connector = connectorOver(crm);
    crm.failNext('describeFields', new RetriableError('down', { code: 'crm_unavailable' }), 2);
    await expect(connector.describeFields()).rejects.toThrow('down');
    await expect(connector.describeFields()).rejects.toThrow('down');
    expect(await connector.describeFields()).toEqual([]);
    expect(crm.calls.describeFields).toBe(3);
  });

  it('lets a test change things between the pages of a reading', async () => {
    const crm = createMemoryCrm({ pageSize: 1 });
    const [, second = ''] = [crm.addContact({ id: 'a' }), crm.addContact({ id: 'b' })];
    let pageCount = 0;
    crm.before((operation) => {
      pageCount += 1;
      if (operation === 'readPages' && pageCount === 2) crm.deleteContact(second);
    });
    const pages = await toArray(connectorOver(crm).readPages(null));
    expect(pages.flatMap(({ contacts }) => contacts.map(({ id }) => id))).toEqual(['a']);
    expect(pages.flatMap(({ removed }) => removed)).toEqual([{ id: 'b', mergedInto: null }]);
  });

  it('keeps a list of the writes that it carried out', async () => {
    const crm = createMemoryCrm({ fields: ['Note'] });
    const id = crm.addContact({});
    const other = crm.addContact({});
    crm.refuseWrites(other, { code: 'VALIDATION', fields: ['Note'] });
    const changes = [id, other].map((contact) => ({ id: contact, values: { Note: 'x' } }));
    const results = await toArray(connectorOver(crm).write(changes));
    expect(results.map(({ status }) => status)).toEqual(['written', 'refused']);
    expect(crm.writes).toEqual([{ id, values: { Note: 'x' } }]);
  });
});

describe('a part of the identity in memory that may not be read', () => {
  it('is blank and named as unreadable, until it is shown again', async () => {
    const crm = createMemoryCrm();
    const id = crm.addContact({ addresses: ['1 Elm Street'], employers: ['Acme'] });
    const connector = connectorOver(crm);
    const [before] = await toArray(connector.readPages(null));
    crm.hideSource('address');
    const hidden = { addresses: [], employers: ['Acme'], unreadable: ['address'] };
    expect(await connector.readByIds([id], [])).toMatchObject([{ contact: hidden }]);
    expect(await toArray(connector.readPages(null))).toMatchObject([{ contacts: [hidden] }]);
    crm.showSource('address');
    expect(await toArray(connector.readPages(null))).toEqual([before]);
    expect(before?.contacts[0]?.unreadable).toBeUndefined();
  });

  it('changes no contact by being hidden or shown', async () => {
    const crm = createMemoryCrm();
    crm.addContact({ employers: ['Acme'] });
    const connector = connectorOver(crm);
    const [page] = await toArray(connector.readPages(null));
    crm.hideSource('employer');
    expect(await toArray(connector.readPages(page?.cursor ?? null))).toEqual([]);
  });

  it('is separated from the readable ones, with the mapping', () => {
    const crm = createMemoryCrm();
    const connector = connectorOver(crm);
    crm.hideSource('employer');
    expect(connector.identity?.()).toEqual({
      columns: 'all',
      mode: 'plain',
      sources: [
        { name: 'address', part: 'addresses', readable: true },
        { name: 'employer', part: 'employers', readable: false },
      ],
    });
    crm.mapping = { columns: 'others', mode: 'plain' };
    expect(connector.identity?.()).toMatchObject({ columns: 'others' });
  });
});

function connectorOver(crm: MemoryCrm, signal = new AbortController().signal) {
  return createMemoryConnector(crm, signal);
}

/** The number of harnesses that have been created. Each harness gets a separate account. */
let accounts = 0;

const MARIA = { firstName: 'Maria', lastName: 'Lopez', addresses: [], employers: [] };

function memoryHarness(): ConformanceHarness {
  accounts += 1;
  const account = { id: `account-${accounts}`, name: 'Riverside' };
  const crm = createMemoryCrm({ account, fields: ['Note', 'Remark'] });
  crm.addField({ name: 'Amount', type: 'number' });
  crm.addField({ name: 'Active', type: 'boolean' });
  crm.addGroup('everybody else', []);
  const definition = defineMemoryConnector(new Map([['riverside', crm]]));
  const settings = { kind: 'memory', name: 'riverside' };
  return {
    async open(options) {
      const filter = options?.contacts?.filter ?? null;
      // A CRM in memory gets its filter from the test, not from the settings.
      crm.filter = filter === null ? null : ({ contact }) => contact.lastName === filter;
      return definition.open(testOptions(definition, settings, options));
    },
    check: (options) => definition.check(testOptions(definition, settings, options)),
    addContacts: async (contacts) => contacts.map((contact) => crm.addContact(contact)),
    editContact: async (id, changes) => crm.editContact(id, changes),
    deleteContact: async (id) => crm.deleteContact(id),
    setValue: async (id, field, value) => crm.setValue(id, field, value),
    seenValue: async (id, field) => {
      const value = crm.valueOf(id, field);
      return value === null ? null : String(value);
    },
    textFields: ['Note', 'Remark'],
    typedFields: [
      { name: 'Amount', value: 1_250_000.5 },
      { name: 'Active', value: true },
    ],
    newField: { name: 'Fresh', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 250,
    filter: { text: 'Lopez', included: MARIA, excluded: { ...MARIA, lastName: 'Hundred' } },
    groups: {
      async add(members) {
        crm.addGroup('group', members);
        return { group: 'group' };
      },
      unknown: { group: 'unknown group' },
    },
    vanish: async (id) => crm.vanish(id),
    mergeContacts: async (loser, winner) => crm.mergeContact(loser, winner),
    refuseWrites: async (id) => crm.refuseWrites(id),
    refuseField: async (id, field) => crm.refuseField(id, field),
    lock: async (id, times) => crm.lock(id, times),
    async addBreakingGroup(members) {
      crm.addGroup('breaking', members, 2);
      return { group: 'breaking' };
    },
    async hideSources(part) {
      const source = part === 'addresses' ? 'address' : 'employer';
      crm.hideSource(source);
      return [source];
    },
    async showSources() {
      for (const source of ['address', 'employer'] as const) crm.showSource(source);
    },
    close: async () => {},
  };
}

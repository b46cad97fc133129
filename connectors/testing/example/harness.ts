/** Connects the example CRM to the kit. */
import { createHmac } from 'node:crypto';
import type { ConnectorDefinition } from '../../contract.ts';
import type { Ability, ConformanceHarness } from '../harness.ts';
import { testOptions } from '../options.ts';
import { MARIA } from '../seeds.ts';
import { MERGES_PER_PAGE, startExampleApi } from './api.ts';
import type { ExampleSettings } from './connector.ts';

/** The users and faults that a test can simulate in the example's CRM. */
export const EXAMPLE_ABILITIES = [
  'api',
  'groups',
  'namedGroups',
  'newField',
  'vanish',
  'webhooks',
  'mergeContacts',
  'refuseWrites',
  'refuseField',
  'lock',
  'ownMarks',
  'otherKey',
  'severalAddresses',
  'severalEmployers',
  'ids',
] as const satisfies readonly Ability[];

/** Creates an empty CRM, and opens connectors of this definition to the CRM. */
export async function openExampleHarness(
  definition: ConnectorDefinition<ExampleSettings>,
): Promise<ConformanceHarness> {
  const api = await startExampleApi();
  const settings = { kind: 'example', url: api.url, apiKey: api.key };
  return {
    open: (options) => definition.open(testOptions(definition, settings, options)),
    check: (options) => definition.check(testOptions(definition, settings, options)),
    openWithOtherKey: () =>
      definition.open(testOptions(definition, { ...settings, apiKey: api.otherKey })),
    api: { url: api.url },
    addContacts: async (contacts) => contacts.map((contact) => api.add(contact)),
    editContact: async (id, changes) => api.edit(id, changes),
    deleteContact: async (id) => api.delete(id),
    setValue: async (id, field, value) => api.setField(id, field, value),
    seenValue: async (id, field) => api.seenField(id, field),
    textFields: ['note', 'remark'],
    typedFields: [
      { name: 'amount', value: 1_250_000.5 },
      { name: 'gift', value: 1_234.56 },
      { name: 'active', value: true },
      { name: 'born', value: '1962-03-04' },
      { name: 'met', value: '2026-11-20T02:00:00.000Z' },
      { name: 'topics', value: 'arts;youth' },
    ],
    ownMarks: {
      deceased: async (id) => api.edit(id, { deceased: true }),
      doNotContact: async (id) => api.edit(id, { doNotContact: true }),
    },
    newField: { name: 'fresh', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 250,
    filter: {
      text: 'lastName=Lopez',
      included: MARIA,
      excluded: { ...MARIA, lastName: 'Hundred' },
    },
    groups: {
      add: async (members, name) => ({ group: api.addGroup(members, name) }),
      leave: async ({ group }, members) => api.leaveGroup(String(group), members),
      unknown: { group: 'unknown group' },
    },
    mergeContacts: async (loser, winner) => api.merge(loser, winner),
    mergesForTwoPages: MERGES_PER_PAGE + 1,
    vanish: async (id) => api.hide(id),
    webhooks: {
      definition: definition.about?.webhooks ?? {},
      changed: (ids) => api.callOf('contact.changed', ids),
      deleted: (ids) =>
        ['tidying', 'import_undone'].map((reason) => api.callOf('contact.deleted', ids, reason)),
      merged: (loser) => api.callOf('contact.deleted', [loser], 'merged'),
      erased: (ids) => api.callOf('contact.deleted', ids, 'privacy'),
      others: [api.callOf('gift.changed', ['1'])],
      signed(body, secret) {
        const time = String(Math.floor(Date.now() / 1000));
        const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
        const headers = { 'x-example-time': time, 'x-example-signature': signature };
        return { method: 'POST', url: 'https://example.org/hook', headers };
      },
    },
    refuseWrites: async (id) => api.refuse(id, null),
    refuseField: async (id, field) => api.refuse(id, field),
    lock: async (id, times) => api.lock(id, times),
    ids: {
      canonicalId: (text) => definition.canonicalId?.(text) ?? null,
      otherForms: (id) => [`000${id}`, ` ${id} `],
      noIds: ['', '0', 'Maria'],
    },
    close: () => api.close(),
  };
}

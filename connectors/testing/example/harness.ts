/** The harness of the example, for the kit. */
import type { ConnectorDefinition } from '../../contract.ts';
import type { Ability, ConformanceHarness } from '../harness.ts';
import { testOptions } from '../options.ts';
import { MARIA } from '../seeds.ts';
import { startExampleApi } from './api.ts';
import type { ExampleSettings } from './connector.ts';

/** The users and faults that a test can simulate in the example's CRM. */
export const EXAMPLE_ABILITIES = [
  'api',
  'groups',
  'newField',
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

/** Returns an empty CRM, and connectors of this definition over it. */
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
    ownMarks: { deceased: async (id) => api.edit(id, { deceased: true }) },
    newField: { name: 'fresh', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 250,
    filter: {
      text: 'lastName=Lopez',
      included: MARIA,
      excluded: { ...MARIA, lastName: 'Hundred' },
    },
    groups: {
      add: async (members) => ({ group: api.addGroup(members) }),
      unknown: { group: 'unknown group' },
    },
    mergeContacts: async (loser, winner) => api.merge(loser, winner),
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

import { describe, it } from 'vitest';
import { bloomerangConnector } from '../../../connectors/bloomerang/connector.ts';
import { type ConformanceHarness, testConnector } from '../../../connectors/testing/conformance.ts';
import { createKitClock } from '../../../connectors/testing/faults.ts';
import type { BloomerangSandboxOptions } from '../../../sandbox/bloomerang/index.ts';
import { openDatabase, partsOf } from './database.ts';

const ABILITIES = [
  ...(['api', 'groups', 'vanish', 'refuseWrites', 'refuseField', 'lock'] as const),
  ...(['addBreakingGroup', 'ids', 'ownMarks'] as const),
];

/**
 * These are the variants of the sandbox in which a connector may write. `write-check.test.ts` tests the other variants.
 */
const VARIANTS: Readonly<Record<string, NonNullable<BloomerangSandboxOptions['variant']>>> = {
  'Bloomerang, as documented': {},
  'Bloomerang with short pages, and values as on its screens': {
    maxTake: 20,
    blanks: 'null',
    freeform: 'text',
    values: 'formatted',
    throttling: 'unavailable',
    partsCountAsChange: false,
    zoneMinutes: 600,
  },
};

for (const [name, variant] of Object.entries(VARIANTS)) {
  testConnector({ describe, it }, name, () => openHarness(variant), ABILITIES);
}

async function openHarness(
  variant: NonNullable<BloomerangSandboxOptions['variant']>,
): Promise<ConformanceHarness> {
  const database = await openDatabase({ variant });
  let groups = 0;

  return {
    // The test's clock ends each wait after a temporary failure immediately.
    open: (options) => database.open({ clock: createKitClock(), ...options }),
    check: (options) => database.check(options),
    api: { url: database.sandbox.baseUrl },
    addContacts: (contacts) => database.add(contacts),
    async editContact(id, changes) {
      await database.edit({ action: 'update', id: Number(id), values: partsOf(changes) });
    },
    async deleteContact(id) {
      await database.edit({ action: 'delete', id: Number(id) });
    },
    setValue: (id, field, value) => database.type(id, field, value),
    async seenValue(id, field) {
      const value = (await database.record(id)).custom[database.fieldId(field)] ?? null;
      return typeof value === 'string' ? value : (value?.join(';') ?? null);
    },
    textFields: ['Note', 'Remark'],
    typedFields: [
      { name: 'Worth', value: 1_250_000.5 },
      { name: 'Share', value: 0.125 },
      { name: 'Since', value: 1962 },
      { name: 'Seen', value: '1962-03-04' },
      { name: 'Size', value: 'large' },
      { name: 'Interests', value: 'arts;youth' },
    ],
    ownMarks: {
      async deceased(id) {
        const values = { Status: 'Deceased' };
        await database.edit({ action: 'update', id: Number(id), values });
      },
    },
    contactsForThreePages: 120,
    groups: { add: addGroup, unknown: { group: 'unknown group' } },
    async vanish(id) {
      await database.edit({ action: 'hide', ids: [Number(id)], hidden: true });
    },
    async refuseWrites(id) {
      await database.control('POST', '/rules', { kind: 'refuse', ids: [Number(id)] });
    },
    async refuseField(id, field) {
      const fieldId = database.fieldId(field);
      const rule = { kind: 'refuseField', fieldId, ids: [Number(id)], names: true };
      await database.control('POST', '/rules', rule);
    },
    async lock(id, times) {
      const rule = { kind: 'refuse', ids: [Number(id)], status: 423, times };
      await database.control('POST', '/rules', rule);
    },
    async addBreakingGroup(members) {
      const selector = await addGroup(members);
      await database.control('PUT', '/faults', [
        { on: { path: '/constituents' }, fault: { kind: 'truncate' } },
      ]);
      return selector;
    },
    ids: {
      canonicalId: (text) => bloomerangConnector.canonicalId?.(text) ?? null,
      otherForms: (id) => [`000${id}`, ` ${id} `],
      noIds: ['', '0', 'Maria', '97 51', '003Hs0000000001AAA'],
    },
    close: database.close,
  };

  async function addGroup(members: readonly string[]) {
    groups += 1;
    const name = `Group ${groups}`;
    await database.edit({ action: 'group', name, ids: members.map(Number) });
    return { group: name };
  }
}

/** Runs donor-sync's conformance kit, which tests whether this connector keeps all promises of a connector. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { testConnector, testOptions } from 'donor-sync/connector/testing';
import { load, save } from './crm.js';
import { connector } from './index.js';

testConnector({ describe, it }, 'my-crm', openHarness);

/**
 * Creates an empty CRM, and functions that change the CRM as its users would.
 * @returns {Promise<import('donor-sync/connector/testing').ConformanceHarness>}
 */
async function openHarness() {
  const folder = await mkdtemp(join(tmpdir(), 'connector-'));
  const path = join(folder, 'contacts.json');
  const settings = { kind: 'my-crm', path };
  await save(path, { fields: ['donor_id', 'note', 'remark'], contacts: new Map() });
  let lastId = 0;

  return {
    open: (options) => connector.open(testOptions(connector, settings, options)),
    check: (options) => connector.check(testOptions(connector, settings, options)),
    addContacts: (contacts) =>
      change((rows) =>
        contacts.map(({ addresses, employers, ...name }) => {
          lastId += 1;
          const id = String(lastId);
          const lists = { addresses: [...addresses], employers: [...employers] };
          rows.set(id, { ...name, ...lists, id, values: {} });
          return id;
        }),
      ),
    editContact: (id, changes) => change((rows) => void Object.assign(rows.get(id) ?? {}, changes)),
    deleteContact: (id) => change((rows) => void rows.delete(id)),
    setValue: (id, field, value) =>
      change((rows) => void Object.assign(rows.get(id)?.values ?? {}, { [field]: value })),
    async seenValue(id, field) {
      const value = (await load(path)).contacts.get(id)?.values[field] ?? null;
      return value === null ? null : String(value);
    },
    textFields: ['note', 'remark'],
    contactsForThreePages: 250,
    close: () => rm(folder, { recursive: true }),
  };

  /**
   * @template Result
   * @param {(rows: Map<string, import('./crm.js').Row>) => Result} edit
   */
  async function change(edit) {
    const crm = await load(path);
    const result = edit(crm.contacts);
    await save(path, crm);
    return result;
  }
}

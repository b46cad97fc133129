import { basename, resolve } from 'node:path';
import * as kit from 'donor-sync/connector';
import { z } from 'donor-sync/connector';
import { load, save } from './crm.js';

/** @type {kit.ConnectorDefinition<{ kind: 'my-crm', path: string }>} */
export const connector = {
  contract: 2,
  kind: 'my-crm',
  settingsSchema: z.strictObject({ kind: z.literal('my-crm'), path: z.string().min(1) }),
  groupSchema: z.never(),
  defaultFields: [{ from: 'donorId', to: 'donor_id', when: 'unlessEdited' }],
  check: (options) => kit.checkByOpening(() => connector.open(options)),

  async open({ settings: { path }, contacts: wanted, deps: { signal } }) {
    kit.requireKnown(wanted, ['optOutField']);
    kit.requireMarkFields(wanted, (await load(path)).fields);
    return {
      ...kit.plainConnector,
      kind: 'my-crm',
      account: { id: resolve(path), name: basename(path) },
      async *readPages() {
        const rows = [...(await load(path)).contacts.values()];
        for (let at = 0; at < rows.length; at += 100) {
          kit.throwIfStopped(signal);
          yield { contacts: rows.slice(at, at + 100).map(contactOf), removed: [], cursor: null };
        }
      },
      async readByIds(ids, fields) {
        const { contacts } = await load(path);
        return ids.map((id) => {
          const row = contacts.get(id);
          if (row === undefined) return { state: 'missing', id };
          const values = Object.fromEntries(fields.map((name) => [name, row.values[name] ?? null]));
          return { state: 'found', id, contact: contactOf(row), values };
        });
      },
      async *write(changes) {
        const all = await Array.fromAsync(changes);
        kit.throwIfStopped(signal);
        const crm = await load(path);
        for (const { id, values } of all) Object.assign(crm.contacts.get(id)?.values ?? {}, values);
        await save(path, crm);
        for (const { id } of all) {
          if (crm.contacts.has(id)) yield { status: 'written', id };
          else yield kit.refusedWrite(id, 'gone', 'The contact is not in the file any more.');
        }
      },
      describeFields: async () => (await load(path)).fields.map(kit.plainField),
    };

    /** @param {import('./crm.js').Row} row */
    function contactOf({ values, ...contact }) {
      const mark = wanted.optOutField === null ? null : values[wanted.optOutField];
      return { ...contact, optedOut: kit.isMarked(String(mark ?? '')) };
    }
  },
};

/** Contacts that a CRM no longer shows, without a sign that they were deleted: whole runs over both stand-ins. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import type { SeedContact } from '../../connectors/testing/conformance.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

/** A CRM with people who can vanish. */
interface Crm {
  addContacts(contacts: readonly SeedContact[]): Promise<string[]>;
  connector(signal: AbortSignal): Promise<Connector>;
  vanish(id: string): Promise<void>;
  /** Left out if nothing brings a contact back. */
  appear?(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

async function salesforce(): Promise<Crm> {
  const org = await openOrg();
  const show = (id: string, access: string) => org.control('PUT', 'record-access', { id, access });
  return {
    addContacts: (contacts) => org.addContacts(contacts),
    connector: (signal) => org.connector({}, { signal }),
    async vanish(id) {
      await show(id, 'hidden');
    },
    async appear(id) {
      await show(id, 'visible');
    },
    remove: (id) => org.deleteContact(id),
    close: org.close,
  };
}

async function hubspot(): Promise<Crm> {
  const account = await openAccount();
  return {
    addContacts: (contacts) => account.addContacts(contacts),
    connector: (signal) => account.connector({}, { signal }),
    async vanish(id) {
      await account.control('POST', 'edit', { action: 'erase', id });
    },
    async remove(id) {
      await account.archiveContact(id);
    },
    close: account.close,
  };
}

const FIELD = { Salesforce: 'Department', HubSpot: 'jobtitle' };

describe.each([
  ['Salesforce', salesforce],
  ['HubSpot', hubspot],
] as const)('contacts that %s no longer shows', (name, openCrm) => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(count: number): Promise<{ crm: Crm; world: SyncWorld; ids: string[] }> {
    const crm = await openCrm();
    open.push(crm);
    const world = await createSyncWorld({
      integration: { fields: [{ from: 'donorId', to: FIELD[name] }] },
      open: (signal) => crm.connector(signal),
    });
    open.push(world);
    const people = Array.from({ length: count }, (_, at) => ({
      firstName: `Ada${at}`,
      lastName: 'Byrd',
      addresses: [`${at + 1} Elm Street, Reno, NV 89501`],
      employers: [],
    }));
    const ids = await crm.addContacts(people);
    expect((await world.sync({ acceptMatchRate: true })).status).toBe('succeeded');
    return { crm, world, ids };
  }

  it('are held if they are 60 of 200, and nothing removes them', async () => {
    const { crm, world, ids } = await start(200);
    const spent = await world.spent();
    const gone = ids.slice(0, 60);
    for (const id of gone) await crm.vanish(id);
    const report = await world.sync({ only: gone });
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'contacts_missing' } });
    expect(await world.store.holds.listBatches()).toMatchObject([
      { kind: 'contacts_missing', count: 60 },
    ]);
    const rows = await world.store.contacts.find('riverside', gone);
    expect([...rows.values()].filter(({ state }) => state === 'removed')).toEqual([]);
    expect((await world.sync({ full: true })).reason?.code).toBe('contacts_missing');
    for (const id of gone) await crm.appear?.(id);
    const after = await world.sync();
    expect(after.reason?.code ?? null).toBe(crm.appear === undefined ? 'contacts_missing' : null);
    expect(await world.spent()).toBe(spent);
  });

  it('count as removed at once if the CRM says that they were deleted, however many they are', async () => {
    const { crm, world, ids } = await start(40);
    const gone = ids.slice(0, 30);
    for (const id of gone) await crm.remove(id);
    expect(await world.sync({ only: gone })).toMatchObject({
      status: 'succeeded',
      contacts: { skipped: 30 },
    });
    const rows = await world.store.contacts.find('riverside', gone);
    expect(new Set([...rows.values()].map(({ state }) => state))).toEqual(new Set(['removed']));
  });
});

/**
 * Tests whole runs with contacts that a CRM no longer shows. The CRM does not report the contacts as deleted. The tests
 * use both stand-ins.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import type { SeedContact } from '../../connectors/testing/conformance.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listBatches, recordBatchDecision } from '../../src/decisions/statements/batches.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

interface Crm {
  addContacts(contacts: readonly SeedContact[]): Promise<string[]>;
  connector(signal: AbortSignal): Promise<Connector>;
  vanish(id: string): Promise<void>;
  /** Hides contacts from donor-sync's CRM user, or shows them again. Does not change the records. */
  show(ids: readonly string[], access: 'hidden' | 'visible'): Promise<unknown>;
  valueOf(id: string): Promise<unknown>;
  setValue(id: string, value: string | null): Promise<unknown>;
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

async function salesforce(): Promise<Crm> {
  const org = await openOrg();
  return {
    addContacts: (contacts) => org.addContacts(contacts),
    connector: (signal) => org.connector({}, { signal }),
    async vanish(id) {
      await org.edit({ action: 'vanish', id });
    },
    show: (ids, access) => org.control('PUT', 'record-access', { ids, access }),
    valueOf: (id) => org.seenValue(id, FIELD.Salesforce),
    setValue: (id, value) => org.setValue(id, FIELD.Salesforce, value),
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
    show: (ids, access) => account.control('PUT', 'record-access', { ids, access }),
    valueOf: (id) => account.seenValue(id, FIELD.HubSpot),
    setValue: (id, value) => account.setValue(id, FIELD.HubSpot, value),
    async remove(id) {
      await account.archiveContact(id);
    },
    close: account.close,
  };
}

/**
 * A second field that donor-sync writes. If a user clears one field of a record, the record still has one of our
 * values.
 */
const OTHER_FIELD = { Salesforce: 'Title', HubSpot: 'website' };

const FIELD = { Salesforce: 'Department', HubSpot: 'jobtitle' };

interface Started {
  crm: Crm;
  world: SyncWorld;
  ids: string[];
  /** Ids of the contacts that the service knows. */
  donors: string[];
  /** The values that the first run wrote, by contact. */
  paid: ReadonlyMap<string, unknown>;
  spent: number;
}

async function statesOf({ store }: SyncWorld, ids: readonly string[]): Promise<Set<string>> {
  const rows = await findContacts(store.reader, 'riverside', ids);
  return new Set(ids.map((id) => rows.get(id)?.state ?? 'unknown'));
}

describe.each([
  ['Salesforce', salesforce],
  ['HubSpot', hubspot],
] as const)('contacts that %s no longer shows', (name, openCrm) => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(count: number): Promise<Started> {
    const crm = await openCrm();
    open.push(crm);
    const world = await createSyncWorld({
      integration: {
        fields: [
          { from: 'donorId', to: FIELD[name] },
          { from: 'profileUrl', to: OTHER_FIELD[name] },
        ],
      },
      open: (signal) => crm.connector(signal),
    });
    open.push(world);
    await world.addPeople(count);
    const people = [...world.crm.records.values()].map(({ contact }) => contact);
    const ids = await crm.addContacts(people);
    expect((await world.sync({ acceptMatchRate: true })).status).toBe('succeeded');
    const paid = new Map<string, unknown>();
    for (const id of ids) paid.set(id, await crm.valueOf(id));
    const donors = ids.filter((id) => paid.get(id) != null);
    expect(donors.length).toBeGreaterThan(count / 2);
    return { crm, world, ids, donors, paid, spent: await world.spent() };
  }

  it('are held if they are 60 of 200, and nothing removes them', async () => {
    const { crm, world, ids, paid, spent } = await start(200);
    const gone = ids.slice(0, 60);
    await crm.show(gone, 'hidden');
    const report = await world.sync({ only: gone });
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'contacts_missing' } });
    expect(await listBatches(world.store.reader)).toMatchObject([
      { kind: 'contacts_missing', count: 60 },
    ]);
    expect(await statesOf(world, gone)).not.toContain('removed');
    expect((await world.sync({ full: true })).reason?.code).toBe('contacts_missing');
    expect((await world.sync({ only: ids.slice(60, 62) })).reason).toBeNull();
    expect((await world.sync()).reason?.code).toBe('contacts_missing');
    expect(await statesOf(world, gone)).not.toContain('removed');
    await crm.show(gone, 'visible');
    expect((await world.sync()).reason).toBeNull();
    expect(await listBatches(world.store.reader)).toEqual([]);
    for (const id of gone) expect([id, await crm.valueOf(id)]).toEqual([id, paid.get(id)]);
    expect(await world.spent()).toBe(spent);
  });

  it('are not removed by their absence from a reading, however many they are', async () => {
    const { crm, world, ids } = await start(40);
    await crm.show(ids.slice(0, 30), 'hidden');
    expect((await world.sync({ full: true })).reason?.code ?? null).toBeNull();
    expect(await statesOf(world, ids)).not.toContain('removed');
  });

  it('count as removed if they are two, and are back as they were, without a credit', async () => {
    const { crm, world, donors, paid, spent } = await start(40);
    const [kept = '', emptied = ''] = donors;
    const gone = [kept, emptied];
    // A user has cleared the field of one contact. The product must not fill it again.
    await crm.setValue(emptied, null);
    await crm.show(gone, 'hidden');
    expect(await world.sync({ only: gone })).toMatchObject({
      status: 'succeeded',
      contacts: { skipped: 2 },
    });
    expect(await statesOf(world, gone)).toEqual(new Set(['removed']));
    await crm.show(gone, 'visible');
    // The access is restored. This does not change any record.
    const { status, contacts } = await world.sync();
    expect({ status, chosen: contacts.chosen }).toEqual({ status: 'succeeded', chosen: 0 });
    expect(await statesOf(world, gone)).toEqual(new Set(['settled']));
    expect(await crm.valueOf(kept)).toBe(paid.get(kept));
    expect(await crm.valueOf(emptied)).toBeNull();
    expect(await world.spent()).toBe(spent);
  });

  it('are missing for good without a sign of a deletion, and are removed once a user says so', async () => {
    const { crm, world, ids, spent } = await start(60);
    const gone = ids.slice(0, 35);
    for (const id of gone) await crm.vanish(id);
    expect((await world.sync({ only: gone })).reason?.code).toBe('contacts_missing');
    const [batch] = await listBatches(world.store.reader);
    expect(await recordBatchDecision(world.store.act, batch?.id ?? '', 'approved')).toBe(35);
    expect((await world.sync()).reason).toBeNull();
    expect(await statesOf(world, gone)).toEqual(new Set(['removed']));
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
    expect(await statesOf(world, gone)).toEqual(new Set(['removed']));
  });
});

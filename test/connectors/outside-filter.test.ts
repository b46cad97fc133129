/**
 * Tests whole runs for each kind of CRM. `contacts.filter` no longer includes some contacts whose profiles get old,
 * or who opt out.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import { createMemoryCrm } from '../../connectors/memory/crm.ts';
import type { SeedContact } from '../../connectors/testing/conformance.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { previewRun } from '../../src/sync/preview.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';
import { COLUMNS, openCsvFolder } from './csv-folder.ts';
import { openAccount } from './hubspot/account.ts';
import { openOrg } from './salesforce/org.ts';

const aPerson = (firstName: string): SeedContact => ({
  ...{ firstName, lastName: 'Newcomer', employers: [] },
  addresses: ['12 Oak Street, Springfield, IL 62701'],
});

const STATUS = { donor: 'Donor', former: 'Former', board: 'Board' };

/** Filters choose contacts by this status. */
interface Crm {
  addContacts(contacts: readonly SeedContact[], status: string): Promise<string[]>;
  setStatus(id: string, status: string): Promise<unknown>;
  setOptedOut(id: string, isMarked: boolean): Promise<unknown>;
  /** Returns the donor ID in the contact, or null. */
  donorOf(id: string): Promise<unknown>;
  /** Returns the filter for contacts that have one of these statuses. */
  filterOf(statuses: readonly string[]): string;
  connector(signal: AbortSignal, filter: string): Promise<Connector>;
  /** The field that contains the donor ID. */
  field: string;
  /** The field of the opt-out mark, or null for a CRM in memory. */
  optOutField: string | null;
  close(): Promise<void>;
}

async function salesforce(): Promise<Crm> {
  const org = await openOrg();
  return {
    async addContacts(contacts, status) {
      const ids = await org.addContacts(contacts);
      for (const id of ids) await org.setValue(id, 'Title', status);
      return ids;
    },
    setStatus: (id, status) => org.setValue(id, 'Title', status),
    setOptedOut: (id, isMarked) => org.setValue(id, 'HasOptedOutOfEmail', isMarked),
    donorOf: (id) => org.seenValue(id, 'Department'),
    filterOf: (statuses) => statuses.map((status) => `Title = '${status}'`).join(' OR '),
    connector: (signal, filter) =>
      org.connector({}, { signal }, { filter, optOutField: 'HasOptedOutOfEmail' }),
    field: 'Department',
    optOutField: 'HasOptedOutOfEmail',
    close: org.close,
  };
}

const OPT_OUT = 'no_research';

async function hubspot(): Promise<Crm> {
  const account = await openAccount();
  await account.createProperty({
    ...{ name: OPT_OUT, type: 'enumeration', fieldType: 'booleancheckbox' },
    options: ['true', 'false'].map((value, displayOrder) => ({
      value,
      label: value,
      displayOrder,
    })),
  });
  return {
    async addContacts(contacts, status) {
      const ids = await account.addContacts(contacts);
      for (const id of ids) await account.setValue(id, 'website', status);
      return ids;
    },
    setStatus: (id, status) => account.setValue(id, 'website', status),
    setOptedOut: (id, isMarked) => account.setValue(id, OPT_OUT, String(isMarked)),
    donorOf: (id) => account.seenValue(id, 'jobtitle'),
    filterOf: (statuses) =>
      JSON.stringify(
        statuses.map((value) => ({
          filters: [{ propertyName: 'website', operator: 'EQ', value }],
        })),
      ),
    connector: (signal, filter) =>
      account.connector({}, { signal }, { filter, optOutField: OPT_OUT }),
    field: 'jobtitle',
    optOutField: OPT_OUT,
    close: account.close,
  };
}

async function memory(): Promise<Crm> {
  const field = 'Donor ID';
  const crm = createMemoryCrm({ fields: [field, 'Status'] });
  return {
    addContacts: async (contacts, status) =>
      contacts.map((contact) => crm.addContact({ ...contact, values: { Status: status } })),
    setStatus: async (id, status) => crm.setValue(id, 'Status', status),
    setOptedOut: async (id, optedOut) => crm.editContact(id, { optedOut }),
    donorOf: async (id) => crm.valueOf(id, field),
    filterOf: (statuses) => statuses.join(' '),
    async connector(signal, filter) {
      crm.filter = ({ values }) => filter.split(' ').includes(String(values['Status']));
      return createMemoryConnector(crm, signal);
    },
    field,
    optOutField: null,
    async close() {},
  };
}

/** The time after which every profile of the first runs is too old. */
const AGE_MS = 400 * 86_400_000;

async function growOld({ database: { db } }: SyncWorld): Promise<void> {
  await db
    .updateTable('contacts')
    .set((eb) => ({
      asked_at: eb('asked_at', '-', AGE_MS),
      enhanced_at: eb('enhanced_at', '-', AGE_MS),
    }))
    .execute();
}

interface SyncRequest {
  full?: boolean;
  only?: string;
  budget?: { perRun: number };
}

/** Returns the contacts whose profiles are stored. */
async function keptOf({ database: { db } }: SyncWorld): Promise<string[]> {
  const rows = await db
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('profile', '<>', '')
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

/** Makes the recorded marks this many days older. */
async function pass({ database: { db } }: SyncWorld, days: number): Promise<void> {
  await db
    .updateTable('kept_profiles')
    .set((eb) => ({ opted_out_at: eb('opted_out_at', '-', days * 86_400_000) }))
    .execute();
}

async function rowOf({ store }: SyncWorld, id: string) {
  return (await findContacts(store.reader, 'riverside', [id])).get(id);
}

describe.each([
  ['Salesforce', salesforce],
  ['HubSpot', hubspot],
  ['a CRM in memory', memory],
] as const)('contacts of %s that the filter no longer includes', (_, openCrm) => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  /** Opens thirty contacts that are all synced. The test's filter selects the first five as former donors. */
  async function start() {
    const crm = await openCrm();
    open.push(crm);
    let included = [STATUS.donor, STATUS.former];
    const world = await createSyncWorld({
      integration: { fields: [{ from: 'donorId', to: crm.field }] },
      open: (signal) => crm.connector(signal, crm.filterOf(included)),
    });
    open.push(world);
    await world.addPeople(30);
    const people = [...world.crm.records.values()].map(({ contact }) => contact);
    const gone = await crm.addContacts(people.slice(0, 5), STATUS.former);
    const others = await crm.addContacts(people.slice(5), STATUS.donor);
    const settings = () => ({
      ...world.integration,
      contacts: {
        ...world.integration.contacts,
        ...{ filter: crm.filterOf(included), optOutField: crm.optOutField },
      },
    });
    const sync = ({ budget, ...request }: SyncRequest = {}) =>
      world.sync({
        ...request,
        acceptMatchRate: true,
        integration: { ...settings(), budget: { ...world.integration.budget, ...budget } },
      });
    expect((await sync()).status).toBe('succeeded');
    const donors = new Map<string, unknown>();
    for (const id of [...gone, ...others]) donors.set(id, await crm.donorOf(id));
    return {
      ...{ crm, world, gone, others, sync, donors },
      narrow() {
        included = [STATUS.donor];
      },
      widen() {
        included = [STATUS.donor, STATUS.former];
      },
      /** Returns the credits that a run for all contacts or for one contact would spend now. */
      async planned(only: string | null = null) {
        const { signal } = new AbortController();
        const connector = await crm.connector(signal, crm.filterOf(included));
        open.push(connector);
        const { credits } = await previewRun(
          { ...world.deps(), connector },
          {
            integration: settings(),
            ...{ mappings: world.integration.fields ?? [], full: false, only },
            partnerKey: world.store.fingerprint('partner_key', world.integration.partner.apiKey),
          },
        );
        return credits.enhancements.needed;
      },
    };
  }

  it('are not bought again once their status has changed, and keep their values', async () => {
    const { crm, world, gone, others, sync, donors, planned } = await start();
    for (const id of gone) await crm.setStatus(id, STATUS.board);
    await sync();
    await growOld(world);
    const spent = await world.spent();
    expect(await planned()).toBe(others.length);
    const report = await sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { skipped: gone.length } });
    expect((await world.spent()) - spent).toBe(others.length);
    for (const id of gone) {
      expect(await rowOf(world, id)).toMatchObject({
        ...{ state: 'settled', outcomeReason: 'outside_filter', eligible: 0 },
      });
      expect(await crm.donorOf(id)).toEqual(donors.get(id));
    }
    // The product sends no further requests for these contacts.
    expect((await sync()).contacts).toMatchObject({ chosen: 0, skipped: 0 });
  });

  it('are not bought if they are due from an earlier run, or are named', async () => {
    const { crm, world, sync, planned } = await start();
    const newcomers = await crm.addContacts([aPerson('Ann'), aPerson('Bea')], STATUS.donor);
    const [waiting = '', named = ''] = newcomers;
    await crm.setStatus(named, STATUS.board);
    const spent = await world.spent();
    await sync({ budget: { perRun: 0 } });
    expect(await rowOf(world, waiting)).toMatchObject({ state: 'due' });
    await crm.setStatus(waiting, STATUS.board);
    expect(await planned(named)).toBe(0);
    for (const only of [named, undefined]) await sync({ ...(only ? { only } : {}) });
    for (const id of newcomers) {
      expect(await rowOf(world, id)).toMatchObject({ outcomeReason: 'outside_filter' });
    }
    expect(await world.spent()).toBe(spent);
  });

  it('are not bought again once the filter is narrower, and are once it includes them again', async () => {
    const { world, gone, others, sync, narrow, widen } = await start();
    narrow();
    await sync();
    await growOld(world);
    const spent = await world.spent();
    expect((await sync({ full: true })).contacts).toMatchObject({ skipped: gone.length });
    expect((await world.spent()) - spent).toBe(others.length);
    widen();
    await sync();
    expect((await world.spent()) - spent).toBe(others.length + gone.length);
    for (const id of gone) expect(await rowOf(world, id)).toMatchObject({ eligible: 1 });
  });

  it.each([
    ['before they opt out', true],
    ['because they opt out', false],
  ])('lose their kept profiles 30 days later, also where they left it %s', async (__, isBefore) => {
    const { crm, world, gone, sync } = await start();
    const [marked = '', corrected = ''] = gone;
    const before = await keptOf(world);
    expect(before).toEqual(expect.arrayContaining([marked, corrected]));
    for (const id of gone) await crm.setStatus(id, STATUS.board);
    if (isBefore) await sync();
    for (const id of [marked, corrected]) await crm.setOptedOut(id, true);
    const spent = await world.spent();
    expect(await sync()).toMatchObject({ status: 'succeeded' });
    await pass(world, 20);
    // The filter still does not include the contact.
    await crm.setOptedOut(corrected, false);
    await sync();
    await pass(world, 11);
    await sync();
    expect((await keptOf(world)).sort()).toEqual(before.filter((id) => id !== marked).sort());
    expect(await world.spent()).toBe(spent);
    expect(await rowOf(world, marked)).toMatchObject({ outcomeReason: 'opted_out' });
  });

  it('lose their kept profiles also where a narrower filter leaves them out from the night on which they opt out', async () => {
    const { crm, world, gone, sync, narrow } = await start();
    const before = await keptOf(world);
    await crm.setOptedOut(gone[0] ?? '', true);
    narrow();
    await sync();
    await pass(world, 31);
    await sync();
    expect((await keptOf(world)).sort()).toEqual(before.filter((id) => id !== gone[0]).sort());
  });
});

describe('contacts of Salesforce whose Individual objects', () => {
  it.each([
    ['without a filter', null],
    ['that the filter leaves out', "Title = 'Donor'"],
  ])(
    'lose their kept profiles with the next run, which their own records do not bring: %s',
    async (_, filter) => {
      const org = await openOrg({ individuals: true });
      const world = await createSyncWorld({
        integration: { fields: [{ from: 'donorId', to: 'Department' }], contacts: { filter } },
        open: (signal) => org.connector({}, { signal }, { filter, optOutField: null }),
      });
      try {
        await world.addPeople(10);
        const people = [...world.crm.records.values()].map(({ contact }) => contact);
        const ids = await org.addContacts(people);
        const individuals = await org.create(
          'Individual',
          ids.map((id) => ({ LastName: id })),
        );
        for (const [at, id] of ids.entries()) {
          await org.setValue(id, 'Title', 'Donor');
          await org.setValue(id, 'IndividualId', individuals[at] ?? '');
        }
        await world.sync({ acceptMatchRate: true });
        const kept = await keptOf(world);
        const [objector = ''] = kept;
        await org.setValue(objector, 'Title', 'Former');
        await world.sync();
        const individual = individuals[ids.indexOf(objector)] ?? '';
        await org.edit({
          ...{ action: 'update', type: 'Individual', id: individual },
          values: { HasOptedOutProfiling: true },
        });
        expect(await world.sync()).toMatchObject({ status: 'succeeded' });
        expect(await keptOf(world)).toEqual(kept.filter((id) => id !== objector));
        expect(await rowOf(world, objector)).toMatchObject({ eligible: 0 });
        const spent = await world.spent();
        // A user has corrected the mark. The contact's own record does not show this change either.
        await org.edit({
          ...{ action: 'update', type: 'Individual', id: individual },
          values: { HasOptedOutProfiling: false },
        });
        expect(await world.sync()).toMatchObject({ status: 'succeeded' });
        expect(await rowOf(world, objector)).toMatchObject({ hasOptedOut: 0 });
        expect(await world.spent()).toBe(spent);
      } finally {
        await world.close();
        await org.close();
      }
    },
  );
});

describe('rows that an export of a CSV file no longer has', () => {
  it('are not bought again when their profiles are old', async () => {
    const folder = await openCsvFolder();
    const world = await createSyncWorld({
      integration: { fields: [{ from: 'donorId', to: 'Donor' }] },
      open: (signal) => folder.connector({ signal }),
    });
    try {
      await world.addPeople(30);
      const people = [...world.crm.records.values()].map(({ contact }) => contact);
      const save = (count: number) =>
        folder.save(
          'in.csv',
          [
            [
              COLUMNS.id,
              COLUMNS.firstName,
              COLUMNS.lastName,
              ...COLUMNS.addresses,
              'Employer',
              'Donor',
            ],
            ...people
              .slice(0, count)
              .map(({ id, firstName, lastName, addresses: [street = ''] }) => [
                ...[id, firstName ?? '', lastName ?? '', `"${street}"`, '', '', ''],
              ]),
          ]
            .map((row) => row.join(','))
            .join('\n'),
        );
      await save(30);
      expect((await world.sync({ acceptMatchRate: true })).status).toBe('succeeded');
      const spent = await world.spent();
      await growOld(world);
      await save(27);
      await world.sync({ acceptMatchRate: true });
      expect((await world.spent()) - spent).toBe(27);
    } finally {
      await world.close();
      await folder.close();
    }
  });
});

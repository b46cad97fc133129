import { describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector, memoryDefaultFields } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { confirmRestore, holdRestored } from '../../src/backup/restores.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { hasMissing } from '../../src/contacts/many-at-once/missing.ts';
import type { Contact } from '../../src/core/contact.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { listBatches, recordBatchDecision } from '../../src/decisions/statements/batches.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import { isMassDeparture } from '../../src/sync/guards/departures.ts';
import { previewRun } from '../../src/sync/preview.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { erasePerson } from '../helpers/erasing.ts';
import {
  createSyncWorld,
  type SyncWorld,
  type SyncWorldOptions,
  WITHOUT_TRIAL,
} from '../helpers/sync-world.ts';
import { createNetworkWorld } from '../networks/network-world.ts';
import { leaveJobsRunning } from './worlds.ts';

const open = closedAfterTest(createSyncWorld);
const openNetworks = closedAfterTest(createNetworkWorld);

const DAY_MS = 86_400_000;

it.each([
  ['none', { missing: 0, removed: 400, known: 1_000 }, false],
  ['few of a long list', { missing: 24, removed: 0, known: 200 }, false],
  ['many, but a small share', { missing: 30, removed: 0, known: 300 }, false],
  ['a share above the guard', { missing: 31, removed: 0, known: 300 }, true],
  ['few each night, many in a week', { missing: 11, removed: 20, known: 280 }, true],
  ['more than half of five', { missing: 3, removed: 0, known: 5 }, true],
  ['half of six', { missing: 3, removed: 0, known: 6 }, false],
  ['three of four', { missing: 3, removed: 0, known: 4 }, false],
] as const)('counts as a mass departure or not: %s', (_, counts, isMass) => {
  expect(isMassDeparture(counts, { share: 0.1, atLeast: 25 }, false)).toBe(isMass);
});

it('counts each empty reading as a mass departure', () => {
  const one = { missing: 1, removed: 0, known: 1 };
  expect(isMassDeparture(one, { share: 1, atLeast: 1_000 }, true)).toBe(true);
});

/** A CRM whose simple connector reports no removals. Each reading of the CRM is complete. */
interface PlainCrm {
  /** The number of pages after which a reading ends without an error. */
  pages: number;
  /** An error that the connector throws after the given pages, in place of the next page. */
  error: Error | null;
}

function plainConnector(plain: PlainCrm) {
  return (crm: MemoryCrm, signal: AbortSignal): Connector => {
    const connector = createMemoryConnector(crm, signal);
    return {
      ...connector,
      capabilities: { ...connector.capabilities, incremental: false, reportsRemovals: false },
      async *readPages() {
        let page = 0;
        for await (const each of connector.readPages(null)) {
          if (page === plain.pages && plain.error !== null) throw plain.error;
          if (page === plain.pages) return;
          page += 1;
          yield { ...each, removed: [], cursor: null };
        }
      },
    };
  };
}

async function openPlain(people: number, options: SyncWorldOptions = {}) {
  const plain: PlainCrm = { pages: Number.POSITIVE_INFINITY, error: null };
  const world = await open({ ...options, connector: plainConnector(plain) });
  const ids = await world.addPeople(people);
  expect((await world.sync()).status).toBe('succeeded');
  return { world, plain, ids, spent: await world.spent() };
}

async function statesOf({ store }: SyncWorld, ids: readonly string[]): Promise<Set<string>> {
  const rows = await findContacts(store.reader, 'riverside', ids);
  return new Set(ids.map((id) => rows.get(id)?.state ?? 'unknown'));
}

async function decide({ store }: SyncWorld, decision: 'approved' | 'rejected'): Promise<number> {
  const [batch] = await listBatches(store.reader);
  if (batch === undefined) throw new Error('No batch waits');
  return recordBatchDecision(store.act, batch.id, decision);
}

/** Moves the recorded decisions back by this time. */
async function makeAnswersOlder({ database }: SyncWorld, ms: number): Promise<void> {
  await database.db
    .updateTable('questions')
    .set((eb) => ({ decided_at: eb('decided_at', '-', ms) }))
    .execute();
}

/** Returns the IDs of all contacts in page order, with a hundred contacts per page. */
function inPageOrder({ crm }: SyncWorld): string[] {
  const records = [...crm.records].sort(([, one], [, other]) => one.revision - other.revision);
  return records.map(([id]) => id);
}

const MISSING = { status: 'incomplete', reason: { code: 'contacts_missing' } };

describe('a list with other IDs for the same contacts', () => {
  const MONTH_MS = 30 * DAY_MS;

  /** Moves all payments and deliveries back by a month. */
  async function letAMonthPass({ database: { db } }: SyncWorld): Promise<void> {
    await db
      .updateTable('contacts')
      .set((eb) => ({
        asked_at: eb('asked_at', '-', MONTH_MS),
        enhanced_at: eb('enhanced_at', '-', MONTH_MS),
      }))
      .execute();
    await db
      .updateTable('jobs')
      .set((eb) => ({
        submitted_at: eb('submitted_at', '-', MONTH_MS),
        closed_at: eb('closed_at', '-', MONTH_MS),
      }))
      .execute();
  }

  /**
   * Replaces the contacts with copies that have different IDs and none of donor-sync's values, as an export from a
   * different program does.
   */
  function renumber({ crm }: SyncWorld, ids: readonly string[]): string[] {
    return ids.map((id) => {
      const contact = crm.records.get(id)?.contact;
      if (contact === undefined) throw new Error('The CRM has no such contact.');
      crm.vanish(id);
      return crm.addContact({ ...contact, id: `0${id}` });
    });
  }

  /**
   * Shows the rows again with their former IDs and without donor-sync's values. Removes the rows with the other IDs.
   */
  function goBack({ crm }: SyncWorld, ids: readonly string[]): void {
    for (const id of ids) {
      crm.vanish(`0${id}`);
      crm.appear(id);
      const { values } = crm.records.get(id) ?? {};
      for (const field of Object.keys(values ?? {})) crm.setValue(id, field, null);
    }
  }

  function contactOf({ crm }: SyncWorld, id: string): Contact {
    const record = crm.records.get(id);
    if (record === undefined) throw new Error(`The CRM has no contact ${id}.`);
    return record.contact;
  }

  async function valuesOf({ crm }: SyncWorld, ids: readonly string[]) {
    // The test moves only the database's dates by a month, so the date in the CRM is not compared.
    return ids.map((id) => ({ ...crm.records.get(id)?.values, 'Donor Enhanced At': null }));
  }

  it('costs no credit, and gives each contact its values again', async () => {
    const { world, ids, spent } = await openPlain(60);
    const before = await valuesOf(world, ids);
    await letAMonthPass(world);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    const now = renumber(world, ids);
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
    expect(await world.spent()).toBe(spent);
    expect(await valuesOf(world, now)).toEqual(before);
    expect(await statesOf(world, ids)).toEqual(new Set(['removed']));
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
  });

  it('costs no credit either if the IDs change again before the list was read a second time', async () => {
    const { world, ids, spent } = await openPlain(60);
    await letAMonthPass(world);
    const first = renumber(world, ids);
    await world.sync({ full: true });
    const before = await valuesOf(world, first);
    const second = renumber(world, first);
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
    expect(await valuesOf(world, second)).toEqual(before);
  });

  it('costs no credit either if the run that read the other IDs failed, and they change again', async () => {
    const { world, plain, ids, spent } = await openPlain(101);
    const before = await valuesOf(world, ids);
    await letAMonthPass(world);
    const other = renumber(world, ids);
    Object.assign(plain, { pages: 1, error: new RetriableError('away', { code: 'crm_away' }) });
    expect((await world.sync({ full: true })).reason?.code).toBe('crm_unavailable');
    expect(await statesOf(world, other)).toContain('due');
    Object.assign(plain, { pages: Number.POSITIVE_INFINITY, error: null });
    const last = renumber(world, other);
    // The rows that the failed run stored are missing now. They have no values, and cost nothing.
    expect(await world.sync({ full: true })).toMatchObject(MISSING);
    expect(await world.spent()).toBe(spent);
    expect(await valuesOf(world, last)).toEqual(before);
    expect(await statesOf(world, ids)).toEqual(new Set(['removed']));
    await decide(world, 'approved');
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
    // The failed run did not read the last row.
    expect(await statesOf(world, other)).toEqual(new Set(['removed', 'unknown']));
    expect(await world.spent()).toBe(spent);
  });

  it('costs no credit either if the other list spells its addresses in another way', async () => {
    const { world, ids, spent } = await openPlain(60);
    await letAMonthPass(world);
    const now = renumber(world, ids);
    for (const id of now) {
      const addresses = world.crm.records.get(id)?.contact.addresses ?? [];
      // Writes Street, Avenue and Drive in the abbreviations of the postal service.
      const written = addresses.map((address) =>
        address
          .replace(/\bStreet\b/, 'ST')
          .replace(/\bAvenue\b/, 'AVE')
          .replace(/\bDrive\b/, 'DR'),
      );
      world.crm.editContact(id, { addresses: written });
    }
    const plan = await previewRun(world.deps(), {
      integration: world.integration,
      mappings: memoryDefaultFields,
      partnerKey: world.store.fingerprint('partner_key', world.integration.partner.apiKey),
      full: true,
      only: null,
    });
    expect(plan.credits.enhancements.needed).toBe(0);
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
  });

  it('gets its values even from a run that may spend nothing, and the next run spends nothing on it', async () => {
    const { world, ids, spent } = await openPlain(3);
    const before = await valuesOf(world, ids);
    await letAMonthPass(world);
    const { store } = world;
    const hold = { madeAt: Date.now(), unknownAfter: null, isJournaled: false };
    await store.act((trx) => holdRestored(trx, ['riverside'], hold));
    const now = renumber(world, ids);
    const report = await world.sync({ full: true });
    expect(report.reason?.code).toBe('restore_unconfirmed');
    expect(await valuesOf(world, now)).toEqual(before);
    expect(await statesOf(world, ids)).toEqual(new Set(['removed']));
    await store.act((trx) => confirmRestore(trx, 'riverside'));
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
    expect(await listBatches(store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('costs no credit either for a contact that opts in again under its other ID', async () => {
    const { world, ids, spent } = await openPlain(2);
    await letAMonthPass(world);
    for (const id of ids) world.crm.editContact(id, { optedOut: true });
    const now = renumber(world, ids);
    await world.sync({ full: true });
    for (const id of now) world.crm.editContact(id, { optedOut: false });
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
    for (const values of await valuesOf(world, now)) {
      expect(values).toMatchObject({ 'Donor ID': expect.any(String) });
    }
  });

  it('is planned as it is synced: for no credit, and with one for another person', async () => {
    const { world, ids, spent } = await openPlain(60);
    await letAMonthPass(world);
    renumber(world, ids);
    const [first] = [...world.crm.records.values()];
    const address = ['7 Quarry Lane, Reno, NV'];
    world.crm.addContact({ ...first?.contact, id: 'another', addresses: address });
    const plan = await previewRun(world.deps(), {
      integration: world.integration,
      mappings: memoryDefaultFields,
      partnerKey: world.store.fingerprint('partner_key', world.integration.partner.apiKey),
      full: true,
      only: null,
    });
    expect(plan.credits.enhancements.needed).toBe(1);
    expect(plan.enhance).toMatchObject({ never_enhanced: 1 });
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent + 1);
  });

  it('costs one credit for a new contact that is another person, and for a second one beside its twin', async () => {
    const { world, ids, spent } = await openPlain(60);
    await letAMonthPass(world);
    const [first = '', ...others] = ids;
    const contact = world.crm.records.get(first)?.contact;
    world.crm.addContact({ ...contact, id: 'a-twin' });
    world.crm.addContact({ ...contact, id: 'another', addresses: ['7 Quarry Lane, Reno, NV'] });
    renumber(world, others);
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent + 2);
  });

  describe('that get their former IDs back', () => {
    it('get their values again for no credit, and nobody is asked whether the other rows are gone', async () => {
      const { world, ids, spent } = await openPlain(60);
      const before = await valuesOf(world, ids);
      await letAMonthPass(world);
      const now = renumber(world, ids);
      await world.sync({ full: true });
      goBack(world, ids);
      expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
      expect(await valuesOf(world, ids)).toEqual(before);
      expect(await statesOf(world, now)).toEqual(new Set(['removed']));
      expect(await statesOf(world, ids)).toEqual(new Set(['settled']));
      expect(await world.spent()).toBe(spent);
    });

    it('get them as often as the IDs change to and fro', async () => {
      const { world, ids, spent } = await openPlain(3);
      const before = await valuesOf(world, ids);
      await letAMonthPass(world);
      renumber(world, ids);
      await world.sync({ full: true });
      for (let times = 0; times < 2; times += 1) {
        goBack(world, ids);
        await world.sync({ full: true });
        expect(await valuesOf(world, ids)).toEqual(before);
        for (const id of ids) {
          world.crm.vanish(id);
          world.crm.appear(`0${id}`);
        }
        await world.sync({ full: true });
      }
      expect(await world.spent()).toBe(spent);
    });

    it('get them over a second other ID, and after a list that had neither row', async () => {
      const { world, ids, spent } = await openPlain(3);
      const [first = '', second = ''] = ids;
      const before = await valuesOf(world, [first, second]);
      await letAMonthPass(world);
      renumber(world, [first, second]);
      await world.sync({ full: true });
      renumber(world, [`0${first}`]);
      await world.sync({ full: true });
      world.crm.vanish(`00${first}`);
      world.crm.vanish(`0${second}`);
      await world.sync({ full: true });
      expect(await statesOf(world, [`00${first}`, `0${second}`])).toEqual(new Set(['removed']));
      for (const id of [first, second]) {
        world.crm.appear(id);
        const { values } = world.crm.records.get(id) ?? {};
        for (const field of Object.keys(values ?? {})) world.crm.setValue(id, field, null);
      }
      await world.sync({ full: true });
      expect(await valuesOf(world, [first, second])).toEqual(before);
      expect(await world.spent()).toBe(spent);
    });

    it('get a profile that was still being bought when the IDs changed back', async () => {
      const plain: PlainCrm = { pages: Number.POSITIVE_INFINITY, error: null };
      const world = await open({ integration: WITHOUT_TRIAL, connector: plainConnector(plain) });
      const ids = await world.addPeople(3);
      await leaveJobsRunning(world);
      const spent = await world.spent();
      const stop = new AbortController();
      renumber(world, ids);
      const running = world.sync({ full: true, signal: stop.signal });
      const moved = () =>
        statesOf(
          world,
          ids.map((id) => `0${id}`),
        );
      await expect.poll(moved).toEqual(new Set(['submitted']));
      stop.abort();
      await running;
      await world.putFaults([]);
      goBack(world, ids);
      expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
      for (const values of await valuesOf(world, ids)) {
        expect(values).toMatchObject({ 'Donor ID': expect.any(String) });
      }
      expect(await world.spent()).toBe(spent);
    });

    it('leave the profile with the row that has the other ID as long as the list has both', async () => {
      const { world, ids, spent } = await openPlain(3);
      await letAMonthPass(world);
      const now = renumber(world, ids);
      await world.sync({ full: true });
      const before = await valuesOf(world, now);
      for (const id of ids) world.crm.appear(id);
      await world.sync({ full: true });
      await world.sync({ full: true });
      expect(await valuesOf(world, now)).toEqual(before);
      expect(await statesOf(world, now)).toEqual(new Set(['settled']));
      expect(await world.spent()).toBe(spent);
    });

    it('cost a credit for details that nothing was paid for, and keep the price of those that were', async () => {
      const { world, ids, spent } = await openPlain(3);
      const [first = '', second = ''] = ids;
      await letAMonthPass(world);
      renumber(world, [first, second]);
      await world.sync({ full: true });
      const addresses = ['7 Quarry Lane, Reno, NV'];
      world.crm.editContact(`0${second}`, { addresses });
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent + 1);
      goBack(world, [first, second]);
      // The first contact has since moved. The second contact moved earlier, and that change was paid for under its
      // other ID.
      world.crm.editContact(first, { addresses });
      world.crm.editContact(second, { addresses });
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent + 2);
      for (const values of await valuesOf(world, [first, second])) {
        expect(values).toMatchObject({ 'Donor ID': expect.any(String) });
      }
    });
  });

  describe('that a user tells apart from an erased person', () => {
    /**
     * For each contact, erases a person with the contact's details. A user then tells the contacts apart from the
     * erased people.
     */
    async function openToldApart(people = 3) {
      const { world, plain, ids } = await openPlain(people);
      for (const id of ids) {
        const twin = { ...contactOf(world, id), id: `twin-of-${id}` };
        await erasePerson(world.store, 'riverside', twin);
      }
      await world.sync({ full: true });
      await tell(world, 'approved', people);
      await world.sync({ full: true });
      const before = await valuesOf(world, ids);
      await letAMonthPass(world);
      return { world, plain, ids, before, spent: await world.spent() };
    }

    /** Answers all open questions, which ask if a contact is an erased person. */
    async function tell(
      { store }: SyncWorld,
      decision: 'approved' | 'rejected',
      count: number,
    ): Promise<void> {
      const open = await listOpenQuestions(store.reader);
      expect(open).toHaveLength(count);
      for (const question of open) {
        expect(question.kind).toBe('forgotten_person');
        expect(await recordDecision(store, question, decision)).toBe(true);
      }
    }

    it('get their values for no credit once the user has told their new rows apart too', async () => {
      const { world, ids, before, spent } = await openToldApart();
      const now = renumber(world, ids);
      expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
      expect(await statesOf(world, now)).toEqual(new Set(['held']));
      for (const id of now) expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
      // A run for a single contact does not read the list.
      const [first = ''] = now;
      await tell(world, 'approved', 3);
      await world.sync({ only: first });
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, now)).toEqual(before);
    });

    it('get them for no credit even if the IDs change again before the user answers', async () => {
      const { world, ids, before, spent } = await openToldApart();
      const first = renumber(world, ids);
      await world.sync({ full: true });
      const second = renumber(world, first);
      await world.sync({ full: true });
      await tell(world, 'approved', 3);
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, second)).toEqual(before);
    });

    it('cost no credit either if the service does not know the person', async () => {
      const { world } = await openPlain(2);
      const unknown = world.crm.addContact({
        ...{ firstName: 'Quirina', lastName: 'Zzyzx', employers: ['Nowhere Works'] },
        addresses: ['1 Far Away Road, Nome, AK 99762'],
      });
      await world.sync({ full: true });
      const twin = { ...contactOf(world, unknown), id: 'a-twin' };
      await erasePerson(world.store, 'riverside', twin);
      await letAMonthPass(world);
      const spent = await world.spent();
      const [now = ''] = renumber(world, [unknown]);
      await world.sync({ full: true });
      await tell(world, 'approved', 1);
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      const row = (await findContacts(world.store.reader, 'riverside', [now])).get(now);
      expect(row).toMatchObject({ state: 'settled', outcomeReason: 'no_match_known' });
    });

    it('wait without an end, while nobody is asked whether their former rows are gone', async () => {
      const { world, ids, spent } = await openToldApart();
      const now = renumber(world, ids);
      for (let times = 0; times < 3; times += 1) {
        expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded' });
        expect(await hasMissing(world.store.reader, 'riverside')).toBe(false);
        expect(await listBatches(world.store.reader)).toEqual([]);
      }
      expect(await statesOf(world, now)).toEqual(new Set(['held']));
      for (const id of now) expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
      expect(await world.spent()).toBe(spent);
    });

    it('leave nothing under their other IDs if the user says that they are the erased people', async () => {
      const { world, ids, before, spent } = await openToldApart();
      const now = renumber(world, ids);
      await world.sync({ full: true });
      await tell(world, 'rejected', 3);
      await world.sync({ full: true });
      expect(await statesOf(world, now)).toEqual(new Set(['unknown']));
      for (const id of now) expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
      goBack(world, ids);
      await world.sync({ full: true });
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, ids)).toEqual(before);
    });

    it('get their values for no credit if they get their former IDs back before the user answers', async () => {
      const { world, ids, before, spent } = await openToldApart();
      const now = renumber(world, ids);
      await world.sync({ full: true });
      goBack(world, ids);
      await world.sync({ full: true });
      expect(await statesOf(world, now)).toEqual(new Set(['removed']));
      expect(await listOpenQuestions(world.store.reader)).toEqual([]);
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, ids)).toEqual(before);
    });

    it('get them if the user has not told the former rows apart either', async () => {
      const { world, ids } = await openPlain(3);
      const before = await valuesOf(world, ids);
      await letAMonthPass(world);
      for (const id of ids) {
        const twin = { ...contactOf(world, id), id: `twin-of-${id}` };
        await erasePerson(world.store, 'riverside', twin);
      }
      const spent = await world.spent();
      const now = renumber(world, ids);
      await world.sync({ full: true });
      expect(await statesOf(world, now)).toEqual(new Set(['held']));
      goBack(world, ids);
      await world.sync({ full: true });
      expect(await statesOf(world, ids)).toEqual(new Set(['held']));
      await tell(world, 'approved', 3);
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, ids)).toEqual(before);
    });
  });

  describe('with two rows of one person, of which one was erased', () => {
    /** Erases one of the two rows of a person. Then all rows get other IDs, and a run reads the list. */
    async function openTwoRows() {
      const { world, ids } = await openPlain(5);
      const [first = ''] = ids;
      const contact = contactOf(world, first);
      const twin = world.crm.addContact({ ...contact, id: `${first}-twin` });
      await world.sync({ full: true });
      const before = await valuesOf(world, [twin]);
      await letAMonthPass(world);
      await erasePerson(world.store, 'riverside', contact);
      const spent = await world.spent();
      const now = renumber(world, [...ids, twin]);
      expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
      return { world, twin, before, spent, rows: { first: `0${first}`, twin: `0${twin}` }, now };
    }

    async function answer(
      { store }: SyncWorld,
      crmId: string,
      decision: 'approved' | 'rejected',
    ): Promise<void> {
      const question = (await listOpenQuestions(store.reader)).find(
        (one) => 'crmId' in one && one.crmId === crmId,
      );
      if (question === undefined) throw new Error(`No question is open about ${crmId}.`);
      expect(question.kind).toBe('forgotten_person');
      expect(await recordDecision(store, question, decision)).toBe(true);
    }

    it('keeps the profile of the other row until a user has decided whose it is', async () => {
      const { world, twin, rows, spent } = await openTwoRows();
      expect(await statesOf(world, Object.values(rows))).toEqual(new Set(['held']));
      for (let times = 0; times < 3; times += 1) {
        expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded' });
        expect(await statesOf(world, [twin])).toEqual(new Set(['settled']));
        expect(await listBatches(world.store.reader)).toEqual([]);
      }
      for (const id of Object.values(rows)) expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
      expect(await world.spent()).toBe(spent);
    });

    it.each([
      ['first', 'twin'],
      ['twin', 'first'],
    ] as const)(
      'gives it to the row that is a different person, if the erased person is the %s row',
      async (erased, other) => {
        const { world, twin, before, rows, spent } = await openTwoRows();
        await answer(world, rows[erased], 'rejected');
        await answer(world, rows[other], 'approved');
        await world.sync({ full: true });
        expect(await world.spent()).toBe(spent);
        expect(await valuesOf(world, [rows[other]])).toEqual(before);
        expect(world.crm.valueOf(rows[erased], 'Donor ID')).toBeNull();
        expect(await statesOf(world, [twin])).toEqual(new Set(['removed']));
      },
    );

    it('gives it to that row before a user has decided about the other row', async () => {
      const { world, before, rows, spent } = await openTwoRows();
      await answer(world, rows.twin, 'approved');
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, [rows.twin])).toEqual(before);
      expect(await statesOf(world, [rows.first])).toEqual(new Set(['held']));
    });

    it('gives it to that row even if the IDs change again before a user decides', async () => {
      const { world, before, rows, now, spent } = await openTwoRows();
      renumber(world, now);
      expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
      await answer(world, `0${rows.first}`, 'rejected');
      await answer(world, `0${rows.twin}`, 'approved');
      await world.sync({ full: true });
      expect(await world.spent()).toBe(spent);
      expect(await valuesOf(world, [`0${rows.twin}`])).toEqual(before);
    });

    it('removes its contact once both rows are the erased person', async () => {
      const { world, twin, rows, spent } = await openTwoRows();
      await answer(world, rows.first, 'rejected');
      await answer(world, rows.twin, 'rejected');
      await world.sync({ full: true });
      expect(await statesOf(world, [twin])).toEqual(new Set(['removed']));
      expect(await world.spent()).toBe(spent);
    });
  });

  it('asks nobody whether the contacts of a short list before it are gone', async () => {
    const { world, plain, ids, spent } = await openPlain(300);
    plain.pages = 1;
    expect(await world.sync({ full: true })).toMatchObject(MISSING);
    await letAMonthPass(world);
    plain.pages = Number.POSITIVE_INFINITY;
    renumber(world, ids);
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded' });
    expect(await world.spent()).toBe(spent);
    expect(await listBatches(world.store.reader)).toEqual([]);
  });
});

describe('a reading that ends quietly after its first page', () => {
  it('removes nobody, buys and delivers for new contacts, and is forgotten once all are read', async () => {
    const { world, plain, ids, spent } = await openPlain(300);
    const { contact } = world.crm.records.get(ids[0] ?? '') ?? {};
    world.crm.addContact({ ...contact, id: 'newcomer', addresses: ['7 Quarry Lane, Reno, NV'] });
    // The contact is on the first page, with a hundred others.
    for (const id of ids.slice(0, 200)) world.crm.editContact(id, {});
    for (const id of ids.slice(200)) if (id !== 'newcomer') world.crm.editContact(id, {});
    plain.pages = 1;
    const report = await world.sync();
    expect(report).toMatchObject({ ...MISSING, contacts: { read: 100, submitted: 1, skipped: 0 } });
    const batches = await listBatches(world.store.reader);
    expect(batches).toMatchObject([{ kind: 'contacts_missing', isListChanged: false }]);
    expect(await statesOf(world, ids)).not.toContain('removed');
    plain.pages = Number.POSITIVE_INFINITY;
    expect(await world.sync()).toMatchObject({ status: 'succeeded', reason: null });
    expect(await listBatches(world.store.reader)).toEqual([]);
    expect(await hasMissing(world.store.reader, 'riverside')).toBe(false);
    expect(await world.spent()).toBeLessThanOrEqual(spent + 1);
  });

  it('is no question if it fails aloud', async () => {
    const { world, plain, ids } = await openPlain(300);
    Object.assign(plain, { pages: 1, error: new RetriableError('away', { code: 'crm_away' }) });
    expect((await world.sync()).reason?.code).toBe('crm_unavailable');
    expect(await listBatches(world.store.reader)).toEqual([]);
    expect(await statesOf(world, ids)).not.toContain('removed');
  });

  it('lets a contact wait that is due, and spends nothing on it', async () => {
    const { world, plain, spent } = await openPlain(300);
    const last = inPageOrder(world).at(-1) ?? '';
    await world.database.db
      .updateTable('contacts')
      .set({ state: 'due', due_reason: 'profile_old' })
      .where('crm_id', '=', last)
      .execute();
    plain.pages = 1;
    expect(await world.sync()).toMatchObject(MISSING);
    expect(await world.spent()).toBe(spent);
    const rows = await findContacts(world.store.reader, 'riverside', [last]);
    expect(rows.get(last)).toMatchObject({ state: 'due', outcomeReason: 'contacts_missing' });
  });

  it('says that the list was changed, and is decided once', async () => {
    const { world, plain, ids, spent } = await openPlain(300);
    plain.pages = 1;
    const { integration } = world;
    const contacts = { ...integration.contacts, filter: 'Segment = Major' };
    const narrowed = { ...integration, contacts };
    expect(await world.sync({ integration: narrowed })).toMatchObject(MISSING);
    expect(await listBatches(world.store.reader)).toMatchObject([
      { isListChanged: true, count: 200 },
    ]);
    expect(await decide(world, 'approved')).toBe(200);
    expect(await world.sync({ integration: narrowed })).toMatchObject({ status: 'succeeded' });
    expect(await statesOf(world, inPageOrder(world).slice(100))).toEqual(new Set(['removed']));
    plain.pages = Number.POSITIVE_INFINITY;
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { submitted: 0 } });
    expect(await world.spent()).toBe(spent);
    expect(await statesOf(world, ids)).not.toContain('removed');
  });

  it('asks again seven days after the answer to wait, not before', async () => {
    const { world, plain, ids } = await openPlain(300);
    plain.pages = 1;
    expect(await world.sync()).toMatchObject(MISSING);
    await decide(world, 'rejected');
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    await makeAnswersOlder(world, 6 * DAY_MS);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    await makeAnswersOlder(world, 2 * DAY_MS);
    expect(await world.sync()).toMatchObject(MISSING);
    expect(await listBatches(world.store.reader)).toMatchObject([{ count: 200 }]);
    expect(await statesOf(world, ids)).not.toContain('removed');
  });

  it('takes no member out of a network', async () => {
    const plain: PlainCrm = { pages: Number.POSITIVE_INFINITY, error: null };
    const world = await openNetworks({ enhanced: 120, connector: plainConnector(plain) });
    world.setBoard(0, 120);
    await world.sync();
    const before = await world.networks();
    expect(before['Board']).toHaveLength(120);
    plain.pages = 1;
    // Fewer than half of the members leave, so the group guard allows the removal.
    world.setBoard(0, 100);
    const report = await world.sync();
    expect(report).toMatchObject({ ...MISSING, networks: [{ name: 'Board', removed: 0 }] });
    expect(await world.networks()).toEqual(before);
    plain.pages = Number.POSITIVE_INFINITY;
    world.setBoard(0, 120);
    expect(await world.sync({ stages: NETWORK_STAGES })).toMatchObject({
      networks: [{ removed: 0, added: 0, kept: 120 }],
    });
  });
});

it('removes a contact that leaves a list for the second time, after its profile arrived in between', async () => {
  const plain: PlainCrm = { pages: Number.POSITIVE_INFINITY, error: null };
  let vanishing: string | null = null;
  const world: SyncWorld = await open({
    integration: WITHOUT_TRIAL,
    connector: plainConnector(plain),
    partner: (client) => ({
      ...client,
      async readResults(jobIds, signal) {
        if (vanishing !== null) world.crm.vanish(vanishing);
        vanishing = null;
        return client.readResults(jobIds, signal);
      },
    }),
  });
  const [id = '', other = ''] = await world.addPeople(30);
  vanishing = id;
  await world.sync({ full: true });
  const gone = await findContacts(world.store.reader, 'riverside', [id]);
  expect(gone.get(id)).toMatchObject({ state: 'ready', departureRead: 1 });
  world.crm.appear(id);
  await world.sync({ only: other });
  const rows = await findContacts(world.store.reader, 'riverside', [id]);
  expect(rows.get(id)).toMatchObject({ state: 'settled', outcomeReason: 'fields_written' });
  world.crm.vanish(id);
  await world.sync({ full: true });
  expect(await statesOf(world, [id])).toEqual(new Set(['removed']));
});

describe('contacts that lookups do not find, without a sign of a deletion', () => {
  async function openVanished(count: number, of: number) {
    const world = await open();
    const ids = await world.addPeople(of);
    expect((await world.sync()).status).toBe('succeeded');
    const gone = ids.slice(0, count);
    for (const id of gone) world.crm.vanish(id);
    return { world, ids, gone, spent: await world.spent() };
  }

  it('are asked about if they are many, and stay', async () => {
    const { world, gone, spent } = await openVanished(60, 200);
    expect(await world.sync({ only: gone })).toMatchObject(MISSING);
    expect(await statesOf(world, gone)).not.toContain('removed');
    expect(await world.sync()).toMatchObject(MISSING);
    // Restored access changes no record, so the contacts have to be looked up again.
    for (const id of gone) world.crm.appear(id);
    expect(await world.sync()).toMatchObject({ status: 'succeeded', reason: null });
    expect(await listBatches(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('count as removed if they are few, up to the guard within a week', async () => {
    const { world, gone } = await openVanished(40, 200);
    const [first, second] = [gone.slice(0, 20), gone.slice(20)];
    expect(await world.sync({ only: first })).toMatchObject({ status: 'succeeded' });
    expect(await statesOf(world, first)).toEqual(new Set(['removed']));
    expect(await world.sync({ only: second })).toMatchObject(MISSING);
    expect(await statesOf(world, second)).not.toContain('removed');
  });

  it('are never found by their absence from a reading of a CRM that reports removals', async () => {
    const { world, ids } = await openVanished(150, 200);
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded' });
    expect(await statesOf(world, ids)).not.toContain('removed');
    expect(await hasMissing(world.store.reader, 'riverside')).toBe(false);
  });

  it('are left to the next whole reading by a run for one contact where each reading is whole', async () => {
    const { world, ids } = await openPlain(30);
    const [id = ''] = ids;
    world.crm.vanish(id);
    expect(await world.sync({ only: id })).toMatchObject({
      status: 'succeeded',
      contacts: { held: 1 },
    });
    expect(await statesOf(world, [id])).not.toContain('removed');
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { skipped: 1 } });
    expect(await statesOf(world, [id])).toEqual(new Set(['removed']));
  });

  it('get their profile when they are back, if they vanished while it was on its way', async () => {
    let vanishing: string | null = null;
    const world: SyncWorld = await open({
      integration: WITHOUT_TRIAL,
      partner: (client) => ({
        ...client,
        async readResults(jobIds, signal) {
          if (vanishing !== null) world.crm.vanish(vanishing);
          vanishing = null;
          return client.readResults(jobIds, signal);
        },
      }),
    });
    const ids = await world.addPeople(30);
    vanishing = ids[0] ?? '';
    const id = vanishing;
    await world.sync();
    const spent = await world.spent();
    world.crm.appear(id);
    await world.sync({ only: id });
    const rows = await findContacts(world.store.reader, 'riverside', [id]);
    expect(rows.get(id)).toMatchObject({ state: 'settled', missingSince: null });
    expect(await world.spent()).toBe(spent);
    expect(rows.get(id)?.outcomeReason).toBe('fields_written');
  });
});

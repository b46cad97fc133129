import { describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector, memoryDefaultFields } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { hasMissing } from '../../src/contacts/many-at-once/missing.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { listBatches, recordBatchDecision } from '../../src/decisions/statements/batches.ts';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import { isMassDeparture } from '../../src/sync/guards/departures.ts';
import { previewRun } from '../../src/sync/preview.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import {
  createSyncWorld,
  type SyncWorld,
  type SyncWorldOptions,
  WITHOUT_TRIAL,
} from '../helpers/sync-world.ts';
import { createNetworkWorld } from '../networks/network-world.ts';

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

/** A CRM with a simple connector: each reading is complete, and no removal is reported. */
interface PlainCrm {
  /** The number of pages after which a reading ends without an error. */
  pages: number;
  /** An error that is thrown instead of the page after these pages. */
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

/** Makes the recorded decisions this much older. */
async function makeAnswersOlder({ database }: SyncWorld, ms: number): Promise<void> {
  await database.db
    .updateTable('questions')
    .set((eb) => ({ decided_at: eb('decided_at', '-', ms) }))
    .execute();
}

/** Returns all contacts in the order of the pages, which have a hundred contacts each. */
function inPageOrder({ crm }: SyncWorld): string[] {
  const records = [...crm.records].sort(([, one], [, other]) => one.revision - other.revision);
  return records.map(([id]) => id);
}

const MISSING = { status: 'incomplete', reason: { code: 'contacts_missing' } };

describe('a list with other IDs for the same contacts', () => {
  const MONTH_MS = 30 * DAY_MS;

  /** Makes it look as if everything had been paid for and delivered a month earlier. */
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

  /** Replaces the contacts with the same people under other IDs, without our values, as in an export from elsewhere. */
  function renumber({ crm }: SyncWorld, ids: readonly string[]): string[] {
    return ids.map((id) => {
      const contact = crm.records.get(id)?.contact;
      if (contact === undefined) throw new Error('The CRM has no such contact.');
      crm.vanish(id);
      return crm.addContact({ ...contact, id: `0${id}` });
    });
  }

  async function valuesOf({ crm }: SyncWorld, ids: readonly string[]) {
    // Only the database was moved by a month, so the date is not compared.
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

  it('costs no credit either if the other list spells its addresses in another way', async () => {
    const { world, ids, spent } = await openPlain(60);
    await letAMonthPass(world);
    const now = renumber(world, ids);
    for (const id of now) {
      const addresses = world.crm.records.get(id)?.contact.addresses ?? [];
      // Writes Street, Avenue and Drive as the postal service does.
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
    // The access is restored, which changes no record, so the contacts have to be looked up again.
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

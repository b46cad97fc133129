import { afterEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import type { Contact } from '../../src/core/contact.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { beginErasure } from '../../src/privacy/statements/erasures.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { previewRun } from '../../src/sync/preview.ts';
import { everything } from '../database/store-world.ts';
import { eraseContact, erasePerson, withLeaseOf } from '../helpers/erasing.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(options: SyncWorldOptions = {}): Promise<SyncWorld> {
  const world = await createSyncWorld({ service: { donors: 200 }, ...options });
  worlds.push(world);
  return world;
}

/** Opens a CRM with three enhanced people. The first person was erased in the store and in the CRM. */
async function openErased(options: SyncWorldOptions = {}) {
  const world = await open(options);
  const [erased = '', ...others] = await world.addPeople(3);
  await world.sync();
  const contact = contactOf(world, erased);
  await erasePerson(world.store, 'riverside', contact);
  clearInCrm(world, erased);
  return { world, erased, others, contact, spent: await world.spent() };
}

function clearInCrm({ crm }: SyncWorld, id: string): void {
  for (const field of crm.fields.keys()) crm.setValue(id, field, null);
}

function contactOf({ crm }: SyncWorld, id: string): Contact {
  const record = crm.records.get(id);
  if (!record) throw new Error(`The CRM has no contact ${id}`);
  return record.contact;
}

/** Returns the tables that contain the contact's ID anywhere. */
async function tablesNaming({ database }: SyncWorld, id: string): Promise<string[]> {
  const tables = Object.entries(await everything(database.db));
  return tables.flatMap(([name, rows]) => (rows.some((row) => row.includes(id)) ? name : []));
}

async function reasonOf({ store }: SyncWorld, id: string): Promise<string | undefined> {
  return (await findContacts(store.reader, 'riverside', [id])).get(id)?.outcomeReason;
}

async function decideOnly({ store }: SyncWorld, decision: 'approved' | 'rejected'): Promise<void> {
  const [hold, ...others] = await listOpenQuestions(store.reader);
  if (!hold || others.length > 0) throw new Error(`There are ${others.length} holds besides`);
  expect(hold.kind).toBe('forgotten_person');
  expect(await recordDecision(store, hold, decision)).toBe(true);
}

const ADA = {
  firstName: 'Ada',
  lastName: 'Stone',
  addresses: ['5 Elm Street, Springfield, IL 62701'],
  employers: ['Acme Foundation'],
};

describe('the person who was erased, under another id', () => {
  it('is held before a credit is spent, and a plan says so', async () => {
    const { world, contact, spent } = await openErased();
    const { id: _, ...person } = contact;
    const copy = world.crm.addContact({
      ...person,
      firstName: contact.firstName?.toUpperCase() ?? '',
    });
    const plan = await previewRun(world.deps(), {
      integration: world.integration,
      mappings: [],
      partnerKey: 'key',
      full: false,
      only: null,
    });
    expect(plan.leave).toMatchObject({ forgotten_person: 1 });
    const report = await world.sync();
    expect(report.contacts.held).toBe(1);
    expect(await reasonOf(world, copy)).toBe('forgotten_person');
    expect(await world.spent()).toBe(spent);
    // Several runs read the contact, but the product asks only one question about it.
    await world.sync({ full: true });
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(1);
    expect(await world.spent()).toBe(spent);
  });

  it('is enhanced once a person says that it is another one, and not asked about again', async () => {
    const { world, contact, spent } = await openErased();
    const { id: _, ...person } = contact;
    const copy = world.crm.addContact(person);
    await world.sync();
    await decideOnly(world, 'approved');
    await world.sync();
    expect(await world.spent()).toBe(spent + 1);
    expect(await reasonOf(world, copy)).toBe('fields_written');
    world.crm.editContact(copy, { employers: ['Another Works'] });
    await world.sync({ full: true });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent + 2);
  });

  it.each([
    ['is paid for as a change', true, 1],
    ['is not, where changes are worth no credit', false, 0],
  ])(
    'may be one that was paid for and has changed: told apart it %s',
    async (_, whenIdentityChanges, credits) => {
      const { world, contact, others, spent } = await openErased();
      const [other = ''] = others;
      const { id: _id, ...person } = contact;
      world.crm.editContact(other, person);
      const refresh = { afterDays: 365, whenIdentityChanges };
      const integration = { ...world.integration, refresh };
      await world.sync({ integration });
      expect(await reasonOf(world, other)).toBe('forgotten_person');
      await decideOnly(world, 'approved');
      await world.sync({ integration });
      expect(await world.spent()).toBe(spent + credits);
      expect(await reasonOf(world, other)).toBe(credits > 0 ? 'fields_written' : 'profile_fresh');
      expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    },
  );

  it('is asked about again if it is erased once more after that', async () => {
    const { world, contact } = await openErased();
    const { id: _, ...person } = contact;
    const copy = world.crm.addContact(person);
    await world.sync();
    await decideOnly(world, 'approved');
    const third = world.crm.addContact(person);
    await erasePerson(world.store, 'riverside', contactOf(world, third));
    await world.sync({ full: true });
    expect(await reasonOf(world, copy)).toBe('forgotten_person');
  });

  it('is blocked under this id too if a person says so, and nothing of it stays', async () => {
    const { world, contact, spent } = await openErased();
    const { id: _, ...person } = contact;
    const copy = world.crm.addContact({ ...person, id: 'the-copy' });
    await world.sync();
    await decideOnly(world, 'rejected');
    expect(await tablesNaming(world, copy)).toEqual([]);
    await world.sync({ full: true });
    expect(await tablesNaming(world, copy)).toEqual([]);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('is another person with another address and another employer', async () => {
    const { world, contact } = await openErased();
    const { firstName, lastName } = contact;
    const other = { addresses: ['1 Far Away Road, Nome, AK 99762'], employers: ['Arctic Works'] };
    world.crm.addContact({ firstName, lastName, ...other });
    await world.sync();
    expect(await listOpenQuestions(world.store.reader)).not.toContainEqual(
      expect.objectContaining({ kind: 'forgotten_person' }),
    );
  });

  it('gets nothing that was paid for before the erasure', async () => {
    const { service, options } = withholding();
    const world = await open(options);
    const [first = '', second = ''] = await world.addPeople(2);
    const { id: _, ...person } = contactOf(world, first);
    world.crm.editContact(second, person);
    await world.sync();
    service.withholds = false;
    await erasePerson(world.store, 'riverside', contactOf(world, first));
    await world.sync();
    expect(await reasonOf(world, second)).toBe('forgotten_person');
    expect(world.crm.valueOf(second, 'Donor ID')).toBeNull();
    await decideOnly(world, 'approved');
    await world.sync();
    expect(world.crm.valueOf(second, 'Donor ID')).not.toBeNull();
  });
});

/** Runs an action once, after a page has been read and before its contacts are decided. */
function whileReading() {
  const reading: { meanwhile: (() => Promise<void>) | null } = { meanwhile: null };
  const options: SyncWorldOptions = {
    connector(crm, signal) {
      const connector = createMemoryConnector(crm, signal);
      return {
        ...connector,
        async *readPages(cursor, known) {
          for await (const page of connector.readPages(cursor, known)) {
            const { meanwhile } = reading;
            reading.meanwhile = null;
            await meanwhile?.();
            yield page;
          }
        },
      };
    },
  };
  return { reading, options };
}

describe('what a person decides about who may be erased, while a run reads', () => {
  /** Creates a contact that is held because it looks like the erased contact. */
  async function openHeld() {
    const { reading, options } = whileReading();
    const { world, erased, others, contact, spent } = await openErased(options);
    const { id: _, ...person } = contact;
    const copy = world.crm.addContact({ ...person, id: 'the-copy' });
    await world.sync();
    expect(await reasonOf(world, copy)).toBe('forgotten_person');
    return { world, reading, erased, others, copy, spent };
  }

  it('blocks the contact at once, and nobody is asked once more', async () => {
    const { world, reading, copy, spent } = await openHeld();
    reading.meanwhile = () => decideOnly(world, 'rejected');
    await world.sync({ full: true });
    expect(await tablesNaming(world, copy)).toEqual([]);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('keeps a credit from being spent on the contact, also if it does not look like the erased one any more', async () => {
    const { world, reading, copy, spent } = await openHeld();
    const elsewhere = {
      addresses: ['1 Far Away Road, Nome, AK 99762'],
      employers: ['Arctic Works'],
    };
    world.crm.editContact(copy, elsewhere);
    reading.meanwhile = () => decideOnly(world, 'rejected');
    await world.sync();
    expect(await world.spent()).toBe(spent);
    expect(await tablesNaming(world, copy)).toEqual([]);
    expect(world.crm.valueOf(copy, 'Donor ID')).toBeNull();
  });

  it('leaves a contact alone that holds values of ours, until they are taken out', async () => {
    const { reading, options } = whileReading();
    const { world, erased, others, spent } = await openErased(options);
    const [winner = ''] = others;
    world.crm.mergeContact(erased, winner);
    await world.sync();
    reading.meanwhile = () => decideOnly(world, 'rejected');
    await world.sync({ full: true });
    expect(await reasonOf(world, winner)).toBe('forgotten');
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('lets no profile come to the contact by a merge', async () => {
    const { world, reading, others, copy, spent } = await openHeld();
    const [loser = ''] = others;
    world.crm.mergeContact(loser, copy);
    reading.meanwhile = () => decideOnly(world, 'rejected');
    await world.sync();
    expect(await tablesNaming(world, copy)).toEqual([]);
    expect(world.crm.valueOf(copy, 'Donor ID')).toBeNull();
    expect(await world.spent()).toBe(spent);
  });

  it('lets a contact that is another person go on in the same run, and nobody is asked once more', async () => {
    const { world, reading, copy, spent } = await openHeld();
    reading.meanwhile = () => decideOnly(world, 'approved');
    await world.sync({ full: true });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent + 1);
    expect(await reasonOf(world, copy)).toBe('fields_written');
  });
});

/** Creates a service that withholds its profiles until a test releases them. */
function withholding() {
  const service = { withholds: true };
  const options: SyncWorldOptions = {
    partner: (client) => ({
      ...client,
      readResults: async (ids, signal) =>
        service.withholds ? new Map() : client.readResults(ids, signal),
    }),
  };
  return { service, options };
}

describe('a merge with a contact that was erased', () => {
  it('holds the contact that stays, whatever it is called', async () => {
    const { world, erased, others, spent } = await openErased();
    const [winner = ''] = others;
    world.crm.mergeContact(erased, winner);
    world.crm.editContact(winner, { employers: ['Another Works'] });
    const report = await world.sync();
    expect(report.contacts.held).toBe(1);
    expect(await reasonOf(world, winner)).toBe('forgotten_person');
    expect(await world.spent()).toBe(spent);
    await world.sync({ full: true });
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(1);
    await decideOnly(world, 'approved');
    await world.sync({ full: true });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent + 1);
  });

  it('holds a contact that was never seen before', async () => {
    const { world, erased, spent } = await openErased();
    const winner = world.crm.addContact(ADA);
    world.crm.mergeContact(erased, winner);
    await world.sync();
    expect(await reasonOf(world, winner)).toBe('forgotten_person');
    expect(await world.spent()).toBe(spent);
  });

  it('leaves a contact that has opted out as it is, and asks about it once it opts in', async () => {
    const { world, erased, others, spent } = await openErased();
    const [winner = ''] = others;
    world.crm.editContact(winner, { optedOut: true });
    await world.sync();
    world.crm.mergeContact(erased, winner);
    await world.sync();
    // The outcome `opted_out` keeps the contact out of the networks.
    expect(await reasonOf(world, winner)).toBe('opted_out');
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    world.crm.editContact(winner, { optedOut: false });
    await world.sync();
    expect(await reasonOf(world, winner)).toBe('forgotten_person');
    expect(await world.spent()).toBe(spent);
  });

  it('brings no profile to an erased contact', async () => {
    const { world, erased, others, spent } = await openErased();
    const [loser = ''] = others;
    world.crm.mergeContact(loser, erased);
    await world.sync();
    await world.sync({ only: loser });
    expect(world.crm.valueOf(erased, 'Donor ID')).toBeNull();
    expect(await tablesNaming(world, erased)).toEqual([]);
    expect(await reasonOf(world, loser)).toBe('merged_in_crm');
    expect(await world.spent()).toBe(spent);
  });

  it('is not paid for once more if a person says that it is another one, and one in between was paid for', async () => {
    const { world, erased, others, spent } = await openErased();
    const [middle = ''] = others;
    world.crm.mergeContact(erased, middle);
    await world.sync();
    const { id: _, ...person } = contactOf(world, middle);
    const addresses = ['9 New Road, Reno, NV 89501'];
    const last = world.crm.addContact({ ...person, addresses });
    world.crm.mergeContact(middle, last);
    await world.sync();
    expect(await reasonOf(world, last)).toBe('forgotten_person');
    expect(world.crm.valueOf(last, 'Donor ID')).toBeNull();
    await decideOnly(world, 'approved');
    await world.sync();
    expect(world.crm.valueOf(last, 'Donor ID')).not.toBeNull();
    expect(await world.spent()).toBe(spent);
  });

  it('holds the last one of a chain', async () => {
    const { world, erased, others } = await openErased();
    const [middle = '', last = ''] = others;
    world.crm.mergeContact(erased, middle);
    await world.sync();
    world.crm.mergeContact(middle, last);
    await world.sync();
    expect(await reasonOf(world, last)).toBe('forgotten_person');
  });
});

describe('an erasure that has only begun', () => {
  /** Opens a store that still contains all records after an erasure has cleared only the CRM's fields. */
  async function openBegun(options: SyncWorldOptions = {}) {
    const world = await open(options);
    const [id = ''] = await world.addPeople(2);
    return { world, id };
  }

  async function begin({ store }: SyncWorld, crmId: string): Promise<void> {
    const erasure = { crmId, person: null, everywhere: false, donors: [], receipt: null };
    await withLeaseOf(store, 'riverside', (lease) =>
      beginErasure(store, lease, { ...erasure, state: 'begun' }),
    );
  }

  it('keeps a paid profile from being written', async () => {
    const { service, options } = withholding();
    const { world, id } = await openBegun(options);
    await world.sync();
    service.withholds = false;
    await begin(world, id);
    await world.sync();
    await world.sync({ full: true });
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
  });

  it('keeps undo from restoring anything', async () => {
    const { world, id } = await openBegun();
    world.crm.setValue(id, 'Donor Net Worth', 'from before');
    const mappings = [{ from: 'netWorth.label', to: 'Donor Net Worth', when: 'always' } as const];
    const run = await world.sync({ mappings });
    await begin(world, id);
    clearInCrm(world, id);
    const deps = world.deps();
    const report = await withLease(deps, 'riverside', (lease) => undoRun(deps, lease, run.id));
    expect(report.contacts.gone).toBe(1);
    expect(world.crm.valueOf(id, 'Donor Net Worth')).toBeNull();
  });

  it('lets a run for that contact alone end in peace, though the CRM has deleted it', async () => {
    const { world, id } = await openBegun();
    await begin(world, id);
    await eraseContact(world.store, 'riverside', id);
    world.crm.deleteContact(id);
    const report = await world.sync({ only: id });
    expect(report.status).toBe('succeeded');
    expect(await tablesNaming(world, id)).toEqual([]);
  });
});

describe('a contact of a list that a user has confirmed as an erased person, and that holds values of ours', () => {
  /** Makes the CRM a list. Each reading of the list is then complete, and a removed row is only absent. */
  const connector = (crm: MemoryCrm, signal: AbortSignal): Connector => {
    const memory = createMemoryConnector(crm, signal);
    return {
      ...memory,
      capabilities: { ...memory.capabilities, incremental: false, reportsRemovals: false },
      async *readPages() {
        for await (const page of memory.readPages(null)) {
          yield { ...page, removed: [], cursor: null };
        }
      },
    };
  };

  /** Creates contacts that have donor-sync's values, and that wait until `forget` removes the values. */
  async function openConfirmed(
    people: number,
    confirmed: number,
    integration: Record<string, unknown> = {},
  ) {
    const world = await open({ connector, integration });
    const ids = await world.addPeople(people);
    await world.sync();
    const chosen = ids.slice(0, confirmed);
    for (const id of chosen) {
      const { id: _, ...person } = contactOf(world, id);
      const twin = world.crm.addContact({ ...person, id: `twin-of-${id}` });
      await erasePerson(world.store, 'riverside', contactOf(world, twin));
    }
    await world.sync();
    for (const hold of await listOpenQuestions(world.store.reader)) {
      expect(hold.kind).toBe('forgotten_person');
      expect(await recordDecision(world.store, hold, 'rejected')).toBe(true);
    }
    for (const id of chosen) expect(await reasonOf(world, id)).toBe('forgotten');
    return { world, chosen };
  }

  it('does not count as gone, because the list still has it', async () => {
    const { world, chosen } = await openConfirmed(5, 1);
    for (let times = 0; times < 2; times += 1) {
      expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
      const rows = await findContacts(world.store.reader, 'riverside', chosen);
      expect([...rows.values()]).toMatchObject([
        { state: 'settled', outcomeReason: 'forgotten', missingSince: null },
      ]);
    }
  });

  it('asks nobody whether it is gone, even if it is one of many', async () => {
    const guards = { departures: { share: 0, atLeast: 2 } };
    const { world } = await openConfirmed(6, 4, { guards });
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded', reason: null });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('counts as gone once it has left the list', async () => {
    const { world, chosen } = await openConfirmed(5, 1);
    for (const id of chosen) world.crm.vanish(id);
    await world.sync({ full: true });
    const rows = await findContacts(world.store.reader, 'riverside', chosen);
    expect([...rows.values()]).toMatchObject([{ state: 'removed' }]);
  });
});

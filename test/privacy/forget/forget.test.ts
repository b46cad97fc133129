import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import type { MemoryOperation } from '../../../connectors/memory/crm.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import { NEXT_READING } from '../../../src/identity/identity-text.ts';
import { listBlockedContacts } from '../../../src/privacy/statements/blocks.ts';
import type { Store } from '../../../src/store.ts';
import { everything } from '../../database/store-world.ts';
import type { SyncWorldOptions } from '../../helpers/sync-world.ts';
import { createForgetWorld, type ForgetWorld } from './forget-world.ts';

const worlds: ForgetWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Creates a few enhanced people. */
async function open(options: SyncWorldOptions = {}, people = 3) {
  const world = await createForgetWorld(options);
  worlds.push(world);
  const [id = '', ...others] = await world.addPeople(people);
  await world.sync();
  expect(writtenInto(world, id)).toContain('Donor ID');
  return { world, id, others };
}

/** Returns our fields that have a value. */
function writtenInto({ crm }: ForgetWorld, id: string): string[] {
  return [...crm.fields.keys()].filter((field) => crm.valueOf(id, field) !== null);
}

/** Returns the tables that contain the contact's ID anywhere. */
async function tablesNaming({ database }: ForgetWorld, id: string): Promise<string[]> {
  const tables = Object.entries(await everything(database.db));
  return tables.flatMap(([name, rows]) => (rows.some((row) => row.includes(id)) ? name : []));
}

/** Returns the recorded person of each block. */
async function personsOf({ database }: ForgetWorld) {
  const rows = await database.db.selectFrom('forgotten').select('person').execute();
  return rows.map(({ person }) => JSON.parse(person ?? 'null'));
}

const CLEARED = { alsoInCrm: true };

describe('forgetPerson', () => {
  it('erases, clears what we wrote, reads it again, and says so in a receipt', async () => {
    const { world, id, others } = await open();
    const [other = ''] = others;
    world.crm.setValue(id, 'Donor Net Worth', 'typed by a person');
    const fields = writtenInto(world, id).filter((field) => field !== 'Donor Net Worth');
    const receipt = await world.forget(id, CLEARED);
    expect(receipt).toMatchObject({
      complete: true,
      erasedEarlier: null,
      alike: [],
      leftAlone: [],
      pending: [],
      erased: { contacts: 1, jobs: 1, writes: 1, holds: 0 },
      crm: { editedSince: ['Donor Net Worth'], stillPresent: [], unreadable: [], verified: true },
      integrations: [{ integration: 'riverside', wasKnown: true, erasedEarlier: null }],
    });
    expect(receipt.crm?.cleared.toSorted()).toEqual(fields.toSorted());
    expect(writtenInto(world, id)).toEqual(['Donor Net Worth']);
    expect(await tablesNaming(world, id)).toEqual([]);
    expect(JSON.stringify(receipt)).not.toContain(id);
    expect(writtenInto(world, other)).toContain('Donor ID');
  });

  it('says of who was erased before when that was and what was done, and does no harm', async () => {
    const { world, id } = await open();
    const first = await world.forget(id, CLEARED);
    const again = await world.forget(id, CLEARED);
    expect(again).toMatchObject({ id: first.id, complete: true, crm: first.crm });
    expect(again.erased).toEqual(first.erased);
    expect(again.erasedEarlier).not.toBeNull();
  });

  it('does not take for cleared what it cannot tell from a value of a person any more', async () => {
    const { world, id } = await open();
    await world.forget(id);
    world.crm.setValue(id, 'Donor ID', 'typed by a user');
    const receipt = await world.forget(id, CLEARED);
    expect(receipt.crm).toMatchObject({ unrecognized: ['Donor ID'], verified: false });
    expect(receipt.crm?.cleared).not.toContain('Donor ID');
    expect(receipt.pending).toMatchObject([{ what: 'crm' }]);
  });

  it('clears what it left in the CRM when it was erased, and keeps nothing of it then', async () => {
    const { world, id } = await open();
    await world.forget(id);
    const left = () =>
      world.database.db.selectFrom('writes').select('id').where('state', '=', 'left').execute();
    expect(await left()).not.toEqual([]);
    const receipt = await world.forget(id, CLEARED);
    expect(receipt).toMatchObject({ complete: true, pending: [], crm: { verified: true } });
    expect(receipt.crm?.cleared).toContain('Donor ID');
    expect(writtenInto(world, id)).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('clears a value whose write had begun and never came on record', async () => {
    const { world, id } = await open({}, 1);
    const { db } = world.database;
    await db.updateTable('writes').set({ state: 'intended' }).execute();
    await db.updateTable('contacts').set({ owned_values: '{}', state: 'ready' }).execute();
    const receipt = await world.forget(id, CLEARED);
    expect(receipt.crm?.cleared).toContain('Donor ID');
    expect(writtenInto(world, id)).toEqual([]);
  });

  it('clears a value that is recorded under another form of the id', async () => {
    const canonicalId = (text: string) => text.toUpperCase();
    const otherForms = (crmId: string) => [crmId.toLowerCase()];
    const { world, id } = await open({ canonicalId, otherForms });
    // An older version of donor-sync has stored the other form of the ID.
    const record = world.crm.records.get(id);
    const values = record?.values ?? {};
    world.crm.addContact({ ...record?.contact, id: id.toUpperCase(), values });
    const receipt = await world.forget(id.toUpperCase(), CLEARED);
    expect(receipt.crm?.cleared).toContain('Donor ID');
    expect(writtenInto(world, id.toUpperCase())).toEqual([]);
    expect(await tablesNaming(world, id)).toEqual([]);
  });

  it('keeps what tells our values from others until the CRM lets them be cleared', async () => {
    const { world, id } = await open();
    world.crm.refuseWrites(id);
    const refused = await world.forget(id, CLEARED);
    expect(refused).toMatchObject({ complete: false, crm: { cleared: [], verified: false } });
    expect(refused.crm?.stillPresent).toContain('Donor ID');
    expect(refused.pending).toMatchObject([
      { what: 'crm', text: expect.stringContaining('The CRM refuses to change this record.') },
    ]);
    await world.sync({ full: true });
    world.crm.allowWrites(id);
    const done = await world.forget(id, CLEARED);
    expect(done).toMatchObject({ id: refused.id, complete: true, crm: { verified: true } });
    expect(writtenInto(world, id)).toEqual([]);
    expect(await tablesNaming(world, id)).toEqual([]);
  });

  it('clears all but the field that the CRM refuses to clear, and says which it is', async () => {
    const { world, id } = await open();
    world.crm.refuseField(id, 'Donor ID');
    const refused = await world.forget(id, CLEARED);
    expect(refused).toMatchObject({ complete: false, crm: { stillPresent: ['Donor ID'] } });
    expect(writtenInto(world, id)).toEqual(['Donor ID']);
    world.crm.allowWrites(id);
    expect(await world.forget(id, CLEARED)).toMatchObject({ complete: true });
    expect(writtenInto(world, id)).toEqual([]);
  });

  it('names the fields that it cannot see any more', async () => {
    const { world, id } = await open({
      connector(crm, signal) {
        const connector = createMemoryConnector(crm, signal);
        return { ...connector, capabilities: { ...connector.capabilities, remote: true } };
      },
    });
    const field = writtenInto(world, id).find((name) => name !== 'Donor ID') ?? '';
    world.crm.removeField(field);
    const receipt = await world.forget(id, CLEARED);
    expect(receipt.crm).toMatchObject({ unreadable: [field], verified: false });
    expect(receipt.pending).toMatchObject([{ what: 'crm' }]);
  });

  it('erases in every integration of the account, also one that the settings do not have', async () => {
    const { world, id } = await open();
    await world.sync({ integration: world.lakeside });
    await world.sync({ integration: { ...world.integration, id: 'of-old' } });
    const receipt = await world.forget(id, CLEARED);
    expect(receipt.integrations.map(({ integration }) => integration)).toEqual([
      'riverside',
      'lakeside',
      'of-old',
    ]);
    expect(receipt.erased).toMatchObject({ contacts: 3, jobs: 3 });
    expect(writtenInto(world, id)).toEqual([]);
    const spent = await world.spent();
    await world.sync({ full: true });
    await world.sync({ full: true, integration: world.lakeside });
    await world.sync({ full: true, integration: { ...world.integration, id: 'new' } });
    expect(await tablesNaming(world, id)).toEqual([]);
    expect(writtenInto(world, id)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it('does nothing while one of the integrations is being synced', async () => {
    const { world, id } = await open();
    await world.sync({ integration: world.lakeside });
    const before = await everything(world.database.db);
    const taken = await world.store.leases.acquire('lakeside', 'host/1/another', () => false);
    await expect(world.forget(id)).rejects.toMatchObject({ code: 'already_running' });
    if (taken.acquired) await world.store.leases.release(taken.lease);
    const { integrations: _, ...after } = await everything(world.database.db);
    expect(before).toMatchObject(after);
    expect(await tablesNaming(world, id)).toContain('contacts');
  });

  it('does nothing if it stood still for so long that a sync has begun', async () => {
    const { world, id } = await open();
    const { store } = world;
    const slow: Store = {
      ...store,
      erasures: {
        ...store.erasures,
        async append(entry) {
          const taken = await store.leases.acquire('riverside', 'a sync', () => true);
          expect(taken.acquired).toBe(true);
          return store.erasures.append(entry);
        },
      },
    };
    await expect(world.forget(id, { store: slow })).rejects.toMatchObject({
      kind: 'retriable',
      code: 'already_running',
      message: expect.stringContaining('Nothing was done. Try again when that sync has ended.'),
    });
    expect(await listBlockedContacts(store.reader, 'riverside')).toEqual(new Set());
    expect((await findContacts(store.reader, 'riverside', [id])).size).toBe(1);
  });

  it('does nothing for an unknown id, and names those near it', async () => {
    const { world, id } = await open();
    const typed = `${id.slice(0, -2)}x${id.slice(-1)}`;
    await expect(world.forget(typed)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'contact_unknown',
      message: expect.stringContaining(id),
      details: { near: expect.arrayContaining([id]) },
    });
    expect((await everything(world.database.db))['forgotten']).toEqual([]);
    const receipt = await world.forget(typed, { blockUnknown: true });
    expect(receipt).toMatchObject({ complete: true, erased: { contacts: 0 } });
    world.crm.addContact({ id: typed, firstName: 'Ada', lastName: 'Stone' });
    const spent = await world.spent();
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
  });

  it('says of an unknown id that the CRM could not be asked', async () => {
    const { world } = await open();
    world.crm.failNext('open', new RetriableError('away', { code: 'crm_unavailable' }));
    await expect(world.forget('c-unknown')).rejects.toMatchObject({
      code: 'contact_unknown',
      message: expect.stringContaining('its CRM could not be queried. Nothing was changed.'),
    });
  });

  it('knows a contact that only the CRM has, and keeps it away', async () => {
    const { world } = await open();
    const id = world.crm.addContact({ firstName: 'Ada', lastName: 'Stone', employers: ['Acme'] });
    const receipt = await world.forget(id);
    expect(receipt.integrations).toMatchObject([{ wasKnown: false }]);
    world.crm.addContact({ firstName: 'Ada', lastName: 'Stone', employers: ['Acme'] });
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ chosen: 0, held: 1 });
  });

  it('erases although the CRM is out of reach, and knows the person again all the same', async () => {
    const { world, id } = await open();
    const { id: _, ...contact } = world.crm.records.get(id)?.contact ?? { id };
    world.crm.failNext('open', new RetriableError('away', { code: 'crm_unavailable' }));
    expect(await world.forget(id)).toMatchObject({ complete: true, crm: null });
    expect(await tablesNaming(world, id)).toEqual([]);
    world.crm.addContact(contact);
    expect((await world.sync()).contacts.held).toBe(1);
  });

  it('knows the person again once it is repeated, if only the names were known at first', async () => {
    const { world, id } = await open();
    const { id: _, ...contact } = world.crm.records.get(id)?.contact ?? { id };
    // The contact took part in a merge, and no sync has read its details since.
    await world.database.db
      .updateTable('contacts')
      .set({ identity: NEXT_READING })
      .where('crm_id', '=', id)
      .execute();
    world.crm.failNext('open', new RetriableError('away', { code: 'crm_unavailable' }));
    expect(await world.forget(id)).toMatchObject({ complete: true, crm: null });
    const [before] = await personsOf(world);
    expect(before).toMatchObject({ name: '', names: expect.arrayContaining([expect.any(String)]) });
    expect((await world.forget(id)).erasedEarlier).not.toBeNull();
    const [person] = await personsOf(world);
    expect(person).toMatchObject({ name: expect.stringMatching(/./), names: before.names });
    world.crm.addContact(contact);
    expect((await world.sync()).contacts).toMatchObject({ held: 1, submitted: 0 });
  });

  it('lists other contacts that may be the same person, by their ids', async () => {
    const { world, id } = await open();
    const { id: _, ...contact } = world.crm.records.get(id)?.contact ?? { id };
    const copy = world.crm.addContact(contact);
    await world.sync();
    const receipt = await world.forget(id);
    expect(receipt.alike).toEqual([{ integration: 'riverside', crmId: copy }]);
  });

  it('sends on to the contact that the CRM has merged it into', async () => {
    const { world, id, others } = await open();
    const [winner = ''] = others;
    world.crm.mergeContact(id, winner);
    const receipt = await world.forget(id, CLEARED);
    expect(receipt.pending).toMatchObject([
      { what: 'merged', text: expect.stringContaining(winner) },
    ]);
  });
});

describe('an erasure that is cut off', () => {
  const OPERATIONS: MemoryOperation[] = ['open', 'readByIds', 'describeFields', 'write', 'finish'];

  /**
   * Starts an erasure that fails at the CRM operation with this number. Returns false if the erasure finished first.
   */
  async function forgetUntil(world: ForgetWorld, id: string, last: number): Promise<boolean> {
    let count = 0;
    let isCut = false;
    world.crm.before((operation) => {
      if (!OPERATIONS.includes(operation)) return;
      count += 1;
      if (count <= last) return;
      isCut = true;
      throw new Error('killed');
    });
    await world.forget(id, CLEARED).catch(() => {});
    world.crm.before(null);
    return isCut;
  }

  it('at any moment, with a sync in between, ends clean when it is repeated', async () => {
    for (let last = 0; ; last += 1) {
      const { world, id } = await open({}, 2);
      const fields = writtenInto(world, id);
      const isCut = await forgetUntil(world, id, last);
      const between = writtenInto(world, id);
      await world.sync({ full: true });
      // The sync between the two erasures wrote nothing back to the contact.
      expect(between).toEqual(expect.arrayContaining(writtenInto(world, id)));
      const receipt = await world.forget(id, CLEARED);
      expect(receipt).toMatchObject({ complete: true, crm: { verified: true, stillPresent: [] } });
      expect(receipt.crm?.cleared.toSorted()).toEqual(fields.toSorted());
      expect(receipt.erased).toMatchObject({ contacts: 1, jobs: 1, writes: 1 });
      expect(writtenInto(world, id)).toEqual([]);
      await world.sync({ full: true });
      expect(writtenInto(world, id)).toEqual([]);
      expect(await tablesNaming(world, id)).toEqual([]);
      if (!isCut) {
        expect(last).toBeGreaterThan(5);
        return;
      }
    }
  });

  it('knows the person again under another id, although the contact left the CRM before it was repeated', async () => {
    const { world } = await open();
    const ada = {
      firstName: 'Ada',
      lastName: 'Stone',
      addresses: ['5 Elm Street, Reno, NV 89501'],
    };
    // No sync has read the contact, so only the block contains the identity.
    const id = world.crm.addContact(ada);
    let readings = 0;
    world.crm.before((operation) => {
      if (operation === 'readByIds') readings += 1;
      if (readings > 1) throw new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    });
    await expect(world.forget(id, CLEARED)).rejects.toMatchObject({ code: 'erasure_cut_off' });
    world.crm.before(null);
    world.crm.deleteContact(id);
    await world.forget(id);
    world.crm.addContact(ada);
    const spent = await world.spent();
    expect((await world.sync()).contacts.held).toBe(1);
    expect(await world.spent()).toBe(spent);
  });

  it('by the CRM says that the contact is blocked and what to do', async () => {
    const { world, id } = await open();
    const away = new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    world.crm.failNext('describeFields', away);
    await expect(world.forget(id, CLEARED)).rejects.toMatchObject({
      kind: 'retriable',
      code: 'erasure_cut_off',
      message: expect.stringMatching(/The CRM is away\. Until it is finished, no sync enhances/),
    });
    expect(await world.forget(id, CLEARED)).toMatchObject({ complete: true });
  });
});

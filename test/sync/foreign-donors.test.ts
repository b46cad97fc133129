import { describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { eraseContact, erasePerson } from '../helpers/erasing.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

/** Opens an empty database, and a CRM that a different database has enhanced. */
async function openOverEnhanced(count: number): Promise<{ world: SyncWorld; crm: MemoryCrm }> {
  const before = await open();
  await before.addPeople(count);
  await before.sync();
  const { crm } = before;
  const world = await open({ connector: (_, signal) => createMemoryConnector(crm, signal) });
  return { world, crm };
}

describe('a database that does not know the donors whose ids the CRM carries', () => {
  it('spends nothing and says so', async () => {
    const { world } = await openOverEnhanced(20);
    const report = await world.sync();
    expect(report).toMatchObject({
      status: 'incomplete',
      reason: { code: 'store_does_not_know_crm' },
      contacts: { submitted: 0 },
    });
    expect(report.reason?.message).toContain('--adopt');
    expect(await world.spent()).toBe(0);
  });

  it('takes them over without a credit if the settings say so, and buys only the others', async () => {
    const { world, crm } = await openOverEnhanced(20);
    crm.addContact({ firstName: 'Ada', lastName: 'Newcomer' });
    const report = await world.sync({ adopt: true });
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 1 } });
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0 });
    expect(await world.spent()).toBe(1);
  });

  it('does not take the values of the CRM for its own', async () => {
    const { world, crm } = await openOverEnhanced(3);
    await world.sync({ adopt: true });
    const rows = await world.database.db.selectFrom('contacts').selectAll().execute();
    expect(new Set(rows.map(({ owned_values }) => owned_values))).toEqual(new Set(['{}']));
    expect(crm.writes).not.toEqual([]);
  });

  it('takes over no contact that opted out or was forgotten', async () => {
    const { world, crm } = await openOverEnhanced(5);
    const [out = '', gone = ''] = crm.records.keys();
    crm.editContact(out, { optedOut: true });
    await eraseContact(world.store, 'riverside', gone);
    await world.sync({ adopt: true });
    const rows = await findContacts(world.store.reader, 'riverside', [out, gone]);
    expect(rows.get(out)).toMatchObject({ outcomeReason: 'opted_out', donorId: null });
    expect(rows.get(gone)).toBeUndefined();
  });

  it('asks about one who may be a person that was erased, and stops at no donor id of theirs', async () => {
    const { world, crm } = await openOverEnhanced(2);
    expect(await world.sync()).toMatchObject({ reason: { code: 'store_does_not_know_crm' } });
    const [double] = crm.records.values();
    if (double === undefined) throw new Error('The CRM is empty');
    await erasePerson(world.store, 'riverside', { ...double.contact, id: 'another-record' });
    expect(await world.sync({ adopt: true })).toMatchObject({ status: 'succeeded' });
    const held = await findContacts(world.store.reader, 'riverside', [double.contact.id]);
    expect([...held.values()]).toMatchObject([
      { state: 'held', outcomeReason: 'forgotten_person' },
    ]);
    expect(await world.spent()).toBe(0);
  });
});

it('buys a copy of a contact whose donor it knows, like every new contact', async () => {
  const world = await open();
  await world.addPeople(3);
  await world.sync();
  const [first] = world.crm.records.values();
  if (!first) throw new Error('The CRM is empty');
  const { id: _, ...contact } = first.contact;
  world.crm.addContact({ ...contact, lastName: 'Copyson', values: first.values });
  expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { submitted: 1 } });
});

it('is not asked of a contact alone whose donor id was typed by hand', async () => {
  const world = await open();
  world.crm.addContact({ firstName: 'Ada', lastName: 'Byrd', values: { 'Donor ID': 'VIP' } });
  expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { submitted: 1 } });
});

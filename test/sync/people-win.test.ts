import { describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { findWanted } from '../../src/networks/membership.ts';
import { aWrittenContact, leaveJobsRunning, NET_WORTH, open, strangers } from './worlds.ts';

describe('people win', () => {
  it('keeps a value that a person typed, before or after us', async () => {
    const world = await open();
    const [before = ''] = await world.addPeople(30);
    world.crm.setValue(before, NET_WORTH, 'Ask Maria');
    await world.sync();
    expect(world.crm.valueOf(before, NET_WORTH)).toBe('Ask Maria');
    const after = aWrittenContact(world);
    world.crm.setValue(after, NET_WORTH, 'Not so much');
    world.crm.editContact(after, { employers: ['Somewhere New'] });
    await world.sync();
    expect(world.crm.valueOf(after, NET_WORTH)).toBe('Not so much');
  });

  it('writes over values of its own, and over others only where the rule says always', async () => {
    const world = await open({
      integration: {
        fields: [
          { from: 'donorId', to: 'Always', when: 'always' },
          { from: 'donorId', to: 'Blank', when: 'ifEmpty' },
          { from: 'netWorth.label', to: NET_WORTH },
        ],
      },
    });
    for (const name of ['Always', 'Blank']) world.crm.addField({ name });
    const [id = ''] = await world.addPeople(1);
    world.crm.setValue(id, 'Always', 'typed');
    world.crm.setValue(id, 'Blank', 'typed');
    await world.sync();
    expect(world.crm.valueOf(id, 'Always')).toMatch(/^[0-9a-f]{32}$/);
    expect(world.crm.valueOf(id, 'Blank')).toBe('typed');
  });

  it("holds a profile whose name is not the contact's, and writes nothing of it", async () => {
    const world = await open(strangers);
    const [id] = await world.addPeople(1);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ enhanced: 1, held: 1, written: 0 });
    expect(world.crm.writes).toHaveLength(0);
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([
      { crmId: id, kind: 'name_mismatch', detail: 'last_name_differs' },
    ]);
  });

  it('writes a held profile once a person approves, without another credit', async () => {
    const world = await open(strangers);
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    const [hold] = await listOpenQuestions(world.store.reader);
    if (!hold) throw new Error('Nothing is held');
    await recordDecision(world.store, hold, 'approved');
    const spent = await world.spent();
    expect((await world.sync()).contacts.written).toBe(1);
    expect(world.crm.valueOf(id, 'Donor ID')).not.toBeNull();
    expect(await world.spent()).toBe(spent);
  });

  it('asks again if the contact became another person after a person approved', async () => {
    const world = await open(strangers);
    const ids = await world.addPeople(2);
    await world.sync();
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'approved');
    }
    world.crm.editContact(ids[0] ?? '', { firstName: 'Zebulon', lastName: 'Xylander' });
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 1, submitted: 0 });
    expect(world.crm.writes.map(({ id }) => id)).toEqual([ids[1]]);
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ crmId: ids[0] }]);
  });

  it('never enhances again a contact that a person rejected, until it becomes another person', async () => {
    const world = await open(strangers);
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    const [hold] = await listOpenQuestions(world.store.reader);
    if (!hold) throw new Error('Nothing is held');
    await recordDecision(world.store, hold, 'rejected');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, skipped: 1 });
    world.crm.editContact(id, { firstName: 'Quite', lastName: 'Different' });
    expect((await world.sync()).contacts.chosen).toBe(1);
  });

  it('does not deliver to a contact that opted out after the credit was spent', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    let reads = 0;
    world.crm.before((operation) => {
      if (operation !== 'readByIds' || ++reads < 2) return;
      for (const id of ids) world.crm.editContact(id, { optedOut: true });
    });
    const report = await world.sync();
    world.crm.before(null);
    expect(report.contacts).toMatchObject({ submitted: 5, written: 0, skipped: 5 });
    expect(world.crm.writes).toHaveLength(0);
  });

  it('delivers what was paid for once they have opted in again', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    let reads = 0;
    world.crm.before((operation) => {
      if (operation !== 'readByIds' || ++reads < 2) return;
      for (const id of ids) world.crm.editContact(id, { optedOut: true });
    });
    await world.sync();
    world.crm.before(null);
    for (const id of ids) world.crm.editContact(id, { optedOut: false });
    expect((await world.sync()).contacts).toMatchObject({ read: 5, submitted: 0, written: 5 });
    expect(await world.spent()).toBe(5);
  });

  it('sends no contact whose mark nobody has explained, and reports it as waiting for that', async () => {
    const world = await open();
    const [id = '', other = ''] = await world.addPeople(2);
    world.crm.editContact(id, { excluded: 'mark_unknown' });
    const report = await world.sync();
    expect(report).toMatchObject({
      status: 'succeeded',
      contacts: { submitted: 1, waiting: 1, skipped: 0, written: 1 },
    });
    const rows = await findContacts(world.store.reader, 'riverside', [id, other]);
    expect(rows.get(id)).toMatchObject({ state: 'settled', outcomeReason: 'mark_unknown' });
    world.crm.editContact(id, { excluded: null });
    expect((await world.sync()).contacts).toMatchObject({ submitted: 1, written: 1, waiting: 0 });
  });

  it('keeps a paid profile for a contact until a user has said what its new mark means', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    let reads = 0;
    world.crm.before((operation) => {
      if (operation !== 'readByIds' || ++reads < 2) return;
      world.crm.editContact(id, { excluded: 'mark_unknown' });
    });
    expect((await world.sync()).contacts).toMatchObject({ written: 0, waiting: 1 });
    expect(world.crm.writes).toEqual([]);
    const [row] = (await findContacts(world.store.reader, 'riverside', [id])).values();
    expect(row).toMatchObject({ state: 'ready', outcomeReason: 'mark_unknown' });
    world.crm.before(null);
    expect((await world.sync()).contacts).toMatchObject({ written: 0 });
    world.crm.editContact(id, { excluded: null });
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 1 });
    expect(await world.spent()).toBe(1);
  });

  it('writes nothing into a contact that a page shows as opted out before its record is there', async () => {
    const night = optingOut('readByIds');
    const world = await open(night);
    const [id = ''] = await world.addPeople(1);
    await leaveJobsRunning(world);
    await world.putFaults([]);
    night.begin();
    await world.sync();
    expect(world.crm.writes).toEqual([]);
    const [row] = (await findContacts(world.store.reader, 'riverside', [id])).values();
    expect(row).toMatchObject({ state: 'settled', outcomeReason: 'opted_out', eligible: 0 });
  });

  it('keeps in no network who opts out while a profile is being written', async () => {
    const night = optingOut('write');
    const world = await open(night);
    const ids = await world.addPeople(1);
    await leaveJobsRunning(world);
    await world.putFaults([]);
    night.begin();
    expect((await world.sync()).contacts.written).toBe(1);
    const rows = await findContacts(world.store.reader, 'riverside', ids);
    expect([...rows.values()]).toMatchObject([{ outcomeReason: 'fields_written', hasOptedOut: 1 }]);
    expect(findWanted(ids, rows)).toEqual({ wanted: [], toEnhance: 0 });
    night.end();
    for (const id of ids) world.crm.editContact(id, { optedOut: false });
    await world.sync();
    expect(
      findWanted(ids, await findContacts(world.store.reader, 'riverside', ids)).wanted,
    ).toHaveLength(1);
  });

  it('asks a person again about a held contact that had left and is back', async () => {
    const world = await open(strangers);
    const ids = await world.addPeople(2);
    expect((await world.sync()).contacts).toMatchObject({ held: 2 });
    for (const id of ids) world.crm.editContact(id, { optedOut: true });
    expect((await world.sync()).contacts).toMatchObject({ skipped: 2, held: 0 });
    for (const id of ids) world.crm.editContact(id, { optedOut: false });
    expect((await world.sync()).contacts).toMatchObject({ held: 2, submitted: 0 });
    const [hold] = await listOpenQuestions(world.store.reader);
    if (!hold) throw new Error('Nothing is held');
    await recordDecision(world.store, hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ written: 1 });
    expect(await world.spent()).toBe(2);
  });
});

/**
 * Returns a CRM in which all contacts of a step opt out after the step has started. The step ends after a page has
 * shown the opt-outs.
 */
function optingOut(step: 'readByIds' | 'write') {
  const out = Promise.withResolvers<void>();
  const shown = Promise.withResolvers<void>();
  let hasBegun = false;
  async function optOut(crm: MemoryCrm, ids: readonly string[]): Promise<void> {
    for (const id of ids) crm.editContact(id, { optedOut: true });
    out.resolve();
    await shown.promise;
  }
  return {
    begin: () => {
      hasBegun = true;
    },
    end: () => {
      hasBegun = false;
    },
    connector(crm: MemoryCrm, signal: AbortSignal): Connector {
      const connector = createMemoryConnector(crm, signal);
      return {
        ...connector,
        async *readPages(...of) {
          if (hasBegun) await out.promise;
          yield* connector.readPages(...of);
          shown.resolve();
        },
        async readByIds(ids, fields) {
          const lookups = await connector.readByIds(ids, fields);
          if (hasBegun && step === 'readByIds' && fields.length > 0) await optOut(crm, ids);
          return lookups;
        },
        async *write(changes) {
          yield* connector.write(changes);
          if (hasBegun && step === 'write') {
            await optOut(
              crm,
              crm.writes.map(({ id }) => id),
            );
          }
        },
      };
    },
  };
}

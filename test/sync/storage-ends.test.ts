/** Checks how long the database keeps the record of contacts that left the CRM. */
import { expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { Contact } from '../../src/core/contact.ts';
import { eraseContact } from '../helpers/erasing.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { open } from './worlds.ts';

const DAY_MS = 86_400_000;

/** A profile is refreshed after 90 days, so a record ends after 150 days. */
const REFRESHED = { afterDays: 90, whenIdentityChanges: true };

const TABLES = ['contacts', 'writes', 'kept_profiles', 'value_states', 'contact_statuses'] as const;

interface StorageWorld extends SyncWorld {
  /** Starts a run on this day. */
  syncOn(day: number): Promise<void>;
  /** Deletes the contact in the CRM, and returns it as it was. */
  takeAway(id: string): Contact;
  rowsOf(id: string): Promise<number>;
}

describeEachDatabase('the record of a contact that left', (openDatabase) => {
  async function createWorld(
    people: number,
    refresh: { afterDays: number | null; whenIdentityChanges: boolean } = REFRESHED,
  ): Promise<{ world: StorageWorld; ids: string[] }> {
    let today = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + today * DAY_MS };
    const database = await openDatabase();
    const world = await open({
      database,
      clock,
      // The service's clock stays on the first day. With such an old clock, the program would refuse to spend.
      partner: (client) => ({ ...client, clockAheadMs: () => 0 }),
      integration: { refresh, guards: { trial: { size: 0 } } },
    });
    const ids = await world.addPeople(people);
    await world.sync();
    return {
      ids,
      world: {
        ...world,
        async syncOn(day) {
          today = day;
          expect(await world.sync()).toMatchObject({ status: 'succeeded' });
        },
        takeAway(id) {
          const contact = world.crm.records.get(id)?.contact;
          if (contact === undefined) throw new Error(`${id} is not in the CRM`);
          world.crm.deleteContact(id);
          return contact;
        },
        async rowsOf(id) {
          let rows = 0;
          for (const table of TABLES) {
            const found = await database.db
              .selectFrom(table)
              .select('crm_id')
              .where('crm_id', '=', id)
              .execute();
            rows += found.length;
          }
          return rows;
        },
      },
    };
  }

  it('lets it return within 90 days at no cost, with all of its values', async () => {
    const { world, ids } = await createWorld(4);
    const before = await world.spent();
    const valuesOf = (id: string) => ({ ...world.crm.records.get(id)?.values });
    const values = ids.map(valuesOf);
    const contacts = ids.map((id) => world.takeAway(id));
    await world.syncOn(1);
    await world.syncOn(88);
    for (const contact of contacts) world.crm.addContact(contact);
    await world.syncOn(89);
    expect(await world.spent()).toBe(before);
    expect(ids.map(valuesOf)).toEqual(values);
  });

  it('ends when its profile would be due for a refresh anyway', async () => {
    const { world, ids } = await createWorld(4);
    const [gone = ''] = ids;
    const contact = world.takeAway(gone);
    await world.syncOn(1);
    await world.syncOn(149);
    expect(await world.rowsOf(gone)).toBeGreaterThan(1);
    await world.syncOn(151);
    expect(await world.rowsOf(gone)).toBe(0);
    const before = await world.spent();
    world.crm.addContact(contact);
    await world.syncOn(152);
    expect(await world.spent()).toBe(before + 1);
  });

  it('ends only when the contact has been away for 90 days', async () => {
    const { world, ids } = await createWorld(4);
    const [gone = ''] = ids;
    world.takeAway(gone);
    await world.syncOn(160);
    expect(await world.rowsOf(gone)).toBeGreaterThan(0);
    await world.syncOn(249);
    expect(await world.rowsOf(gone)).toBeGreaterThan(0);
    await world.syncOn(251);
    expect(await world.rowsOf(gone)).toBe(0);
  });

  it('does not end if profiles are never refreshed', async () => {
    const { world, ids } = await createWorld(4, { afterDays: null, whenIdentityChanges: true });
    const [gone = ''] = ids;
    const before = await world.spent();
    const contact = world.takeAway(gone);
    await world.syncOn(1);
    await world.syncOn(2_000);
    world.crm.addContact(contact);
    await world.syncOn(2_001);
    expect(await world.spent()).toBe(before);
  });

  it('is kept while the contact it was merged into is known', async () => {
    const { world, ids } = await createWorld(5);
    const [first = '', second = '', last = ''] = ids;
    world.crm.mergeContact(first, second);
    await world.syncOn(1);
    world.crm.mergeContact(second, last);
    await world.syncOn(2);
    await world.syncOn(200);
    const mergedInto = async () => {
      const rows = await world.database.db
        .selectFrom('contacts')
        .select(['crm_id', 'merged_into'])
        .where('merged_into', 'is not', null)
        .orderBy('crm_id')
        .execute();
      return rows.map(({ crm_id, merged_into }) => [crm_id, merged_into]);
    };
    expect(await mergedInto()).toEqual(
      [
        [first, second],
        [second, last],
      ].toSorted(),
    );
    world.takeAway(last);
    await world.syncOn(201);
    // A contact's storage ends after the storage of the contacts that were merged into it, one contact in each run.
    for (const day of [360, 361, 362]) await world.syncOn(day);
    expect(await mergedInto()).toEqual([]);
    expect(await world.rowsOf(last)).toBe(0);
  });

  it('is kept while a question is open or its answer is needed', async () => {
    const { world, ids } = await createWorld(6);
    const asked = ids.slice(0, 3);
    for (const id of asked) world.takeAway(id);
    await world.syncOn(1);
    const [open_, lasting, past] = asked;
    const question = { integration_id: 'riverside', batch: null, detail: null, opened_at: 1 };
    const about = (id = '') => ({ ...question, id: `of-${id}`, crm_id: id, tracking_id: null });
    await world.database.db
      .insertInto('questions')
      .values([
        { ...about(open_), kind: 'name_mismatch', decision: null, decided_at: null },
        { ...about(lasting), kind: 'lost_answer', decision: 'rejected', decided_at: 1 },
        { ...about(past), kind: 'name_mismatch', decision: 'rejected', decided_at: 1 },
      ])
      .execute();
    await world.syncOn(200);
    const kept = await Promise.all(asked.map((id) => world.rowsOf(id)));
    expect(kept.map((rows) => rows > 0)).toEqual([true, true, false]);
  });

  it('is kept while a write may have happened', async () => {
    const { world, ids } = await createWorld(4);
    const [gone = ''] = ids;
    world.takeAway(gone);
    await world.syncOn(1);
    const { db } = world.database;
    await db.updateTable('writes').set({ state: 'intended' }).where('crm_id', '=', gone).execute();
    await world.syncOn(200);
    expect(await world.rowsOf(gone)).toBeGreaterThan(1);
  });

  it('leaves the block of an erased contact in place', async () => {
    const { world, ids } = await createWorld(4);
    const [gone = ''] = ids;
    const contact = world.takeAway(gone);
    await world.syncOn(1);
    await eraseContact(world.store, 'riverside', gone);
    await world.syncOn(200);
    const before = await world.spent();
    world.crm.addContact(contact);
    await world.syncOn(201);
    expect(await world.spent()).toBe(before);
    expect(await world.rowsOf(gone)).toBe(0);
  });

  it('does not make the database look like a wrong one if contacts return with their donor IDs', async () => {
    const { world, ids } = await createWorld(10);
    const [gone = ''] = ids;
    const values = { ...world.crm.records.get(gone)?.values };
    const contact = world.takeAway(gone);
    await world.syncOn(1);
    await world.syncOn(151);
    world.crm.addContact({ ...contact, values });
    await world.syncOn(152);
    expect(await world.rowsOf(gone)).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { type SyncWorldOptions, WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { open } from '../worlds.ts';
import { ON_SUBMIT } from './lost-responses-world.ts';

describe('a lost response to other details of a contact whose profile is there', () => {
  const settings = { integration: { ...WITHOUT_TRIAL, settleAfterMs: 50 } };

  /** Creates a contact that has a profile and then moves, and whose next response is lost. */
  async function openMoved(after: Partial<SyncWorldOptions> = {}) {
    const world = await open({ ...settings, ...after });
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    const home = world.crm.records.get(id)?.contact.addresses ?? [];
    const move = (addresses: typeof home) => world.crm.editContact(id, { addresses });
    move(['9 Elsewhere Road, Farville, OH 44101']);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    expect((await world.sync()).contacts.held).toBe(1);
    await world.putFaults([]);
    expect(await world.spent()).toBe(2);
    const reason = async () =>
      (await findContacts(world.store.reader, 'riverside', [id])).get(id)?.outcomeReason;
    return { world, id, home, move, reason };
  }

  it('is of no matter once it has moved back: nothing is paid or asked for', async () => {
    const { world, home, move, reason } = await openMoved();
    move(home);
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, held: 0 });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await reason()).toBe('profile_fresh');
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
    expect(await world.spent()).toBe(2);
  });

  it('is of no matter if it has moved back between the reading and the sending', async () => {
    const { world, home, move, reason } = await openMoved();
    move(['12 Third Street, Newtown, PA 18940']);
    let looks = 0;
    world.crm.before((operation) => {
      // The first lookup uses the contact's details at the time of the lost response.
      if (operation === 'readByIds' && ++looks === 2) move(home);
    });
    expect((await world.sync()).contacts).toMatchObject({ chosen: 1, submitted: 0 });
    world.crm.before(null);
    expect(await reason()).toBe('profile_fresh');
    expect(await world.spent()).toBe(2);
  });

  it('costs no credit either if a person has rejected to ask again before that', async () => {
    const { world, id, home, move } = await openMoved();
    const [hold] = await listOpenQuestions(world.store.reader);
    if (hold) await recordDecision(world.store, hold, 'rejected');
    move(home);
    await world.sync();
    await world.sync({ full: true });
    expect(await world.spent()).toBe(2);
    expect((await findContacts(world.store.reader, 'riverside', [id])).get(id)?.state).toBe(
      'settled',
    );
  });

  it('stays a question when it has moved back to what a profile was asked with that has grown old', async () => {
    const { world, home, move, reason } = await openMoved();
    const enhanced_at = Date.now() - 400 * 86_400_000;
    await world.database.db.updateTable('contacts').set({ enhanced_at }).execute();
    move(home);
    const refresh = { afterDays: 365, whenIdentityChanges: false };
    await world.sync({ integration: { ...world.integration, refresh } });
    expect(await reason()).toBe('lost_answer');
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(1);
    expect(await world.spent()).toBe(2);
  });

  it.each([
    ['is asked about it', false],
    ['has rejected to ask again', true],
  ])('is not over while the address cannot be read, where a person %s', async (_, isRejected) => {
    const { world, home, move, reason } = await openMoved();
    const [hold] = await listOpenQuestions(world.store.reader);
    if (hold && isRejected) await recordDecision(world.store, hold, 'rejected');
    const before = await reason();
    world.crm.hideSource('address');
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
    world.crm.showSource('address');
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
    expect(await reason()).toBe(before);
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(isRejected ? 0 : 1);
    // Only readable fields can show that the contact has its former details again.
    world.crm.hideSource('address');
    move(home);
    await world.sync({ full: true });
    world.crm.showSource('address');
    await world.sync({ full: true });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(2);
  });

  it('is over when it has moved once more, and that is paid for', async () => {
    const { world, move } = await openMoved();
    move(['12 Third Street, Newtown, PA 18940']);
    expect((await world.sync()).contacts).toMatchObject({ chosen: 1, held: 0 });
    expect(await world.spent()).toBe(3);
  });
});

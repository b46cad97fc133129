import { describe, expect, it } from 'vitest';
import { findContacts, listDueContacts } from '../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { getSubject } from '../../src/decisions/views/question.ts';
import { listRunRecords } from '../../src/sync/statements/runs.ts';
import { sharedBy } from './shared-by.ts';
import { aWrittenContact, leaveJobsRunning, open, openEnhanced, strangers } from './worlds.ts';

describe('a first run', () => {
  it('ends every contact in exactly one outcome and spends one credit for each it submits', async () => {
    const world = await open();
    await world.addPeople(250);
    const report = await world.sync();
    const { contacts } = report;
    expect(report).toMatchObject({ status: 'succeeded', reason: null, trigger: 'manual' });
    expect(contacts.read).toBe(250);
    expect(contacts.submitted + (await sharedBy(world, report))).toBe(contacts.chosen);
    expect(report.credits.enhancements.spent).toBe(contacts.submitted);
    expect(await world.spent()).toBe(contacts.submitted);
    const { written, unchanged, skipped, failed, held, waiting } = contacts;
    expect(written + unchanged + skipped + failed + held + waiting).toBe(250);
    expect(written).toBeGreaterThan(200);
    expect(waiting).toBe(0);
  });

  it('never submits people without a first or last name, or who opted out', async () => {
    const world = await open();
    world.crm.addContact({ id: 'A', firstName: 'Ada', lastName: null });
    world.crm.addContact({ id: 'B', firstName: null, lastName: 'Byrd' });
    world.crm.addContact({ id: 'C', firstName: 'Cy', lastName: 'Cole', optedOut: true });
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ read: 3, chosen: 0, skipped: 3 });
    expect(await world.spent()).toBe(0);
  });

  it('stays out of another CRM account, since ids of one mean other people in another', async () => {
    const world = await openEnhanced(5);
    Object.assign(world.crm.account, { id: 'another-account' });
    await expect(world.sync()).rejects.toThrow(/another CRM account/);
    expect(await world.spent()).toBe(5);
  });

  it('spends nothing if not one mapped field can be written', async () => {
    const world = await open({
      integration: { fields: [{ from: 'netWorth.low', to: 'Locked' }] },
    });
    world.crm.addField({ name: 'Locked', writable: false });
    await world.addPeople(5);
    await expect(world.sync()).rejects.toThrow(/no credit is spent/);
    expect(await world.spent()).toBe(0);
  });
});

describe('a later run', () => {
  it('spends nothing and writes nothing when nothing has changed', async () => {
    const world = await openEnhanced(120);
    const writes = world.crm.writes.length;
    const spent = await world.spent();
    for (const full of [false, true]) {
      const report = await world.sync({ full });
      expect(report.contacts).toMatchObject({ chosen: 0, submitted: 0, written: 0, failed: 0 });
    }
    expect(world.crm.writes.length).toBe(writes);
    expect(await world.spent()).toBe(spent);
  });

  it('does not take the echo of its own writes for a change', async () => {
    const world = await openEnhanced(30);
    const report = await world.sync();
    expect(report.contacts.read).toBeGreaterThan(0);
    expect(report.contacts.chosen).toBe(0);
  });

  it('spends one credit for each changed identity, and none for a change of case or spacing', async () => {
    const world = await openEnhanced(40);
    const spent = await world.spent();
    const changed = [...world.crm.records.values()].filter(({ contact }) => contact.lastName);
    for (const { contact } of changed.slice(0, 4)) {
      world.crm.editContact(contact.id, { addresses: ['1 New Street, Reno, NV, 89501'] });
    }
    for (const { contact } of changed.slice(4, 8)) {
      const lastName = ` ${contact.lastName?.toUpperCase()} `;
      world.crm.editContact(contact.id, { lastName });
    }
    const report = await world.sync();
    expect(report.contacts.chosen).toBe(4);
    expect((await world.spent()) - spent).toBe(4);
  });

  it('does not ask again for people that the service does not know', async () => {
    const world = await open();
    world.crm.addContact({ id: 'N', firstName: 'Nemo', lastName: 'Zzyzxqv' });
    expect((await world.sync()).contacts.failed).toBe(1);
    const second = await world.sync({ full: true });
    expect(second.contacts).toMatchObject({ chosen: 0, unchanged: 1 });
    expect(await world.spent()).toBe(1);
  });

  it('refreshes a profile that has grown old', async () => {
    const world = await openEnhanced(10, { integration: { refresh: { afterDays: 30 } } });
    const spent = await world.spent();
    const longAgo = Date.now() - 31 * 86_400_000;
    await world.database.db
      .updateTable('contacts')
      .set({ asked_at: longAgo })
      .where('crm_id', '=', aWrittenContact(world))
      .execute();
    const report = await world.sync();
    expect(report.contacts.chosen).toBe(1);
    expect((await world.spent()) - spent).toBe(1);
  });

  it('syncs one contact when asked for one, and leaves the others waiting', async () => {
    const world = await open();
    const ids = await world.addPeople(20);
    const report = await world.sync({ only: ids[3] ?? '' });
    expect(report.contacts).toMatchObject({ read: 1, submitted: 1, waiting: 0 });
    expect(await world.spent()).toBe(1);
  });

  it('counts as chosen only the one contact that it is for', async () => {
    const world = await open({ integration: { budget: { perRun: 5 } } });
    const ids = await world.addPeople(20);
    expect((await world.sync()).contacts.waiting).toBeGreaterThan(1);
    const waiting = await listDueContacts(world.store.reader, 'riverside', {
      maxPriority: 2,
      limit: 1,
      only: null,
      withChanged: true,
    });
    const report = await world.sync({ only: waiting[0]?.crmId ?? '' });
    expect(ids).toContain(waiting[0]?.crmId);
    expect(report.contacts).toMatchObject({ chosen: 1, submitted: 1 });
  });

  it('refuses an unknown contact, and puts that on record', async () => {
    const world = await openEnhanced(2);
    await expect(world.sync({ only: 'no-such-id' })).rejects.toMatchObject({
      kind: 'configuration',
      code: 'contact_unknown',
    });
    const failed = await listRunRecords(world.store.reader, { status: 'failed', limit: 10 });
    expect(failed).toMatchObject([{ reasonCode: 'contact_unknown' }]);
  });

  it('drops contacts that were deleted, and those deleted between reading and delivery', async () => {
    const world = await openEnhanced(20);
    const id = aWrittenContact(world);
    world.crm.deleteContact(id);
    expect((await world.sync()).contacts).toMatchObject({ skipped: 1, chosen: 0 });
    const late = world.crm.addContact({ firstName: 'Late', lastName: 'Leaver' });
    world.crm.before((operation) => {
      if (operation === 'readByIds') world.crm.deleteContact(late);
    });
    const report = await world.sync();
    world.crm.before(null);
    expect(report.contacts).toMatchObject({ submitted: 0, skipped: 1 });
  });
});

describe('a contact whose change is taken back before it is paid for', () => {
  it('costs nothing, and stays one that is refreshed when its profile grows old', async () => {
    const world = await openEnhanced(30);
    const id = aWrittenContact(world);
    const { employers = [] } = world.crm.records.get(id)?.contact ?? {};
    const spent = await world.spent();
    world.crm.editContact(id, { employers: ['Elsewhere'] });
    world.crm.before((operation) => {
      if (operation === 'readByIds') world.crm.editContact(id, { employers });
    });
    expect((await world.sync()).contacts).toMatchObject({ chosen: 1, submitted: 0 });
    world.crm.before(null);
    const rows = await findContacts(world.store.reader, 'riverside', [id]);
    expect(rows.get(id)).toMatchObject({ state: 'settled', eligible: 1 });
    expect(await world.spent()).toBe(spent);
  });
});

describe('a merge in the CRM', () => {
  it('takes the profile to the record that stays, without a second credit', async () => {
    const world = await openEnhanced(30);
    const loser = aWrittenContact(world);
    const { contact } = world.crm.records.get(loser) ?? {};
    const spent = await world.spent();
    const winner = world.crm.addContact({ ...contact, id: 'winner', employers: ['Elsewhere'] });
    world.crm.mergeContact(loser, winner);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ submitted: 0, written: 1, skipped: 1 });
    expect(world.crm.valueOf(winner, 'Donor ID')).toMatch(/^[0-9a-f]{32}$/);
    expect(await world.spent()).toBe(spent);
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
  });

  it('says when the credit was spent, also if its details changed while the job ran', async () => {
    const world = await open();
    await world.addPeople(30);
    await leaveJobsRunning(world);
    await world.putFaults([]);
    for (const id of world.crm.records.keys()) {
      world.crm.editContact(id, { employers: ['Elsewhere'] });
    }
    const { integration } = world;
    const budget = { ...integration.budget, keep: 1_000_000 };
    const saving = { integration: { ...integration, budget } };
    await world.sync(saving);
    const loser = aWrittenContact(world);
    const { contact } = world.crm.records.get(loser) ?? {};
    const enhancedAt = world.crm.valueOf(loser, 'Donor Enhanced At');
    const winner = world.crm.addContact({ ...contact, id: 'winner' });
    world.crm.mergeContact(loser, winner);
    await world.sync(saving);
    expect(world.crm.valueOf(winner, 'Donor Enhanced At')).toBe(enhancedAt);
  });

  it('leaves a winner alone that has a profile of its own', async () => {
    const world = await openEnhanced(30);
    const [loser = '', winner = ''] = [...new Set(world.crm.writes.map(({ id }) => id))];
    const before = world.crm.valueOf(winner, 'Donor ID');
    const spent = await world.spent();
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 0 });
    expect(world.crm.valueOf(winner, 'Donor ID')).toBe(before);
    expect(await world.spent()).toBe(spent);
  });

  it('pays for no winner whose change an earlier run has put in line', async () => {
    const world = await openEnhanced(30);
    const [loser = '', winner = ''] = [...new Set(world.crm.writes.map(({ id }) => id))];
    const spent = await world.spent();
    world.crm.editContact(winner, { employers: ['Elsewhere'] });
    const { integration } = world;
    const budget = { ...integration.budget, keep: 1_000_000 };
    const before = await world.sync({ integration: { ...integration, budget } });
    expect(before.contacts).toMatchObject({ chosen: 1, submitted: 0, waiting: 1 });
    world.crm.mergeContact(loser, winner);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 0, waiting: 0 } });
    world.crm.editContact(winner, { employers: ['Elsewhere'], lastName: 'Once-More' });
    const renamed = await world.sync();
    expect(renamed.contacts).toMatchObject({ submitted: 0, held: 1 });
    expect(await world.spent()).toBe(spent);
    world.crm.editContact(winner, { employers: ['Somewhere New'] });
    expect((await world.sync()).contacts.submitted).toBe(1);
  });

  it('pays for no winner that is again what its profile was paid for with', async () => {
    const world = await openEnhanced(30);
    const [loser = '', winner = ''] = [...new Set(world.crm.writes.map(({ id }) => id))];
    const { employers = [] } = world.crm.records.get(winner)?.contact ?? {};
    const spent = await world.spent();
    world.crm.mergeContact(loser, winner);
    world.crm.editContact(winner, { employers: ['Elsewhere'] });
    expect((await world.sync()).contacts.submitted).toBe(0);
    world.crm.editContact(winner, { employers });
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, submitted: 0 });
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
    // The contact also changes between its page and its submission.
    world.crm.editContact(winner, { employers: ['Somewhere New'] });
    world.crm.before((operation) => {
      if (operation === 'readByIds') world.crm.editContact(winner, { employers });
    });
    expect((await world.sync()).contacts).toMatchObject({ chosen: 1, submitted: 0 });
    world.crm.before(null);
    expect(await world.spent()).toBe(spent);
  });

  it('pays for no changed winner if that the other one is gone was known before why', async () => {
    const world = await openEnhanced(30);
    const [loser = '', winner = ''] = [...new Set(world.crm.writes.map(({ id }) => id))];
    world.crm.editContact(loser, { employers: ['Elsewhere'] });
    let isRead = false;
    world.crm.before((operation) => {
      if (operation !== 'readByIds' || isRead) return;
      isRead = true;
      world.crm.mergeContact(loser, winner);
    });
    const spent = await world.spent();
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, skipped: 1 });
    world.crm.before(null);
    world.crm.editContact(winner, { employers: ['Elsewhere'] });
    expect((await world.sync()).contacts.submitted).toBe(0);
    expect(await world.spent()).toBe(spent);
  });

  it('pays for no changed winner about whose own lost answer a person is asked', async () => {
    const world = await open();
    const [loser = '', winner = ''] = await world.addPeople(2);
    const on = { method: 'POST', path: '/enhancements' };
    await world.putFaults([{ on, fault: { kind: 'resetAfter' } }]);
    await world.sync();
    const spent = await world.spent();
    world.crm.editContact(winner, { employers: ['Elsewhere'] });
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts.submitted).toBe(0);
    expect(await world.spent()).toBe(spent);
    const rows = await findContacts(world.store.reader, 'riverside', [winner]);
    expect(rows.get(winner)).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ crmId: winner }]);
  });

  it('takes the question about a name along, and heeds what a person says to it', async () => {
    const world = await open(strangers);
    const [loser = ''] = await world.addPeople(1);
    await world.sync();
    const { contact } = world.crm.records.get(loser) ?? {};
    const winner = world.crm.addContact({ ...contact, id: 'winner', employers: ['Elsewhere'] });
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 1 });
    const [hold, ...others] = await listOpenQuestions(world.store.reader);
    expect(others).toEqual([]);
    expect(hold).toMatchObject({ crmId: winner, kind: 'name_mismatch' });
    if (hold) await recordDecision(world.store, hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 1, held: 0 });
    expect(world.crm.valueOf(winner, 'Donor ID')).not.toBeNull();
    expect(await world.spent()).toBe(1);
  });

  it('asks about a profile that was approved for the record that went, since it may not fit the other one', async () => {
    const world = await open(strangers);
    const [loser = '', winner = ''] = await world.addPeople(2);
    await world.sync();
    for (const hold of await listOpenQuestions(world.store.reader)) {
      const decision = getSubject(hold) === loser ? 'approved' : 'resubmitted';
      await recordDecision(world.store, hold, decision);
    }
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 0, held: 1 });
    const [hold] = await listOpenQuestions(world.store.reader);
    expect(hold).toMatchObject({ crmId: winner, kind: 'name_mismatch' });
    if (hold) await recordDecision(world.store, hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 1 });
    expect(await world.spent()).toBe(2);
  });

  it('pays for the winner as for anybody if the record that went had no profile', async () => {
    const world = await open();
    const [loser = '', winner = ''] = await world.addPeople(2);
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts.submitted).toBe(1);
  });
});

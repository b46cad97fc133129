import { describe, expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import { open } from '../worlds.ts';
import { ON_SUBMIT, submitsAndReadings } from './lost-responses-world.ts';

describe('a lost response', () => {
  it('spends again where the settings allow it, and says why', async () => {
    const world = await open({ integration: { onLostAnswer: 'resubmit' } });
    await world.addPeople(10);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ held: 0, submitted: 10, written: 10 });
    expect(report.credits.enhancements.spent).toBe(20);
    expect(await world.spent()).toBe(20);
    const jobs = await world.database.db.selectFrom('jobs').select('reason').execute();
    expect(jobs.filter(({ reason }) => reason === 'lost_answer_resubmitted')).toHaveLength(10);
  });

  it('goes to a person who may have it submitted once more', async () => {
    const world = await open();
    await world.addPeople(3);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    await world.sync();
    const [one, two] = await listOpenQuestions(world.store.reader);
    if (!one || !two) throw new Error('Nothing is held');
    await recordDecision(world.store, one, 'resubmitted');
    await recordDecision(world.store, two, 'rejected');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ submitted: 1, written: 1 });
    expect(await world.spent()).toBe(4);
  });

  it('leaves no question about a contact that opted out or left while it was to be settled', async () => {
    const world = await open();
    const [out = '', gone = '', stays = ''] = await world.addPeople(3);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const stop = new AbortController();
    const integration = { ...world.integration, settleAfterMs: 60_000 };
    const running = world.sync({ integration, signal: stop.signal });
    const seen = async () => (await submitsAndReadings(world)).slice(-2);
    await expect.poll(seen).toEqual(['submit', 'credits']);
    stop.abort();
    await running;
    world.crm.editContact(out, { optedOut: true });
    world.crm.deleteContact(gone);
    expect((await world.sync()).contacts).toMatchObject({ held: 3 });
    // No contact in the CRM has changed since the hold.
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    const rows = await findContacts(world.store.reader, world.integration.id, [out, gone, stays]);
    expect(rows.get(out)).toMatchObject({ state: 'settled', outcomeReason: 'opted_out' });
    expect(rows.get(gone)).toMatchObject({ state: 'removed', outcomeReason: 'deleted_in_crm' });
    expect(rows.get(stays)).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    const open_ = await listOpenQuestions(world.store.reader, world.integration.id);
    expect(open_.map(getSubject)).toEqual([stays]);
    expect(await world.spent()).toBe(3);
  });

  it('about an old profile goes along with a merge that is read before it is settled', async () => {
    const world = await open();
    const [loser = ''] = await world.addPeople(1);
    await world.sync();
    const { contact } = world.crm.records.get(loser) ?? {};
    const longAgo = Date.now() - 400 * 86_400_000;
    const { db } = world.database;
    await db.updateTable('contacts').set({ asked_at: longAgo, enhanced_at: longAgo }).execute();
    await db.updateTable('jobs').set({ submitted_at: longAgo, closed_at: longAgo }).execute();
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const before = (await submitsAndReadings(world)).length;
    const stop = new AbortController();
    const integration = { ...world.integration, settleAfterMs: 60_000 };
    const running = world.sync({ integration, signal: stop.signal });
    const seen = async () => (await submitsAndReadings(world)).slice(before).slice(-2);
    await expect.poll(seen).toEqual(['submit', 'credits']);
    stop.abort();
    await running;
    expect(await world.spent()).toBe(2);
    const winner = world.crm.addContact({ ...contact, id: 'winner', employers: ['Elsewhere'] });
    world.crm.mergeContact(loser, winner);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    await world.sync();
    await world.sync();
    const rows = await findContacts(world.store.reader, world.integration.id, [winner]);
    expect(rows.get(winner)).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ crmId: winner }]);
    expect(await world.spent()).toBe(2);
  });
});

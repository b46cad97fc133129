import { describe, expect, it } from 'vitest';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { everything } from '../database/store-world.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { expectBoard, open, openBoard, theHold } from './board.ts';
import { mirrorOnce, overtakenAtRemoval } from './mirror-once.ts';
import { BOARD } from './network-world.ts';

describe('a mirrored group', () => {
  it('becomes a network, and asks nothing of the service on a quiet night', async () => {
    const here = await open({ enhanced: 12 });
    here.setBoard(0, 10);
    const report = await here.sync();
    expect(report).toMatchObject({
      status: 'succeeded',
      networks: [{ name: 'Board', added: 10, removed: 0, kept: 0, failed: 0 }],
      credits: { networks: { spent: 10, remaining: 99_990 } },
    });
    await expectBoard(here, here.people.slice(0, 10), 10);
    const calls = await here.networkCalls();
    const quiet = await here.sync();
    expect(quiet.networks).toEqual([{ name: 'Board', added: 0, removed: 0, kept: 10, failed: 0 }]);
    expect(quiet.credits.networks).toEqual({ spent: 0, remaining: 99_990 });
    expect(await here.networkCalls()).toEqual(calls);
  });

  it('is enhanced before anybody else, and joins in the same run', async () => {
    // A trial would choose contacts from the whole list, so it is switched off.
    const here = await open({ integration: { budget: { perRun: 20 }, ...WITHOUT_TRIAL } });
    const ids = await here.addPeople(60);
    here.crm.addGroup('board', ids.slice(40));
    const report = await here.sync();
    expect(report.reason?.code).toBe('budget_reached');
    const rows = await findContacts(here.store.reader, 'riverside', ids);
    const asked = ids.filter((id) => rows.get(id)?.askedAt != null);
    expect(asked.every((id) => ids.indexOf(id) >= 40)).toBe(true);
    const donors = await here.donorsOf(ids.slice(40));
    expect(donors.length).toBeGreaterThan(5);
    expect((await here.networks())['Board']).toEqual(donors);
  });

  it('takes joiners up and lets leavers go', async () => {
    const here = await openBoard();
    here.setBoard(2, 13);
    const report = await here.sync();
    expect(report.networks).toEqual([{ name: 'Board', added: 3, removed: 2, kept: 8, failed: 0 }]);
    await expectBoard(here, here.people.slice(2, 13), 13);
  });

  it('lets nobody go for a process that was overtaken before it asked', async () => {
    const here = await openBoard();
    here.setBoard(2, 10);
    const mirrored = mirrorOnce(here, overtakenAtRemoval(here));
    await expect(mirrored).rejects.toMatchObject({ code: 'lease_lost' });
    await expectBoard(here, here.people.slice(0, 10), 10);
  });

  it('pays again for a person who left and came back, since that is another membership', async () => {
    const here = await openBoard();
    here.setBoard(0, 9);
    await here.sync();
    here.setBoard(0, 10);
    await here.sync();
    await expectBoard(here, here.people.slice(0, 10), 11);
  });

  it('holds one person in several networks', async () => {
    const staff = { name: 'Staff', color: 'nonexistent', group: { group: 'staff' } };
    const here = await open({ enhanced: 6, integration: { networks: [BOARD, staff] } });
    here.setBoard(0, 4);
    here.crm.addGroup('staff', here.people.slice(2, 6));
    expect((await here.sync()).networks.map(({ added }) => added)).toEqual([4, 4]);
    expect(await here.networks()).toEqual({
      Board: await here.donorsOf(here.people.slice(0, 4)),
      Staff: await here.donorsOf(here.people.slice(2, 6)),
    });
  });

  it('counts a person once who is in the group twice, and two contacts of one donor', async () => {
    const here = await open({ enhanced: 4 });
    const [first = '', second = ''] = here.people;
    const [donor = ''] = await here.donorsOf([first]);
    await here.database.db
      .updateTable('contacts')
      .set({ donor_id: donor })
      .where('crm_id', '=', second)
      .execute();
    here.crm.addGroup('board', [first, second, first]);
    await here.sync();
    expect(await here.networks()).toEqual({ Board: [donor] });
    here.crm.addGroup('board', [second]);
    expect((await here.sync()).networks[0]).toMatchObject({ kept: 1, removed: 0 });
    expect(await here.networkSpent()).toBe(1);
  });

  it('keeps the membership of a contact that was merged into another', async () => {
    const here = await openBoard();
    const winner = here.crm.addContact({ firstName: 'Fresh', lastName: 'Record' });
    here.crm.mergeContact(here.people[0] ?? '', winner);
    here.crm.addGroup('board', [winner, ...here.people.slice(1, 10)]);
    const report = await here.sync();
    expect(report.networks[0]).toMatchObject({ added: 0, removed: 0, kept: 10 });
    await expectBoard(here, [winner, ...here.people.slice(1, 10)], 10);
  });

  it('leaves out who opted out', async () => {
    const here = await openBoard();
    here.crm.editContact(here.people[3] ?? '', { optedOut: true });
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 1, kept: 9 });
    await expectBoard(here, [...here.people.slice(0, 3), ...here.people.slice(4, 10)], 10);
  });

  it.each(['deceased', 'do_not_contact'] as const)(
    'takes in nobody who is %s, and keeps who is a member',
    async (excluded) => {
      const here = await openBoard();
      for (const index of [3, 11]) here.crm.editContact(here.people[index] ?? '', { excluded });
      here.setBoard(0, 12);
      expect((await here.sync()).networks[0]).toMatchObject({ added: 1, removed: 0, kept: 10 });
      await expectBoard(here, here.people.slice(0, 11), 11);
    },
  );

  it('is not looked at by a run for one contact', async () => {
    const here = await openBoard();
    here.setBoard(0, 0);
    const report = await here.sync({ only: here.people[0] ?? '' });
    expect(report.networks).toEqual([]);
    expect(here.crm.calls.readGroup).toBe(2);
  });
});

it('keeps what a group asks for out of the database, since it may quote a name', async () => {
  const group = { group: 'friends of Plantedname' };
  const here = await open({ enhanced: 3, integration: { networks: [{ ...BOARD, group }] } });
  here.crm.addGroup(group.group, here.people, 1);
  await here.sync();
  expect(await theHold(here)).toMatchObject({ kind: 'group_unreadable' });
  here.crm.addGroup(group.group, here.people);
  await here.sync();
  await expectBoard(here, here.people, 3);
  const text = JSON.stringify(await everything(here.database.db));
  expect(text).not.toContain('Plantedname');
  expect(text).toContain(here.people[0]);
});

describe('a group that looks wrong', () => {
  it('removes no member when it was emptied, until a person approves', async () => {
    const here = await openBoard();
    here.setBoard(0, 0);
    const report = await here.sync();
    expect(report).toMatchObject({ status: 'succeeded', networks: [{ removed: 0, kept: 10 }] });
    await expectBoard(here, here.people.slice(0, 10), 10);
    const hold = await theHold(here);
    expect(hold).toMatchObject({ kind: 'group_shrunk', detail: '10 of 10' });
    await here.sync();
    expect(await theHold(here)).toEqual(hold);
    await recordDecision(here.store, hold, 'approved');
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 10, kept: 0 });
    await expectBoard(here, [], 10);
  });

  it('needs no person when its members are back', async () => {
    const here = await openBoard();
    here.setBoard(0, 0);
    await here.sync();
    here.setBoard(0, 10);
    await here.sync();
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    await expectBoard(here, here.people.slice(0, 10), 10);
  });

  it('keeps its members after a rejection, takes joiners, and asks anew when it changes', async () => {
    const here = await openBoard();
    here.setBoard(8, 9);
    await here.sync();
    await recordDecision(here.store, await theHold(here), 'rejected');
    here.setBoard(8, 9);
    here.crm.addGroup('board', [here.people[8] ?? '', here.people[12] ?? '']);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 1, removed: 0 });
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    await expectBoard(here, [...here.people.slice(0, 10), here.people[12] ?? ''], 11);
    here.crm.addGroup('board', [here.people[12] ?? '']);
    await here.sync();
    expect(await theHold(here)).toMatchObject({ kind: 'group_shrunk', detail: '10 of 11' });
  });

  it('lets a small part, or fewer than five, go without asking', async () => {
    const here = await openBoard();
    here.setBoard(0, 6);
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 4, kept: 6 });
    here.setBoard(0, 2);
    expect((await here.sync()).networks[0]).toMatchObject({ removed: 4, kept: 2 });
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
  });

  it('changes nothing when it cannot be read to its end, and the contacts are synced', async () => {
    const here = await openBoard();
    here.crm.addGroup('board', here.people.slice(0, 12), 3);
    const stranger = here.crm.addContact({ firstName: 'Some', lastName: 'Stranger' });
    const report = await here.sync();
    expect(report).toMatchObject({
      status: 'succeeded',
      contacts: { chosen: 1 },
      networks: [{ added: 0, removed: 0, kept: 10, failed: 0 }],
    });
    expect((await findContacts(here.store.reader, 'riverside', [stranger])).size).toBe(1);
    expect(await theHold(here)).toMatchObject({
      kind: 'group_unreadable',
      detail: 'group_unreadable',
    });
    await expectBoard(here, here.people.slice(0, 10), 10);
    here.setBoard(0, 12);
    await here.sync();
    expect(await listOpenQuestions(here.store.reader)).toEqual([]);
    await expectBoard(here, here.people.slice(0, 12), 12);
  });
});

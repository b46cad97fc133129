import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { RetriableError } from '../../src/core/errors.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { PartnerValidationError } from '../../src/partner/errors.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';
import { sharedBy } from './shared-by.ts';

const NET_WORTH = 'Donor Net Worth';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(options?: SyncWorldOptions): Promise<SyncWorld> {
  const world = await createSyncWorld(options);
  worlds.push(world);
  return world;
}

/** A world whose contacts are all in the CRM and enhanced. */
async function openEnhanced(count: number, options?: SyncWorldOptions): Promise<SyncWorld> {
  const world = await open(options);
  await world.addPeople(count);
  const report = await world.sync();
  expect(report.status).toBe('succeeded');
  return world;
}

/** A contact that the first run has written a net worth into. */
function aWrittenContact({ crm }: SyncWorld): string {
  const write = crm.writes.find(({ values }) => values[NET_WORTH]);
  if (!write) throw new Error('No contact was written');
  return write.id;
}

/** A service that answers with profiles of other people. */
const strangers: SyncWorldOptions = {
  partner: (client) => ({
    ...client,
    async readResults(jobIds, signal) {
      const results = await client.readResults(jobIds, signal);
      for (const result of results.values()) {
        if (result.state === 'completed') result.profile.name.last = 'Quillfeather';
      }
      return results;
    },
  }),
};

/** A slow machine makes a test long, and does not make it fail. */

/** Submits everybody and stops before any job is looked at. */
async function leaveJobsRunning(world: SyncWorld): Promise<void> {
  await world.putFaults([{ on: { path: '*progress*' }, fault: { kind: 'slow', delayMs: 60_000 } }]);
  const stop = new AbortController();
  const running = world.sync({ signal: stop.signal });
  const submitted = () => world.store.contacts.countWork('riverside');
  await expect.poll(submitted).toMatchObject({ due: 0 });
  await expect.poll(() => world.spent()).toBeGreaterThan(0);
  stop.abort();
  await running;
}

/** Makes all jobs look as if they had been submitted so many minutes earlier. */
async function ageJobs({ database }: SyncWorld, minutes: number): Promise<void> {
  await database.db
    .updateTable('jobs')
    .set((eb) => ({ submitted_at: eb('submitted_at', '-', minutes * 60_000) }))
    .execute();
}

/** Lets the service blame the first person of the first submission. */
function blameFirst(client: PartnerClient): PartnerClient['submitEnhancements'] {
  let blamed = false;
  return async (persons, signal, mayLeave) => {
    if (blamed) return client.submitEnhancements(persons, signal, mayLeave);
    blamed = true;
    throw new PartnerValidationError('POST /enhancements', [
      { type: 'missing', loc: ['body', 'persons', 0, 'name'] },
    ]);
  };
}

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
    const waiting = await world.store.contacts.listDue('riverside', {
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
    const failed = await world.store.runs.list({ status: 'failed', limit: 10 });
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
    const rows = await world.store.contacts.find('riverside', [id]);
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
    expect((await world.sync()).contacts.submitted).toBe(0);
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
    // Between its page and its submission, too.
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
    const rows = await world.store.contacts.find('riverside', [winner]);
    expect(rows.get(winner)).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    expect(await world.store.holds.listOpen()).toMatchObject([{ crmId: winner }]);
  });

  it('takes the question about a name along, and heeds what a person says to it', async () => {
    const world = await open(strangers);
    const [loser = ''] = await world.addPeople(1);
    await world.sync();
    const { contact } = world.crm.records.get(loser) ?? {};
    const winner = world.crm.addContact({ ...contact, id: 'winner', employers: ['Elsewhere'] });
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 1 });
    const [hold, ...others] = await world.store.holds.listOpen();
    expect(others).toEqual([]);
    expect(hold).toMatchObject({ crmId: winner, kind: 'name_mismatch' });
    if (hold) await world.store.holds.decide(hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 1, held: 0 });
    expect(world.crm.valueOf(winner, 'Donor ID')).not.toBeNull();
    expect(await world.spent()).toBe(1);
  });

  it('asks about a profile that was approved for the record that went, since it may not fit the other one', async () => {
    const world = await open(strangers);
    const [loser = '', winner = ''] = await world.addPeople(2);
    await world.sync();
    for (const hold of await world.store.holds.listOpen()) {
      const decision = hold.crmId === loser ? 'approved' : 'resubmitted';
      await world.store.holds.decide(hold, decision);
    }
    world.crm.mergeContact(loser, winner);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 0, held: 1 });
    const [hold] = await world.store.holds.listOpen();
    expect(hold).toMatchObject({ crmId: winner, kind: 'name_mismatch' });
    if (hold) await world.store.holds.decide(hold, 'approved');
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
    expect(await world.store.holds.listOpen()).toMatchObject([
      { crmId: id, kind: 'name_mismatch', detail: 'last_name_differs' },
    ]);
  });

  it('writes a held profile once a person approves, without another credit', async () => {
    const world = await open(strangers);
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    const [hold] = await world.store.holds.listOpen();
    if (!hold) throw new Error('Nothing is held');
    await world.store.holds.decide(hold, 'approved');
    const spent = await world.spent();
    expect((await world.sync()).contacts.written).toBe(1);
    expect(world.crm.valueOf(id, 'Donor ID')).not.toBeNull();
    expect(await world.spent()).toBe(spent);
  });

  it('asks again if the contact became another person after a person approved', async () => {
    const world = await open(strangers);
    const ids = await world.addPeople(2);
    await world.sync();
    for (const hold of await world.store.holds.listOpen()) {
      await world.store.holds.decide(hold, 'approved');
    }
    world.crm.editContact(ids[0] ?? '', { firstName: 'Zebulon', lastName: 'Xylander' });
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 1, submitted: 0 });
    expect(world.crm.writes.map(({ id }) => id)).toEqual([ids[1]]);
    expect(await world.store.holds.listOpen()).toMatchObject([{ crmId: ids[0] }]);
  });

  it('never enhances again a contact that a person rejected, until it becomes another person', async () => {
    const world = await open(strangers);
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    const [hold] = await world.store.holds.listOpen();
    if (!hold) throw new Error('Nothing is held');
    await world.store.holds.decide(hold, 'rejected');
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

  it('asks a person again about a held contact that had left and is back', async () => {
    const world = await open(strangers);
    const ids = await world.addPeople(2);
    expect((await world.sync()).contacts).toMatchObject({ held: 2 });
    for (const id of ids) world.crm.editContact(id, { optedOut: true });
    expect((await world.sync()).contacts).toMatchObject({ skipped: 2, held: 0 });
    for (const id of ids) world.crm.editContact(id, { optedOut: false });
    expect((await world.sync()).contacts).toMatchObject({ held: 2, submitted: 0 });
    const [hold] = await world.store.holds.listOpen();
    if (!hold) throw new Error('Nothing is held');
    await world.store.holds.decide(hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ written: 1 });
    expect(await world.spent()).toBe(2);
  });
});

describe('nothing is dropped', () => {
  it('stops spending at the budget and goes on in the next run', async () => {
    const world = await open({ integration: { budget: { perRun: 130 } } });
    await world.addPeople(200);
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'incomplete', reason: { code: 'budget_reached' } });
    expect(first.contacts.submitted).toBe(130);
    const shared = await sharedBy(world, first);
    expect(first.contacts.waiting).toBe(first.contacts.chosen - 130 - shared);
    const second = await world.sync();
    expect(second.status).toBe('succeeded');
    const sharedLater = await sharedBy(world, second);
    expect(await world.spent()).toBe(first.contacts.chosen - shared - sharedLater);
  });

  it('leaves the credits that the settings keep', async () => {
    const world = await open({
      service: { credits: 100 },
      integration: { budget: { keep: 70 } },
    });
    await world.addPeople(50);
    const report = await world.sync();
    expect(report.reason?.code).toBe('budget_reached');
    expect(report.credits.enhancements).toEqual({ spent: 30, remaining: 70 });
  });

  it('stops when the bucket is empty and delivers what was paid for', async () => {
    const world = await open({ service: { credits: 120 } });
    await world.addPeople(200);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'credits_exhausted' } });
    expect(report.contacts.submitted).toBe(120);
    expect(report.contacts.enhanced + report.contacts.failed).toBeGreaterThanOrEqual(120);
    const shared = await sharedBy(world, report);
    expect(report.contacts.waiting).toBe(report.contacts.chosen - 120 - shared);
  });

  it('submits again the contacts that the service left out of a batch', async () => {
    const world = await open();
    await world.addPeople(100);
    await world.putFaults([{ times: 1, fault: { kind: 'processFewer', processed: 60 } }]);
    const report = await world.sync();
    expect(report.status).toBe('succeeded');
    expect(report.contacts.submitted).toBe(report.contacts.chosen);
    expect(await world.spent()).toBe(report.contacts.chosen);
  });

  it('tries a record again that refused its write, in the next run and free of charge', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(10);
    world.crm.refuseWrites(id);
    const first = await world.sync();
    expect(first.contacts).toMatchObject({ failed: 1, written: 9 });
    world.crm.allowWrites(id);
    const second = await world.sync();
    expect(second.contacts.written).toBe(1);
    expect(await world.spent()).toBe(10);
  });

  it('writes all but the value that the CRM refuses, names its field, and asks nothing again', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(10);
    world.crm.refuseField(id, 'Donor ID');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ failed: 0, waiting: 0, written: 10 });
    const row = (await world.store.contacts.find('riverside', [id])).get(id);
    expect(row).toMatchObject({
      state: 'settled',
      outcomeReason: 'fields_written_some_unfit',
      outcomeDetail: 'value_refused: The CRM refuses a value.',
    });
    expect(row?.ownedValues).not.toContain('Donor ID');
    expect(world.crm.writes.filter((write) => write.id === id)).toHaveLength(1);
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
    // A value that a person types there now is that person's.
    world.crm.setValue(id, 'Donor ID', 'typed');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    const [write] = await world.store.deliveries
      .listWrites(report.id)
      .then((writes) => writes.filter(({ crmId }) => crmId === id));
    expect(Object.keys(JSON.parse(write?.after ?? '{}'))).not.toContain('Donor ID');
    expect(await world.spent()).toBe(10);
  });

  it('counts a record that refused its write also in a run that stops before it tries again', async () => {
    const world = await open();
    const [id] = await world.addPeople(1);
    world.crm.refuseWrites(id ?? '');
    expect((await world.sync()).contacts).toMatchObject({ failed: 1 });
    const stopped = await world.sync({ signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({ status: 'incomplete', contacts: { failed: 1 } });
  });

  it('leaves a locked record to the next run', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(10);
    world.crm.lock(id, 1);
    expect((await world.sync()).contacts).toMatchObject({ waiting: 1, written: 9 });
    expect((await world.sync()).contacts.written).toBe(1);
  });

  it('stops when the CRM cannot be reached and finishes in the next run, paying once', async () => {
    const world = await open();
    await world.addPeople(150);
    let calls = 0;
    world.crm.before((operation) => {
      if (operation === 'write' && ++calls > 40) {
        throw new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
      }
    });
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'incomplete', reason: { code: 'crm_unavailable' } });
    world.crm.before(null);
    const second = await world.sync();
    expect(second.status).toBe('succeeded');
    expect(second.contacts.waiting).toBe(0);
    expect(await world.spent()).toBe(first.contacts.chosen);
  });

  it('asks again, in a later run, for a job that vanished before its profile was delivered', async () => {
    const world = await open();
    await world.addPeople(10);
    await leaveJobsRunning(world);
    await ageJobs(world, 11);
    await world.putFaults([{ on: { path: '*progress*' }, fault: { kind: 'jobsVanish' } }]);
    const first = await world.sync();
    expect(first.contacts).toMatchObject({ submitted: 0, waiting: 10, written: 0 });
    await world.putFaults([]);
    const second = await world.sync();
    expect(second.contacts).toMatchObject({ chosen: 10, written: 10 });
    const reasons = await world.database.db.selectFrom('jobs').select('reason').execute();
    expect(reasons.filter(({ reason }) => reason === 'job_vanished')).toHaveLength(10);
  });

  it('reads a contact once more that opted out while a job ran that brought nothing', async () => {
    const world = await openEnhanced(5);
    const loser = aWrittenContact(world);
    const { contact } = world.crm.records.get(loser) ?? {};
    await ageJobs(world, 11);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    const winner = world.crm.addContact({ ...contact, id: 'winner', optedOut: true });
    world.crm.mergeContact(loser, winner);
    await world.sync();
    const row = async () => (await world.store.contacts.find('riverside', [winner])).get(winner);
    expect(await row()).toMatchObject({ state: 'settled', outcomeReason: 'job_vanished' });
    await world.putFaults([]);
    await world.sync();
    const optedOut = { state: 'settled', outcomeReason: 'opted_out', eligible: 0 };
    expect(await row()).toMatchObject(optedOut);
    await world.sync();
    expect(await row()).toMatchObject(optedOut);
  });

  it('treats a young job that the service denies as still running', async () => {
    const world = await open();
    await world.addPeople(5);
    await world.putFaults([
      { on: { path: '*progress*' }, times: 2, fault: { kind: 'jobsVanish' } },
    ]);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 5, written: 5 });
    expect(await world.spent()).toBe(5);
  });

  it('leaves a young job whose result the service denies to the next run', async () => {
    const world = await open();
    await world.addPeople(5);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 5, waiting: 5 });
    await world.putFaults([]);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 5 });
    expect(await world.spent()).toBe(5);
  });

  it('treats an unknown state of a job as still running', async () => {
    const world = await open();
    await world.addPeople(5);
    await world.putFaults([
      { on: { path: '*progress*' }, times: 1, fault: { kind: 'jobState', state: 'queued' } },
    ]);
    expect((await world.sync()).contacts.written).toBe(5);
  });

  it('settles a person that the service calls invalid and submits the others', async () => {
    const world = await open({
      partner: (client) => ({ ...client, submitEnhancements: blameFirst(client) }),
    });
    await world.addPeople(10);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ failed: 1, written: 9, submitted: 9 });
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0 });
  });
});

describe('stopping and going on', () => {
  it.each([['partner_key_rejected', { apiKey: 'unknown-to-the-service' }]])(
    'stops with %s and says why',
    async (code, partner) => {
      const world = await open();
      await world.addPeople(5);
      const report = await world.sync({
        integration: {
          ...world.integration,
          partner: { ...world.integration.partner, ...partner },
        },
      });
      expect(report).toMatchObject({ status: 'incomplete', reason: { code } });
      expect(report.contacts.submitted).toBe(0);
    },
  );

  it('stops with partner_key_expired when the key is past its date', async () => {
    const world = await open();
    await world.addPeople(5);
    const apiKey = await world.issueKey({ deactivatesOn: '2020-01-01' });
    const report = await world.sync({
      integration: { ...world.integration, partner: { ...world.integration.partner, apiKey } },
    });
    expect(report.reason?.code).toBe('partner_key_expired');
    expect(report.reason?.message).toContain('2020-01-01');
  });

  it('ends at a checkpoint when it is asked to stop, and the next run pays for no contact twice', async () => {
    const world = await open({ service: { jobTimeMs: 300 } });
    await world.addPeople(300);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 150);
    const first = await world.sync({ signal: stop.signal });
    expect(first).toMatchObject({ status: 'incomplete', reason: { code: 'interrupted' } });
    const second = await world.sync();
    expect(second.status).toBe('succeeded');
    const third = await world.sync({ full: true });
    expect(third.contacts).toMatchObject({ chosen: 0, waiting: 0 });
    const paid = await world.database.db
      .selectFrom('jobs')
      .select('crm_id')
      .where('shared_from', 'is', null)
      .execute();
    expect(new Set(paid.map(({ crm_id }) => crm_id)).size).toBe(await world.spent());
  });

  it('is interrupted, and did not fail, when it is asked to stop while the service does not answer', async () => {
    const world = await open();
    await world.addPeople(3);
    const fault = { kind: 'slow', delayMs: 600_000 };
    await world.putFaults([{ on: { path: '*results*' }, times: 1, fault }]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    const ready = () => world.store.contacts.countWork('riverside');
    await expect.poll(ready).toMatchObject({ ready: 3 });
    stop.abort();
    expect(await running).toMatchObject({ status: 'incomplete', reason: { code: 'interrupted' } });
  });

  it('writes nothing any more once it has ended, also if one of its writers failed', async () => {
    const world = await open();
    await world.addPeople(300);
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let calls = 0;
    world.crm.before(async (operation) => {
      if (operation !== 'write') return;
      calls += 1;
      if (calls === 1) {
        // The other writer comes to wait for its turn meanwhile.
        await pause(300);
        throw new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
      }
      await pause(50);
    });
    const report = await world.sync();
    expect(report.reason?.code).toBe('crm_unavailable');
    const writes = world.crm.writes.length;
    await pause(500);
    expect(world.crm.writes.length).toBe(writes);
    world.crm.before(null);
    expect((await world.sync()).contacts.waiting).toBe(0);
  });

  it('lets one run at a time work on an integration', async () => {
    const world = await open({ service: { jobTimeMs: 300 } });
    await world.addPeople(20);
    const first = world.sync();
    await expect(world.sync()).rejects.toThrow(/being synced right now/);
    expect((await first).status).toBe('succeeded');
  });

  it('does not send a throttled submission again once another run has taken over', async () => {
    const overtaken = Promise.withResolvers<void>();
    const clock: Clock = {
      ...systemClock,
      async sleep(ms, signal) {
        if (ms >= 1_000) await overtaken.promise;
        return systemClock.sleep(ms, signal);
      },
    };
    const world = await open({ clock });
    await world.addPeople(3);
    const fault = { kind: 'throttle', retryAfterSeconds: 3 };
    await world.putFaults([{ on: { path: '/enhancements' }, times: 1, fault }]);
    const stopped = world.sync();
    const statuses = async () =>
      (await world.requests())
        .filter(({ path }) => path.endsWith('/enhancements'))
        .map(({ status }) => status);
    await expect.poll(statuses).toEqual([429]);
    await world.store.leases.acquire('riverside', 'another', () => true);
    overtaken.resolve();
    expect(await stopped).toMatchObject({ status: 'incomplete', reason: { code: 'lease_lost' } });
    expect(await statuses()).toEqual([429]);
    expect(await world.spent()).toBe(0);
  });

  it('writes no checkpoint any more once another run has taken over', async () => {
    const world = await open({ service: { jobTimeMs: 60_000 } });
    await world.addPeople(20);
    const overtaken = world.sync();
    await expect.poll(() => world.spent()).toBe(20);
    await world.database.db.updateTable('integrations').set({ lease_until: 0 }).execute();
    const taken = await world.store.leases.acquire('riverside', 'another', () => true);
    expect(taken.acquired).toBe(true);
    const { id, status, reason } = await overtaken;
    expect({ status, reason }).toMatchObject({
      status: 'incomplete',
      reason: { code: 'lease_lost', message: expect.stringContaining('taken over') },
    });
    expect(world.crm.writes).toHaveLength(0);
    // What becomes of the run is for the one that has taken it over to write down.
    expect(await world.store.runs.find(id)).toMatchObject({ status: 'running', report: null });
  });

  it('reports a lease that is lost at its very end, and leaves the record to the other', async () => {
    const world = await open();
    await world.addPeople(3);
    world.crm.before(async (operation) => {
      if (operation !== 'finish') return;
      const taken = await world.store.leases.acquire('riverside', 'another', () => true);
      if (taken.acquired) await world.store.runs.begin(taken.lease, 'theirs', 'manual', null);
    });
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'lease_lost' } });
    expect(report.contacts.submitted).toBe(3);
    expect(await world.store.runs.find(report.id)).toMatchObject({
      status: 'incomplete',
      reasonCode: 'interrupted',
    });
    expect(await world.store.runs.find('theirs')).toMatchObject({ status: 'running' });
  });
});

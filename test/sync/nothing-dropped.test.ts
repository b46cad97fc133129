import { describe, expect, it } from 'vitest';
import { findContacts } from '../../src/contacts/contacts.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { listWrites } from '../../src/fields/statements/deliveries.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { PartnerValidationError } from '../../src/partner/errors.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { copyPeople, createNeighbour } from './neighbour.ts';
import { sharedBy } from './shared-by.ts';
import { ageJobs, aWrittenContact, leaveJobsRunning, open, openEnhanced } from './worlds.ts';

/** Makes the service refuse the first person in the first submission. */
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

  it('leaves them also when another integration spends after the balance was read', async () => {
    const budget = { keep: 70 };
    let readings = 0;
    const world = await open({
      service: { credits: 100 },
      integration: { budget, ...WITHOUT_TRIAL },
      partner: (client) => ({
        ...client,
        async readCredits(...asked) {
          const credits = await client.readCredits(...asked);
          readings += 1;
          // The first submission uses the second reading.
          if (readings === 2) await neighbour.sync();
          return credits;
        },
      }),
    });
    const neighbour = createNeighbour(world, { budget, ...WITHOUT_TRIAL });
    const people = await world.addPeople(80);
    copyPeople(world.crm, neighbour.crm);
    // If both CRMs contained the same people, they would share profiles.
    for (const id of people.slice(0, 40)) world.crm.deleteContact(id);
    for (const id of people.slice(40)) neighbour.crm.deleteContact(`copy-of-${id}`);
    const report = await world.sync();
    expect(report.reason?.code).toBe('budget_reached');
    expect(report.credits.enhancements).toEqual({ spent: 0, remaining: 70 });
    expect(await world.spent()).toBe(30);
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

  it('still knows values as its own that a refused write may have left in a record', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    const states = async () =>
      (await world.store.reader.selectFrom('writes').select('state').execute()).map(
        ({ state }) => state,
      );
    world.crm.refuseWrites(id, { retriable: true, isPartlyStored: true });
    await world.sync();
    expect(await states()).toEqual(['intended']);
    world.crm.allowWrites(id);
    await world.sync();
    expect(await states()).toContain('written');
    expect(await world.spent()).toBe(1);
  });

  it('writes all but the value that the CRM refuses, names its field, and asks nothing again', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(10);
    world.crm.refuseField(id, 'Donor ID');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ failed: 0, waiting: 0, written: 10 });
    const row = (await findContacts(world.store.reader, 'riverside', [id])).get(id);
    expect(row).toMatchObject({
      state: 'settled',
      outcomeReason: 'fields_written_some_unfit',
      outcomeDetail: 'value_refused: The CRM refuses a value.',
    });
    expect(row?.ownedValues).not.toContain('Donor ID');
    expect(world.crm.writes.filter((write) => write.id === id)).toHaveLength(1);
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
    // A value that a user types there now belongs to the user.
    world.crm.setValue(id, 'Donor ID', 'typed');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    const [write] = await listWrites(world.store.reader, report.id).then((writes) =>
      writes.filter(({ crmId }) => crmId === id),
    );
    expect(Object.keys(JSON.parse(write?.after ?? '{}'))).not.toContain('Donor ID');
    expect(await world.spent()).toBe(10);
  });

  it('counts a record that refused its write as long as it does, also where nothing else has changed', async () => {
    const world = await open();
    const [id] = await world.addPeople(1);
    world.crm.refuseWrites(id ?? '');
    expect((await world.sync()).contacts).toMatchObject({ failed: 1 });
    for (const full of [true, true]) {
      expect((await world.sync({ full })).contacts).toMatchObject({ failed: 1, unchanged: 0 });
    }
    expect(await world.spent()).toBe(1);
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
    const world = await openEnhanced(5, { retention: { profiles: 0 } });
    const loser = aWrittenContact(world);
    const { contact } = world.crm.records.get(loser) ?? {};
    await ageJobs(world, 11);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    const winner = world.crm.addContact({ ...contact, id: 'winner', optedOut: true });
    world.crm.mergeContact(loser, winner);
    await world.sync();
    const row = async () =>
      (await findContacts(world.store.reader, 'riverside', [winner])).get(winner);
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

import { describe, expect, it } from 'vitest';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { identityOf } from './one-person/one-person-world.ts';
import { ageJobs, leaveJobsRunning, open } from './worlds.ts';

/** Returns the client's settings with a new service key. */
async function withNewKey(world: SyncWorld, options: Record<string, unknown> = {}) {
  const apiKey = await world.issueKey(options);
  return { ...world.integration, partner: { ...world.integration.partner, apiKey } };
}

/** Submits all jobs with the first key. The jobs are so old that every machine of the service knows them. */
async function openWithJobs(count: number): Promise<SyncWorld> {
  const world = await open();
  await world.addPeople(count);
  await leaveJobsRunning(world);
  await ageJobs(world, 11);
  await world.putFaults([]);
  return world;
}

describe('a service key that is replaced while jobs are running', () => {
  it('buys nothing again that the new key cannot see, and asks about it once', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    expect(await world.sync({ integration })).toMatchObject({
      status: 'succeeded',
      contacts: { submitted: 0, held: 4, waiting: 0 },
    });
    for (let night = 0; night < 2; night += 1) {
      expect((await world.sync({ integration, full: true })).contacts.submitted).toBe(0);
    }
    expect(await world.spentInAll()).toBe(spent);
    const questions = await listOpenQuestions(world.store.reader);
    expect(questions).toHaveLength(4);
    for (const { kind, detail } of questions) {
      expect({ kind, detail }).toEqual({ kind: 'paid_since_backup', detail: 'former_key' });
    }
  });

  it('asks about another record of the same person too, even if it spells the details in another way', async () => {
    const world = await openWithJobs(1);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    const [first] = world.crm.records.keys();
    const { addresses, ...details } = identityOf(world, first ?? '');
    await world.sync({ integration });
    world.crm.addContact({ ...details, addresses: addresses.map((each) => `${each}, USA`) });
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 0, held: 1 });
    expect(await listOpenQuestions(world.store.reader)).toHaveLength(2);
    expect(await world.spentInAll()).toBe(spent);
  });

  it('buys with the new key what a user decides to buy, each once', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    await world.sync({ integration });
    for (const question of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, question, 'approved');
    }
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 4, held: 0 });
    await world.sync({ integration });
    expect((await world.spentInAll()) - spent).toBe(4);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('delivers what was paid for if the new key belongs to the same team', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world, { team: 'team-default' });
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 0, held: 0 });
    expect(await world.spentInAll()).toBe(spent);
    expect(world.crm.writes).not.toEqual([]);
  });

  it('delivers it once the former key is back, without an answer', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    await world.sync({ integration: await withNewKey(world) });
    expect(world.crm.writes).toEqual([]);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 0, waiting: 0 });
    expect(world.crm.writes).not.toEqual([]);
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('buys nothing again either if the jobs had ended, and only their results were missing', async () => {
    const world = await open();
    await world.addPeople(4);
    await leaveJobsRunning(world);
    await ageJobs(world, 11);
    await world.putFaults([]);
    await world.database.db.updateTable('jobs').set({ state: 'completed' }).execute();
    await world.database.db.updateTable('contacts').set({ state: 'ready' }).execute();
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 0, held: 4 });
    await world.sync({ integration, full: true });
    expect(await world.spentInAll()).toBe(spent);
  });
});

describe('a contact that waits for the job of a replaced key and ends its question', () => {
  it.each([
    ['has changed and changed back', { lastName: 'Quillfeather' }],
    ['has opted out and in again', { optedOut: true }],
  ])(
    'waits again if it %s, and gets its profile once the former key is back',
    async (_, change) => {
      const { world, integration, waiting, spent } = await openWaiting();
      const { lastName } = identityOf(world, waiting);
      world.crm.editContact(waiting, change);
      const poor = { ...integration, budget: { ...integration.budget, perRun: 0 } };
      expect((await world.sync({ integration: poor })).contacts).toMatchObject({ held: 0 });
      expect(await listOpenQuestions(world.store.reader)).toEqual([]);
      world.crm.editContact(waiting, { lastName, optedOut: false });
      for (let night = 0; night < 2; night += 1) {
        const { contacts } = await world.sync({ integration, full: true });
        expect(contacts).toMatchObject({ submitted: 0, held: 1 });
      }
      expect(await listOpenQuestions(world.store.reader)).toMatchObject([
        { crmId: waiting, kind: 'paid_since_backup', detail: 'former_key' },
      ]);
      expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 0 });
      expect(world.crm.writes.map(({ id }) => id)).toEqual([waiting]);
      expect(await world.spentInAll()).toBe(spent);
    },
  );

  it('does not wait again if a user has decided against buying it', async () => {
    const { world, integration, waiting, spent } = await openWaiting();
    for (const question of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, question, 'rejected');
    }
    world.crm.editContact(waiting, { optedOut: true });
    await world.sync({ integration });
    world.crm.editContact(waiting, { optedOut: false });
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 0, held: 0 });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spentInAll()).toBe(spent);
  });
});

describe('a contact that is away when the new key cannot see its job', () => {
  it.each([
    ['is deleted and put back', 'remove'],
    ['has opted out and in again', 'optOut'],
  ] as const)(
    'waits if it %s, and gets its profile once the former key is back',
    async (_, how) => {
      const { world, integration, id, comeBack, spent } = await openAway(how);
      comeBack();
      for (let night = 0; night < 2; night += 1) {
        const { contacts } = await world.sync({ integration, full: true });
        expect(contacts).toMatchObject({ submitted: 0, held: 1 });
      }
      expect(await listOpenQuestions(world.store.reader)).toMatchObject([
        { crmId: id, kind: 'paid_since_backup', detail: 'former_key' },
      ]);
      expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 0 });
      expect(world.crm.writes.map((write) => write.id)).toEqual([id]);
      expect(await world.spentInAll()).toBe(spent);
    },
  );

  it('gets its profile if the former key is back before it is', async () => {
    const { world, id, comeBack, spent } = await openAway('remove');
    await world.sync();
    comeBack();
    await world.sync();
    await world.sync();
    expect(world.crm.writes.map((write) => write.id)).toEqual([id]);
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('is bought once if a user decides so after it is back', async () => {
    const { world, integration, comeBack, spent } = await openAway('remove');
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    comeBack();
    await world.sync({ integration });
    for (const question of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, question, 'approved');
    }
    await world.sync({ integration });
    await world.sync({ integration, full: true });
    expect((await world.spentInAll()) - spent).toBe(1);
  });
});

describe('a contact that waits for the job of a replaced key and is merged', () => {
  it('passes its question on to the contact that remains, which is not bought', async () => {
    const { world, integration, waiting, spent } = await openWaiting();
    const remaining = addNamesake(world, waiting);
    world.crm.mergeContact(waiting, remaining);
    for (let night = 0; night < 2; night += 1) {
      const { contacts } = await world.sync({ integration, full: true });
      expect(contacts).toMatchObject({ submitted: 0, held: 1 });
    }
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([
      { crmId: remaining, kind: 'paid_since_backup', detail: 'former_key' },
    ]);
  });

  it('leaves its profile to the contact that remains once the former key is back', async () => {
    const { world, integration, waiting, spent } = await openWaiting();
    const remaining = addNamesake(world, waiting);
    world.crm.mergeContact(waiting, remaining);
    await world.sync({ integration });
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 0, waiting: 0 });
    expect(world.crm.writes.map(({ id }) => id)).toEqual([remaining]);
    await world.sync({ full: true });
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('is bought once, in the contact that remains, if a user decides so', async () => {
    const { world, integration, waiting, spent } = await openWaiting();
    world.crm.mergeContact(waiting, addNamesake(world, waiting));
    await world.sync({ integration });
    for (const question of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, question, 'approved');
    }
    await world.sync({ integration });
    await world.sync({ integration, full: true });
    expect((await world.spentInAll()) - spent).toBe(1);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('is not bought in the contact that remains either if a user has decided against it', async () => {
    const { world, integration, waiting, spent } = await openWaiting();
    for (const question of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, question, 'rejected');
    }
    world.crm.mergeContact(waiting, addNamesake(world, waiting));
    for (let night = 0; night < 2; night += 1) {
      const { contacts } = await world.sync({ integration, full: true });
      expect(contacts).toMatchObject({ submitted: 0, held: 0 });
    }
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('leaves the question of a contact that waits itself, with the details of the merge', async () => {
    const { world, integration, waiting, remaining = '', spent } = await openWaiting(2);
    world.crm.mergeContact(waiting, remaining);
    world.crm.editContact(remaining, { employers: ['Cobalt Lantern Works'] });
    for (let night = 0; night < 2; night += 1) {
      const { contacts } = await world.sync({ integration, full: true });
      expect(contacts).toMatchObject({ submitted: 0, held: 1 });
    }
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ crmId: remaining }]);
  });
});

/**
 * Creates contacts that wait because the current key cannot see their jobs. Returns the contacts and the credits that
 * were spent on them.
 */
async function openWaiting(count = 1) {
  const world = await openWithJobs(count);
  const integration = await withNewKey(world);
  await world.sync({ integration });
  const questions = await listOpenQuestions(world.store.reader);
  const [waiting = '', remaining] = questions.flatMap((question) =>
    question.about === 'contact' ? question.crmId : [],
  );
  return { world, integration, waiting, remaining, spent: await world.spentInAll() };
}

/** Creates a contact that leaves or opts out. After that, a run with the new key requests the contact's job. */
async function openAway(how: 'remove' | 'optOut') {
  const world = await openWithJobs(1);
  const [id = ''] = world.crm.records.keys();
  const details = identityOf(world, id);
  if (how === 'remove') world.crm.deleteContact(id);
  else world.crm.editContact(id, { optedOut: true });
  const integration = await withNewKey(world);
  await world.sync({ integration });
  const comeBack = (): void => {
    if (how === 'remove') world.crm.addContact({ ...details, id });
    else world.crm.editContact(id, { optedOut: false });
  };
  return { world, integration, id, comeBack, spent: await world.spentInAll() };
}

/** Adds a namesake of the contact who has a different employer. */
function addNamesake(world: SyncWorld, crmId: string): string {
  const details = identityOf(world, crmId);
  return world.crm.addContact({ ...details, employers: ['Cobalt Lantern Works'] });
}

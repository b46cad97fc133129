import { describe, expect, it } from 'vitest';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { findProfilesOfJobs } from '../../src/fields/statements/kept-profiles.ts';
import { findKeptProfile } from '../../src/sync/redelivery/show-kept.ts';
import { eraseContact, erasePerson } from '../helpers/erasing.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { identityOf } from './one-person/one-person-world.ts';
import { ageJobs, open } from './worlds.ts';

const EIGHT_DAYS_IN_MINUTES = 8 * 24 * 60;

/** Creates a contact whose mark changes while its job runs. The settings do not list the new value of the mark. */
async function openMarked(
  meanwhile: (world: SyncWorld, id: string) => Promise<void> = async () => {},
) {
  let isRunning = true;
  const world = await open({
    partner: (client) => ({
      ...client,
      readResults: async (...of) => (isRunning ? new Map() : client.readResults(...of)),
    }),
  });
  const [id = ''] = await world.addPeople(1);
  await world.sync();
  isRunning = false;
  world.crm.editContact(id, { excluded: 'mark_unknown' });
  await meanwhile(world, id);
  expect((await world.sync()).contacts).toMatchObject({ waiting: 1, written: 0 });
  return { world, id };
}

/** Runs a sync on a day when the service no longer has the results. */
async function syncAfterAWeek(world: SyncWorld): Promise<void> {
  await ageJobs(world, EIGHT_DAYS_IN_MINUTES);
  await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
  await world.sync();
}

async function keptOf({ store, database }: SyncWorld) {
  const jobs = await database.db.selectFrom('jobs').select('tracking_id').execute();
  const ids = jobs.map(({ tracking_id }) => tracking_id);
  return [...(await findProfilesOfJobs(store.reader, 'riverside', ids)).values()];
}

async function reasonOf({ store }: SyncWorld, id: string) {
  return (await findContacts(store.reader, 'riverside', [id])).get(id)?.outcomeReason;
}

describe('a profile that waits until a mark is defined', () => {
  it('is written at no further credit after more than a week', async () => {
    const { world, id } = await openMarked();
    await syncAfterAWeek(world);
    expect(await reasonOf(world, id)).toBe('mark_unknown');
    expect(world.crm.writes).toEqual([]);
    world.crm.editContact(id, { excluded: null });
    await world.sync();
    expect(await reasonOf(world, id)).toBe('fields_written');
    expect(await keptOf(world)).toMatchObject([{ isDelivered: 1 }]);
    await world.putFaults([]);
    await world.sync();
    expect(await world.spent()).toBe(1);
  });

  it('is neither shown nor written', async () => {
    const { world, id } = await openMarked();
    await world.sync({ full: true });
    expect(await keptOf(world)).toMatchObject([{ isDelivered: 0, requested: null }]);
    expect(world.crm.writes).toEqual([]);
    const { reader, fingerprint } = world.store;
    const deps = { reader, fingerprint, sealer: world.deps().sealer };
    expect(await findKeptProfile(deps, 'riverside', id)).toMatchObject({ kind: 'kept_back' });
  });

  it('is deleted with its contact', async () => {
    const { world, id } = await openMarked();
    await eraseContact(world.store, 'riverside', id);
    expect(await world.database.db.selectFrom('kept_profiles').selectAll().execute()).toEqual([]);
  });

  it('is deleted if the mark becomes an objection', async () => {
    const { world, id } = await openMarked();
    expect(await keptOf(world)).toHaveLength(1);
    world.crm.editContact(id, { excluded: null, optedOut: true, objects: true });
    await world.sync();
    expect(await keptOf(world)).toEqual([]);
    expect(world.crm.writes).toEqual([]);
  });

  it('is not kept for a contact that may be an erased person', async () => {
    const { world } = await openMarked(async ({ crm, store }, id) => {
      const contact = crm.records.get(id)?.contact;
      if (contact === undefined) throw new Error('The CRM has no contact');
      const copy = crm.addContact({ ...contact, id: 'the-copy' });
      await erasePerson(store, 'riverside', { ...contact, id: copy });
    });
    expect(await keptOf(world)).toEqual([]);
  });
});

it('writes a profile at no further credit into a record that is busy in each run of a week', async () => {
  const world = await open();
  const [id = ''] = await world.addPeople(1);
  world.crm.lock(id, 1);
  expect((await world.sync()).contacts).toMatchObject({ waiting: 1, written: 0 });
  await syncAfterAWeek(world);
  expect(await reasonOf(world, id)).toBe('fields_written');
  await world.putFaults([]);
  await world.sync();
  expect(await world.spent()).toBe(1);
});

it('asks before it buys again what was busy for longer than the service keeps the result, if no profile is kept', async () => {
  const world = await open({ integration: { retention: { profiles: 0 } } });
  const [id = ''] = await world.addPeople(1);
  world.crm.lock(id, 1);
  expect((await world.sync()).contacts).toMatchObject({ waiting: 1, written: 0 });
  await syncAfterAWeek(world);
  expect(await reasonOf(world, id)).toBe('paid_since_backup');
  await world.putFaults([]);
  expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0, waiting: 0 });
  expect(await world.spent()).toBe(1);
  // After a merge, the question moves from the merged contact to the remaining contact.
  const { firstName, lastName, addresses } = identityOf(world, id);
  const employers = ['Cobalt Lantern Works'];
  const remaining = world.crm.addContact({ firstName, lastName, addresses, employers });
  world.crm.mergeContact(id, remaining);
  expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 1 });
  const [question] = await listOpenQuestions(world.store.reader);
  const asked = { crmId: remaining, kind: 'paid_since_backup', detail: 'result_gone' };
  expect(question).toMatchObject(asked);
  if (question !== undefined) await recordDecision(world.store, question, 'approved');
  expect((await world.sync()).contacts).toMatchObject({ submitted: 1, written: 1 });
});

it('asks before it buys again what the service lost while the contact was deleted, if no profile is kept', async () => {
  const world = await open({ integration: { retention: { profiles: 0 } } });
  const [id = ''] = await world.addPeople(1);
  const details = identityOf(world, id);
  world.crm.lock(id, 1);
  expect((await world.sync()).contacts).toMatchObject({ waiting: 1, written: 0 });
  world.crm.deleteContact(id);
  await syncAfterAWeek(world);
  await world.putFaults([]);
  world.crm.addContact({ ...details, id });
  expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 1 });
  expect(await listOpenQuestions(world.store.reader)).toMatchObject([
    { crmId: id, kind: 'paid_since_backup', detail: 'result_gone' },
  ]);
  expect(await world.spent()).toBe(1);
});

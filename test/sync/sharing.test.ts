import { afterEach, describe, expect, it } from 'vitest';
import { type Identity, identityText, personText } from '../../src/core/contact.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { listRunRows } from '../../src/sync/statements/run-rows.ts';
import { eraseContact } from '../helpers/erasing.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';
import { copyPeople, createNeighbour } from './neighbour.ts';
import { sharedBy } from './shared-by.ts';

const DAY_MS = 86_400_000;
const DONOR_ID = 'Donor ID';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(options?: SyncWorldOptions): Promise<SyncWorld> {
  const world = await createSyncWorld(options);
  worlds.push(world);
  return world;
}

/** Opens two clients with the same people, of which the first client has enhanced its contacts. */
async function openTwo(count: number, options: Parameters<typeof createNeighbour>[1] = {}) {
  const world = await open();
  const ids = await world.addPeople(count);
  const neighbour = createNeighbour(world, options);
  const copies = copyPeople(world.crm, neighbour.crm);
  const first = await world.sync();
  expect(first.status).toBe('succeeded');
  return { world, neighbour, ids, copies, spent: await world.spent() };
}

/** Moves all jobs and their dependent data back by this time. */
async function age({ database: { db } }: SyncWorld, ageMs: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set((eb) => ({ submitted_at: eb('submitted_at', '-', ageMs) }))
    .execute();
}

/** Returns the people whose contacts were paid for more than once. */
async function paidTwice({ database: { db } }: SyncWorld): Promise<unknown[]> {
  const paid = await db
    .selectFrom('jobs')
    .select('person')
    .where('shared_from', 'is', null)
    .where('state', '<>', 'unpaid')
    .groupBy('person')
    .having((eb) => eb(eb.fn.countAll(), '>', 1))
    .execute();
  return paid.map(({ person }) => person);
}

describe('personText', () => {
  const ada: Identity = {
    firstName: 'Ada',
    lastName: "O'Byrd-Lee",
    addresses: ['12 Elm St., Reno, NV 89501', '3 Oak Ave'],
    employers: ['Byrd & Sons, Inc.'],
  };

  it.each<[string, Partial<Identity>]>([
    ['case, accents and spacing', { firstName: ' ÀDA ', lastName: "o'byrd-lee" }],
    ['punctuation', { lastName: 'O’Byrd Lee', employers: ['Byrd  Sons Inc'] }],
    ['the order of addresses', { addresses: [...ada.addresses].reverse() }],
    ['empty and repeated parts', { employers: ['', 'Byrd & Sons, Inc.', 'BYRD & SONS INC', ' '] }],
  ])('is the same whatever %s', (_what, changes) => {
    expect(personText({ ...ada, ...changes })).toBe(personText(ada));
  });

  it.each<[string, Partial<Identity>]>([
    ['first name', { firstName: 'Adam' }],
    ['last name', { lastName: 'Byrd' }],
    ['address', { addresses: ['13 Elm St., Reno, NV 89501', '3 Oak Ave'] }],
    ['employer', { employers: [] }],
  ])('differs with another %s', (_what, changes) => {
    expect(personText({ ...ada, ...changes })).not.toBe(personText(ada));
  });

  it('keeps apart names that are nothing but punctuation, and names in any script', () => {
    const named = (firstName: string) => personText({ ...ada, firstName });
    expect(new Set(['--', '??', '山田', '田中', 'Ada'].map(named)).size).toBe(5);
  });

  it('leaves alone what tells a changed contact, so that an update costs nothing', () => {
    expect(identityText(ada)).toBe(
      '["ada","o\'byrd-lee",["12 elm st., reno, nv 89501","3 oak ave"],["byrd & sons, inc."]]',
    );
  });
});

describe('the same people in two integrations with one key', () => {
  it('are paid for once, and written into both', async () => {
    const { world, neighbour, ids, spent } = await openTwo(40);
    const report = await neighbour.sync();
    const { chosen, enhanced, written, failed } = report.contacts;
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 0, waiting: 0 } });
    expect(chosen).toBeGreaterThan(30);
    expect(enhanced + failed).toBe(chosen);
    expect(written).toBe(world.crm.writes.length);
    expect(report.credits.enhancements.spent).toBe(0);
    expect(await sharedBy(world, report)).toBe(chosen);
    expect(await world.spent()).toBe(spent);
    for (const id of ids) {
      expect(neighbour.crm.valueOf(`copy-of-${id}`, DONOR_ID)).toBe(
        world.crm.valueOf(id, DONOR_ID),
      );
    }
    const again = await neighbour.sync({ full: true });
    expect(again.contacts).toMatchObject({ chosen: 0, written: 0, waiting: 0 });
  });

  it('say in the outcome that no credit was needed', async () => {
    const { world, neighbour } = await openTwo(5);
    const { id } = await neighbour.sync();
    const run = { id, integrationId: 'lakeside', freshCount: 0, reasons: null };
    const written = await listRunRows(world.store.reader, run, {
      reason: 'fields_written',
      limit: 10,
    });
    expect(written.length).toBeGreaterThan(0);
    for (const { detail } of written) expect(detail).toMatch(/at no cost/);
  });

  it('are paid for once if both are synced at the same time', async () => {
    const world = await open({ service: { jobTimeMs: 200 } });
    await world.addPeople(250);
    const neighbour = createNeighbour(world);
    copyPeople(world.crm, neighbour.crm);
    const [one, two] = await Promise.all([world.sync(), neighbour.sync()]);
    expect([one.status, two.status]).toEqual(['succeeded', 'succeeded']);
    expect(one.contacts.waiting + two.contacts.waiting).toBe(0);
    expect(one.contacts.written).toBe(two.contacts.written);
    expect(one.contacts.submitted + two.contacts.submitted).toBe(await world.spent());
    const shared = (await sharedBy(world, one)) + (await sharedBy(world, two));
    expect(shared + (await world.spent())).toBe(one.contacts.chosen + two.contacts.chosen);
    expect(await paidTwice(world)).toEqual([]);
    expect(shared).toBeGreaterThanOrEqual(two.contacts.chosen);
  });

  it('share a job that is still running', async () => {
    const world = await open({ service: { jobTimeMs: 600 } });
    await world.addPeople(5);
    const neighbour = createNeighbour(world);
    copyPeople(world.crm, neighbour.crm);
    const running = world.sync();
    await expect.poll(() => world.spent()).toBe(5);
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 0, written: 5 });
    expect((await running).contacts.written).toBe(5);
    expect(await world.spent()).toBe(5);
  });

  it.each([
    ['takes', { neighbour: false, own: true }],
    ['gives', { neighbour: true, own: false }],
  ])('are paid for by each where an integration neither takes nor gives (%s)', async (_, on) => {
    const world = await open();
    await world.addPeople(6);
    const neighbour = createNeighbour(world, { partner: { shareProfiles: on.neighbour } });
    copyPeople(world.crm, neighbour.crm);
    const partner = { ...world.integration.partner, shareProfiles: on.own };
    await world.sync({ integration: { ...world.integration, partner } });
    expect((await neighbour.preview()).credits.enhancements.needed).toBe(6);
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 6 });
    expect(await world.spent()).toBe(12);
  });

  it('are paid for again under another key', async () => {
    const { world, neighbour, spent } = await openTwo(4);
    const partnerKey = world.store.fingerprint('partner_key', 'another');
    expect((await neighbour.sync({ partnerKey })).contacts.submitted).toBe(4);
    expect(await world.spent()).toBe(spent + 4);
  });

  it('are asked for again once the results can no longer be read, or are old here', async () => {
    const { world, neighbour, spent } = await openTwo(4);
    await age(world, 5.9 * DAY_MS);
    expect((await neighbour.preview()).credits.enhancements.needed).toBe(0);
    await age(world, 0.2 * DAY_MS);
    expect((await neighbour.preview()).credits.enhancements.needed).toBe(4);
    const impatient = createNeighbour(world, { id: 'hillside', refresh: { afterDays: 2 } });
    copyPeople(world.crm, impatient.crm);
    await age(world, -4 * DAY_MS);
    expect((await impatient.sync()).contacts.submitted).toBe(4);
    expect(await world.spent()).toBe(spent + 4);
  });

  it('are served although the bucket is empty', async () => {
    const { world, neighbour } = await openTwo(10);
    const { apiKey } = world.service;
    await world.issueKey({ apiKey, credits: { enhancements: 0 } });
    neighbour.crm.addContact({ id: 'new', firstName: 'Nova', lastName: 'Newcomer' });
    const report = await neighbour.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'credits_exhausted' } });
    expect(report.contacts).toMatchObject({ submitted: 0, written: 10, waiting: 1 });
  });

  it('are refreshed by one credit as well', async () => {
    const { world, neighbour, spent } = await openTwo(3);
    await neighbour.sync();
    await age(world, 400 * DAY_MS);
    await world.database.db
      .updateTable('contacts')
      .set((eb) => ({ asked_at: eb('asked_at', '-', 400 * DAY_MS) }))
      .execute();
    expect((await neighbour.sync()).contacts).toMatchObject({ chosen: 3, submitted: 3 });
    expect((await world.sync()).contacts).toMatchObject({ chosen: 3, submitted: 0, enhanced: 3 });
    expect(await world.spent()).toBe(spent + 3);
  });
});

describe('people who are alike', () => {
  it('are paid for one by one if only their names are the same', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    const { contact } = world.crm.records.get(id) ?? {};
    const neighbour = createNeighbour(world);
    neighbour.crm.addContact({ ...contact, id: 'elsewhere', addresses: ['9 Other Road, Troy'] });
    await world.sync();
    expect((await neighbour.sync()).contacts.submitted).toBe(1);
    expect(await world.spent()).toBe(2);
  });

  it('are paid for once as doubles in one CRM, in whichever order they come', async () => {
    const world = await open();
    await world.addPeople(60);
    copyPeople(world.crm, world.crm);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
    expect(report.contacts.submitted).toBe(await world.spent());
    expect(report.contacts.submitted).toBeLessThanOrEqual(report.contacts.chosen / 2);
    expect(await paidTwice(world)).toEqual([]);
  });

  it('share the outcome that the service does not know them', async () => {
    const world = await open();
    world.crm.addContact({ id: 'N', firstName: 'Nemo', lastName: 'Zzyzxqv' });
    await world.sync();
    const neighbour = createNeighbour(world);
    copyPeople(world.crm, neighbour.crm);
    expect((await neighbour.sync()).contacts).toMatchObject({ chosen: 1, failed: 1, submitted: 0 });
    expect(await world.spent()).toBe(1);
    expect((await neighbour.sync({ full: true })).contacts).toMatchObject({ chosen: 0 });
  });
});

describe('a shared profile', () => {
  it('is guarded, held and approved for each contact by itself', async () => {
    const world = await open({
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
    });
    const [id = ''] = await world.addPeople(1);
    const neighbour = createNeighbour(world);
    const [copy = ''] = copyPeople(world.crm, neighbour.crm);
    await world.sync();
    expect((await neighbour.sync()).contacts).toMatchObject({ held: 1, submitted: 0 });
    const [hold] = await listOpenQuestions(world.store.reader, 'lakeside');
    if (!hold) throw new Error('Nothing is held');
    await recordDecision(world.store, hold, 'approved');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 1, written: 0 });
    expect((await neighbour.sync()).contacts).toMatchObject({ written: 1 });
    expect(world.crm.valueOf(id, DONOR_ID)).toBeNull();
    expect(neighbour.crm.valueOf(copy, DONOR_ID)).not.toBeNull();
    expect(await world.spent()).toBe(1);
  });

  it('is asked for anew when a person wants another one, and not taken from the first', async () => {
    const { world, neighbour, spent } = await openTwo(1);
    await neighbour.sync();
    await world.database.db
      .updateTable('contacts')
      .set({
        state: 'due',
        due_reason: 'resubmitted_by_person',
        asked_identity: null,
        last_credit: 'in_vain',
      })
      .where('integration_id', '=', 'lakeside')
      .execute();
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 1 });
    expect(await world.spent()).toBe(spent + 1);
  });

  it('is undone in one CRM alone', async () => {
    const { world, neighbour, ids } = await openTwo(3);
    const { id } = await neighbour.sync();
    const deps = neighbour.deps();
    await withLease(deps, 'lakeside', async (lease) => {
      await undoRun(await openCrm(deps, lease), lease, id);
    });
    for (const crmId of ids) {
      expect(neighbour.crm.valueOf(`copy-of-${crmId}`, DONOR_ID)).toBeNull();
      expect(world.crm.valueOf(crmId, DONOR_ID)).not.toBeNull();
    }
  });

  it('is delivered to one although the other was forgotten meanwhile', async () => {
    const { world, neighbour, ids } = await openTwo(3);
    const stop = new AbortController();
    neighbour.crm.before((operation) => {
      if (operation === 'write') stop.abort();
    });
    await neighbour.sync({ signal: stop.signal });
    neighbour.crm.before(null);
    for (const id of ids) await eraseContact(world.store, 'riverside', id);
    await neighbour.sync();
    for (const id of ids) {
      expect(neighbour.crm.valueOf(`copy-of-${id}`, DONOR_ID)).not.toBeNull();
    }
    expect(await world.spent()).toBe(3);
  });

  it('that the service lost is asked for once more, by either', async () => {
    const { world, neighbour, spent } = await openTwo(4);
    await age(world, 11 * 60_000);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 0, waiting: 4 });
    await world.putFaults([]);
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 4, written: 4 });
    const third = createNeighbour(world, { id: 'hillside' });
    copyPeople(world.crm, third.crm);
    expect((await third.sync()).contacts).toMatchObject({ submitted: 0, written: 4 });
    expect(await world.spent()).toBe(spent + 4);
  });
});

describe('a lost answer about people of another integration', () => {
  const LOST = [
    { on: { method: 'POST', path: '/enhancements' }, times: 1, fault: { kind: 'resetAfter' } },
  ];

  it('is waited for, and holds both if it was charged', async () => {
    const world = await open();
    await world.addPeople(4);
    const neighbour = createNeighbour(world);
    copyPeople(world.crm, neighbour.crm);
    await world.putFaults(LOST);
    const [own, others] = await Promise.all([world.sync(), neighbour.sync()]);
    expect([own.contacts.held, others.contacts.held]).toEqual([4, 4]);
    expect(await world.spent()).toBe(4);
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'resubmitted');
    }
    expect((await world.sync()).contacts).toMatchObject({ submitted: 4, written: 4 });
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 0, written: 4 });
    expect(await world.spent()).toBe(8);
  });

  it('keeps no contact waiting where the settings spend again', async () => {
    const world = await open();
    await world.addPeople(4);
    await world.putFaults(LOST);
    await world.sync();
    const neighbour = createNeighbour(world, { onLostAnswer: 'resubmit' });
    copyPeople(world.crm, neighbour.crm);
    expect((await neighbour.sync()).contacts).toMatchObject({ submitted: 4, written: 4 });
  });
});

describe('the plan of an integration whose people are paid for', () => {
  it('needs no credits for them, and says why', async () => {
    const { neighbour } = await openTwo(12);
    neighbour.crm.addContact({ id: 'new', firstName: 'Nova', lastName: 'Newcomer' });
    neighbour.crm.addContact({ id: 'newer', firstName: 'Nova', lastName: 'NEWCOMER' });
    const plan = await neighbour.preview();
    expect(plan.enhance).toEqual({ never_enhanced: 1, profile_shared: 13 });
    expect(plan.credits.enhancements).toMatchObject({ needed: 1, allowed: 1 });
    expect(plan.contacts.filter(({ reason }) => reason === 'profile_shared')).toHaveLength(13);
  });

  it('knows it of those too that are due from before', async () => {
    const { neighbour } = await openTwo(12);
    neighbour.crm.before((operation) => {
      if (operation === 'readByIds') throw new Error('the CRM is away');
    });
    await neighbour.sync();
    neighbour.crm.before(null);
    const plan = await neighbour.preview();
    expect(plan).toMatchObject({ read: 0, enhance: { profile_shared: 12 } });
    expect(plan.credits.enhancements.needed).toBe(0);
  });

  it('changes nothing', async () => {
    const { world, neighbour } = await openTwo(3);
    await neighbour.preview();
    const jobs = await world.database.db.selectFrom('jobs').select('integration_id').execute();
    expect(new Set(jobs.map(({ integration_id }) => integration_id))).toEqual(
      new Set(['riverside']),
    );
  });
});

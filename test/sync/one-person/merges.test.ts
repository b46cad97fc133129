import { describe, expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { parseOwned } from '../../../src/contacts/owned-values.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import type { SyncWorld } from '../../helpers/sync-world.ts';
import {
  BIO,
  breakingOff,
  breaks,
  DONOR,
  donorsIn,
  forgetJobs,
  identityOf,
  MARKED,
  openMarked,
  openTwo,
  theHold,
  valuesIn,
} from './one-person-world.ts';

describe('a merge that comes with another name', () => {
  it('takes the paid job of the other record if that fits, without a credit', async () => {
    const { world, first, second, identity } = await openTwo();
    const donor = world.crm.valueOf(second, DONOR);
    const spent = await world.spent();
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    world.crm.editContact(first, identity);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(await world.spent()).toBe(spent);
  });

  it('takes it from the kept profile once the service no longer has its result', async () => {
    const { world, first, second, identity } = await openTwo();
    const [donor, spent] = [world.crm.valueOf(second, DONOR), await world.spent()];
    const expected = valuesIn(world, second);
    await forgetJobs(world);
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    world.crm.editContact(first, identity);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(valuesIn(world, first)).toEqual(expected);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it.each([
    ['that was never paid for', false],
    ['whose own lookup brought nothing', true],
  ])('is delivered to a record %s from the kept profile of the other one', async (_, isAsked) => {
    const { world, second, identity } = await openTwo();
    const expected = valuesIn(world, second);
    const stranger = { firstName: 'Zebulon', lastName: 'Nobodyknows', employers: [] };
    const winner = world.crm.addContact({ ...stranger, addresses: ['1 No Way, Reno, NV 89501'] });
    if (isAsked) await world.sync();
    const spent = await world.spent();
    await forgetJobs(world);
    world.crm.mergeContact(second, winner);
    world.crm.editContact(winner, identity);
    await world.sync();
    expect(valuesIn(world, winner)).toEqual(expected);
    expect(await world.spent()).toBe(spent);
    await world.sync();
    const { db } = world.database;
    const kept = await db.selectFrom('kept_profiles').select('crm_id').execute();
    const ids = kept.map(({ crm_id }) => crm_id);
    expect(ids).toContain(winner);
    expect(ids).not.toContain(second);
  });

  it('is held if the service no longer has the fitting result, and no profile is kept', async () => {
    const { world, first, second, identity } = await openTwo({ retention: { profiles: 0 } });
    const [before, spent] = [valuesIn(world, first), await world.spent()];
    await forgetJobs(world);
    world.crm.mergeContact(second, first);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: first });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('is held if no paid job fits the new name', async () => {
    const { world, first, second } = await openTwo();
    const before = valuesIn(world, first);
    const spent = await world.spent();
    world.crm.mergeContact(second, first);
    world.crm.editContact(first, { firstName: 'Xavier', lastName: 'Quillfeather' });
    expect((await world.sync()).contacts).toMatchObject({ held: 1, submitted: 0 });
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: first });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('leaves a winner alone whose name is still that of its profile', async () => {
    const { world, first, second } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    await world.sync();
    expect(valuesIn(world, first)).toEqual(before);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('takes out what the CRM filled into blank fields from the other record', async () => {
    const { world, first, second } = await openTwo();
    world.crm.setValue(first, BIO, null);
    const donor = world.crm.valueOf(first, DONOR);
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    expect(donorsIn(world, first)).toHaveLength(2);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(world.crm.valueOf(first, BIO)).toBeNull();
  });
});

describe('a merge that fills blank fields', () => {
  /** Adds a record into which donor-sync has never written. */
  function addHeir({ crm }: SyncWorld): string {
    return crm.addContact({
      firstName: 'Xavier',
      lastName: 'Quillfeather',
      addresses: ['1 Nowhere Lane, Reno, NV 89501'],
      employers: [],
      optedOut: false,
    });
  }

  it('leaves nothing of another person, also over two merges', async () => {
    const { world, first, second } = await openTwo();
    const middle = addHeir(world);
    await world.sync();
    world.crm.setValue(first, BIO, null);
    const donor = world.crm.valueOf(first, DONOR);
    world.crm.mergeContact(second, middle, { fillsBlanks: true });
    world.crm.mergeContact(middle, first, { fillsBlanks: true });
    expect(donorsIn(world, first)).toHaveLength(2);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(world.crm.valueOf(first, BIO)).toBeNull();
  });

  it('leaves known values of a write that was cut off before it was on record', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const heir = addHeir(world);
    await world.sync();
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    const donor = world.crm.valueOf(first, DONOR);
    world.crm.mergeContact(first, heir, { fillsBlanks: true });
    world.crm.editContact(heir, identity);
    await world.sync();
    await world.sync();
    expect(donorsIn(world, heir)).toEqual([donor]);
    const owned = (await findContacts(world.store.reader, 'riverside', [heir])).get(
      heir,
    )?.ownedValues;
    expect(Object.keys(parseOwned(owned ?? '{}')).sort()).toEqual([...MARKED].sort());
  });

  it('is asked about where a write that broke off had begun to bring the values, and nobody knows the heir', async () => {
    const world = await openMarked(() => {}, { connector: breakingOff });
    await world.addPeople(20);
    const heir = addHeir(world);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    const [loser = ''] = [...world.crm.records.keys()].filter(
      (id) => world.crm.valueOf(id, DONOR) !== null,
    );
    world.crm.editContact(loser, identityOf(world, heir));
    world.crm.mergeContact(loser, heir, { fillsBlanks: true });
    expect(donorsIn(world, heir)).toHaveLength(1);
    await world.sync();
    // The merged record's profile has a different name, so the contact is submitted again. The service does not know
    // the contact.
    await recordDecision(world.store, await theHold(world), 'resubmitted');
    for (let night = 0; night < 2; night += 1) await world.sync();
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: heir });
    await recordDecision(world.store, await theHold(world), 'rejected');
    await world.sync();
    expect(donorsIn(world, heir)).toEqual([]);
  });
});

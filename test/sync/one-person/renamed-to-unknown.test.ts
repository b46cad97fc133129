import { describe, expect, it } from 'vitest';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { openTwo, theHold, valuesIn, WORK } from './one-person-world.ts';

describe('a contact that is renamed to somebody whom the service does not know', () => {
  const STRANGER = {
    firstName: 'Xavier',
    lastName: 'Quillfeather',
    addresses: ['1 Nowhere Lane, Reno, NV 89501'],
    employers: [],
  };

  async function openRenamed() {
    const { world, first } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.editContact(first, STRANGER);
    const report = await world.sync();
    return { world, first, before, report };
  }

  it('is held, with the former values in place until a user has decided', async () => {
    const { world, first, before, report } = await openRenamed();
    expect(report.contacts).toMatchObject({ held: 1, failed: 0 });
    expect(await theHold(world)).toMatchObject({ crmId: first, kind: 'new_person_unknown' });
    expect(valuesIn(world, first)).toEqual(before);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 1, submitted: 0 });
  });

  it('keeps the values of the same person under a new name, and is not asked about again', async () => {
    const { world, first, before } = await openRenamed();
    const spent = await world.spent();
    await recordDecision(world.store, await theHold(world), 'approved');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 0, submitted: 0 });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('has its values blanked if a user says that it is another person', async () => {
    const { world, first } = await openRenamed();
    const spent = await world.spent();
    await recordDecision(world.store, await theHold(world), 'rejected');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ written: 1, held: 0 });
    expect(Object.values(valuesIn(world, first))).toEqual([null, null, null, null]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ written: 0, submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('is tried again by the next run where the CRM refuses to blank', async () => {
    const { world, first, before } = await openRenamed();
    await recordDecision(world.store, await theHold(world), 'rejected');
    world.crm.refuseField(first, WORK);
    await world.sync();
    expect(valuesIn(world, first)).toEqual(before);
    world.crm.allowWrites(first);
    await world.sync();
    expect(Object.values(valuesIn(world, first))).toEqual([null, null, null, null]);
  });

  it('is not asked about if only the address is another one', async () => {
    const { world, first } = await openTwo();
    world.crm.editContact(first, { addresses: ['1 Nowhere Lane, Reno, NV 89501'] });
    await world.sync();
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });
});

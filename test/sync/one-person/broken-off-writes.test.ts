import { describe, expect, it } from 'vitest';
import { recordDecision } from '../../../src/decisions/statements/questions.ts';
import {
  BIO,
  breakingOff,
  breaks,
  DONOR,
  donorsIn,
  EDUCATION,
  FIELDS,
  identityOf,
  openMarked,
  openTwo,
  theHold,
  valuesIn,
  WORK,
} from './one-person-world.ts';

describe('a contact that becomes another person, where a write breaks off', () => {
  it('loses the values of a write whose run broke off before it was on record', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const [third = ''] = [...world.crm.records.keys()].filter(
      (id) => id !== first && id !== second && world.crm.valueOf(id, DONOR) !== null,
    );
    const next = identityOf(world, third);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    expect(donorsIn(world, first)).toHaveLength(1);
    const donor = world.crm.valueOf(third, DONOR);
    world.crm.deleteContact(third);
    world.crm.editContact(first, next);
    // The profile for the former name arrives first and does not match.
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'resubmitted');
    await world.sync();
    expect(valuesIn(world, first)).toEqual({
      [DONOR]: donor,
      [WORK]: `Work of ${donor}`,
      [EDUCATION]: `Education of ${donor}`,
      [BIO]: `Bio of ${donor}`,
    });
  });

  it('gets a value that did not fit once its field is longer, though the write that blanked it broke off', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const whole = valuesIn(world, second);
    const spent = await world.spent();
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    world.crm.addField({ name: DONOR, type: 'text', maxLength: 3 });
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    // The run that finds the written values also records the values that still wait. The run does not mistake a blank
    // field for a user's change.
    await world.sync();
    expect(valuesIn(world, first)).toEqual({ ...whole, [DONOR]: null });
    world.crm.addField({ name: DONOR, type: 'text', maxLength: 100 });
    await world.sync();
    expect(valuesIn(world, first)).toEqual(whole);
    expect(await world.spent()).toBeLessThanOrEqual(spent + 1);
  });

  it('is held where a write that broke off may have brought values of the former name', async () => {
    const world = await openMarked(() => {}, { connector: breakingOff });
    await world.addPeople(20);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    const [id = ''] = [...world.crm.records.keys()].filter(
      (each) => world.crm.valueOf(each, DONOR) !== null,
    );
    expect(donorsIn(world, id)).toHaveLength(1);
    const before = valuesIn(world, id);
    world.crm.editContact(id, {
      ...{ firstName: 'Xavier', lastName: 'Quillfeather', employers: [] },
      addresses: ['1 Nowhere Lane, Reno, NV 89501'],
    });
    await world.sync();
    // The profile for the former name does not match, and the service does not know the current name.
    const hold = await theHold(world);
    if (hold.kind !== 'new_person_unknown') {
      await recordDecision(world.store, hold, 'resubmitted');
      await world.sync();
    }
    await world.sync();
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: id });
    expect(valuesIn(world, id)).toEqual(before);
    await recordDecision(world.store, await theHold(world), 'rejected');
    await world.sync();
    expect(donorsIn(world, id)).toEqual([]);
  });

  it('loses such values in fields that are no longer mapped', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const [third = ''] = [...world.crm.records.keys()].filter(
      (id) => id !== first && id !== second && world.crm.valueOf(id, DONOR) !== null,
    );
    const next = identityOf(world, third);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    world.crm.deleteContact(third);
    world.crm.editContact(first, next);
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'resubmitted');
    const fields = FIELDS.filter(({ to }) => to !== EDUCATION);
    await world.sync({
      full: true,
      integration: { ...world.integration, fields: [...fields] },
    });
    expect(donorsIn(world, first)).toHaveLength(1);
    expect(world.crm.valueOf(first, EDUCATION)).toBeNull();
  });
});

/** Checks that an empty field gets a new profile's value late, although a user had emptied the field before. */
import { expect, it } from 'vitest';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createSyncWorld } from '../../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);
const FIELD = 'Donor Net Worth';

async function openEmptied() {
  const world = await open();
  const [id = ''] = await world.addPeople(1);
  await world.sync();
  expect(world.crm.valueOf(id, FIELD)).not.toBeNull();
  world.crm.setValue(id, FIELD, null);
  await world.sync({ full: true });
  expect(world.crm.valueOf(id, FIELD)).toBeNull();
  return { world, id };
}

it('writes the value of a new profile once the field is long enough', async () => {
  const { world, id } = await openEmptied();
  world.crm.addField({ name: FIELD, maxLength: 1 });
  world.crm.editContact(id, { employers: ['Northern Lights Foundation'] });
  await world.sync();
  expect(world.crm.valueOf(id, FIELD)).toBeNull();
  const spent = await world.spent();
  world.crm.addField({ name: FIELD });
  await world.sync();
  expect(world.crm.valueOf(id, FIELD)).not.toBeNull();
  expect(await world.spent()).toBe(spent);
});

it('leaves a field empty that a user has emptied since the profile arrived', async () => {
  const { world, id } = await openEmptied();
  world.crm.addField({ name: FIELD, maxLength: 1 });
  await world.sync({ full: true });
  world.crm.addField({ name: FIELD });
  await world.sync({ full: true });
  expect(world.crm.valueOf(id, FIELD)).toBeNull();
});

import { expect, it } from 'vitest';
import { open } from '../worlds.ts';

/** The number of contacts, which exceeds the number of contacts that the product sorts at one time. */
const PEOPLE = 260;
const AT_ONCE = 200;

it('blanks the values of the other contacts, even if the CRM always refuses the first two hundred', async () => {
  const world = await open();
  await world.addPeople(PEOPLE);
  await world.sync();
  const { db } = world.database;
  // A user has decided that the values belong to a different person.
  const decided = db.updateTable('contacts').set({ values_identity: null });
  await decided.where('values_donor', 'is not', null).execute();
  const toBlank = () =>
    db
      .selectFrom('contacts')
      .select('crm_id')
      .where('values_donor', 'is not', null)
      .where('values_identity', 'is', null)
      .orderBy('crm_id')
      .execute();
  const waiting = await toBlank();
  expect(waiting.length).toBeGreaterThan(AT_ONCE);
  const refused = waiting.slice(0, AT_ONCE);
  for (const { crm_id } of refused) world.crm.refuseWrites(crm_id);
  await world.sync();
  expect(await toBlank()).toEqual(refused);
});

import { expect, it } from 'vitest';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { contactOf, contactRow, holdForName, jobOf, putContacts, start } from './contact-stages.ts';
import { INTEGRATION, START_MS, storeWorlds } from './store-world.ts';

/** `c-1` and `C-1` are two forms of one id, of which the capital one is used. */
const canonicalId = (text: string) => text.toUpperCase();

describeEachDatabase('contacts under two forms of one id', (open) => {
  const createWorld = storeWorlds(open);

  it('become one, and the later payment stays', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', asked_at: START_MS + 9, donor_id: 'later' }),
      contactRow({ crm_id: 'C-1', asked_at: START_MS, donor_id: 'earlier' }),
      contactRow({ crm_id: 'c-2', asked_at: START_MS, donor_id: 'earlier' }),
      contactRow({ crm_id: 'C-2', asked_at: START_MS + 9, donor_id: 'later' }),
      contactRow({ crm_id: 'C-3', donor_id: 'alone' }),
    ]);
    expect(await world.store.doubleContacts.unite(world.lease, canonicalId)).toBe(2);
    const rows = await world.db.selectFrom('contacts').select(['crm_id', 'donor_id']).execute();
    expect(rows.sort((a, b) => (a.crm_id < b.crm_id ? -1 : 1))).toEqual([
      { crm_id: 'C-1', donor_id: 'later' },
      { crm_id: 'C-2', donor_id: 'later' },
      { crm_id: 'C-3', donor_id: 'alone' },
    ]);
  });

  it('keep a job that is under way and was paid for last', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await putContacts(world, [contactRow({ crm_id: 'C-1', asked_at: START_MS - 9 })]);
    await world.store.doubleContacts.unite(world.lease, canonicalId);
    expect(await contactOf(world, 'C-1')).toMatchObject({ state: 'submitted' });
    expect(await jobOf(world, 'c-1')).toMatchObject({ crm_id: 'C-1', state: 'processing' });
  });

  it('leave no open hold of the one that gives way', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await putContacts(world, [contactRow({ crm_id: 'C-1', asked_at: START_MS + 99_000 })]);
    await world.store.doubleContacts.unite(world.lease, canonicalId);
    expect(await world.store.holds.listOpen(INTEGRATION)).toEqual([]);
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'delivered' });
  });

  it('are moved where the other form was never seen', async () => {
    const world = await createWorld();
    await putContacts(world, [contactRow({ crm_id: 'c-1' })]);
    await world.store.doubleContacts.unite(world.lease, canonicalId);
    expect(await contactOf(world, 'C-1')).toMatchObject({ donor_id: 'donor-1' });
  });
});

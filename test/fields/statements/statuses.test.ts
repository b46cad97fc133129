import { expect, it } from 'vitest';
import {
  listStaleStatuses,
  recordStatuses,
  type StatusScope,
} from '../../../src/fields/statements/statuses.ts';
import { contactRow, putContacts } from '../../contacts/contact-stages.ts';
import { INTEGRATION, RUN, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const PLACE = JSON.stringify(['Status']);

describeEachDatabase('the statuses of contacts', (open) => {
  const createWorld = storeWorlds(open);

  async function someContacts() {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', outcome_reason: 'fields_written', enhanced_at: 5 }),
      contactRow({ crm_id: 'c-2', outcome_reason: 'no_match', enhanced_at: null }),
      contactRow({ crm_id: 'c-3', state: 'removed', outcome_reason: 'deleted_in_crm' }),
      contactRow({ crm_id: 'c-4', state: 'held', outcome_reason: 'name_mismatch' }),
    ]);
    return world;
  }

  function listStale({ store }: StoreWorld, scope: Partial<StatusScope> = {}) {
    const all = { place: PLACE, after: null, limit: 100, only: null };
    return listStaleStatuses(store.reader, INTEGRATION, { ...all, ...scope });
  }

  async function noteAll(world: StoreWorld): Promise<void> {
    const ends = (await listStale(world)).map(({ crmId, seen }) => ({
      ...{ crmId, seen, written: null },
      status: 'held' as const,
    }));
    await world.store.checkpoint(world.lease, (trx) => recordStatuses(trx, RUN, ends));
  }

  it('are those of all contacts in the CRM at first, in portions', async () => {
    const world = await someContacts();
    expect(await listStale(world, { limit: 2 })).toMatchObject([
      { crmId: 'c-1', state: 'settled', reason: 'fields_written', enhancedAt: 5, inCrm: null },
      { crmId: 'c-2', reason: 'no_match', enhancedAt: null },
    ]);
    expect(await listStale(world, { after: 'c-2' })).toMatchObject([{ crmId: 'c-4' }]);
    expect(await listStale(world, { only: ['c-2', 'c-3'] })).toMatchObject([{ crmId: 'c-2' }]);
  });

  it('are looked at again only where the state or the reason is another one', async () => {
    const world = await someContacts();
    await noteAll(world);
    expect(await listStale(world)).toEqual([]);
    await world.db
      .updateTable('contacts')
      .set({ state: 'ready' })
      .where('crm_id', '=', 'c-4')
      .execute();
    expect(await listStale(world)).toMatchObject([
      { crmId: 'c-4', state: 'ready', inCrm: 'held', isSamePlace: true },
    ]);
  });

  it('are all looked at where they are kept in another field', async () => {
    const world = await someContacts();
    await noteAll(world);
    const stale = await listStale(world, { place: JSON.stringify(['Other']) });
    expect(stale.map(({ crmId, isSamePlace }) => [crmId, isSamePlace])).toEqual([
      ['c-1', false],
      ['c-2', false],
      ['c-4', false],
    ]);
  });

  it('stay to be looked at where the CRM was busy', async () => {
    const world = await someContacts();
    const [first] = await listStale(world);
    if (first === undefined) throw new Error('No contact is stale');
    const busy = {
      ...{ reason: 'crm_busy' as const, detail: null, words: null, owned: null },
      ...{ writeId: null, isDone: false },
    };
    const end = { crmId: first.crmId, seen: first.seen, status: null, written: busy };
    await world.store.checkpoint(world.lease, (trx) => recordStatuses(trx, RUN, [end]));
    expect((await listStale(world)).map(({ crmId }) => crmId)).toContain(first.crmId);
  });
});

import { expect, it } from 'vitest';
import { recordDecidedPage } from '../../src/contacts/decided-pages.ts';
import { markUnseen, removeMissing } from '../../src/contacts/many-at-once/missing.ts';
import { recordRunBegin } from '../../src/sync/statements/runs.ts';
import { RUN, START_MS, type StoreWorld, storeWorlds } from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import {
  contactOf,
  contactRow,
  holdForName,
  holdOf,
  KEEP,
  NO_MORE,
  noting,
  putContacts,
  readContact,
} from './contact-stages.ts';

/** Removes the contacts that a run did not see. A run itself removes the contacts only if there are a few of them. */
async function removeUnseen({ store, lease }: StoreWorld, runId: string): Promise<void> {
  await store.checkpoint(lease, (trx) => markUnseen(trx, runId));
  await store.checkpoint(lease, (trx) => removeMissing(trx, { since: 0 }));
}

describeEachDatabase('missing contacts that are removed', (open) => {
  const createWorld = storeWorlds(open);

  it('removes contacts at rest that the run did not see', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'settled' }),
      contactRow({ crm_id: 'due', state: 'due', due_reason: 'profile_old' }),
      contactRow({ crm_id: 'seen', seen_run: RUN }),
      contactRow({ crm_id: 'submitted', state: 'submitted' }),
      contactRow({ crm_id: 'ready', state: 'ready' }),
      contactRow({ crm_id: 'elsewhere', integration_id: 'lakeside' }),
    ]);
    await removeUnseen(world, RUN);
    const states = await world.db.selectFrom('contacts').select(['crm_id', 'state']).execute();
    expect(Object.fromEntries(states.map(({ crm_id, state }) => [crm_id, state]))).toEqual({
      settled: 'removed',
      due: 'removed',
      seen: 'settled',
      submitted: 'submitted',
      ready: 'ready',
      elsewhere: 'settled',
    });
    expect(await contactOf(world, 'due')).toMatchObject({
      due_reason: null,
      outcome_reason: 'deleted_in_crm',
      outcome_run: RUN,
      outcome_at: START_MS,
    });
  });

  it('leaves no open hold of a contact that it removes', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'manual', null),
    );
    await world.store.checkpoint(world.lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: 'run-2', contacts: [readContact('c-2')], ...NO_MORE },
        noting(() => KEEP),
      ),
    );
    await removeUnseen(world, 'run-2');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed' });
    expect(await holdOf(world, 'c-1')).toMatchObject({ decision: 'superseded' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
    expect(await holdOf(world, 'c-2')).toMatchObject({ decision: null });
  });

  it('does not touch what was removed before', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'removed', outcome_reason: 'merged_in_crm' }),
    ]);
    await removeUnseen(world, RUN);
    expect(await contactOf(world, 'c-1')).toMatchObject({ outcome_reason: 'merged_in_crm' });
  });
});

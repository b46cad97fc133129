import { expect, it } from 'vitest';
import {
  closeQueries,
  listOpenQueries,
  recordQueryIntent,
} from '../../../src/credits/statements/queries.ts';
import { findPathCost } from '../../../src/paths/statements/warm-paths.ts';
import {
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('queries that may cost credits', (open) => {
  const createWorld = storeWorlds(open);

  function intend({ store, lease }: StoreWorld, id: string, limit = 10) {
    return store.checkpoint(lease, (trx) =>
      recordQueryIntent(trx, { id, runId: RUN, bucket: 'searches', credits: 2 }, (thisRun) =>
        thisRun + 2 > limit ? null : 100 - thisRun,
      ),
    );
  }

  it('are on disk with the balance before them, and count in full', async () => {
    const world = await createWorld();
    expect(await intend(world, 'q-1')).toEqual({ recorded: true, thisRun: 0 });
    expect(await intend(world, 'q-2')).toEqual({ recorded: true, thisRun: 2 });
    expect(await listOpenQueries(world.store.reader, INTEGRATION)).toEqual([
      {
        id: 'q-1',
        integrationId: INTEGRATION,
        runId: RUN,
        bucket: 'searches',
        credits: 2,
        balanceBefore: 100,
        intendedAt: START_MS,
      },
      expect.objectContaining({ id: 'q-2', balanceBefore: 98 }),
    ]);
    expect(await listOpenQueries(world.store.reader, 'lakeside')).toEqual([]);
  });

  it('never exceed the limit of a run, even if several are sent at the same time', async () => {
    const world = await createWorld();
    const ids = ['q-1', 'q-2', 'q-3', 'q-4', 'q-5'];
    const answers = await Promise.all(ids.map((id) => intend(world, id, 4)));
    expect(answers.filter(({ recorded }) => recorded)).toHaveLength(2);
    expect(await listOpenQueries(world.store.reader, INTEGRATION)).toHaveLength(2);
  });

  it('are closed with what they have cost, which adds up for their run', async () => {
    const world = await createWorld();
    const { store, lease } = world;
    for (const id of ['q-1', 'q-2', 'q-3']) await intend(world, id);
    await store.checkpoint(lease, (trx) =>
      closeQueries(trx, RUN, ['q-1'], { bucket: 'searches', credits: 2 }),
    );
    await store.checkpoint(lease, (trx) =>
      closeQueries(trx, RUN, ['q-2'], { bucket: 'searches', credits: 1 }),
    );
    await store.checkpoint(lease, (trx) =>
      closeQueries(trx, RUN, ['q-3'], { bucket: 'searches', credits: 0 }),
    );
    expect(await listOpenQueries(store.reader, INTEGRATION)).toEqual([]);
    expect(await findPathCost(store.reader, RUN)).toEqual({ bucket: 'searches', credits: 3 });
    expect(await intend(world, 'q-4', 4)).toEqual({ recorded: false, thisRun: 3 });
  });
});

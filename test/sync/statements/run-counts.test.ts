import { expect, it } from 'vitest';
import type { RunTransaction } from '../../../src/database/leases.ts';
import type { Database, Trx } from '../../../src/database/tables/tables.ts';
import { countInRun } from '../../../src/sync/statements/run-counts.ts';
import { RUN, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('the counts of a run', (open) => {
  const createWorld = storeWorlds(open);

  it('grow by what is counted, and by nothing else', async () => {
    const { db, store, lease } = await createWorld();
    await store.leases.checkpoint(lease, async (trx) => {
      await countInRun(trx, RUN, { read: 5, chosen: 3 });
      await countInRun(trx, RUN, { chosen: 1, spent: 2 });
    });
    const counts = await db
      .selectFrom('runs')
      .select(['read_count', 'chosen_count', 'submitted_count', 'spent_enhancements'])
      .where('id', '=', RUN)
      .executeTakeFirst();
    expect(counts).toEqual({
      read_count: 5,
      chosen_count: 4,
      submitted_count: 0,
      spent_enhancements: 2,
    });
  });

  it('are changed in the transaction of a checkpoint alone', async () => {
    const { db, store, lease } = await createWorld();
    const take = (trx: RunTransaction) => trx;
    // @ts-expect-error: a connection is under no lease.
    const ofConnection = (connection: Database) => take(connection);
    // @ts-expect-error: nor is a transaction that no checkpoint has made.
    const ofPlain = (trx: Trx) => take(trx);
    const inCheckpoint = await store.leases.checkpoint(lease, async (trx) => take(trx) === trx);
    expect([inCheckpoint, ofConnection(db) === db, typeof ofPlain]).toEqual([
      true,
      true,
      'function',
    ]);
  });
});

import { beforeEach, expect, it } from 'vitest';
import { listNewestRuns, recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import { createRunDigests } from '../../../src/sync/views/run-digests.ts';
import { INTEGRATION, RUN, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const COUNT = 3;

describeEachDatabase('digests of the newest runs', (open) => {
  const createWorld = storeWorlds(open);
  let world: StoreWorld;
  let asked: string[];

  beforeEach(async () => {
    world = await createWorld();
    asked = [];
  });

  it('are made of the newest runs, the newest first, and of no older ones', async () => {
    const runs = ['run-2', 'run-3', 'run-4'];
    await end(RUN, 'succeeded');
    for (const run of runs) await runOnce(run, 'succeeded');
    expect((await digestsOf()([INTEGRATION])).get(INTEGRATION)).toEqual(runs.toReversed());
  });

  it('are read again while a run goes on, and once another one has begun, and else not', async () => {
    const read = digestsOf();
    await read([INTEGRATION]);
    await end(RUN, 'succeeded');
    await read([INTEGRATION]);
    expect(asked).toEqual([INTEGRATION, INTEGRATION]);
    await read([INTEGRATION]);
    expect(asked).toHaveLength(2);
    await runOnce('run-2', 'failed');
    expect((await read([INTEGRATION])).get(INTEGRATION)).toEqual(['run-2', RUN]);
    await read([INTEGRATION]);
    expect(asked).toHaveLength(4);
  });

  it('say nothing of an integration that was never begun with', async () => {
    expect((await digestsOf()(['harbor'])).size).toBe(0);
  });

  function digestsOf() {
    return createRunDigests(world.store.reader, async (ids) => {
      asked.push(...ids);
      const newest = await listNewestRuns(world.store.reader, ids, COUNT);
      return new Map(ids.map((id) => [id, (newest.get(id) ?? []).map((run) => run.id)]));
    });
  }

  async function runOnce(run: string, status: 'succeeded' | 'failed'): Promise<void> {
    await world.clock.advance(1);
    await world.store.checkpoint(world.lease, (trx) => recordRunBegin(trx, run, 'manual', null));
    await end(run, status);
  }

  async function end(run: string, status: 'succeeded' | 'failed'): Promise<void> {
    const finishedAt = world.clock.now();
    const ended = { status, reason: null, finishedAt, report: '{}' };
    await world.store.checkpoint(world.lease, (trx) => recordRunEnd(trx, run, ended));
  }
});

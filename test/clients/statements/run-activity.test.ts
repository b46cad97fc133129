import { beforeEach, expect, it } from 'vitest';
import {
  listRunActivity,
  type RunActivityRow,
} from '../../../src/clients/statements/run-activity.ts';
import { recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import {
  INTEGRATION,
  RUN,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('the signs of all integrations', (open) => {
  const createWorld = storeWorlds(open);
  let world: StoreWorld;
  let known: ReadonlyMap<string, RunActivityRow>;

  beforeEach(async () => {
    world = await createWorld();
    known = new Map();
  });

  it('follow a run from its beginning to its end, and the one after it', async () => {
    expect(await look()).toMatchObject({ run: RUN, status: 'running', isGoingOn: true });
    await end(RUN, 'succeeded');
    expect(await look()).toMatchObject({ run: RUN, status: 'succeeded', isGoingOn: false });
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'manual', null),
    );
    expect(await look()).toMatchObject({ run: 'run-2', status: 'running', isGoingOn: true });
    await end('run-2', 'failed');
    expect(await look()).toMatchObject({ run: 'run-2', status: 'failed', reasonMessage: 'Why' });
  });

  it('forget what was erased from the reason of a run', async () => {
    await end(RUN, 'failed');
    await look();
    await world.db.updateTable('runs').set({ reason_message: '(erased)' }).execute();
    expect(await look()).toMatchObject({ reasonMessage: '(erased)' });
  });

  it('are the same for who has looked before and who has not', async () => {
    await end(RUN, 'succeeded');
    await takeLease(world.store, 'harbor');
    await look();
    expect(await listRunActivity(world.store.reader, new Map())).toEqual(known);
    expect(known.get('harbor')).toMatchObject({ run: null, isGoingOn: false });
  });

  it('know nothing any more of an integration that is gone', async () => {
    await end(RUN, 'succeeded');
    await look();
    await world.db.deleteFrom('runs').execute();
    await world.db.deleteFrom('integrations').execute();
    expect(await look()).toBeUndefined();
  });

  async function look(): Promise<RunActivityRow | undefined> {
    known = await listRunActivity(world.store.reader, known);
    return known.get(INTEGRATION);
  }

  async function end(run: string, status: 'succeeded' | 'failed'): Promise<void> {
    const reason = status === 'failed' ? { code: 'unexpected_error', message: 'Why' } : null;
    const finishedAt = world.clock.now();
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunEnd(trx, run, { status, reason, finishedAt, report: '{}' }),
    );
  }
});

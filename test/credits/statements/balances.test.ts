import { expect, it } from 'vitest';
import { recordRefusedSubmission } from '../../../src/credits/statements/answers.ts';
import {
  findKeyBalance,
  getSpentByRun,
  getSpentSince,
  recordKeyBalance,
} from '../../../src/credits/statements/balances.ts';
import { recordLostSubmission } from '../../../src/credits/statements/lost-answers.ts';
import { accept, start, submit } from '../../contacts/contact-stages.ts';
import { BALANCE, INTEGRATION, KEY, START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('the balance of a key', (open) => {
  const createWorld = storeWorlds(open);

  it('is unknown until it was read', async () => {
    const { store } = await createWorld();
    expect(await findKeyBalance(store.reader, 'key-2')).toEqual({
      balance: null,
      sequence: 0,
      readAt: 0,
    });
    expect(await recordKeyBalance(store.connection, 'key-2', 0, 70)).toBe(true);
    expect(await recordKeyBalance(store.connection, 'key-2', 0, 71)).toBe(true);
    expect(await findKeyBalance(store.reader, 'key-2')).toEqual({
      balance: 71,
      sequence: 0,
      readAt: START_MS,
    });
    expect(await findKeyBalance(store.reader, KEY)).toEqual({
      balance: BALANCE,
      sequence: 0,
      readAt: START_MS,
    });
  });

  it('is not taken from a reading before which a submission was closed', async () => {
    const world = await createWorld();
    const { sequence } = await findKeyBalance(world.store.reader, KEY);
    await start(world, ['c-1']);
    expect(await recordKeyBalance(world.store.connection, KEY, sequence, 500)).toBe(false);
    expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
      balance: BALANCE - 1,
      sequence: 1,
      readAt: START_MS,
    });
    expect(await recordKeyBalance(world.store.connection, KEY, sequence + 1, 500)).toBe(true);
  });

  it.each(['intended', 'lost'])(
    'is not taken from a reading while a submission is %s',
    async (state) => {
      const world = await createWorld();
      await submit(world, ['c-1']);
      if (state === 'lost')
        await world.store.checkpoint(world.lease, (trx) =>
          recordLostSubmission(trx, 'submission-1'),
        );
      expect(await recordKeyBalance(world.store.connection, KEY, 0, 500)).toBe(false);
      expect(await findKeyBalance(world.store.reader, KEY)).toEqual({
        balance: BALANCE,
        sequence: 0,
        readAt: START_MS,
      });
    },
  );
});

describeEachDatabase('what was spent', (open) => {
  const createWorld = storeWorlds(open);

  it('adds what was charged since an instant, and what an open submission may cost', async () => {
    const world = await createWorld();
    expect(await getSpentSince(world.store.reader, INTEGRATION, 0)).toBe(0);
    await submit(world, ['c-1', 'c-2']);
    await accept(world, ['c-1']);
    await world.clock.advance(1_000);
    await submit(world, ['c-3', 'c-4', 'c-5'], 'submission-2');
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS)).toBe(4);
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS + 1)).toBe(3);
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS + 1_001)).toBe(0);
    expect(await getSpentSince(world.store.reader, 'lakeside', 0)).toBe(0);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-2'),
    );
    expect(await getSpentSince(world.store.reader, INTEGRATION, START_MS)).toBe(1);
  });

  it('knows nothing of a run that spent nothing', async () => {
    const { store } = await createWorld();
    expect(await getSpentByRun(store.reader, 'run-9')).toBe(0);
  });
});

import { expect, it } from 'vitest';
import {
  claimIdempotencyKey,
  redirectIdempotencyKey,
} from '../../../src/jobs/statements/idempotency.ts';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const DAY_MS = 24 * 3_600_000;

describeEachDatabase('idempotency keys', (open) => {
  const createWorld = storeWorlds(open);

  it('lead to the run that they led to first, also when asked at the same time', async () => {
    const { store } = await createWorld();
    const claims = await Promise.all([
      store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'a')),
      store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'b')),
      store.act((trx) => claimIdempotencyKey(trx, 'key', 'one', 'c')),
    ]);
    expect(new Set(claims.map(({ runId }) => runId)).size).toBe(1);
    expect(await store.act((trx) => claimIdempotencyKey(trx, 'other', 'all', 'd'))).toMatchObject({
      runId: 'd',
    });
  });

  it('can be led to the run that answers instead', async () => {
    const { store } = await createWorld();
    await store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'a'));
    await redirectIdempotencyKey(store.connection, 'key', 'running');
    expect(await store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'b'))).toMatchObject({
      runId: 'running',
    });
  });

  it('are good for a day', async () => {
    const { store, clock } = await createWorld();
    await store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'a'));
    await clock.advance(DAY_MS);
    expect(await store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'b'))).toMatchObject({
      runId: 'a',
    });
    await clock.advance(1);
    expect(await store.act((trx) => claimIdempotencyKey(trx, 'key', 'all', 'c'))).toMatchObject({
      runId: 'c',
    });
  });
});

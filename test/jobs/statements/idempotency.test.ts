import { expect, it } from 'vitest';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const DAY_MS = 24 * 3_600_000;

describeEachDatabase('idempotency keys', (open) => {
  const createWorld = storeWorlds(open);

  it('lead to the run that they led to first, also when asked at the same time', async () => {
    const { store } = await createWorld();
    const claims = await Promise.all([
      store.idempotency.claim('key', 'all', 'a'),
      store.idempotency.claim('key', 'all', 'b'),
      store.idempotency.claim('key', 'one', 'c'),
    ]);
    expect(new Set(claims.map(({ runId }) => runId)).size).toBe(1);
    expect(await store.idempotency.claim('other', 'all', 'd')).toMatchObject({ runId: 'd' });
  });

  it('can be led to the run that answers instead', async () => {
    const { store } = await createWorld();
    await store.idempotency.claim('key', 'all', 'a');
    await store.idempotency.redirect('key', 'running');
    expect(await store.idempotency.claim('key', 'all', 'b')).toMatchObject({ runId: 'running' });
  });

  it('are good for a day', async () => {
    const { store, clock } = await createWorld();
    await store.idempotency.claim('key', 'all', 'a');
    await clock.advance(DAY_MS);
    expect(await store.idempotency.claim('key', 'all', 'b')).toMatchObject({ runId: 'a' });
    await clock.advance(1);
    expect(await store.idempotency.claim('key', 'all', 'c')).toMatchObject({ runId: 'c' });
  });
});

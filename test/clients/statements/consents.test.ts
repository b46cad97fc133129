import { expect, it } from 'vitest';
import { INTEGRATION, START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const TEN_MINUTES_MS = 600_000;

function aConsent(stateHash: string) {
  return {
    stateHash: stateHash,
    integrationId: INTEGRATION,
    verifier: 'sealed',
    expiresAt: START_MS + TEN_MINUTES_MS,
  };
}

describeEachDatabase('consents', (open) => {
  const createWorld = storeWorlds(open);

  it('are taken by one return only', async () => {
    const { store } = await createWorld();
    await store.consents.begin(aConsent('a'));
    const taken = await Promise.all([store.consents.take('a'), store.consents.take('a')]);
    expect(taken.filter((consent) => consent !== undefined)).toMatchObject([
      { verifier: 'sealed' },
    ]);
    await store.consents.conclude('a', 'connected');
    expect(await store.consents.find('a')).toMatchObject({ outcome: 'connected' });
    expect(await store.consents.take('a')).toBeUndefined();
  });

  it('expire, and are forgotten an hour later', async () => {
    const { store, clock } = await createWorld();
    await store.consents.begin(aConsent('a'));
    await clock.advance(TEN_MINUTES_MS);
    expect(await store.consents.take('a')).toBeUndefined();
    await clock.advance(3_600_001);
    await store.consents.begin({ ...aConsent('b'), expiresAt: clock.now() + 1 });
    expect(await store.consents.find('a')).toBeUndefined();
    expect(await store.consents.find('b')).toMatchObject({ outcome: null });
  });
});

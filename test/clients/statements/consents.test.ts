import { expect, it } from 'vitest';
import {
  concludeConsent,
  findConsentByState,
  insertConsent,
  takeConsent,
} from '../../../src/clients/statements/consents.ts';
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
    await insertConsent(store.connection, aConsent('a'));
    const taken = await Promise.all([
      takeConsent(store.connection, 'a'),
      takeConsent(store.connection, 'a'),
    ]);
    expect(taken.filter((consent) => consent !== undefined)).toMatchObject([
      { verifier: 'sealed' },
    ]);
    await concludeConsent(store.connection, 'a', 'connected');
    expect(await findConsentByState(store.reader, 'a')).toMatchObject({ outcome: 'connected' });
    expect(await takeConsent(store.connection, 'a')).toBeUndefined();
  });

  it('expire, and are forgotten an hour later', async () => {
    const { store, clock } = await createWorld();
    await insertConsent(store.connection, aConsent('a'));
    await clock.advance(TEN_MINUTES_MS);
    expect(await takeConsent(store.connection, 'a')).toBeUndefined();
    await clock.advance(3_600_001);
    await insertConsent(store.connection, { ...aConsent('b'), expiresAt: clock.now() + 1 });
    expect(await findConsentByState(store.reader, 'a')).toBeUndefined();
    expect(await findConsentByState(store.reader, 'b')).toMatchObject({ outcome: null });
  });
});

import { expect, it } from 'vitest';
import {
  findHookByClient,
  isCallReceived,
  listHooks,
  recordHookUse,
  recordReceivedCall,
  revokeHook,
  saveHook,
} from '../../../src/clients/statements/hooks.ts';
import { INTEGRATION, START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const FIVE_MINUTES_MS = 300_000;

describeEachDatabase('webhook addresses', (open) => {
  const createWorld = storeWorlds(open);

  it('are replaced by a new one, and can be revoked', async () => {
    const { store, clock } = await createWorld();
    const hook = { integrationId: INTEGRATION, signature: null, secret: null };
    await store.act((trx) => saveHook(trx, { ...hook, tokenHash: 'old' }));
    await recordHookUse(store.connection, INTEGRATION);
    expect(await findHookByClient(store.reader, INTEGRATION)).toMatchObject({
      lastUsedAt: START_MS,
    });
    await clock.advance(1);
    await store.act((trx) =>
      saveHook(trx, { ...hook, tokenHash: 'new', signature: 'hmac', secret: 'sealed' }),
    );
    expect(await listHooks(store.reader)).toEqual([
      {
        integrationId: INTEGRATION,
        tokenHash: 'new',
        signature: 'hmac',
        secret: 'sealed',
        createdAt: START_MS + 1,
        lastUsedAt: null,
        ignoredCount: 0,
        calledAt: 0,
        opensAt: 0,
      },
    ]);
    expect(await store.act((trx) => revokeHook(trx, INTEGRATION))).toBe(true);
    expect(await store.act((trx) => revokeHook(trx, INTEGRATION))).toBe(false);
  });

  it('remember a signed call while its age allows it to come again', async () => {
    const { store, clock } = await createWorld();
    expect(await isCallReceived(store.reader, 'call')).toBe(false);
    const receive = (call: string) => recordReceivedCall(store.connection, call, FIVE_MINUTES_MS);
    await Promise.all([receive('call'), receive('call'), receive('call')]);
    await clock.advance(FIVE_MINUTES_MS);
    await receive('another');
    expect(await isCallReceived(store.reader, 'call')).toBe(true);
    await clock.advance(1);
    await receive('one more');
    expect(await isCallReceived(store.reader, 'call')).toBe(false);
  });
});
